import Foundation

// What `Scripts/fuzz` builds together with the sources of WeirStreams, as one module, with libFuzzer and AddressSanitizer.
//
// The first bytes of an input choose options and where the rest is cut; the rest is a stream. Every split must say the same, nothing may
// trap, and the decoder must agree with Foundation's.

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    guard let data, size >= 4 else { return 0 }
    let bytes = UnsafeBufferPointer(start: data, count: size)
    FuzzTarget.chosen.run(FuzzInput(options: Array(bytes[..<4]), stream: Array(bytes[4...])))
    return 0
}

/// Ends the process, with a sentence, unless something holds.
func require(_ holds: Bool, _ sentence: @autoclosure () -> String) {
    if !holds { fatalError(sentence()) }
}

/// Options and a stream.
struct FuzzInput {
    var options: [UInt8]
    var stream: [UInt8]

    /// A small limit in most inputs, so that limits are met.
    var limit: Int { options[0] < 64 ? StreamLimits.message : Int(options[0]) - 64 }

    func flag(_ bit: UInt8) -> Bool { options[1] >> bit & 1 == 1 }

    /// The stream cut into pieces by two of the options.
    var pieces: [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var state = UInt32(options[2]) << 8 | UInt32(options[3]) | 1
        var rest = stream[...]
        while !rest.isEmpty {
            state = state &* 1_664_525 &+ 1_013_904_223
            let piece = rest.prefix(Int(state >> 24) % (1 + Int(options[3])))
            pieces.append(piece)
            rest = rest.dropFirst(piece.count)
            if pieces.count > 10_000 { break }
        }
        return pieces + [rest]
    }
}

/// A parser that is fuzzed.
enum FuzzTarget: String, CaseIterable {
    case lines, sse, ndjson, sequence, array, text, decoder

    /// The one that the environment names.
    static let chosen = ProcessInfo.processInfo.environment["WEIR_FUZZ"].flatMap(FuzzTarget.init) ?? .lines

    func run(_ input: FuzzInput) {
        switch self {
        case .lines: split(LineParser(keepingEmpty: input.flag(0), limit: input.limit), input)
        case .sse:
            var options = SSEParser.Options()
            options.limit = input.limit
            options.deliversUnfinishedEvent = input.flag(0)
            options.endMarker = input.flag(1) ? "[DONE]" : nil
            split(SSEParser(options), input)
        case .ndjson: split(JSONLinesParser(limit: input.limit), input)
        case .sequence: split(JSONSequenceParser(limit: input.limit), input)
        case .array:
            let pointer: JSONPointer = input.flag(0) ? "/a/b" : input.flag(1) ? "/1" : .root
            split(
                JSONArrayParser(at: pointer, limit: input.limit, depthLimit: input.flag(2) ? 3 : StreamLimits.depth),
                input)
        case .text: text(input)
        case .decoder: DecoderFuzz.run(input)
        }
    }

    /// Whole, in pieces and byte by byte, all must be said in the same way.
    private func split<Parser: StreamParser>(_ parser: Parser, _ input: FuzzInput) where Parser.Message: Equatable {
        let whole = transcript(parser, [input.stream[...]])
        let split = transcript(parser, input.pieces)
        let single = transcript(parser, input.stream.indices.map { input.stream[$0...$0] })
        require(whole == split, "split: \(split) instead of \(whole)")
        require(whole == single, "single bytes: \(single) instead of \(whole)")
    }

    private func text(_ input: FuzzInput) {
        let whole = String(decoding: input.stream, as: UTF8.self)
        var found = ""
        for case .message(let piece) in transcript(TextParser(), input.pieces) { found += piece }
        require(Array(found.utf8) == Array(whole.utf8), "\(found) instead of \(whole)")
    }

    private enum Item<Message: Equatable>: Equatable {
        case message(Message)
        case error(StreamError)
        case discarded(Int)
    }

    private func transcript<Parser: StreamParser>(
        _ parser: Parser, _ pieces: [ArraySlice<UInt8>]
    ) -> [Item<Parser.Message>] {
        var parser = parser
        var items: [Item<Parser.Message>] = []
        for piece in pieces {
            // Memory of exactly the piece's size, so that the sanitizer sees what is read beyond it.
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 1)
            memory.copyBytes(from: piece)
            parser.feed(UnsafeRawBufferPointer(memory)) {
                items.append(.message(Parser.copy($0)))
            } onError: {
                items.append(.error($0))
            }
            memory.deallocate()
        }
        do throws(StreamError) {
            switch try parser.finish() {
            case .complete: break
            case .message(let message): items.append(.message(Parser.copy(message)))
            case .discarded(let count): items.append(.discarded(count))
            }
        } catch {
            items.append(.error(error))
        }
        return items
    }
}

import Foundation
import Testing
import WeirStreams

@Suite struct MessageSequenceTests {
    private struct Hit: Codable, Equatable, Sendable { var id: Int }
    private struct Cut: Error {}

    private func stream(_ pieces: [String], failure: (any Error)? = nil) -> AsyncThrowingStream<[UInt8], any Error> {
        AsyncThrowingStream { continuation in
            for piece in pieces { continuation.yield(Array(piece.utf8)) }
            continuation.finish(throwing: failure)
        }
    }

    private func all<S: AsyncSequence>(_ sequence: S) async throws -> [S.Element] {
        var elements: [S.Element] = []
        for try await element in sequence { elements.append(element) }
        return elements
    }

    @Test func eachFormatIsASequence() async throws {
        #expect(try await all(stream(["a\n\nb", "c\r", "\nd"]).streamed.lines()) == ["a", "", "bc", "d"])
        #expect(try await all(stream(["a\n\nb"]).streamed.lines(keepingEmpty: false)) == ["a", "b"])
        #expect(
            try await all(stream(["data: a\n", "\nda", "ta: b\n\n"]).streamed.serverSentEvents).map(\.data) == [
                "a", "b",
            ])
        #expect(
            try await all(stream(["{\"id\":1}\n{\"i", "d\":2}"]).streamed.jsonLines(as: Hit.self)).map(\.id) == [1, 2])
        #expect(
            try await all(stream(["\u{1E}{\"id\":1}\n\u{1E}{\"i", "d\":2}\n"]).streamed.jsonSequence(as: Hit.self)).map(
                \.id)
                == [1, 2])
        #expect(
            try await all(
                stream(["{\"data\":[{\"id\":1},{\"i", "d\":2}]}"]).streamed.jsonElements(as: Hit.self, at: "/data")
            )
            .map(\.id) == [1, 2])
        #expect(try await all(stream(["ab", "c"]).streamed.text) == ["ab", "c"])
    }

    @Test func bytesOneByOneAndDataAreStreamsToo() async throws {
        let bytes = AsyncStream<UInt8> { continuation in
            for byte in "{\"id\":1}\n{\"id\":2}\n{\"id\":3}".utf8 { continuation.yield(byte) }
            continuation.finish()
        }
        #expect(try await all(bytes.streamed.jsonLines(as: Hit.self)).map(\.id) == [1, 2, 3])
        let data = AsyncStream<Data> { continuation in
            continuation.yield(Data("a\nb".utf8))
            continuation.yield(Data("c".utf8))
            continuation.finish()
        }
        #expect(try await all(data.streamed.lines()) == ["a", "bc"])
    }

    @Test func messageDoesNotWaitForTheNextByte() async throws {
        let (bytes, continuation) = AsyncStream<UInt8>.makeStream()
        var events = bytes.streamed.serverSentEvents.makeAsyncIterator()
        for byte in "data: a\n\n".utf8 { continuation.yield(byte) }
        #expect(try await events.next()?.data == "a")
        for byte in "data: b\r\r".utf8 { continuation.yield(byte) }
        #expect(try await events.next()?.data == "b")
        continuation.finish()
        #expect(try await events.next() == nil)
    }

    @Test func failureOfOneMessageIsNotTheEnd() async throws {
        let pieces = ["{\"id\":1}\nnonsense\n{\"id\":2}\n{\"id\":\n{\"id\":3}\n"]
        var iterator = stream(pieces).streamed.jsonLines(as: Hit.self).makeAsyncIterator()
        #expect(try await iterator.next()?.id == 1)
        let wrong = await #expect(throws: UndecodableMessage.self) { try await iterator.next() }
        #expect(wrong?.offset == 9)
        #expect(wrong?.beginning == "nonsense")
        #expect(wrong?.reason is DecodingError)
        #expect(try await iterator.next()?.id == 2)
        // Cut and wrong are told apart.
        await #expect(throws: StreamError(.incomplete, offset: 27)) { try await iterator.next() }
        #expect(try await iterator.next()?.id == 3)
        #expect(try await iterator.next() == nil)

        let results = try await all(stream(pieces).streamed.jsonLines(as: Hit.self).results)
        #expect(results.map { (try? $0.get())?.id } == [1, nil, 2, nil, 3])
        let skipped = Counter()
        let kept = try await all(
            stream(pieces).streamed.jsonLines(as: Hit.self).skippingFailures { _ in skipped.add() })
        #expect(kept.map(\.id) == [1, 2, 3])
        #expect(await skipped.count == 2)
    }

    @Test func cutStreamThrowsAfterWhatWasComplete() async throws {
        for unfinished in ["", "{\"id\":2}", "{\"id\":2"] {
            var iterator = stream(["{\"id\":1}\n", unfinished], failure: Cut()).streamed.jsonLines(as: Hit.self).results
                .makeAsyncIterator()
            #expect(try await iterator.next()?.get().id == 1)
            await #expect(throws: Cut.self) { try await iterator.next() }
            #expect(try await iterator.next() == nil)
        }
    }

    @Test func fatalErrorEndsTheSequence() async throws {
        var iterator = stream(["[{\"id\":1} 2", ",3]"]).streamed.jsonElements(as: Hit.self).makeAsyncIterator()
        #expect(try await iterator.next()?.id == 1)
        await #expect(throws: StreamError(.missingComma, offset: 10)) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test func endMarkerEndsTheSequenceBeforeTheStream() async throws {
        let (pieces, continuation) = AsyncStream<[UInt8]>.makeStream()
        continuation.yield(Array("data: a\n\ndata: [DONE]\n\n".utf8))
        // The stream stays open.
        let events = try await all(pieces.streamed.serverSentEvents(.modelTokens))
        #expect(events.map(\.data) == ["a"])
        continuation.finish()
    }

    @Test func scalarsAndCharactersAreThoseOfTheWhole() async throws {
        let text = "e\u{301}👩‍👩‍👧🇩🇪🇫🇷\r\nकि\u{0}x"
        let bytes = Array(text.utf8)
        for size in 1...bytes.count {
            let pieces = stride(from: 0, to: bytes.count, by: size).map {
                Array(bytes[$0..<min($0 + size, bytes.count)])
            }
            let stream = AsyncStream<[UInt8]> { continuation in
                for piece in pieces { continuation.yield(piece) }
                continuation.finish()
            }
            #expect(try await all(stream.streamed.characters) == Array(text), "in pieces of \(size)")
            let again = AsyncStream<[UInt8]> { continuation in
                for piece in pieces { continuation.yield(piece) }
                continuation.finish()
            }
            #expect(try await all(again.streamed.unicodeScalars) == Array(text.unicodeScalars))
        }
        #expect(try await all(self.stream([]).streamed.characters).isEmpty)
    }
}

private final class Counter: Sendable {
    private let value = AsyncStream<Void>.makeStream()
    func add() { value.continuation.yield() }
    var count: Int {
        get async {
            value.continuation.finish()
            var count = 0
            for await _ in value.stream { count += 1 }
            return count
        }
    }
}

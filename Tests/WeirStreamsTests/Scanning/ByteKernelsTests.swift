import Testing
import WeirTestSupport

@testable import WeirStreams

/// The SIMD kernels against their scalar twins.
@Suite struct ByteKernelsTests {
    private let output = UnsafeMutablePointer<UInt16>.allocate(capacity: 1024)

    @Test func offsetsEqualTheTwins() {
        defer { output.deallocate() }
        var random = SeededNumbers(seed: 1)
        for round in 0..<400 {
            let count = Int.random(in: 0...300, using: &random)
            let density = Int.random(in: 1...40, using: &random)
            let bytes = (0..<count).map { _ in
                Int.random(in: 0..<density, using: &random) == 0
                    ? [10, 13, 11, 9, 0x8A, 0xFF, 0][Int.random(in: 0..<7, using: &random)]
                    : UInt8.random(in: 0...255, using: &random)
            }
            bytes.withUnsafeBytes { buffer in
                guard let base = buffer.baseAddress else { return }
                let vector = list(
                    ByteKernels.vectorOffsets(of: 10, or: 13, in: base, count: count, into: output))
                let scalar = list(
                    ByteKernels.scalarOffsets(of: 10, or: 13, in: base, from: 0, to: count, into: output, written: 0))
                let plain = bytes.indices.filter { bytes[$0] == 10 || bytes[$0] == 13 }
                #expect(vector == plain, "round \(round)")
                #expect(scalar == plain, "round \(round)")
                #expect(ByteKernels.firstOffset(of: 10, or: 13, in: base, count: count) == plain.first)
            }
        }
    }

    @Test func bracketsEqualTheTwins() {
        defer { output.deallocate() }
        var random = SeededNumbers(seed: 2)
        let alphabet = Array(#""\[]{}aYy_:,1 "#.utf8) + [0x7F, 0xFB, 0x00]
        for round in 0..<600 {
            let count = Int.random(in: 1...300, using: &random)
            // Rounds with many backslashes, and with few.
            let plain = round % 3 == 0 ? 0 : Int.random(in: 0...6, using: &random)
            let bytes = (0..<count).map { _ in
                Int.random(in: 0...max(1, plain), using: &random) == 0
                    ? alphabet[Int.random(in: 0..<alphabet.count, using: &random)] : UInt8(ascii: "x")
            }
            var state = ByteKernels.StringState()
            state.inside = round % 2 == 0 ? 0 : ~0
            state.escaped = round % 5 == 0 ? 1 : 0
            bytes.withUnsafeBytes { buffer in
                guard let base = buffer.baseAddress else { return }
                var a = state
                var b = state
                let vector = list(ByteKernels.vectorBrackets(in: base, count: count, state: &a, into: output))
                let scalar = list(
                    ByteKernels.scalarBrackets(in: base, from: 0, to: count, state: &b, into: output, written: 0))
                #expect(vector == scalar, "round \(round): \(bytes)")
                #expect(a == b, "round \(round)")
            }
        }
    }

    @Test func everyByteIsToldApart() {
        defer { output.deallocate() }
        for byte in UInt8.min...UInt8.max {
            let bytes = [UInt8](repeating: 0x20, count: 70) + [byte] + [UInt8](repeating: 0x20, count: 70)
            bytes.withUnsafeBytes { buffer in
                guard let base = buffer.baseAddress else { return }
                let found = list(
                    ByteKernels.vectorOffsets(of: 10, or: 30, in: base, count: bytes.count, into: output))
                #expect(found == (byte == 10 || byte == 30 ? [70] : []))
                var state = ByteKernels.StringState()
                let brackets = list(
                    ByteKernels.vectorBrackets(in: base, count: bytes.count, state: &state, into: output))
                #expect(brackets == ("[]{}Y_y\u{7F}".utf8.contains(byte) ? [70] : []))
                #expect(state.inside == (byte == 0x22 ? ~0 : 0))
            }
        }
    }

    /// What gathers the bits here and what does so elsewhere.
    @Test func masksAreTheSameByEitherWay() {
        output.deallocate()
        var random = SeededNumbers(seed: 3)
        for round in 0..<500 {
            let density = Int.random(in: 0...8, using: &random)
            let bytes: [UInt8] = (0..<64).map { _ in Int.random(in: 0...density, using: &random) == 0 ? 34 : 120 }
            var bits: UInt64 = 0
            for (place, byte) in bytes.enumerated() where byte == 34 { bits |= UInt64(1) << UInt64(place) }
            let words = (0..<4).map { part -> SIMD2<UInt64> in
                let piece = SIMD16<UInt8>(bytes[part * 16..<part * 16 + 16])
                return ByteKernels.lanes(piece .== SIMD16<UInt8>(repeating: 34))
            }
            let here = ByteKernels.gathered(words[0], words[1], words[2], words[3])
            let elsewhere = PortableMasks.gathered(words[0], words[1], words[2], words[3])
            #expect(ByteKernels.ordered(here) == bits)
            #expect(PortableMasks.ordered(elsewhere) == bits)
            #expect(ByteKernels.unordered(bits) == here)
            #expect(PortableMasks.unordered(bits) == elsewhere)
            let first = min((bits & 0xFFFF).trailingZeroBitCount, 16)
            #expect(min(ByteKernels.firstLane(words[0]), 16) == first)
            #expect(min(PortableMasks.firstLane(words[0]), 16) == first)
            var inside: (UInt64, UInt64) = round % 2 == 0 ? (0, 0) : (~0, ~0)
            var isInside = inside.0 != 0
            let strings = bytes.enumerated().reduce(UInt64(0)) { strings, byte in
                if byte.element == 34 { isInside.toggle() }
                return isInside ? strings | 1 << UInt64(byte.offset) : strings
            }
            #expect(ByteKernels.ordered(ByteKernels.strings(here, &inside.0)) == strings)
            #expect(PortableMasks.ordered(PortableMasks.strings(elsewhere, &inside.1)) == strings)
            #expect(inside == (isInside ? (~0, ~0) : (0, 0)))
        }
    }

    private func list(_ count: Int) -> [Int] { (0..<count).map { Int(output[$0]) } }
}

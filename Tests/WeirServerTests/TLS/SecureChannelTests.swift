#if os(Linux)
import Testing
import WeirModel

@testable import WeirServer

/// TLS with memory for a network and a clock that stands.
@Suite struct SecureChannelTests {
    private final class Pair {
        var channel: SecureChannel
        let client: TLSEngine
        var now = Moment(nanoseconds: 1_000_000_000)
        var hasOpened = false

        init(_ tls: LocalServer.TLS = .generated, timeout: Int64? = nil) throws {
            let material = try TLSMaterial(tls)
            guard let channel = SecureChannel(material, connection: 0, timeout: timeout, now: now) else {
                throw TLSError(reason: "memory ran out")
            }
            self.channel = channel
            let context = try TLSContext(clientTrusting: material.authority)
            client = try #require(TLSEngine(connecting: context, to: "localhost"))
            _ = client.handshake()
        }

        // A macro cannot look into what cannot be copied.
        var deadline: Moment? { channel.deadline }
        var hasInput: Bool { channel.hasInput }
        var phase: SecureChannel.Phase { channel.phase }
        var next: SecureChannel.Next { channel.next(now: now) }
        var outputCount: Int { channel.withOutput { $0.count } }
        var version: UInt16 { channel.facts.version }
        func encrypt(_ output: OutputBuffer) -> Bool { channel.encrypt(output) }

        /// Carries what the client has to send, in pieces of a size.
        func toServer(_ size: Int) throws {
            let bytes = client.withOutput { Array($0) }
            client.sent(bytes.count)
            for start in stride(from: 0, to: bytes.count, by: size) {
                let piece = Array(bytes[start..<min(start + size, bytes.count)])
                let received = piece.withUnsafeBytes { channel.receive($0, now: now) }
                if received == .opened { hasOpened = true } else { #expect(received == .taken) }
            }
        }

        /// Carries what the server has to send, in pieces of a size, and gives what it does then.
        func toClient(_ size: Int) throws -> SecureChannel.Next {
            while true {
                let next = channel.next(now: now)
                guard case .send(let limit) = next else { return next }
                let bytes = channel.withOutput { Array($0.prefix(min(limit, size))) }
                #expect(bytes.withUnsafeBytes { client.feed($0) })
                channel.sent(bytes.count)
                _ = client.handshake()
            }
        }
    }

    @Test(arguments: [1, 2, 7, 1000, 65_536])
    func bearsAnySplit(size: Int) throws {
        let pair = try Pair()
        while !pair.hasOpened {
            try pair.toServer(size)
            #expect(try pair.toClient(size) == .nothing)
        }
        #expect(pair.phase == .open)
        #expect(pair.version == 0x0304)

        let request = Array("GET / HTTP/1.1\r\n\r\n".utf8)
        #expect(request.withUnsafeBytes { pair.client.write($0) })
        var got: [UInt8] = []
        let bytes = pair.client.withOutput { Array($0) }
        pair.client.sent(bytes.count)
        for start in stride(from: 0, to: bytes.count, by: size) {
            _ = Array(bytes[start..<min(start + size, bytes.count)]).withUnsafeBytes {
                pair.channel.receive($0, now: pair.now)
            }
            #expect(pair.hasInput)
            var room = [UInt8](repeating: 0, count: 5)
            while case .bytes(let count) = room.withUnsafeMutableBytes({ pair.channel.read(into: $0) }) {
                got += room.prefix(count)
            }
            #expect(!pair.hasInput)
        }
        #expect(got == request)
    }

    /// Plain bytes count as delivered when the last byte of their records is sent, and only then is more encrypted.
    @Test func encryptsOneFlightAtATime() throws {
        let pair = try Pair()
        while !pair.hasOpened {
            try pair.toServer(.max / 2)
            _ = try pair.toClient(.max / 2)
        }
        var output = OutputBuffer()
        output.append([UInt8](repeating: 1, count: 100_000))
        output.append([UInt8](repeating: 2, count: 100_000))
        var delivered: [Int] = []
        while !output.isEmpty {
            #expect(pair.encrypt(output))
            let first = pair.outputCount
            #expect(first < SecureChannel.flightSize + 1024, "what is kept twice is bounded")
            #expect(pair.encrypt(output), "a second flight is not made")
            #expect(pair.outputCount == first)
            guard case .delivered(let count) = try pair.toClient(10_000) else {
                Issue.record("nothing was delivered")
                return
            }
            delivered.append(count)
            output.removeFirst(count)
            #expect(pair.next == .nothing)
        }
        #expect(delivered.reduce(0, +) == 200_000)
        #expect(delivered.first == SecureChannel.flightSize)
    }

    @Test func holdsTheAnswerAsLongAsItIsTold() throws {
        var tls = LocalServer.TLS.generated
        tls.handshake = { _ in .delayed(.milliseconds(40)) }
        let pair = try Pair(tls, timeout: 1_000_000_000)
        let end = pair.now + 1_000_000_000
        #expect(pair.deadline == end)
        try pair.toServer(1000)
        #expect(try pair.toClient(1000) == .nothing)
        #expect(pair.deadline == pair.now + 40_000_000)
        pair.now = pair.now + 39_999_999
        #expect(try pair.toClient(1000) == .nothing)
        pair.now = pair.now + 1
        _ = try pair.toClient(1000)
        #expect(pair.deadline == end)
        try pair.toServer(1000)
        #expect(pair.hasOpened)
        #expect(pair.deadline == nil)
    }

    @Test func timesOutOnlyWhileItShakesHands() throws {
        let pair = try Pair(timeout: 1_000)
        var early = pair.channel.timeOut(now: pair.now + 999)
        #expect(!early)
        try pair.toServer(1000)
        _ = try pair.toClient(1000)
        try pair.toServer(1000)
        #expect(pair.hasOpened)
        early = pair.channel.timeOut(now: pair.now + 1_000)
        #expect(!early)
        let silent = try Pair(timeout: 1_000)
        let late = silent.channel.timeOut(now: silent.now + 1_000)
        #expect(late)
        #expect(silent.phase == .failed(.timeout))
    }
}
#endif

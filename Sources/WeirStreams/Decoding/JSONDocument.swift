import Foundation

/// A JSON text and the places of its values: what the decoders and containers of one call share.
///
/// It owns a copy of the text, so that a decoder that outlives its call stays valid. It is not `Sendable`, and nor is anything that
/// refers to it; ``JSONDocumentPool`` hands it from one call to the next.
final class JSONDocument {
    /// What a value is.
    enum Kind: UInt8 {
        case null, no, yes, number, string, array, object
    }

    /// A value, or a key, which stands before its value.
    struct Node {
        /// Of a string, a key and a number, the first byte.
        var start: UInt32
        /// The number of bytes, of elements or of members.
        var length: UInt32
        /// The node behind the value with all in it; of a key, its signature.
        var next: UInt32
        /// The container around; 0 at the top.
        var parent: UInt32
        /// Which of the container's values it is, from 0.
        var ordinal: UInt32
        var kind: Kind
        /// Of a string or key, that not all is printable ASCII that stands for itself; of an object, that its keys need an index.
        var isSpecial: Bool
        /// Of an object: keys were converted when a container read them.
        var isConverted: Bool
    }

    /// The memory, behind a pointer so that reading it does not need the checks that properties of classes need.
    struct Memory {
        var text: UnsafeMutableRawPointer
        var capacity: Int
        var count = 0
        var nodes: UnsafeMutablePointer<Node>
        var nodeCapacity: Int
        var nodeCount = 0
        var convertsKeys = false
        var options = StreamingJSONDecoder.SharedOptions.standard
        /// Keyed containers of earlier objects.
        var containers = JSONKeyedContainerCache()
        /// The keys of decoders that were asked for without being in the text, with the objects that do not have them.
        var missingKeys: [(object: UInt32, key: any CodingKey)] = []
        /// Values by key, of objects whose keys cannot be compared as bytes.
        var indices: [[String: UInt32]] = []
        /// Whose memory this is.
        unowned(unsafe) var owner: JSONDocument
    }

    /// The bytes behind the text that may be read; all are 0.
    static let padding = 64
    /// The most bytes of a text.
    static let limit = Int(Int32.max) - 2 * padding
    /// As deep as `JSONDecoder` goes.
    static let depthLimit = 512
    /// The node of a null that is in no text.
    static let missing: UInt32 = 0
    /// The node of the text's value.
    static let root: UInt32 = 1
    /// The most text that is kept for the next call.
    private static let kept = 1 << 20

    let memory: UnsafeMutablePointer<Memory>

    var values: JSONValues {
        @inline(__always) get { JSONValues(memory: memory) }
    }

    init() {
        memory = .allocate(capacity: 1)
        memory.initialize(
            to: Memory(
                text: .allocate(byteCount: 4096, alignment: 16), capacity: 4096, nodes: .allocate(capacity: 256),
                nodeCapacity: 256, owner: self))
    }

    deinit {
        memory.pointee.containers.deallocate()
        memory.pointee.text.deallocate()
        memory.pointee.nodes.deallocate()
        memory.deinitialize(count: 1)
        memory.deallocate()
    }

    /// Takes a text and finds its values.
    func load(_ text: UnsafeRawBufferPointer, _ options: StreamingJSONDecoder.SharedOptions) throws {
        if memory.pointee.options !== options {
            memory.pointee.options = options
            memory.pointee.convertsKeys = options.values.convertsKeys
        }
        memory.pointee.containers.open()
        let first = text.first ?? 0x20
        if first == 0 || first >= 0xEF || text.count > 1 && text[1] == 0 {
            try loadEncoded(text)
        } else {
            try copy(text)
        }
        try scan()
    }

    /// Makes room for a text and copies it.
    private func copy(_ text: UnsafeRawBufferPointer) throws(StreamingJSONDecoder.SyntaxError) {
        guard text.count <= Self.limit else {
            throw StreamingJSONDecoder.SyntaxError(.tooLarge(limit: Self.limit), offset: Self.limit)
        }
        if memory.pointee.capacity < text.count &+ Self.padding {
            memory.pointee.text.deallocate()
            memory.pointee.capacity = text.count &+ text.count / 2 &+ Self.padding
            memory.pointee.text = .allocate(byteCount: memory.pointee.capacity, alignment: 16)
        }
        if let base = text.baseAddress { memory.pointee.text.copyMemory(from: base, byteCount: text.count) }
        (memory.pointee.text + text.count).initializeMemory(as: UInt8.self, repeating: 0, count: Self.padding)
        memory.pointee.count = text.count
    }

    /// Takes a text that begins with a byte order mark, or that may be in UTF-16 or UTF-32 (RFC 4627, section 3).
    private func loadEncoded(_ text: UnsafeRawBufferPointer) throws {
        guard let (encoding, mark) = JSONEncoding.detect(text) else { return try copy(text) }
        let rest = UnsafeRawBufferPointer(rebasing: text.dropFirst(mark))
        guard encoding != .utf8 else { return try copy(rest) }
        guard var string = String(data: Data(rest), encoding: encoding) else {
            throw StreamingJSONDecoder.SyntaxError(.unknownEncoding, offset: 0)
        }
        try string.withUTF8 { try copy(UnsafeRawBufferPointer($0)) }
    }

    /// Forgets the call, and memory that is unusually large.
    func reset() {
        if !memory.pointee.missingKeys.isEmpty { memory.pointee.missingKeys.removeAll() }
        if !memory.pointee.indices.isEmpty {
            memory.pointee.indices.removeAll(keepingCapacity: memory.pointee.indices.count < 64)
        }
        guard memory.pointee.capacity > Self.kept || memory.pointee.nodeCapacity > Self.kept / 8 else { return }
        memory.pointee.text.deallocate()
        memory.pointee.nodes.deallocate()
        memory.pointee.text = .allocate(byteCount: 4096, alignment: 16)
        memory.pointee.capacity = 4096
        memory.pointee.nodes = .allocate(capacity: 256)
        memory.pointee.nodeCapacity = 256
        memory.pointee.count = 0
        memory.pointee.nodeCount = 0
    }
}

/// Gives the elements of a JSON array while the document arrives, as their exact bytes.
///
/// The array is the document itself or at a JSON Pointer in it. What surrounds the elements is held to JSON's grammar: commas,
/// colons, names, brackets of one kind with their own, nothing but white space after the end. What is within an element is held to its
/// brackets and strings alone, so that a bad one fails when it is decoded and the next one comes.
///
/// The first member that the pointer names counts. After the array, the rest of the document is still looked at.
public struct JSONArrayParser: StreamParser {
    /// What may stand next, outside of strings, numbers and the brackets that are passed over.
    enum Expected: Sendable {
        case value
        /// In an array that has just begun.
        case valueOrEnd
        case name
        /// In an object that has just begun.
        case nameOrEnd
        case colon
        case commaOrEnd
        /// The document is complete.
        case nothing
        /// A fatal error was reported: all that comes is dropped.
        case failed
    }

    /// What the next byte belongs to.
    enum Inside: Sendable {
        /// The structure around the elements.
        case none
        case string
        /// A number or literal.
        case scalar
        /// Brackets that are passed over as a whole.
        case brackets
    }

    /// What becomes of the value that is being read.
    enum Purpose: Sendable {
        case skip
        case element
        case name
        /// A name that is larger than the limit, and thus not the sought one.
        case longName
    }

    /// The most bytes of an element.
    public let limit: Int
    /// The most levels of brackets within an element.
    public let depthLimit: Int
    /// Where the array is.
    public let pointer: JSONPointer

    let tokens: [[UInt8]]
    var index = OffsetIndex()
    var strings = ByteKernels.StringState()
    var carry = CarryBuffer()
    var isCarryDelivered = false
    var offset = 0

    var expected = Expected.value
    var inside = Inside.none
    var purpose = Purpose.skip
    /// The containers around: those that lead to the array, and the array when it is entered.
    var path: [Level] = []
    var brackets: BracketStack
    /// Whether the next byte of a string is escaped.
    var isEscaped = false
    /// Where the value that is being read began.
    var valueStart = 0
    /// Whether the array was entered.
    var isFound = false
    /// Whether the last name was the sought one.
    var isNameSought = false
    /// Whether the next value is an element.
    var isInTarget = false
    /// How many bytes of a byte order mark came.
    var markCount = 0

    /// A container on the way to the array, or the array.
    struct Level: Sendable {
        var isObject: Bool
        /// Whether it is the array.
        var isTarget = false
        /// In an array on the way, the index of the next element.
        var position = 0
    }

    /// Where the element began that was given last, in bytes from the stream's beginning.
    public internal(set) var messageOffset = 0

    /// Makes a parser.
    ///
    /// - Parameters:
    ///   - pointer: Where the array is; the document itself unless said otherwise. One that is not valid is an error of the
    ///     first call.
    ///   - limit: The most bytes of an element; a larger one is an error, and the next one comes.
    ///   - depthLimit: The most levels of brackets within an element, its own included, at least 1;
    ///     the same holds.
    public init(
        at pointer: JSONPointer = .root, limit: Int = StreamLimits.message, depthLimit: Int = StreamLimits.depth
    ) {
        self.pointer = pointer
        self.limit = limit
        self.depthLimit = depthLimit
        tokens = pointer.tokens ?? []
        brackets = BracketStack(limit: depthLimit)
    }

    /// Takes the next element from the input's front.
    public mutating func next(
        _ input: inout UnsafeRawBufferPointer
    ) throws(StreamError) -> UnsafeRawBufferPointer? {
        if isCarryDelivered {
            isCarryDelivered = false
            carry.removeAll()
        }
        if expected == .failed {
            consume(&input, input.count)
            return nil
        }
        guard pointer.isValid else { throw fail(&input, .invalidPointer(pointer.description), at: 0) }
        guard let base = input.baseAddress else { return nil }
        var position = 0
        while position < input.count {
            let end: Int?
            switch inside {
            case .none:
                let byte = base.load(fromByteOffset: position, as: UInt8.self)
                if !JSONSpace.contains(byte) { try take(byte, at: offset &+ position, &input) }
                position &+= 1
                continue
            case .brackets: end = try endOfBrackets(&input)
            case .string: end = endOfString(input, from: position)
            case .scalar: end = endOfScalar(input, from: position)
            }
            guard let end else { break }
            position = end
            if let element = try endValue(&input, end) { return element }
        }
        try absorb(&input)
        return nil
    }

    /// Takes the end of the stream.
    ///
    /// - Throws: `incomplete` unless the document is complete.
    public mutating func finish() throws(StreamError) -> StreamEnd<UnsafeRawBufferPointer> {
        let start = inside == .none ? offset : valueStart
        let isComplete = expected == .nothing
        let hasFailed = expected == .failed
        let count = carry.count
        self = JSONArrayParser(at: pointer, limit: limit, depthLimit: depthLimit)
        if hasFailed { return .discarded(count: count) }
        if !isComplete { throw StreamError(.incomplete, offset: start) }
        return .complete
    }

    /// Whether a byte ends a value or an array.
    public static func mayComplete(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x7D, 0x5D, 0x2C, 0x22, 0x20, 0x0A, 0x0D, 0x09: true
        default: false
        }
    }

    /// The element's bytes.
    public static func copy(_ message: UnsafeRawBufferPointer) -> [UInt8] { Array(message) }
}

import Foundation
import WeirEvidence
import WeirModel

/// Writes values one after the other into bytes, small ones into few.
///
/// The bytes are in pieces, so that nothing large is ever moved.
struct PackedWriter: Sendable {
    private static let pieceSize = 1 << 18

    fileprivate private(set) var full: [[UInt8]] = []
    fileprivate private(set) var bytes: [UInt8] = []
    /// The texts that are written once and referred to.
    fileprivate private(set) var shared: [String] = []
    private var numbers = PlaceByHash()
    /// The places of texts, by their hashes.
    private var repeated = PlaceByHash()
    private let hash = ValueHash()

    /// Beyond this many, texts are written where they are used, so that the table stays small.
    private static let sharedLimit = 1 << 16

    /// Lets go of what only writing needs.
    mutating func settle() {
        numbers = PlaceByHash()
        repeated = PlaceByHash()
    }

    /// The size of what was written, in bytes, texts that are shared not counted.
    var size: Int { full.reduce(bytes.count) { $0 + $1.count } }

    /// Begins something that is read by itself.
    ///
    /// - Returns: Where it is.
    mutating func begin() -> Int {
        if bytes.count >= Self.pieceSize {
            full.append(bytes)
            bytes = []
        }
        if bytes.isEmpty { bytes.reserveCapacity(Self.pieceSize + Self.pieceSize / 8) }
        return full.count << 32 | bytes.count
    }

    /// LEB128: seven bits in each byte, the lowest first.
    mutating func add(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// A number or nothing; those near zero are the shortest.
    mutating func add(_ value: Int64?) {
        guard let value else { return add(0 as UInt64) }
        if value > .max / 2 || value < .min / 2 {
            add(1 as UInt64)
            addBits(UInt64(bitPattern: value))
        } else {
            add(UInt64(bitPattern: (value << 1) ^ (value >> 63)) + 2)
        }
    }

    /// A number or nothing; thousandths are the shortest.
    mutating func add(_ value: Double?) {
        guard let value else { return add(0 as UInt64) }
        let thousandths = value * 1000
        if abs(thousandths) < 1e15, let whole = Int64(exactly: thousandths.rounded()), Double(whole) / 1000 == value {
            add(UInt64(bitPattern: (whole << 1) ^ (whole >> 63)) + 2)
        } else {
            add(1 as UInt64)
            addBits(value.bitPattern)
        }
    }

    /// Eight bytes.
    mutating func addBits(_ value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// A text or nothing.
    mutating func add(_ text: String?) {
        guard let text else { return add(0 as UInt64) }
        add(UInt64(text.utf8.count) + 1)
        bytes.append(contentsOf: text.utf8)
    }

    /// A text or nothing; most likely one that was written before.
    mutating func addShared(_ text: String?) {
        guard let text else { return add(0 as UInt64) }
        let length = text.utf8.count
        if length <= 200 {
            let hash = hash(of: text)
            if let number = numbers[hash], shared[number] == text { return add(UInt64(number) + 2) }
            if shared.count < Self.sharedLimit {
                numbers.set(hash, to: shared.count)
                shared.append(text)
                return add(UInt64(shared.count) + 1)
            }
        }
        add(1 as UInt64)
        add(text)
    }

    private func hash(of text: String) -> UInt64 {
        text.utf8.withContiguousStorageIfAvailable { hash(UnsafeRawBufferPointer($0)) }
            ?? Array(text.utf8).withUnsafeBytes { hash($0) }
    }

    /// A text that may have been written before, though not often: where it was is written in its stead.
    mutating func addRepeated(_ text: String) {
        let hash = hash(of: text)
        if let place = repeated[hash], isText(text, at: place) { return add(UInt64(place) + 1) }
        add(0 as UInt64)
        if repeated.count < Self.sharedLimit { repeated.set(hash, to: full.count << 32 | bytes.count) }
        add(text)
    }

    private func isText(_ text: String, at place: Int) -> Bool {
        var reader = PackedReader(self, from: place)
        return reader.isText(text)
    }

    /// Header fields.
    mutating func add(_ fields: [HeaderField]) {
        add(UInt64(fields.count))
        for field in fields {
            addShared(field.name)
            addShared(field.value)
        }
    }
}

/// Places of texts by their hashes, which are random already and never 0: open addressing.
private struct PlaceByHash: Sendable {
    private var slots: [(hash: UInt64, place: Int)] = []
    private(set) var count = 0

    subscript(hash: UInt64) -> Int? {
        guard !slots.isEmpty else { return nil }
        let slot = slots[slot(of: hash)]
        return slot.hash == 0 ? nil : slot.place
    }

    mutating func set(_ hash: UInt64, to place: Int) {
        if (count + 1) * 3 > slots.count * 2 { grow() }
        let slot = slot(of: hash)
        if slots[slot].hash == 0 { count += 1 }
        slots[slot] = (hash, place)
    }

    private func slot(of hash: UInt64) -> Int {
        let mask = slots.count &- 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot].hash != 0, slots[slot].hash != hash { slot = (slot &+ 1) & mask }
        return slot
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: (0, 0), count: max(64, old.count * 2))
        for slot in old where slot.hash != 0 { slots[self.slot(of: slot.hash)] = slot }
    }
}

/// Reads what a ``PackedWriter`` wrote, in the same order.
struct PackedReader {
    private let writer: PackedWriter
    private let bytes: [UInt8]
    private var texts: [String] { writer.shared }
    private var position: Int

    /// Begins to read what is at a place that ``PackedWriter/begin()`` gave.
    init(_ writer: PackedWriter, from place: Int) {
        let piece = place >> 32
        bytes = writer.full.indices.contains(piece) ? writer.full[piece] : writer.bytes
        self.writer = writer
        position = place & 0xFFFF_FFFF
    }

    private mutating func byte() -> UInt8 {
        guard position < bytes.count else { return 0 }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func unsigned() -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = byte()
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 || shift > 56 { return value }
            shift += 7
        }
    }

    mutating func signed() -> Int64? {
        let value = unsigned()
        guard value > 1 else { return value == 0 ? nil : Int64(bitPattern: bits()) }
        let zigzag = value - 2
        return Int64(bitPattern: (zigzag >> 1) ^ (0 &- (zigzag & 1)))
    }

    mutating func number() -> Double? {
        let value = unsigned()
        guard value > 1 else { return value == 0 ? nil : Double(bitPattern: bits()) }
        let zigzag = value - 2
        return Double(Int64(bitPattern: (zigzag >> 1) ^ (0 &- (zigzag & 1)))) / 1000
    }

    mutating func bits() -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: 0 as UInt64, to: 64, by: 8) { value |= UInt64(byte()) << shift }
        return value
    }

    mutating func text() -> String? {
        let count = unsigned()
        guard count > 0 else { return nil }
        let end = min(bytes.count, position + Int(clamping: count - 1))
        defer { position = end }
        return bytes.withUnsafeBytes { String(decoding: $0[position..<end], as: UTF8.self) }
    }

    /// What ``PackedWriter/addRepeated(_:)`` wrote.
    mutating func repeated() -> String {
        let reference = unsigned()
        guard reference > 0 else { return text() ?? "" }
        var earlier = PackedReader(writer, from: Int(truncatingIfNeeded: reference - 1))
        return earlier.text() ?? ""
    }

    /// Whether a text is what comes next.
    mutating func isText(_ text: String) -> Bool {
        let count = unsigned()
        guard count > 0, Int(clamping: count - 1) == text.utf8.count, position + text.utf8.count <= bytes.count else {
            return false
        }
        let start = position
        let isEqual = bytes.withUnsafeBytes { bytes in
            text.utf8.withContiguousStorageIfAvailable { text in
                guard let own = bytes.baseAddress, let other = text.baseAddress else { return text.isEmpty }
                return memcmp(own + start, other, text.count) == 0
            }
        }
        return isEqual ?? bytes[start..<(start + text.utf8.count)].elementsEqual(text.utf8)
    }

    mutating func shared() -> String? {
        let number = unsigned()
        guard number > 1 else { return number == 0 ? nil : text() }
        let index = Int(clamping: number - 2)
        return texts.indices.contains(index) ? texts[index] : nil
    }

    mutating func headerFields() -> [HeaderField] {
        let count = Int(clamping: unsigned())
        var fields: [HeaderField] = []
        fields.reserveCapacity(min(count, 64))
        for _ in 0..<count { fields.append(HeaderField(name: shared() ?? "", value: shared() ?? "")) }
        return fields
    }
}

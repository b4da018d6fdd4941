/// Tables of places, each held once: responses to one route have the same, mostly.
package struct PlaceTables: Sendable {
    /// The most that are looked among.
    private static let maximum = 4096

    private var tables: [PlaceTable] = []
    private var numbers = HashTable()

    package init() {}

    /// A table like the one given, and the same as was given before if there was one.
    mutating func shared(_ table: PlaceTable) -> PlaceTable {
        let hash = table.contentHash
        if let number = numbers[hash], tables[Int(number)].isEqual(to: table) { return tables[Int(number)] }
        guard tables.count < Self.maximum else { return table }
        numbers.set(hash, to: Int32(tables.count))
        tables.append(table)
        return table
    }
}

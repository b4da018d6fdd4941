/// Places, each list of them held once: requests of one route have the same, mostly, and so have their responses.
package struct PlaceTables: Sendable {
    /// The most that are looked among.
    private static let maximum = 4096

    private var tables: [PlaceTable] = []
    private var numbers = HashTable()

    private var lists: Set<[RequestPlace]> = []

    package init() {}

    /// The places in a request, the same list as was given before if there was one like it.
    mutating func shared(_ places: [RequestPlace]) -> [RequestPlace] {
        if let known = lists.firstIndex(of: places) { return lists[known] }
        if lists.count < Self.maximum { lists.insert(places) }
        return places
    }

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

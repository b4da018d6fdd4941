#if !canImport(Darwin)
/// Whether the loop looks again soon although libcurl tells of no work.
///
/// It may have some that it does not tell of. Within a call it notes that a transfer is to run once more, because another one read
/// bytes of it from the connection that they share, or because its turn in the line came; and before the call returns it drops
/// all notes that are older than the latest transfer that began (`curl_multi_perform` of 7.88). Of bursts of a hundred streams
/// over HTTP/2 on a busy machine, one in sixteen so slept for half a minute with its answers in libcurl's memory.
struct Recheck {
    /// How long to sleep at the most before looking again, in milliseconds.
    static let soon: Int32 = 1

    /// How many sleeps are still to be short.
    private var left = 0

    /// Learns that a transfer began or ended.
    ///
    /// At an end another one may begin that waited in line, and that in the turn after this one: two looks see to both.
    mutating func note() { left = 2 }

    /// How long to sleep where otherwise it would be so many milliseconds.
    mutating func limit(_ milliseconds: Int32) -> Int32 {
        guard left > 0 else { return milliseconds }
        left -= 1
        return min(Self.soon, milliseconds)
    }
}
#endif

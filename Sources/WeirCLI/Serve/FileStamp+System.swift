import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

extension FileStamp {
    /// Looks at a file, following links; nil when there is none.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Whether there is a file, following links, and no directory, pipe or device.
    static func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    init(_ status: stat) {
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        self.init(
            device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino),
            size: Int64(status.st_size), seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }

    /// When the file was written, as HTTP has it (RFC 9110, section 5.6.7).
    var httpDate: String {
        let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
        let second = Int(seconds - days * 86_400)
        // Days since 1 March of the year 0, so that the leap day is the last of its year.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let day = shifted - era * 146_097
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let date = Int(dayOfYear - (153 * month + 2) / 5 + 1)
        let names = ["Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Jan", "Feb"]
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let weekday = weekdays[Int((days % 7 + 7) % 7)]
        let fullYear = Int(year + era * 400) + (month >= 10 ? 1 : 0)
        let clock = String(format: "%02d:%02d:%02d", second / 3600, second / 60 % 60, second % 60)
        return "\(weekday), \(String(format: "%02d", date)) \(names[Int(month)]) "
            + String(format: "%04d", fullYear) + " \(clock) GMT"
    }
}

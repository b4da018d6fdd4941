import Foundation

/// SHA-256 (FIPS 180-4), for what is short: the hashes of a page's own script and style, and of credentials.
package enum SHA256 {
    /// The digest in base 64, as a Content-Security-Policy has it.
    package static func base64(_ text: String) -> String { Data(digest(Array(text.utf8))).base64EncodedString() }

    /// The digest of a message.
    package static func digest(_ message: [UInt8]) -> [UInt8] {
        var hash: [UInt32] = [
            0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
        ]
        var padded = message
        padded.append(0x80)
        while padded.count % 64 != 56 { padded.append(0) }
        let bits = UInt64(message.count) &* 8
        padded += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64($0))) }
        for block in stride(from: 0, to: padded.count, by: 64) { compress(padded[block..<block + 64], into: &hash) }
        return hash.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) } }
    }

    private static func compress(_ block: ArraySlice<UInt8>, into hash: inout [UInt32]) {
        var schedule = [UInt32](repeating: 0, count: 64)
        for (index, byte) in block.enumerated() { schedule[index / 4] = schedule[index / 4] << 8 | UInt32(byte) }
        for index in 16..<64 {
            let (a, b) = (schedule[index - 15], schedule[index - 2])
            let s0 = rotated(a, 7) ^ rotated(a, 18) ^ (a >> 3)
            let s1 = rotated(b, 17) ^ rotated(b, 19) ^ (b >> 10)
            schedule[index] = schedule[index - 16] &+ s0 &+ schedule[index - 7] &+ s1
        }
        var state = hash
        for index in 0..<64 {
            let (a, e) = (state[0], state[4])
            let s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
            let choice = (e & state[5]) ^ (~e & state[6])
            let t1 = state[7] &+ s1 &+ choice &+ constants[index] &+ schedule[index]
            let s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
            let majority = (a & state[1]) ^ (a & state[2]) ^ (state[1] & state[2])
            state = [t1 &+ s0 &+ majority, a, state[1], state[2], state[3] &+ t1, e, state[5], state[6]]
        }
        for index in hash.indices { hash[index] = hash[index] &+ state[index] }
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    private static let constants: [UInt32] = [
        0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4, 0xAB1C_5ED5,
        0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174,
        0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
        0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7, 0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967,
        0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85,
        0xA2BF_E8A1, 0xA81A_664B, 0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
        0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
        0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
    ]
}

import Foundation
import Testing
import WeirCoding

/// Data made by the commands and libraries that others use, to hold the decoder to them.
struct Fixture: CustomTestStringConvertible, Sendable {
    let name: String
    let coding: ContentCoding
    let base64: String

    var testDescription: String { name }

    var bytes: [UInt8] {
        get throws {
            struct NotBase64: Error {}
            guard let data = Data(base64Encoded: base64) else { throw NotBase64() }
            return Array(data)
        }
    }

    /// What they all decode to: forty lines of JSON.
    static let body = Array(
        (0..<40).map { "{\"id\":\($0),\"title\":\"Book number \($0)\",\"ok\":true}\n" }.joined().utf8)

    static let all: [Fixture] = [
        Fixture(
            name: "gzip -9 -n", coding: .gzip,
            base64: """
                H4sIAAAAAAACA3XUO2oDUQBD0T6rMK92YUn+TpmlhExhnGTAjCuTvQfcBa762x2k57h+jmm3Het1/ZrHNN6X5bb5eXx/zPfNbmzH\
                chvTen/Mv2/PVypOBak5NaThNJDuOd1DeuD0AOmR0yOkJ05PkJ45PUN64fRCBIVL6NXASEyFTGSmgiZSU2ETuanAieRU6ER2Kngi\
                PRU+kZ8KoEjQRdAk6CJo3FwbHQm6CJoEXQRNgi6CJkEXQZOgi6BJ0EXQJOgiaBJMEQwJpgiGBFMEg7/ZjpMEUwRDgimCIcEUwZBg\
                imBIMEUwJJgimP+CfyauoYz0BgAA
                """),
        Fixture(
            name: "gzip with a file name", coding: .gzip,
            base64: """
                H4sICCJBDWsAA25hbWVkLnR4dAB11DtqA1EAQ9E+qzCvdmFJ/k6ZpYRMYZxkwIwrk70H3AWu+tsdpOe4fo5ptx3rdf2axzTel+W2\
                +Xl8f8z3zW5sx3Ib03p/zL9vz1cqTgWpOTWk4TSQ7jndQ3rg9ADpkdMjpCdOT5CeOT1DeuH0QgSFS+jVwEhMhUxkpoImUlNhE7mp\
                wInkVOhEdip4Ij0VPpGfCqBI0EXQJOgiaNxcGx0JugiaBF0ETYIugiZBF0GToIugSdBF0CToImgSTBEMCaYIhgRTBIO/2Y6TBFME\
                Q4IpgiHBFMGQYIpgSDBFMCSYIpj/gn8mrqGM9AYAAA==
                """),
        Fixture(
            name: "gzip with extra field, name, comment and header CRC", coding: .gzip,
            base64: """
                H4sIHwAAAAAAAwQAYWIAAG5hbWUAY29tbWVudADdwXXUO2oDUQBD0T6rMK92YUn+TpmlhExhnGTAjCuTvQfcBa762x2k57h+jmm3\
                Het1/ZrHNN6X5bb5eXx/zPfNbmzHchvTen/Mv2/PVypOBak5NaThNJDuOd1DeuD0AOmR0yOkJ05PkJ45PUN64fRCBIVL6NXASEyF\
                TGSmgiZSU2ETuanAieRU6ER2KngiPRU+kZ8KoEjQRdAk6CJo3FwbHQm6CJoEXQRNgi6CJkEXQZOgi6BJ0EXQJOgiaBJMEQwJpgiG\
                BFMEg7/ZjpMEUwRDgimCIcEUwZBgimBIMEUwJJgimP+CfyauoYz0BgAA
                """),
        Fixture(
            name: "two gzip members", coding: .gzip,
            base64: """
                H4sIAAAAAAAAA3XROw6DMBRFwT6rQK+m4Jq/yywligtEiCVkKpS9B1Gf1083py1vi01tZSmfZNGeOa/V99heaa8aqy2vFst+pN/j\
                vKmYCmhgGoC2TFugHdMOaM+0BzowHYCOTEegE9MJ6Mx0pgKnS/jlhdGYnDLRmZw00ZqcNtGbnDjRnJw60Z2cPNGenD7Rn5xA0WC4\
                Bv+KJmz+egMAAB+LCAAAAAAAAAN10TsOgkAYhdHeVZC/poD5eJcsxTgFQSUhQ2Xcu7XJvf3pTtnKM8cS63Hs1ft63fNZpSbqOPZY\
                ynnl7+0T2yOW1NZRFG4VTgYnhTEYhTuDO4V7g3uFB4MHhUeDR4UngyeFZ4NngWk0Rg1iBlGDmEHUIGYQNYgZRA1iBlGDmEHUIGYQ\
                NYgZRA1iBvkf/AHm498xegMAAA==
                """),
        Fixture(
            name: "gzip flushed every 300 bytes by zlib", coding: .gzip,
            base64: """
                H4sIAAAAAAAAA2zKqw6AIAAF0O5XsJsJvAPRT3ESGCgbg8T8dzeT4Z58FvKJqCRGHjUhYm+tiHteR+pCQaIVxNFnerb1Vc2rJtXw\
                aki1vFpSHa+OVM+rJzXwGv71BQAA//900aENAAAIBLGZTgH7L0ZIkPe+rk/LaQltpy10nI4VhC70K4XZGKEMOyOkcWsLAAD//3TR\
                sREAIAADoZlw/+GsPT89HR8eberNiFNzRp26M/LUntGn/oxANXiewQsAAP//dNMxEQAADAMhT/gX17XDRwPHq1GChqA8t9KVoCGo\
                BA1BJWgIKkFDUAgeAAAA//901DENADAQxDBOua38gb26Jxgs+RGCmCAhiAkSgpjgQnAmuBCcCS4Ep29WnF/wAAAA//900aERADAQ\
                BKGi6L+36MzfehwHx6A1KAatQTFoDYpBa1AMWoNi0D/4AAAA//8DACauoYz0BgAA
                """),
        Fixture(
            name: "zlib.compress of Python", coding: .deflate,
            base64: """
                eNp11DtqA1EAQ9E+qzCvdmFJ/k6ZpYRMYZxkwIwrk70H3AWu+tsdpOe4fo5ptx3rdf2axzTel+W2+Xl8f8z3zW5sx3Ib03p/zL9v\
                z1cqTgWpOTWk4TSQ7jndQ3rg9ADpkdMjpCdOT5CeOT1DeuH0QgSFS+jVwEhMhUxkpoImUlNhE7mpwInkVOhEdip4Ij0VPpGfCqBI\
                0EXQJOgiaNxcGx0JugiaBF0ETYIugiZBF0GToIugSdBF0CToImgSTBEMCaYIhgRTBIO/2Y6TBFMEQ4IpgiHBFMGQYIpgSDBFMCSY\
                Ipj/gn+FSCKH
                """),
        Fixture(
            name: "bare DEFLATE by Python", coding: .deflate,
            base64: """
                ddQ7agNRAEPRPqswr3ZhSf5OmaWETGGcZMCMK5O9B9wFrvrbHaTnuH6Oabcd63X9msc03pfltvl5fH/M981ubMdyG9N6f8y/b89X\
                Kk4FqTk1pOE0kO453UN64PQA6ZHTI6QnTk+Qnjk9Q3rh9EIEhUvo1cBITIVMZKaCJlJTYRO5qcCJ5FToRHYqeCI9FT6RnwqgSNBF\
                0CToImjcXBsdCboImgRdBE2CLoImQRdBk6CLoEnQRdAk6CJoEkwRDAmmCIYEUwSDv9mOkwRTBEOCKYIhwRTBkGCKYEgwRTAkmCKY\
                /4J/
                """),
        Fixture(
            name: "brotli -q 11", coding: .br,
            base64: """
                sZg3gGZRYBtrlM1K+mHozaTBXlsoFVj2VDaWOpkwu+VbmlDotMgaWV8K2uXc3FoxRhiV4H8XyOCgeffgs9OLPnDh9STtE2ARVAKX\
                IRWoKuhqmBrYWri6HwSfBMKkKCVOSzJSWdLZMjmyuXJ1C8JUECZFKXFakpHKks6WyZHNlatbMKaGMClKidOSjFSWdLZMjmyu3Hg=
                """),
        Fixture(
            name: "zstd -19 of a file: single segment, with size and checksum", coding: .zstd,
            base64: """
                KLUv/WT0BT0FAFKLHRaQTQeSn/SFsd2h2dDee8uUDJS+vwEIw4e3t7Ozr6+rq+fz/+/7fY/HDx7c3MzMvLysrJxO37dt1zUaPXRo\
                aysr6+qqqmo2+76u27ZY7DC0xthaSmX+dgtMSPRAxCnOCYfBgxhM1ASK4xRHHLJACXQCEnckJwVPqBHw+P1/A+A3AxEoBCsE94V+\
                NW8QxRtEeQNR3iANJh8vmyZJJWk2s2RzQKoCglqbCg==
                """),
        Fixture(
            name: "zstd -3 --check of a pipe: no size", coding: .zstd,
            base64: """
                KLUv/QRYLQUAcocVGXDH6cGzM4qAeYPT/0+KsAf6MnIve/+v+QJt27Zt27Zt+/////9PkiRJkiRJLouiJAmCHIdhtE8Sh/U4TV3D\
                Ll2BnBUgPAXUMAY4dWvQmHapUCdgzhBPqDH4/b8DgDNKDxEoBI8QDHIJ5AdPXVXZ2Zmpq6uqLCZiDpdwgwu4v+Xb3uLtbul2buH2\
                tmz7aosBbdVsyeqTJ+TwCXroAhlwDohVglqbCg==
                """),
        Fixture(
            name: "two zstd frames with skippable frames between", coding: .zstd,
            base64: """
                KLUv/WR6AvUEADLFERiAp4YDGm25i/G+4mbgVp7nedsuIJFUUict5vz///+/c60xtpZSKSF0zhMHeBjztZAtNcSAAcJRIIWUgL7C\
                wYyzxbwKYg0BJyAQYyT6xWkhXt9wmgmrJTh9wGv2ixbf6+tNM9617KZPV81y04K7vls0s72W2jTQBmH2d7JqNhHKSRhFJEdhEqGc\
                hFFEchQmEcpJGEUkpxSbG6AeHnvL41MqTRgFAAAAbm9pc2VQKk0YAAAAACi1L/1kegI9BABCxRIYgLdtmiJUjWhuxc3ALe0W2d3d\
                PnS6OdFP53Qz76pmIt6ZGTR4Tjfzrmom4p29sEMXGDcQh5QgC/1QL26uIClASArlUApw9DRYxgomIOA3A4fUR7Na6KsZLfXRrBb6\
                akZLfTSrhb6a0Y3SEqmPZrXQVzNa6qNZLfTVjJb6aFYLpm/hl8pq2eep
                """),
    ]
}

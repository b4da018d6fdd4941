// swift-tools-version: 6.2
import PackageDescription

// One settings list for every Swift target: Swift 6 mode, explicit existentials, imports that say what they use.
// `WEIR_STRICT=1` (set by Scripts/check and CI) turns every warning into an error.
let settings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ] + (Context.environment["WEIR_STRICT"] == "1" ? [.treatAllWarnings(as: .error)] : [])

/// The platforms on which the session runs over libcurl rather than over URLSession, and where OpenSSL and nghttp2 are at hand.
let curlPlatforms: [Platform] = [.linux, .android]

/// The platforms that have brotli and zstd, or can install them; every platform has zlib.
let codingPlatforms: [Platform] = [.linux, .android, .macOS]

let package = Package(
    name: "Weir",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Weir", targets: ["Weir"]),
        .library(name: "WeirTesting", targets: ["WeirTesting"]),
        .library(name: "WeirServer", targets: ["WeirServer"]),
        .library(name: "WeirMetrics", targets: ["WeirMetrics"]),
        .library(name: "WeirExport", targets: ["WeirExport"]),
        .library(name: "WeirFormats", targets: ["WeirFormats"]),
        .library(name: "WeirReports", targets: ["WeirReports"]),
        .executable(name: "weir", targets: ["WeirCLI"]),
    ],
    targets: [
        // The vocabulary: depends on nothing.
        .target(name: "WeirModel", swiftSettings: settings),

        // Bytes to messages: depends on nothing.
        .target(name: "WeirStreams", swiftSettings: settings),

        // Analysis: pure Swift.
        .target(name: "WeirEvidence", dependencies: ["WeirModel"], swiftSettings: settings),
        .target(name: "WeirAudit", dependencies: ["WeirModel"], swiftSettings: settings),
        .target(name: "WeirMetrics", dependencies: ["WeirModel"], swiftSettings: settings),
        .target(name: "WeirReports", dependencies: ["WeirModel", "WeirAudit"], swiftSettings: settings),
        .target(name: "WeirFormats", dependencies: ["WeirModel", "WeirEvidence"], swiftSettings: settings),

        // Bytes on the wire.
        .target(
            name: "WeirCoding",
            dependencies: [
                "WeirModel", "CWeirZlib",
                .target(name: "CWeirBrotli", condition: .when(platforms: codingPlatforms)),
                .target(name: "CWeirZstd", condition: .when(platforms: codingPlatforms)),
            ],
            swiftSettings: settings),
        .target(
            name: "WeirServer",
            dependencies: [
                "WeirModel", "WeirCoding", "CWeirPosix",
                .target(name: "CWeirOpenSSL", condition: .when(platforms: curlPlatforms)),
                .target(name: "CWeirNghttp2", condition: .when(platforms: curlPlatforms)),
            ],
            swiftSettings: settings),
        .target(
            name: "WeirClient",
            dependencies: [
                "WeirModel", "WeirStreams", "WeirEvidence", "WeirCoding",
                .target(name: "CWeirCurl", condition: .when(platforms: curlPlatforms)),
            ],
            swiftSettings: settings),

        // Distributions to the systems that users run.
        .target(
            name: "WeirExport", dependencies: ["WeirModel", "WeirMetrics", "WeirClient", "WeirCoding"],
            swiftSettings: settings),

        // What users import and run.
        .target(
            name: "Weir",
            dependencies: ["WeirModel", "WeirStreams", "WeirAudit", "WeirMetrics", "WeirExport", "WeirClient"],
            swiftSettings: settings),
        .target(
            name: "WeirTesting",
            dependencies: ["WeirModel", "WeirAudit", "WeirReports"],
            swiftSettings: settings),
        .executableTarget(
            name: "WeirCLI",
            dependencies: [
                "WeirModel", "WeirStreams", "WeirAudit", "WeirMetrics", "WeirExport", "WeirReports", "WeirFormats",
                "WeirCoding", "WeirServer", "WeirClient",
            ],
            swiftSettings: settings),

        // C: system libraries, and the shims for what Swift cannot call.
        .systemLibrary(
            name: "CWeirLibcurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .target(name: "CWeirCurl", dependencies: ["CWeirLibcurl"]),
        .systemLibrary(
            name: "CWeirLibssl", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .target(name: "CWeirOpenSSL", dependencies: ["CWeirLibssl"]),
        .systemLibrary(
            name: "CWeirLibnghttp2", pkgConfig: "libnghttp2",
            providers: [.apt(["libnghttp2-dev"]), .brew(["libnghttp2"])]),
        .target(name: "CWeirNghttp2", dependencies: ["CWeirLibnghttp2"]),
        .systemLibrary(
            name: "CWeirZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(
            name: "CWeirBrotli", pkgConfig: "libbrotlienc libbrotlidec",
            providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]),
        .systemLibrary(
            name: "CWeirZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .target(name: "CWeirPosix"),

        // Tests mirror sources.
        .target(
            name: "WeirTestSupport", dependencies: ["WeirModel"], path: "Tests/WeirTestSupport",
            swiftSettings: settings),
        // Screens whose faults are known because they were planted, and what the audit makes of them.
        .target(
            name: "WeirTruth",
            dependencies: ["WeirModel", "WeirAudit", "WeirClient", "WeirServer", "WeirCoding", "WeirFormats"],
            path: "Tests/WeirTruth",
            swiftSettings: settings),
        .executableTarget(
            name: "weir-truth", dependencies: ["WeirTruth"], path: "Benchmarks/Truth", swiftSettings: settings),
        .executableTarget(
            name: "weir-fleet", dependencies: ["WeirExport", "WeirMetrics"], path: "Benchmarks/Fleet",
            exclude: ["merge.py"], swiftSettings: settings),
        .testTarget(
            name: "WeirTruthTests", dependencies: ["WeirTruth", "WeirAudit", "WeirModel", "weir-truth"],
            swiftSettings: settings),
        .testTarget(
            name: "WeirModelTests", dependencies: ["WeirModel", "WeirTestSupport"], swiftSettings: settings),
        .testTarget(
            name: "WeirStreamsTests", dependencies: ["WeirStreams", "WeirTestSupport"], swiftSettings: settings),
        .testTarget(
            name: "WeirEvidenceTests", dependencies: ["WeirEvidence", "WeirCoding"], swiftSettings: settings),
        .testTarget(
            name: "WeirAuditTests", dependencies: ["WeirAudit", "WeirTestSupport"], swiftSettings: settings),
        .testTarget(
            name: "WeirMetricsTests",
            dependencies: ["WeirMetrics", "WeirServer", "WeirClient", "WeirTestSupport"], swiftSettings: settings),
        .testTarget(
            name: "WeirReportsTests", dependencies: ["WeirReports", "WeirAudit", "WeirTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "WeirFormatsTests", dependencies: ["WeirFormats", "WeirAudit", "WeirTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "WeirCodingTests", dependencies: ["WeirCoding", "WeirTestSupport"], swiftSettings: settings),
        .testTarget(
            name: "WeirServerTests",
            dependencies: [
                "WeirServer", "WeirCoding", "WeirModel", "WeirTestSupport",
                .target(name: "CWeirLibnghttp2", condition: .when(platforms: curlPlatforms)),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "weir-client-child", dependencies: ["WeirClient", "WeirServer", "WeirCoding", "WeirModel"],
            path: "Tests/ClientChild", swiftSettings: settings),
        .testTarget(
            name: "WeirClientTests",
            dependencies: [
                "weir-client-child",
                "WeirClient", "WeirServer", "WeirStreams", "WeirAudit", "WeirCoding", "WeirModel", "WeirTestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "WeirExportTests",
            dependencies: [
                "WeirExport", "WeirMetrics", "WeirModel", "WeirCoding", "WeirServer", "WeirClient", "WeirTestSupport",
            ],
            exclude: ["Validators"],
            swiftSettings: settings),
        .testTarget(
            name: "WeirTestingTests",
            dependencies: ["WeirTesting", "WeirServer", "WeirClient", "WeirAudit", "WeirTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "WeirCLITests",
            dependencies: [
                "WeirCLI", "WeirAudit", "WeirClient", "WeirCoding", "WeirFormats", "WeirMetrics", "WeirReports",
                "WeirServer", "WeirTestSupport",
            ],
            swiftSettings: settings),
    ]
)

// swift-tools-version: 6.2
import PackageDescription

// What the project promises about its speed, measured. A package of its own, so that nothing here is built by, or becomes
// a dependency of, those who use the library. `Scripts/bench` builds and runs it.
let package = Package(
    name: "WeirBenchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Weir", path: "..")],
    targets: [
        .target(name: "CAllocations"),
        .executableTarget(
            name: "WeirBenchmarks",
            dependencies: [
                "CAllocations",
                .product(name: "Weir", package: "Weir"),
                .product(name: "WeirServer", package: "Weir"),
            ],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ]),
    ]
)

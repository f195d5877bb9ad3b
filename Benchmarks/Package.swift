// swift-tools-version: 6.2
import PackageDescription

// A separate package, so clients of the libraries never resolve its dependencies.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-keyed-archive", path: "..", traits: ["Stores"]),
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    ],
    targets: [
        .target(
            name: "BenchmarkRows",
            dependencies: [
                .product(name: "PropertyList", package: "swift-keyed-archive"),
                .product(name: "PropertyListCodable", package: "swift-keyed-archive"),
                .product(name: "KeyedArchive", package: "swift-keyed-archive"),
                .product(name: "FoundationCoding", package: "swift-keyed-archive"),
                .product(name: "ArchiveStore", package: "swift-keyed-archive"),
                .product(name: "TypedStream", package: "swift-keyed-archive"),
                .product(name: "NIBArchive", package: "swift-keyed-archive"),
            ]),
        .executableTarget(
            name: "bench-row", dependencies: ["BenchmarkRows"],
            // Strips debug information but keeps function names. Valgrind cannot read the debug
            // information of swift-crypto.
            linkerSettings: [.unsafeFlags(["-Xlinker", "-S"])]),
        .executableTarget(
            name: "ArchivePaths",
            dependencies: [
                "BenchmarkRows", .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Benchmarks/ArchivePaths",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    ]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .swiftLanguageMode(.v6),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ]
}

// libplist is measured where its headers are installed; `Scripts/bench` looks for them.
if Context.environment["KEYED_BENCH_LIBPLIST"] != nil {
    package.targets.append(
        .systemLibrary(
            name: "CLibPlist", pkgConfig: "libplist-2.0", providers: [.apt(["libplist-dev"])]))
    for target in package.targets where target.name == "BenchmarkRows" {
        target.dependencies.append("CLibPlist")
        target.swiftSettings?.append(.define("LIBPLIST"))
    }
}

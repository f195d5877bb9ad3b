// swift-tools-version: 6.2
import PackageDescription

// A package of your own names the repository instead of the path:
//     .package(url: "…/swift-keyed-archive", from: "1.0.0", traits: ["Stores", "Macros"])
let package = Package(
    name: "examples",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(name: "swift-keyed-archive", path: "../..", traits: ["Stores", "Macros"]),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .executableTarget(
            name: "bump-version",
            dependencies: [
                .product(name: "PropertyList", package: "swift-keyed-archive"),
                .product(name: "PropertyListTools", package: "swift-keyed-archive"),
            ],
            path: "Sources/BumpVersion"),
        .executableTarget(
            name: "read-backup",
            dependencies: [
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "KeyedArchive", package: "swift-keyed-archive"),
                .product(name: "PropertyList", package: "swift-keyed-archive"),
            ],
            path: "Sources/ReadBackup"),
        .executableTarget(
            name: "move-keychain",
            dependencies: [
                .product(name: "ArchiveStore", package: "swift-keyed-archive"),
                .product(name: "KeyedArchive", package: "swift-keyed-archive"),
                .product(name: "PropertyList", package: "swift-keyed-archive"),
            ],
            path: "Sources/MoveKeychain"),
        .executableTarget(
            name: "keep-board",
            dependencies: [
                .product(name: "ArchiveMacros", package: "swift-keyed-archive"),
                .product(name: "KeyedArchive", package: "swift-keyed-archive"),
            ],
            path: "Sources/KeepBoard"),
        .executableTarget(
            name: "save-server",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "KeyedArchive", package: "swift-keyed-archive"),
                .product(name: "PropertyList", package: "swift-keyed-archive"),
            ],
            path: "Sources/SaveServer"),
    ]
)

// The sources check these conditions with `#if`, because the tests of the libraries also build the
// sources without the traits.
for target in package.targets {
    target.swiftSettings = [.define("Stores"), .define("Macros")]
}

// swift-tools-version: 6.2
import PackageDescription

// The package traits that the clients enable: none, unless `LINKAGE_TRAITS` names one or is
// `defaults`. `Scripts/linkage` sets this variable to check which dependencies a client resolves.
let traits: Set<Package.Dependency.Trait> =
    switch Context.environment["LINKAGE_TRAITS"] {
    case nil: []
    case "defaults": [.defaults]
    case let name?: [.trait(name: name)]
    }

// Clients of each library except `ArchiveMacros`, as users of the package would write them.
// `Scripts/linkage` builds them.
let package = Package(
    name: "Linkage",
    dependencies: [.package(name: "swift-keyed-archive", path: "../..", traits: traits)],
    targets: [
        .executableTarget(
            name: "property-list-client",
            dependencies: [.product(name: "PropertyList", package: "swift-keyed-archive")]),
        .executableTarget(
            name: "tools-client",
            dependencies: [
                .product(name: "PropertyList", package: "swift-keyed-archive"),
                .product(name: "PropertyListTools", package: "swift-keyed-archive"),
            ]),
        .executableTarget(
            name: "codable-client",
            dependencies: [
                .product(name: "PropertyListCodable", package: "swift-keyed-archive")
            ]),
        .executableTarget(
            name: "keyed-archive-client",
            dependencies: [.product(name: "KeyedArchive", package: "swift-keyed-archive")]),
        .executableTarget(
            name: "appkit-archive-client",
            dependencies: [
                .product(name: "AppKitArchive", package: "swift-keyed-archive"),
                .product(name: "KeyedArchive", package: "swift-keyed-archive"),
            ]),
        .executableTarget(
            name: "foundation-coding-client",
            dependencies: [.product(name: "FoundationCoding", package: "swift-keyed-archive")]),
        .executableTarget(
            name: "archive-store-client",
            dependencies: [.product(name: "ArchiveStore", package: "swift-keyed-archive")]),
        .executableTarget(
            name: "typed-stream-client",
            dependencies: [.product(name: "TypedStream", package: "swift-keyed-archive")]),
        .executableTarget(
            name: "nib-archive-client",
            dependencies: [.product(name: "NIBArchive", package: "swift-keyed-archive")]),
        .executableTarget(
            name: "inline-property-list-client",
            dependencies: [
                .product(name: "InlinePropertyList", package: "swift-keyed-archive")
            ]),
        .executableTarget(
            name: "c-interface-client",
            dependencies: [.product(name: "KeyedC", package: "swift-keyed-archive")]),
        .executableTarget(
            name: "archive-import-client",
            dependencies: [
                .product(name: "ArchiveImport", package: "swift-keyed-archive"),
                .product(name: "KeyedArchive", package: "swift-keyed-archive"),
            ]),
    ]
)

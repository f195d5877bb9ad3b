// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

let package = Package(
    name: "swift-keyed-archive",
    // The first systems whose Foundation has `EncodableWithConfiguration`. `Scripts/platforms` type-checks for these.
    platforms: [.macOS(.v12), .iOS(.v15), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: [
        .library(name: "PropertyList", targets: ["PropertyList"]),
        .library(name: "PropertyListTools", targets: ["PropertyListTools"]),
        .library(name: "PropertyListCodable", targets: ["PropertyListCodable"]),
        .library(name: "KeyedArchive", targets: ["KeyedArchive"]),
        .library(name: "AppKitArchive", targets: ["AppKitArchive"]),
        .library(name: "FoundationCoding", targets: ["FoundationCoding"]),
        .library(name: "ArchiveMacros", targets: ["ArchiveMacros"]),
        .library(name: "ArchiveStore", targets: ["ArchiveStore"]),
        .library(name: "TypedStream", targets: ["TypedStream"]),
        .library(name: "NIBArchive", targets: ["NIBArchive"]),
        .library(name: "InlinePropertyList", targets: ["InlinePropertyList"]),
        .library(name: "ArchiveImport", targets: ["ArchiveImport"]),
        .library(name: "KeyedC", targets: ["KeyedC"]),
        .executable(name: "keyed", targets: ["keyed"]),
    ],
    traits: [
        .trait(
            name: "CommandLineTool",
            description: "The `keyed` command. Clients of the libraries that name the package with "
                + "`traits: []` do not even resolve its dependencies."),
        .trait(
            name: "Stores",
            description:
                "The encrypted item store of `ArchiveStore`, on SQLite. Clients that do not "
                + "name the trait resolve neither GRDB nor swift-crypto."),
        .trait(
            name: "Macros",
            description:
                "The macros of `ArchiveMacros`, which write the coding of a type. Clients that do "
                + "not name the trait do not resolve swift-syntax."),
        .trait(
            name: "LibXML2",
            description:
                "libxml2 as a second engine for XML, on Linux and macOS: to compare with, and "
                + "for text in encodings that the library has no table for. Without the trait the "
                + "libraries depend on no library of C but the platform's own."),
        .default(enabledTraits: ["CommandLineTool", "LibXML2"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
    ],
    targets: [
        // Used only with the trait `LibXML2`.
        .systemLibrary(
            name: "CLibXML2",
            pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]),
        // Functions of the C library that Swift does not import.
        .systemLibrary(name: "CSystemFiles"),
        // Used only by the encrypted stores, which limit what SQLite may open and delete.
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        // The C library of the platform, under one name.
        .target(name: "PlatformC"),
        // The keys and marks of keyed archives, for this package only.
        .target(name: "ArchiveVocabulary"),
        // Text of bytes that may not be UTF-8, for this package only.
        .target(name: "ValidText"),
        .target(
            name: "PropertyList",
            dependencies: [
                // As the condition in `LibXML2.swift`.
                .target(
                    name: "CLibXML2",
                    condition: .when(platforms: [.linux, .macOS], traits: ["LibXML2"])),
                "ArchiveVocabulary", "PlatformC",
            ]),
        // Calls nested deeper than the stack of a thread, for the coders of this package only.
        .target(name: "CallStack", dependencies: ["CSystemFiles", "PlatformC"]),
        // Key paths, editing, comparing, merging, carving.
        .target(
            name: "PropertyListTools",
            dependencies: ["ArchiveVocabulary", "PropertyList", "ValidText"]),
        .target(
            name: "PropertyListCodable",
            dependencies: ["ArchiveVocabulary", "CallStack", "PropertyList"]),
        .target(
            name: "KeyedArchive",
            dependencies: [
                "ArchiveVocabulary", "CallStack", "PropertyList", "PropertyListCodable",
                "ValidText",
            ]),
        // The streams of NSArchiver.
        .target(name: "TypedStream", dependencies: ["ValidText"]),
        // Compiled interface files.
        .target(name: "NIBArchive", dependencies: ["ValidText"]),
        // The messages of NSXPCConnection: bplist15, 16 and 17.
        .target(name: "InlinePropertyList", dependencies: ["ValidText"]),
        // The objects of typedstreams, NIBArchives and messages, as keyed archives.
        .target(
            name: "ArchiveImport",
            dependencies: [
                "ArchiveVocabulary", "InlinePropertyList", "KeyedArchive", "NIBArchive",
                "PropertyList", "TypedStream", "ValidText",
            ]),
        // The classes of AppKit and UIKit, by the public calls of the libraries alone.
        .target(
            name: "AppKitArchive", dependencies: ["KeyedArchive", "PropertyList"],
            packageAccess: false),
        // Foundation's NSCoding: classes that adopt it, archived as they are.
        .target(name: "FoundationCoding", dependencies: ["KeyedArchive", "PropertyList"]),
        // The macros. What they make calls `KeyedArchive` alone.
        .target(name: "ArchiveMacros", dependencies: ["KeyedArchive", "ArchiveMacrosPlugin"]),
        // Expands the macros within the compiler. Without the trait it does nothing.
        .macro(
            name: "ArchiveMacrosPlugin",
            dependencies: [
                .product(
                    name: "SwiftCompilerPlugin", package: "swift-syntax",
                    condition: .when(traits: ["Macros"])),
                .product(
                    name: "SwiftSyntaxMacros", package: "swift-syntax",
                    condition: .when(traits: ["Macros"])),
            ]),
        // Whole files, read and replaced in one step; for the stores and the command.
        .target(name: "SystemFiles", dependencies: ["CSystemFiles", "PlatformC"]),
        // The files of an SQLite database, read without SQLite; for the command and the stores.
        .target(name: "DatabaseFiles", dependencies: ["SystemFiles"]),
        .target(
            name: "ArchiveStore",
            dependencies: [
                "KeyedArchive", "PropertyList", "PropertyListCodable", "PlatformC", "SystemFiles",
                "DatabaseFiles", "ValidText",
                .target(name: "CSQLite", condition: .when(traits: ["Stores"])),
                .product(
                    name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Stores"])),
                .product(
                    name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Stores"])),
                .product(
                    name: "_CryptoExtras", package: "swift-crypto",
                    condition: .when(traits: ["Stores"])),
            ]),
        // The declarations of the C interface: `keyed.h`.
        .systemLibrary(name: "CKeyed"),
        // The C interface. `Scripts/data` makes `libkeyed` of it.
        .target(
            name: "KeyedC",
            dependencies: [
                "ArchiveVocabulary", "CKeyed", "InlinePropertyList", "KeyedArchive", "NIBArchive",
                "PropertyList", "PropertyListTools", "TypedStream", "ValidText",
            ]),
        // The verbs of the command as a library, which the fuzz targets and the probe call too.
        .target(
            name: "KeyedCommand",
            dependencies: [
                "ArchiveImport", "ArchiveVocabulary", "PropertyList", "PropertyListTools",
                "KeyedArchive", "AppKitArchive", "PlatformC", "SystemFiles", "DatabaseFiles",
                "InlinePropertyList", "NIBArchive", "TypedStream", "ValidText",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser",
                    condition: .when(traits: ["CommandLineTool"])),
            ],
            // The page that `keyed explore` writes. In the code, so that the command is one file.
            resources: [.embedInCode("Explorer/Page")]),
        .executableTarget(name: "keyed", dependencies: ["KeyedCommand"]),
        // Shared by the tests: an assembler of binary property lists, a slow plain reader to
        // compare with, seeded generators, the corpora, folders and programs.
        .target(
            name: "TestSupport", dependencies: ["PropertyList", "DatabaseFiles", "TypedStream"],
            path: "Tests/TestSupport"),
        // Shared by the tests of archives: tables of objects, and those that Apple's software wrote.
        .target(
            name: "ArchiveTestSupport",
            dependencies: ["KeyedArchive", "PropertyList", "TestSupport"],
            path: "Tests/ArchiveTestSupport"),
        // The bodies of the fuzz targets: ordinary functions, called by the tests with the corpus.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "PropertyList", "PropertyListTools", "PropertyListCodable", "KeyedArchive",
                "AppKitArchive", "ArchiveImport",
                "DatabaseFiles", "InlinePropertyList", "KeyedCommand", "NIBArchive", "TestSupport",
                "TypedStream",
                "ValidText",
            ],
            path: "Tests/FuzzTargets"),
        // Growth, memory and system calls are looked at from outside a process: this one.
        .executableTarget(
            name: "HardeningProbe",
            dependencies: [
                "PropertyList", "PropertyListTools", "PropertyListCodable", "KeyedArchive",
                "AppKitArchive", "ArchiveImport", "InlinePropertyList",
                "KeyedCommand", "NIBArchive", "TestSupport", "TypedStream",
            ],
            path: "Tests/HardeningProbe"),
        // Foundation's archiver and unarchiver as a process of its own, to compare with.
        .executableTarget(name: "FoundationPeer", path: "Tests/FoundationPeer"),
        // Reads archives with Foundation's own classes, as a process of its own: some of these end it.
        .executableTarget(
            name: "CodingProbe",
            dependencies: ["FoundationCoding", "KeyedArchive", "PropertyList"],
            path: "Tests/CodingProbe"),
        // Works on a store as a process of its own: to be killed, to meet a full disk.
        .executableTarget(
            name: "StorePeer",
            dependencies: ["ArchiveStore", "KeyedArchive", "PropertyList", "SystemFiles"],
            path: "Tests/StorePeer"),
        // Two programs that share an access group, as the recipe in the documentation has them.
        .executableTarget(
            name: "GroupKeeper", dependencies: ["ArchiveStore", "KeyedArchive"],
            path: "Tests/Examples/GroupKeeper"),
        .executableTarget(
            name: "GroupVisitor", dependencies: ["ArchiveStore", "KeyedArchive"],
            path: "Tests/Examples/GroupVisitor"),
        // The model of a drawing app with `NSSecureCoding`, which the tests port.
        .target(name: "Sketch", path: "Tests/Examples/Sketch"),
        .testTarget(
            name: "PropertyListTests",
            dependencies: ["CallStack", "PropertyList", "TestSupport", "FuzzTargets"]),
        .testTarget(
            name: "PropertyListToolsTests",
            dependencies: ["PropertyListTools", "PropertyList", "TestSupport", "FuzzTargets"]),
        .testTarget(
            name: "PropertyListCodableTests",
            dependencies: ["PropertyListCodable", "PropertyList", "TestSupport"]),
        .testTarget(
            name: "KeyedArchiveTests",
            dependencies: ["KeyedArchive", "TestSupport", "ArchiveTestSupport", "FoundationPeer"]),
        .testTarget(
            name: "PortingTests", dependencies: ["KeyedArchive", "PropertyList", "Sketch"]),
        .testTarget(
            name: "AppKitArchiveTests",
            dependencies: [
                "AppKitArchive", "KeyedArchive", "PropertyList", "TestSupport",
                "ArchiveTestSupport",
            ]),
        .testTarget(
            name: "FoundationCodingTests",
            dependencies: [
                "FoundationCoding", "KeyedArchive", "PropertyList", "TestSupport",
                "ArchiveTestSupport",
                "FoundationPeer", "CodingProbe",
            ]),
        .testTarget(name: "ArchiveMacrosTests", dependencies: ["ArchiveMacros", "KeyedArchive"]),
        // Built for the machine that compiles, as the program is that expands the macros: apart from the other
        // tests, so that the libraries are not built twice.
        .testTarget(
            name: "ArchiveMacrosPluginTests",
            dependencies: [
                "ArchiveMacrosPlugin",
                .product(
                    name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax",
                    condition: .when(traits: ["Macros"])),
            ]),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "PropertyList", "PropertyListTools", "PropertyListCodable", "KeyedArchive",
                "AppKitArchive", "ArchiveImport", "ArchiveStore", "DatabaseFiles",
                "FoundationCoding", "InlinePropertyList", "NIBArchive", "TestSupport",
                "TypedStream",
            ]),
        // What no single part can promise: every input, every limit, every target.
        .testTarget(
            name: "HardeningTests",
            dependencies: [
                "PropertyList", "PropertyListTools", "PropertyListCodable", "KeyedArchive",
                "TestSupport", "FuzzTargets", "HardeningProbe",
            ]),
        .testTarget(name: "SystemFilesTests", dependencies: ["SystemFiles", "TestSupport"]),
        .testTarget(
            name: "ArchiveStoreTests",
            dependencies: [
                "ArchiveStore", "KeyedArchive", "PropertyList", "SystemFiles", "TestSupport",
                "FoundationPeer", "StorePeer", "GroupKeeper", "GroupVisitor",
                .product(
                    name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Stores"])),
                .product(
                    name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Stores"])),
            ]),
        .testTarget(
            name: "KeyedCommandTests",
            dependencies: [
                "keyed", "KeyedCommand", "ArchiveImport", "PropertyListTools", "DatabaseFiles",
                "InlinePropertyList", "NIBArchive", "TestSupport", "TypedStream",
            ]),
        .testTarget(
            name: "TypedStreamTests", dependencies: ["TypedStream", "TestSupport", "FuzzTargets"]),
        .testTarget(
            name: "NIBArchiveTests", dependencies: ["NIBArchive", "TestSupport", "FuzzTargets"]),
        .testTarget(
            name: "InlinePropertyListTests",
            dependencies: ["InlinePropertyList", "TestSupport", "FuzzTargets"]),
        .testTarget(
            name: "ArchiveImportTests",
            dependencies: [
                "AppKitArchive", "ArchiveImport", "InlinePropertyList", "KeyedArchive",
                "NIBArchive",
                "PropertyList", "TestSupport", "TypedStream",
            ]),
        .testTarget(
            name: "DatabaseFilesTests", dependencies: ["DatabaseFiles", "TestSupport"]),
    ]
)

// `Scripts/fuzz` builds this on demand: libFuzzer brings a main function of its own.
if Context.environment["KEYED_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "FuzzMain", dependencies: ["FuzzTargets"], path: "Tests/Fuzz",
            swiftSettings: [.unsafeFlags(["-parse-as-library"])]))
}

for target in package.targets where target.type != .system {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .swiftLanguageMode(.v6),
            .strictMemorySafety(),
            .treatAllWarnings(as: .error),
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            // For the lifetime of spans that a property of ours returns.
            .enableExperimentalFeature("Lifetimes"),
        ]
}

// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

let package = Package(
    name: "swift-keyed-archive",
    // The first systems whose Foundation has `EncodableWithConfiguration`. `Scripts/platforms`
    // type-checks for them.
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
                "libxml2 as a second engine for XML, on Linux and macOS: for comparison, and for "
                + "text in encodings that the library has no table for. Without this trait and "
                + "`Stores`, the libraries depend on no C library but the platform's own."),
        .default(enabledTraits: ["CommandLineTool", "LibXML2"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
    ],
    targets: [
        // libxml2, used only with the trait `LibXML2`.
        .systemLibrary(
            name: "CLibXML2",
            pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]),
        // Functions of the C library that Swift does not import.
        .systemLibrary(name: "CSystemFiles"),
        // SQLite's C interface. The encrypted stores use it to limit the files that SQLite opens
        // and deletes.
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        // The C library of each platform, under one module name.
        .target(name: "PlatformC"),
        // The keys and markers of keyed archives, for this package only.
        .target(name: "ArchiveVocabulary"),
        // Validation of bytes as UTF-8 text, for this package only.
        .target(name: "ValidText"),
        .target(
            name: "PropertyList",
            dependencies: [
                // The same condition as in `LibXML2.swift`.
                .target(
                    name: "CLibXML2",
                    condition: .when(platforms: [.linux, .macOS], traits: ["LibXML2"])),
                "ArchiveVocabulary", "PlatformC",
            ]),
        // Recursion beyond the stack of one thread, for the coders of this package only.
        .target(name: "CallStack", dependencies: ["CSystemFiles", "PlatformC"]),
        // Key paths, editing, comparing, merging and carving.
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
        // The streams of NSArchiver: typedstreams.
        .target(name: "TypedStream", dependencies: ["ValidText"]),
        // Compiled interface files of UIKit.
        .target(name: "NIBArchive", dependencies: ["ValidText"]),
        // Inline property lists: bplist15, bplist16 and bplist17, such as the messages of NSXPCConnection.
        .target(name: "InlinePropertyList", dependencies: ["ValidText"]),
        // Converts typedstreams, NIBArchives and inline property lists to keyed archives of the same objects.
        .target(
            name: "ArchiveImport",
            dependencies: [
                "ArchiveVocabulary", "InlinePropertyList", "KeyedArchive", "NIBArchive",
                "PropertyList", "TypedStream", "ValidText",
            ]),
        // Codings of AppKit's and UIKit's classes, which use only the public API of the libraries.
        .target(
            name: "AppKitArchive", dependencies: ["KeyedArchive", "PropertyList"],
            packageAccess: false),
        // Coders for classes that adopt Foundation's NSCoding, without changes to these classes.
        .target(name: "FoundationCoding", dependencies: ["KeyedArchive", "PropertyList"]),
        // The macros. Their expansions call only `KeyedArchive`.
        .target(name: "ArchiveMacros", dependencies: ["KeyedArchive", "ArchiveMacrosPlugin"]),
        // The compiler plugin that expands the macros. Without the trait it is empty.
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
        // Reads and atomically replaces whole files, for the stores and the command.
        .target(name: "SystemFiles", dependencies: ["CSystemFiles", "PlatformC"]),
        // Reads the files of an SQLite database without SQLite, for the command and the stores.
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
        // The C interface, from which `Scripts/data` builds `libkeyed`.
        .target(
            name: "KeyedC",
            dependencies: [
                "ArchiveVocabulary", "CKeyed", "InlinePropertyList", "KeyedArchive", "NIBArchive",
                "PropertyList", "PropertyListTools", "TypedStream", "ValidText",
            ]),
        // The verbs of the command as a library, which the fuzz targets and the probe also call.
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
            // The page that `keyed explore` writes, embedded so that the command is a single file.
            resources: [.embedInCode("Explorer/Page")]),
        .executableTarget(name: "keyed", dependencies: ["KeyedCommand"]),
        // Helpers of the tests: an assembler of binary property lists, a slow reference parser to
        // compare with, seeded generators, the corpora, temporary folders, and functions that run
        // other programs.
        .target(
            name: "TestSupport", dependencies: ["PropertyList", "DatabaseFiles", "TypedStream"],
            path: "Tests/TestSupport"),
        // Helpers of the tests of archives: object tables, and archives from Apple's software.
        .target(
            name: "ArchiveTestSupport",
            dependencies: ["KeyedArchive", "PropertyList", "TestSupport"],
            path: "Tests/ArchiveTestSupport"),
        // The bodies of the fuzz targets: ordinary functions, which the tests call with the corpus.
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
        // The process whose instructions, memory and system calls are measured from outside.
        .executableTarget(
            name: "HardeningProbe",
            dependencies: [
                "PropertyList", "PropertyListTools", "PropertyListCodable", "KeyedArchive",
                "AppKitArchive", "ArchiveImport", "InlinePropertyList",
                "KeyedCommand", "NIBArchive", "TestSupport", "TypedStream",
            ],
            path: "Tests/HardeningProbe"),
        // Objects of Foundation's classes, for the next two programs.
        .target(name: "FoundationSamples", path: "Tests/FoundationSamples"),
        // Foundation's archiver and unarchiver in a separate process, to compare with.
        .executableTarget(
            name: "FoundationPeer", dependencies: ["FoundationSamples"],
            path: "Tests/FoundationPeer"),
        // Runs Foundation's classes with the library's coders in a
        // separate process, because some of the classes crash.
        .executableTarget(
            name: "CodingProbe",
            dependencies: [
                "FoundationCoding", "FoundationSamples", "KeyedArchive", "PropertyList",
            ],
            path: "Tests/CodingProbe"),
        // A program that works on stores. Tests kill it, or run it on a full disk.
        .executableTarget(
            name: "StorePeer",
            dependencies: ["ArchiveStore", "KeyedArchive", "PropertyList", "SystemFiles"],
            path: "Tests/StorePeer"),
        // The documentation's example of two programs that share an access group.
        .executableTarget(
            name: "GroupKeeper", dependencies: ["ArchiveStore", "KeyedArchive"],
            path: "Tests/Examples/GroupKeeper"),
        .executableTarget(
            name: "GroupVisitor", dependencies: ["ArchiveStore", "KeyedArchive"],
            path: "Tests/Examples/GroupVisitor"),
        // The programs of Documentation/Examples, a separate package. The tests also build them. Of
        // SaveServer, they build only the endpoint.
        .executableTarget(
            name: "BumpVersionExample", dependencies: ["PropertyList", "PropertyListTools"],
            path: "Documentation/Examples/Sources/BumpVersion"),
        .executableTarget(
            name: "ReadBackupExample",
            dependencies: [
                "KeyedArchive", "PropertyList",
                .product(
                    name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Stores"])),
            ],
            path: "Documentation/Examples/Sources/ReadBackup"),
        .executableTarget(
            name: "MoveKeychainExample",
            dependencies: ["ArchiveStore", "KeyedArchive", "PropertyList"],
            path: "Documentation/Examples/Sources/MoveKeychain"),
        .executableTarget(
            name: "KeepBoardExample", dependencies: ["ArchiveMacros", "KeyedArchive"],
            path: "Documentation/Examples/Sources/KeepBoard"),
        .target(
            name: "SaveEndpointExample", dependencies: ["KeyedArchive", "PropertyList"],
            path: "Documentation/Examples/Sources/SaveServer", exclude: ["SaveServer.swift"]),
        // The model of a drawing app with `NSSecureCoding`, whose port is tested.
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
        // The dependency is conditional because SwiftPM builds all tests and their dependencies a
        // second time, for the host, if one test target depends on a compiler plugin.
        .testTarget(
            name: "ArchiveMacrosPluginTests",
            dependencies: [
                .target(name: "ArchiveMacrosPlugin", condition: .when(traits: ["Macros"])),
                .product(
                    name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax",
                    condition: .when(traits: ["Macros"])),
            ]),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "PropertyList", "PropertyListTools", "PropertyListCodable", "KeyedArchive",
                "AppKitArchive", "ArchiveImport", "ArchiveStore", "DatabaseFiles",
                "FoundationCoding", "InlinePropertyList", "NIBArchive", "SaveEndpointExample",
                "TestSupport", "TypedStream",
            ]),
        // Tests across all parts: every input, every limit and every fuzz target.
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
                "BumpVersionExample", "ReadBackupExample", "MoveKeychainExample",
                "KeepBoardExample",
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

// `Scripts/fuzz` builds this target on demand, because libFuzzer has its own main function.
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
            // For the lifetimes of spans that properties return.
            .enableExperimentalFeature("Lifetimes"),
        ]
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveStore
import Foundation
import KeyedArchive
import PropertyList
import TestSupport
import Testing

@Suite("Files")
struct FilesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let values: PropertyListDictionary = [
        "text": "Ångström", "integer": -3, "real": 2.5, "boolean": true,
        "data": .data([0, 255]), "date": .date(PropertyListDate(secondsSince2001: 86_400)),
        "array": [1, ["nested": false]], "empty": [:],
    ]

    @Test("a dictionary is written and read back, in both formats")
    func dictionary() throws {
        for format in [PropertyListFormat.binary, .xml] {
            let path = folder("values-\(format).plist")
            try Self.values.write(toFile: path, options: FileOptions(format: format))
            #expect(try PropertyListDictionary(contentsOfFile: path) == Self.values)
        }
    }

    @Test("this library and Foundation read each other's files")
    func foundation() throws {
        let path = folder("values.plist")
        try Self.values.write(toFile: path)
        let read = try unsafe PropertyListSerialization.propertyList(
            from: Data(contentsOf: URL(filePath: path)), format: nil)
        let values = try #require(read as? [String: Any])
        #expect(values["text"] as? String == "Ångström")
        #expect(values["date"] as? Date == Date(timeIntervalSinceReferenceDate: 86_400))
        #expect((values["array"] as? [Any])?.count == 2)
        let theirs = NSDictionary(dictionary: ["a": [1, 2], "b": Data([1])])
        #expect(theirs.write(to: URL(filePath: folder("theirs.plist")), atomically: true))
        #expect(
            try PropertyListDictionary(contentsOfFile: folder("theirs.plist"))
                == ["a": [1, 2], "b": .data([1])])
    }

    @Test("null, UIDs and sets are refused with their path, and the file stays unchanged")
    func refused() throws {
        let path = folder("values.plist")
        try PropertyListArray([1]).write(toFile: path)
        let uid = PropertyListValue.uid(PropertyListUID(3))
        for wrong: PropertyListValue in [.null, uid, .set([1])] {
            let array: PropertyListArray = [1, ["a": ["b": [true, wrong]]]]
            let error = #expect(throws: StoreError.self) { try array.write(toFile: path) }
            #expect(error?.code == .unsupportedValue)
            #expect(error?.path?.description == "[1].a.b[1]")
            #expect(try PropertyListArray(contentsOfFile: path) == [1])
            let bytes = try BinaryPropertyList.serialize(PropertyListDocument(.array(array)))
            try Data(bytes).write(to: URL(filePath: folder("read.plist")))
            let readError = #expect(throws: StoreError.self) {
                try PropertyListArray(contentsOfFile: folder("read.plist"))
            }
            #expect(readError?.path?.description == "[1].a.b[1]")
        }
        #expect(folder.names == ["read.plist", "values.plist"])
    }

    @Test("values nested 100,000 deep, or doubled at each of 60 levels, are refused without delay")
    func hostileShapes() throws {
        var deep: PropertyListValue = true
        for _ in 0..<100_000 { deep = .array([deep]) }
        let error = #expect(throws: StoreError.self) {
            try PropertyListArray([deep]).write(toFile: folder("deep"))
        }
        #expect(error?.code == .unsupportedValue)
        var shared: PropertyListValue = true
        for _ in 0..<60 { shared = .array([shared, shared]) }
        #expect(throws: StoreError.self) {
            try PropertyListArray([shared]).write(toFile: folder("shared"))
        }
        #expect(folder.names == [])
    }

    @Test("a format that cannot hold all values is refused, and the file stays unchanged")
    func lossyFormats() throws {
        let path = folder("values.plist")
        try PropertyListArray([1]).write(toFile: path)
        for format in [PropertyListFormat.json, .openStep] {
            let options = FileOptions(format: format)
            let errors = [
                #expect(throws: StoreError.self) {
                    try Self.values.write(toFile: path, options: options)
                },
                #expect(throws: StoreError.self) {
                    try PropertyListArray([2]).write(toFile: path, options: options)
                },
                #expect(throws: StoreError.self) {
                    try Preferences(domain: "values", folder: folder.path, options: options)
                },
            ]
            for error in errors {
                #expect(error?.code == .misuse)
                #expect(error?.what == "expected the format binary or XML, found \(format)")
            }
        }
        #expect(try PropertyListArray(contentsOfFile: path) == [1])
        #expect(folder.names == ["values.plist"])
    }

    @Test("a value that could not be read back is not written, and the file stays unchanged")
    func unreadable() throws {
        let path = folder("values")
        let equal = PropertyListArray([PropertyListValue](repeating: true, count: 200_000))
        for format in [PropertyListFormat.binary, .xml] {
            let options = FileOptions(format: format)
            try PropertyListArray([1]).write(toFile: path, options: options)
            for moment in [Double.nan, .infinity, -.infinity] {
                let date = PropertyListValue.date(PropertyListDate(secondsSince2001: moment))
                let error = #expect(throws: StoreError.self) {
                    try PropertyListArray([["when": date]]).write(toFile: path, options: options)
                }
                #expect(error?.code == .unsupportedValue && error?.path?.description == "[0].when")
            }
            #expect(try PropertyListArray(contentsOfFile: path) == [1])
            try equal.write(toFile: path, options: options)
            #expect(try PropertyListArray(contentsOfFile: path) == equal)
        }
        let options = FileOptions(format: .binary)
        var limits = ParsingLimits.default
        limits.expansion = .init(factor: 0, base: 100_000)
        let error = #expect(throws: StoreError.self) {
            try equal.write(toFile: path, options: options, limits: limits)
        }
        #expect(error?.code == .unsupportedValue)
        #expect(try PropertyListArray(contentsOfFile: path) == equal)
    }

    @Test("reading a missing file, a folder or wrong contents fails with an error code of its own")
    func reading() throws {
        func code(_ path: String) -> StoreError.Code? {
            do { _ = try PropertyListDictionary(contentsOfFile: path) } catch { return error.code }
            return nil
        }
        #expect(code(folder("none")) == .fileMissing)
        #expect(code(folder("none/at/all")) == .fileMissing)
        #expect(code(folder.path) == .fileAccess)
        try Data("junk".utf8).write(to: URL(filePath: folder("junk")))
        #expect(code(folder("junk")) == .invalidContents)
        try PropertyListArray([1]).write(toFile: folder("array"))
        #expect(code(folder("array")) == .invalidContents)
    }

    @Test(
        "a pipe or device in place of a file fails without blocking, and `-` is a plain file name"
    )
    func specialFiles() throws {
        #expect(unsafe mkfifo(folder("pipe"), 0o600) == 0)
        for path in [folder("pipe"), "/dev/zero", "/dev/full"] {
            let read = #expect(throws: StoreError.self) {
                try PropertyListArray(contentsOfFile: path)
            }
            #expect(read?.code == .fileAccess && read?.what.contains("a regular file") == true)
            let write = #expect(throws: StoreError.self) {
                try PropertyListArray().write(toFile: path)
            }
            #expect(write?.code == .fileAccess)
            #expect(throws: StoreError.self) {
                try KeyedUnarchiver.unarchive(String.self, fromFile: path)
            }
        }
        #expect(folder.names == ["pipe"])
        let missing = #expect(throws: StoreError.self) {
            try PropertyListArray(contentsOfFile: "-")
        }
        #expect(missing?.code == .fileMissing)
    }

    @Test(
        "a path with a NUL is an error, and the file named by its prefix is neither read nor written"
    )
    func namesWithNUL() throws {
        let cut = folder("cut")
        try PropertyListArray(["precious"]).write(toFile: cut)
        let name = cut + "\0.plist"
        var uses: [() throws -> Void] = [
            { try PropertyListArray(["new"]).write(toFile: name) },
            { _ = try PropertyListArray(contentsOfFile: name) },
            { try KeyedArchiver.archive("new", toFile: name) },
            { _ = try KeyedUnarchiver.unarchive(String.self, fromFile: name) },
            { _ = try ObjectStore(folder: cut + "folder\0/tail") },
            { _ = try Preferences(domain: "domain", folder: cut + "folder\0") },
        ]
        #if Stores
        let key = try MasterKey(file: folder("key"), creatingIfMissing: true)
        uses += [
            { _ = try MasterKey(file: cut + "key\0", creatingIfMissing: true) },
            { _ = try MasterKey(file: self.folder("key\0")) },
            {
                _ = try EncryptedItemDatabase(
                    file: cut + "items\0", accessGroup: "g", key: key)
            },
        ]
        #endif
        for (number, use) in uses.enumerated() {
            let error = #expect(throws: StoreError.self, "use \(number)") { try use() }
            #expect(error?.code == .invalidName, "use \(number)")
        }
        #expect(folder.names.filter { $0 != "key" } == ["cut"])
        #expect(try PropertyListArray(contentsOfFile: cut) == ["precious"])
    }

    @Test("user files whose names resemble those of temporary files are kept")
    func lookAlikes() throws {
        let names = [".keyed.abcdefghi", ".keyed.123456789", ".keyed-abcdefgh", ".keyed.notes2024"]
        for name in names { try Data("mine".utf8).write(to: URL(filePath: folder(name))) }
        let store = try ObjectStore(folder: folder.path)
        try store.set(1, forKey: "a")
        try store.set(2, forKey: "a")
        try Preferences(domain: "domain", folder: folder.path).synchronize()
        #expect(Set(names).isSubset(of: folder.names), "\(folder.names)")
    }

    @Test("new files can be private; existing modes and links are kept")
    func modes() throws {
        let path = folder("values")
        try PropertyListArray().write(toFile: path, options: FileOptions(isPrivate: true))
        #expect(try mode(path) == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        try FileManager.default.createSymbolicLink(
            atPath: folder("link"), withDestinationPath: path)
        try PropertyListArray([2]).write(
            toFile: folder("link"), options: FileOptions(isPrivate: true))
        #expect(try mode(path) == 0o640)
        #expect(try PropertyListArray(contentsOfFile: path) == [2])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder("link")) == path)
    }

    @Test(
        "the owner of a replaced file is kept",
        .enabled(if: geteuid() == 0, "only the superuser can change the owner of a file"))
    func owner() throws {
        let path = folder("values")
        try PropertyListArray([1]).write(toFile: path)
        #expect(unsafe chown(path, 1234, 2345) == 0)
        try PropertyListArray([2]).write(toFile: path)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.ownerAccountID] as? Int == 1234)
        #expect(attributes[.groupOwnerAccountID] as? Int == 2345)
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test(
        "an object is archived to a file and read back; a class that is not allowed leaves the file unchanged"
    )
    func archives() throws {
        let path = folder("object")
        try KeyedArchiver.archive(["a": 1, "b": 2], toFile: path)
        #expect(
            try KeyedUnarchiver.unarchive([String: Int].self, fromFile: path) == ["a": 1, "b": 2])
        #expect(throws: KeyedArchiveError.self) {
            try KeyedArchiver.archive(
                AnyArchived(UUID()), toFile: path, allowing: .commonClasses)
        }
        var limits = ParsingLimits.default
        limits.expansion = .init(factor: 0, base: 100_000)
        #expect(throws: KeyedArchiveError.self) {
            try KeyedArchiver.archive(
                [Bool](repeating: true, count: 200_000), toFile: path, limits: limits)
        }
        #expect(try KeyedUnarchiver.unarchive([String: Int].self, fromFile: path)["a"] == 1)
    }
}

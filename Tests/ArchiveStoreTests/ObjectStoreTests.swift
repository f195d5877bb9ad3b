// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveStore
import Foundation
import KeyedArchive
import PropertyList
import TestSupport
import Testing

@Suite("Object stores")
struct ObjectStoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let keys = [
        "", ".", "..", "/", "a/b", "../escape", "%", "%2e", "a", "A", "a.plist", ".plist", "~",
        "con", "nul\0inside", "e\u{301}", "\u{E9}", "\u{1F600}", "line\nbreak",
        "https://example.com/A?b=c#d", String(repeating: "k", count: 192),
        String(repeating: "k", count: 193), String(repeating: "k", count: 384),
        String(repeating: "Ä", count: 500), String(repeating: "/", count: 1000),
    ]

    @Test("every key is stored, whatever it contains, and no two keys collide")
    func keys() throws {
        let store = try ObjectStore(folder: folder("objects"))
        for (number, key) in Self.keys.enumerated() { try store.set(number, forKey: key) }
        for (number, key) in Self.keys.enumerated() {
            #expect(try store.object(Int.self, forKey: key) == number)
        }
        let found = try store.keys()
        #expect(Set(found.map { Array($0.utf8) }) == Set(Self.keys.map { Array($0.utf8) }))
        #expect(folder.names == ["objects"])
        for key in Self.keys {
            #expect(try store.removeObject(forKey: key))
            #expect(try !store.removeObject(forKey: key))
        }
        #expect(try store.keys() == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("objects")) == [])
    }

    @Test("random keys are stored under lower-case names within the limits of file systems")
    func randomKeys() throws {
        let store = try ObjectStore(folder: folder("objects"))
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix64(seed: seed)
        var expected: Set<[UInt8]> = []
        for _ in 0..<300 {
            let scalars = (0..<random.below(300)).compactMap { _ in
                Unicode.Scalar(UInt32(random.oneIn(3) ? random.below(0x3000) : random.below(128)))
            }
            let key = String(String.UnicodeScalarView(scalars))
            try store.set(key, forKey: key)
            #expect(try store.object(String.self, forKey: key) == key, "seed \(seed)")
            expected.insert(Array(key.utf8))
        }
        #expect(Set(try store.keys().map { Array($0.utf8) }) == expected, "seed \(seed)")
        let files = FileManager.default.enumerator(atPath: folder("objects"))?.allObjects ?? []
        for case let file as String in files {
            #expect(file == file.lowercased())
            #expect(file.split(separator: "/").allSatisfy { $0.utf8.count <= 255 })
        }
    }

    @Test("files can have plain names, and files of other programs with such names are read")
    func plainNames() throws {
        try KeyedArchiver.archive(7, toFile: folder("7.domain"))
        try KeyedArchiver.archive("x", toFile: folder("a.b.domain"))
        for name in [".domain", "8.domain2", "8domain", ".9.domain"] {
            try Data([1]).write(to: URL(filePath: folder(name)))
        }
        try FileManager.default.createDirectory(
            atPath: folder("dir.domain"), withIntermediateDirectories: false)
        let store = try ObjectStore(folder: folder.path, naming: .plain(extension: "domain"))
        #expect(try store.keys() == ["7", "a.b"])
        #expect(try store.object(Int.self, forKey: "7") == 7)
        try store.set(8, forKey: "8")
        try store.set("new", forKey: "Ö b")
        #expect(folder.names.contains("8.domain") && folder.names.contains("Ö b.domain"))
        #expect(try KeyedUnarchiver.unarchive(Int.self, fromFile: folder("8.domain")) == 8)
        #expect(try store.removeObject(forKey: "7") && !store.removeObject(forKey: "7"))
        #expect(try store.keys() == ["8", "a.b", "Ö b"])
        let plain = try ObjectStore(folder: folder("plain"), naming: .plain())
        try plain.set(1, forKey: "1.txt")
        #expect(try plain.keys() == ["1.txt"])
        #expect(try ObjectStore(folder: folder("plain")).keys() == [])
    }

    @Test("a key that cannot be a file name is refused if names are plain")
    func refusedNames() throws {
        let store = try ObjectStore(folder: folder("objects"), naming: .plain(extension: "domain"))
        let longest = String(repeating: "k", count: 248)
        try store.set(1, forKey: longest)
        #expect(try store.keys() == [longest])
        for key in ["", ".", "..", "/", "a/b", "../escape", ".hidden", "nul\0", longest + "k"] {
            let calls: [() throws -> Void] = [
                { try store.set(1, forKey: key) }, { _ = try store.object(Int.self, forKey: key) },
                { _ = try store.removeObject(forKey: key) },
            ]
            for call in calls {
                let error = #expect(throws: StoreError.self) { try call() }
                #expect(error?.code == .invalidName)
            }
        }
        for name in ["a/b", "\0", String(repeating: "x", count: 255)] {
            let error = #expect(throws: StoreError.self) {
                try ObjectStore(folder: folder("none"), naming: .plain(extension: name))
            }
            #expect(error?.code == .invalidName)
        }
        #expect(folder.names == ["objects"])
    }

    @Test("errors about archives name the file")
    func files() throws {
        let store = try ObjectStore(folder: folder.path)
        try store.set("text", forKey: "a")
        let file = folder("a.plist")
        let type = #expect(throws: KeyedArchiveError.self) {
            try store.object(Int.self, forKey: "a")
        }
        #expect(type?.source == "file \(file)")
        #expect(type?.description.contains(", file \(file)") == true)
        let refused = #expect(throws: KeyedArchiveError.self) {
            try ObjectStore(folder: folder.path, allowing: .commonClasses)
                .set(AnyArchived(UUID()), forKey: "list")
        }
        #expect(refused?.source == "file \(folder("list.plist"))")
        try Data("bplist00".utf8).write(to: URL(filePath: file))
        let cut = #expect(throws: KeyedArchiveError.self) {
            try KeyedUnarchiver.unarchive(String.self, fromFile: file)
        }
        #expect(cut?.description.contains(", file \(file)") == true)
        #expect(cut?.code == .invalidPropertyList && cut?.propertyListError != nil)
        let memory = #expect(throws: KeyedArchiveError.self) {
            try KeyedUnarchiver.unarchive(String.self, from: [1])
        }
        #expect(memory?.source == nil)
    }

    @Test("a key too long for any path is refused, and the error gives its length and the limit")
    func longKey() throws {
        let store = try ObjectStore(folder: folder("objects"))
        let error = #expect(throws: StoreError.self) {
            try store.set(1, forKey: String(repeating: "x", count: 5000))
        }
        #expect(error?.code == .invalidName)
        #expect(error?.what.contains("5000") == true && error?.what.contains("3072") == true)
    }

    @Test("other files in the folder are left alone and are not keys")
    func strangers() throws {
        let store = try ObjectStore(folder: folder.path)
        for name in ["Notes.plist", "a%2.plist", "%41.txt", ".hidden.plist", "%zz.plist"] {
            try Data([1]).write(to: URL(filePath: folder(name)))
        }
        try store.set("object", forKey: "a")
        #expect(try store.keys() == ["a"])
        #expect(folder.names.count == 6)
    }

    @Test("cyclic links and unrelated folders are not traversed")
    func linksAndFolders() throws {
        let store = try ObjectStore(folder: folder.path)
        let long = String(repeating: "k", count: 400)
        try store.set(1, forKey: long)
        for name in ["loop", "again", String(repeating: "l", count: 192)] {
            try FileManager.default.createSymbolicLink(
                atPath: folder(name), withDestinationPath: ".")
        }
        try FileManager.default.createDirectory(
            atPath: folder("others"), withIntermediateDirectories: false)
        try Data([1]).write(to: URL(filePath: folder("others/a.plist")))
        try FileManager.default.createDirectory(
            atPath: folder("a.plist"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: folder("b.plist"), withDestinationPath: "others/a.plist")
        #expect(try store.keys() == [long])
    }

    /// A store with a link in place of a file, and one in place of the folder of a long key. Both
    /// link to something that looks like part of a store.
    private func linkedStore() throws -> (store: ObjectStore, keys: [String]) {
        let chunk = String(repeating: "k", count: 192)
        let keys = ["a", chunk + "tail", chunk + String(repeating: "m", count: 192) + "tail"]
        let outside = try ObjectStore(folder: folder("outside"))
        for key in keys { try outside.set("precious", forKey: key) }
        let store = try ObjectStore(folder: folder("objects"))
        for name in ["a.plist", chunk] {
            try FileManager.default.createSymbolicLink(
                atPath: folder("objects/" + name), withDestinationPath: folder("outside/" + name))
        }
        return (store, keys)
    }

    @Test("a link in place of a file or folder is an error, and its target is not touched")
    func linksOut() throws {
        let (store, keys) = try linkedStore()
        for key in keys {
            let uses: [() throws -> Void] = [
                { _ = try store.object(String.self, forKey: key) },
                { try store.set("new", forKey: key) },
            ]
            for use in uses {
                let error = #expect(throws: StoreError.self) { try use() }
                #expect(error?.code == .fileAccess)
                #expect(error?.what.contains("symbolic link") == true)
            }
            if key != "a" {
                #expect(throws: StoreError.self) { try store.removeObject(forKey: key) }
            }
        }
        // Removing an object removes the link itself.
        #expect(try store.removeObject(forKey: "a"))
        #expect(try store.keys() == [])
        let outside = try ObjectStore(folder: folder("outside"))
        #expect(Set(try outside.keys()) == Set(keys))
        for key in keys { #expect(try outside.object(String.self, forKey: key) == "precious") }
    }

    @Test("a link that replaces a folder during a call is never followed")
    func exchangedFolder() throws {
        let chunk = String(repeating: "k", count: 192)
        let store = try ObjectStore(folder: folder("objects"))
        try FileManager.default.createDirectory(
            atPath: folder("outside"), withIntermediateDirectories: false)
        let place = folder("objects/" + chunk)
        let (aside, outside) = (folder("aside"), folder("outside"))
        let isDone = Guarded(false)
        let exchanger = Thread {
            while !isDone.withLock({ $0 }) {
                _ = unsafe rename(place, aside)
                _ = unsafe symlink(outside, place)
                usleep(20)
                unsafe unlink(place)
                _ = unsafe rename(aside, place)
            }
        }
        exchanger.start()
        defer { isDone.withLock { $0 = true } }
        for number in 0..<1500 {
            try? store.set(number, forKey: chunk + "tail")
            _ = try? store.object(Int.self, forKey: chunk + "tail")
            if number % 5 == 0 { _ = try? store.removeObject(forKey: chunk + "tail") }
            let found = try FileManager.default.contentsOfDirectory(atPath: outside)
            #expect(found == [], "round \(number)")
            if !found.isEmpty { break }
        }
    }

    @Test("writing to a store whose folder is missing is an error that names the folder")
    func removedStore() throws {
        let store = try ObjectStore(folder: folder("objects"))
        try FileManager.default.removeItem(atPath: folder("objects"))
        let error = #expect(throws: StoreError.self) { try store.set(1, forKey: "a") }
        #expect(error?.code == .fileMissing && error?.file == folder("objects"))
        #expect(try store.object(Int.self, forKey: "a") == nil)
    }

    @Test("an object with a long key is stored even if another thread removes its folder")
    func removedFolders() throws {
        let chunk = String(repeating: "k", count: 192)
        let store = try ObjectStore(folder: folder.path)
        let isDone = Guarded(false)
        let remover = Thread {
            while !isDone.withLock({ $0 }) { _ = try? store.removeObject(forKey: chunk + "b") }
        }
        remover.start()
        defer { isDone.withLock { $0 = true } }
        for number in 0..<300 {
            try store.set(number, forKey: chunk + "a")
            try store.removeObject(forKey: chunk + "a")
        }
    }

    @Test("a file in place of a long key's folder is an error, and is kept")
    func fileForPart() throws {
        let chunk = String(repeating: "k", count: 192)
        let store = try ObjectStore(folder: folder.path)
        try Data([1]).write(to: URL(filePath: folder(chunk)))
        #expect(throws: StoreError.self) { try store.set(1, forKey: chunk + "tail") }
        #expect(throws: StoreError.self) { try store.object(Int.self, forKey: chunk + "tail") }
        #expect(try store.keys() == [] && folder.names == [chunk])
    }

    @Test("a file in place of the store folder is an error, not an empty store")
    func fileForFolder() throws {
        try Data([1]).write(to: URL(filePath: folder("file")))
        for path in [folder("file"), folder("file/below")] {
            let error = #expect(throws: StoreError.self) { try ObjectStore(folder: path) }
            #expect(error?.code == .fileAccess && error?.what.contains("expected a folder") == true)
            #expect(throws: StoreError.self) { try Preferences(domain: "a", folder: path) }
        }
    }

    @Test("an object that could not be read back does not replace the stored one")
    func unreadable() throws {
        var limits = ParsingLimits.default
        limits.expansion = .init(factor: 0, base: 100_000)
        let store = try ObjectStore(folder: folder.path, limits: limits)
        try store.set([true], forKey: "a")
        // The element `true` is archived once, but referenced more times than the limits allow.
        let error = #expect(throws: KeyedArchiveError.self) {
            try store.set([Bool](repeating: true, count: 200_000), forKey: "a")
        }
        #expect(error?.code == .expansionLimitExceeded)
        #expect(try store.object([Bool].self, forKey: "a") == [true])
        limits.inputSize = 1000
        let small = try ObjectStore(folder: folder.path, limits: limits)
        #expect(throws: KeyedArchiveError.self) {
            try small.set(String(repeating: "x", count: 2000), forKey: "a")
        }
        #expect(try store.object([Bool].self, forKey: "a") == [true])
    }

    @Test("only allowed classes are written and read; nil removes; a damaged file is an error")
    func objects() throws {
        let store = try ObjectStore(folder: folder.path, allowing: .commonClasses)
        #expect(throws: KeyedArchiveError.self) {
            try store.set(AnyArchived(UUID()), forKey: "id")
        }
        #expect(try store.keys() == [])
        try store.set("text", forKey: "a")
        try store.set(String?.none, forKey: "a")
        #expect(try store.object(String.self, forKey: "a") == nil)
        try store.set("text", forKey: "a")
        try Data("junk".utf8).write(to: URL(filePath: folder("a.plist")))
        #expect(throws: KeyedArchiveError.self) { try store.object(String.self, forKey: "a") }
    }
}

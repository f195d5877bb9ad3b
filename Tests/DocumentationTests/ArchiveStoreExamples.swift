// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveStore
import Foundation
import KeyedArchive
import PropertyList
import Testing

@Suite("Examples of ArchiveStore")
struct ArchiveStoreExamples {
    private let store = ItemStore(MemoryItemDatabase(accessGroup: "group"))

    /// Calls `body` with the path of a folder that is gone afterwards.
    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "examples-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.path)
    }

    @Test("keep values in an item")
    func dictionary() throws {
        let settings = ArchivedDictionary(
            in: store, service: "com.example.app", account: "settings")
        try settings.set("Anna", forKey: "name")
        let name = try settings.value(String.self, forKey: "name")
        try settings.update {
            $0["age"] = AnyArchived(36); $0["name"] = nil
        }
        #expect(name == "Anna")
        #expect(try settings.dictionary().keys.sorted() == ["age"])
    }

    @Test("keep passwords")
    func items() throws {
        try store.save(Item(service: "example.com", account: "anna", password: "secret"))
        let password = try store.item(matching: ItemQuery(service: "example.com")).password
        #expect(password == "secret")
        let all = try store.items(matching: ItemQuery(service: "example.com"))
        #expect(all.count == 1)
        let items = ["b", "c"].map { Item(service: "example.com", account: $0, password: "p") }
        try store.transaction { for item in items { try $0.save(item) } }
        #expect(try store.items(matching: ItemQuery(service: "example.com")).count == 3)
    }

    @Test("keep one item")
    func wrapper() throws {
        let (name, password) = ("anna", "secret")
        let login = ItemWrapper("login", in: store)
        try login.update { item in
            item.attributes.account = name
            item.data = Array(password.utf8)
        }
        let account = try login.item().attributes.account
        try login.reset()
        #expect(account == "anna")
    }

    #if Stores
    @Test("keep encrypted items")
    func encrypted() throws {
        try inFolder { folder in
            try keep(in: "\(folder)/items", "\(folder)/key")
            try open("\(folder)/items", "\(folder)/key")
        }
    }

    private func keep(in path: String, _ keyPath: String) throws {
        let key = try MasterKey(file: keyPath, creatingIfMissing: true)
        let shared = try EncryptedItemDatabase(file: path, accessGroup: "group.example", key: key)
        let store = ItemStore(shared)

        try store.save(Item(service: "example.com", account: "anna", password: "secret"))
    }

    private func open(_ path: String, _ keyPath: String) throws {
        let key = try MasterKey(file: keyPath, creatingIfMissing: true)
        let database = try EncryptedItemDatabase(file: path, accessGroup: "group.example", key: key)
        #expect(try ItemStore(database).items(matching: ItemQuery()).count == 1)
    }
    #endif

    @Test("keep objects and property lists in files")
    func files() throws {
        let save = Save(name: "Anna")
        try inFolder { folder in
            try archive(save, "\(folder)/save")
            try keep(save, "\(folder)/saves")
            try write("\(folder)/settings.plist")
        }
    }

    private func archive(_ save: Save, _ path: String) throws {
        try KeyedArchiver.archive(save, toFile: path)
        let again = try KeyedUnarchiver.unarchive(Save.self, fromFile: path)
        #expect(again.name == "Anna")
    }

    private func write(_ path: String) throws {
        let settings: PropertyListDictionary = ["name": "Anna", "age": 36]
        try settings.write(toFile: path)
        let back = try PropertyListDictionary(contentsOfFile: path)
        #expect(back == settings)
    }

    private func keep(_ save: Save, _ path: String) throws {
        let saves = try ObjectStore(folder: path, allowing: .commonClasses.adding(Save.self))
        try saves.set(save, forKey: "level/3 – “Ångström”")
        let again = try saves.object(Save.self, forKey: "level/3 – “Ångström”")
        #expect(again?.name == "Anna")
    }

    @Test("keep preferences")
    func preferences() {
        let preferences = MemoryCache()
        preferences.register(defaults: ["volume": 0.8])
        preferences["name"] = "Anna"
        let volume: Double? = preferences["volume"]
        #expect(volume == 0.8 && preferences.string(forKey: "name") == "Anna")
    }

    // Compiled, but not called: it would write to the user's own folder.
    private func own() async throws {
        let preferences = try Preferences(domain: "com.example.player")
        preferences.register(defaults: ["volume": 0.8, "shuffles": false])
        preferences["volume"] = 0.5
        try preferences.synchronize()
        for await keys in preferences.changes where keys.contains("volume") {
            #expect(!keys.isEmpty)
        }
    }
}

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

    /// Calls `body` with the path of a folder that is removed afterwards.
    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "examples-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.path)
    }

    @Test("store values in an item")
    func dictionary() throws {
        let settings = ArchivedDictionary(
            in: store, service: "com.example.app", account: "settings")
        settings["name"] = "Anna"
        let name = try settings.value(String.self, forKey: "name")
        try settings.update {
            $0["age"] = 36; $0["name"] = nil
        }
        #expect(name == "Anna")
        #expect(try settings.dictionary().keys.sorted() == ["age"])
    }

    @Test("store passwords")
    func items() throws {
        try store.save(Item(service: "example.com", account: "anna", password: "secret"))
        let password = try store.password(service: "example.com", account: "anna")
        #expect(password == "secret")
        let all = try store.items(matching: ItemQuery(service: "example.com"))
        let named = try store.items(matching: ItemQuery(label: "Example"))
        #expect(all.count == 1 && named.isEmpty)
        let items = ["b", "c"].map { Item(service: "example.com", account: $0, password: "p") }
        try store.transaction { for item in items { try $0.save(item) } }
        #expect(try store.items(matching: ItemQuery(service: "example.com")).count == 3)
    }

    @Test("store passwords of a server")
    func servers() throws {
        let address = ServerAddress("example.com", protocol: .https, port: 8443, path: "/login")
        try store.save(Item(address, account: "anna", password: "secret"))
        let password = try store.password(server: "example.com", account: "anna")
        #expect(password == "secret")
    }

    @Test("store passwords by account")
    func accounts() throws {
        let items = store.items(service: "example.com")
        try items.setPassword("secret", account: "anna")
        let password = try items["anna"]?.password
        #expect(password == "secret")
    }

    @Test("store one item")
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
    @Test("store encrypted items")
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
        let password = try store.password(service: "example.com", account: "anna")
        #expect(password == "secret")
    }

    private func open(_ path: String, _ keyPath: String) throws {
        let key = try MasterKey(file: keyPath, creatingIfMissing: true)
        let database = try EncryptedItemDatabase(file: path, accessGroup: "group.example", key: key)
        #expect(try ItemStore(database).items(matching: ItemQuery()).count == 1)
    }
    #endif

    @Test("store objects and property lists in files")
    func files() throws {
        let save = Save(name: "Anna")
        try inFolder { folder in
            try archive(save, "\(folder)/save")
            try keep(save, "\(folder)/saves")
            try KeyedArchiver.archive(save, toFile: "\(folder)/1.domain")
            try read(folder)
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

    private func read(_ path: String) throws {
        let saves = try ObjectStore(folder: path, naming: .plain(extension: "domain"))
        let first = try saves.object(Save.self, forKey: "1")
        #expect(first?.name == "Anna")
    }

    private struct Picture: Equatable {
        var bytes: [UInt8] = [1, 2, 3]
    }

    @Test("store objects in a cache")
    func cache() {
        let picture = Picture()
        let images = ObjectCache<String, Picture>(costLimit: 1 << 20)
        images.set(picture, forKey: "anna", cost: picture.bytes.count)
        let cached = images["anna"]
        #expect(cached == picture)
    }

    enum Theme: String, PropertyListConvertible { case light, dark }

    struct Window: Codable, Equatable {
        var title: String
    }

    enum Settings {
        static let site = Preferences.Key<URL>("site", default: URL(fileURLWithPath: "/"))
        static let theme = Preferences.Key<Theme>("theme", default: .light)
        static let windows = Preferences.Key<[Window]>("windows", default: [])
        static let lastOpened = Preferences.Key<Date?>("lastOpened")
    }

    @Test("store preferences under typed keys")
    func typedPreferences() {
        let preferences = MemoryCache()
        preferences[Settings.theme] = .dark
        let site = preferences[Settings.site]
        #expect(preferences.string(forKey: "theme") == "dark" && site.path == "/")
        #expect(preferences[Settings.windows] == [] && preferences[Settings.lastOpened] == nil)
    }

    @Test("store preferences")
    func preferences() {
        let preferences = MemoryCache()
        preferences.register(defaults: ["volume": 0.8])
        preferences["name"] = "Anna"
        let volume: Double? = preferences["volume"]
        #expect(volume == 0.8 && preferences.string(forKey: "name") == "Anna")
    }

    // Compiled, but not called, because it would write to the user's own folder.
    private func own() async throws {
        let preferences = try Preferences(domain: "com.example.player")
        preferences.register(defaults: ["volume": 0.8, "shuffles": false])
        preferences["volume"] = 0.5
        for await keys in preferences.changes where keys.contains("volume") {
            #expect(!keys.isEmpty)
        }
    }

    private final class Log: Sendable {
        func append(_ line: String) { print(line) }
    }

    // Compiled, but not called, as above.
    private func handled() throws {
        let log = Log()
        let preferences = try Preferences(
            domain: "com.example.player",
            onFailure: FailureHandler { error in log.append("\(error)") })
        preferences["volume"] = 0.5
    }
}

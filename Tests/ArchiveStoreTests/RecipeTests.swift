// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveStore
import Foundation
import KeyedArchive
import PropertyList
import TestSupport
import Testing

#if Stores
import Crypto
#endif

/// The recipes of the documentation. `ProgramTests` has the recipe for two programs that share a
/// group.
@Suite("Recipes of stores")
struct StoreRecipeTests {
    private let folder: TemporaryFolder
    private let store = ItemStore(MemoryItemDatabase(accessGroup: "group"))

    init() throws { folder = try TemporaryFolder() }

    @Test("a device identifier is created once, and read unchanged afterwards")
    func deviceIdentifier() throws {
        func identifier() throws -> String? {
            let device = ArchivedDictionary(in: store, service: "example.device", account: "shared")
            try device.update { values in
                if values["identifier"] == nil {
                    values["identifier"] = AnyArchived(UUID().uuidString)
                }
            }
            let identifier = try device.value(String.self, forKey: "identifier")
            return identifier
        }
        let first = try identifier()
        #expect(first.flatMap { UUID(uuidString: $0) } != nil)
        #expect(try identifier() == first)
    }

    @Test("a user name and a password are stored, read and reset")
    func login() throws {
        let (name, password) = ("anna", "correct horse")
        let login = ItemWrapper("login", in: store)
        try login.update { item in
            item.attributes.account = name
            item.data = Array(password.utf8)
        }
        let item = try login.item()
        #expect(item.attributes.account == "anna" && item.password == "correct horse")
        try login.reset()
        #expect(try login.item().attributes.account == "")
    }

    #if Stores
    private func digest(of identifier: String) -> String {
        SHA256.hash(data: Data(identifier.utf8)).map { String($0, radix: 16) }.joined(
            separator: ":")
    }

    @Test("an identifier in a shared file is accepted only with its digest")
    func sharedFile() throws {
        let path = folder("pasteboard")
        func sharedIdentifier() -> String? {
            let values = try? KeyedUnarchiver.unarchive(
                [String: String].self, fromFile: path, allowing: ClassRegistry(),
                limits: .untrusted)
            guard let values, let identifier = values["identifier"],
                values["digest"] == digest(of: identifier)
            else { return nil }
            return identifier
        }
        #expect(sharedIdentifier() == nil)
        let identifier = UUID().uuidString
        try KeyedArchiver.archive(
            ["identifier": identifier, "digest": digest(of: identifier)], toFile: path)
        #expect(sharedIdentifier() == identifier)
        let bytes = Array(try Data(contentsOf: URL(filePath: path)))
        for place in bytes.indices {
            for replacement in [bytes[place] ^ 1, bytes[place] ^ 0x80, 0, 255] {
                var damaged = bytes
                damaged[place] = replacement
                try Data(damaged).write(to: URL(filePath: path))
                #expect([identifier, nil].contains(sharedIdentifier()))
            }
            try Data(bytes[..<place]).write(to: URL(filePath: path))
            #expect(sharedIdentifier() == nil)
        }
        for file in Corpus.fixtures("archives", suffix: ".plist") {
            try Data(file.bytes).write(to: URL(filePath: path))
            #expect(sharedIdentifier() == nil)
        }
    }
    #endif

    @Test("a token moves from preferences to an item, and migrating again changes nothing")
    func migration() throws {
        let preferences = try Preferences(domain: "example", folder: folder.path)
        preferences["token"] = "t0ken"
        preferences["volume"] = 0.5
        try preferences.synchronize()
        func migrate() throws {
            guard let token = preferences.string(forKey: "token") else { return }
            try store.save(Item(service: "example.com", account: "token", password: token))
            preferences.removeValue(forKey: "token")
            try preferences.synchronize()
        }
        try migrate()
        try migrate()
        #expect(try store.item(matching: ItemQuery(account: "token")).password == "t0ken")
        let stored = try Preferences(domain: "example", folder: folder.path).storedValues
        #expect(stored == ["volume": 0.5])
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveStore
import Foundation
import KeyedArchive
import PropertyList
import TestSupport
import Testing

/// Mistakes with stores, each with its whole message: the problem, its place and the fix.
@Suite("Messages about stores")
struct StoreMistakeTests {
    /// A mistake with its message. `FOLDER` in the message is the folder of the test.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let message: String
        let make: @Sendable (_ folder: String) throws -> Void

        init(
            _ name: String, _ message: String, _ make: @escaping @Sendable (String) throws -> Void
        ) {
            testDescription = name
            self.message = message
            self.make = make
        }
    }

    @Test(
        "a message about a file says what is wrong, where, and how to fix it",
        arguments: fileMistakes)
    func files(_ mistake: Mistake) throws { try check(mistake) }

    @Test(
        "a message about preferences says what is wrong, where, and how to fix it",
        arguments: preferenceMistakes)
    func preferences(_ mistake: Mistake) throws { try check(mistake) }

    @Test(
        "a message about items says what is wrong, where, and how to fix it",
        arguments: itemMistakes)
    func items(_ mistake: Mistake) throws { try check(mistake) }

    #if Stores
    @Test(
        "a message about an encrypted store says what is wrong, where, and how to fix it",
        arguments: encryptedMistakes)
    func encrypted(_ mistake: Mistake) throws { try check(mistake) }
    #endif

    private func check(_ mistake: Mistake) throws {
        let folder = try TemporaryFolder()
        do {
            try mistake.make(folder.path)
            Issue.record("no error")
        } catch {
            let message = "\(error)".replacingOccurrences(of: folder.path, with: "FOLDER")
            #expect(message == mistake.message)
        }
    }
}

private typealias Mistake = StoreMistakeTests.Mistake

private func write(_ text: String, _ path: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
}

#if os(Linux)
/// Calls `body` without root's access to every file, on this thread only.
private func withoutRights(_ body: () throws -> Void) throws {
    if geteuid() != 0 { return try body() }
    // SAFETY: the symbol is a function of this type, which takes a number and cannot fail.
    let symbol = try unsafe #require(dlsym(nil, "setfsuid"))
    let setUser = unsafe unsafeBitCast(symbol, to: (@convention(c) (uid_t) -> CInt).self)
    _ = setUser(65534)
    defer { _ = setUser(0) }
    try body()
}
#else
private func withoutRights(_ body: () throws -> Void) throws { try body() }
#endif

// MARK: - Files

private let fileMistakes: [Mistake] = [
    Mistake(
        "a file that is larger than the limits allow",
        "store: expected at most 268435456 bytes, found 10737418240, file FOLDER/large (raise "
            + "`ParsingLimits.inputSize` if the file is trusted)"
    ) { folder in
        let path = "\(folder)/large"
        // The file is sparse, so it takes no disk space. Reading it would take 10 GiB of memory.
        try write("", path)
        try FileHandle(forWritingTo: URL(filePath: path)).truncate(atOffset: 10 << 30)
        _ = try PropertyListDictionary(contentsOfFile: path, limits: .untrusted)
    },
    Mistake(
        "a file that is larger than the maximum of the limit",
        "store: expected at most 4294967295 bytes, found 10737418240, file FOLDER/large"
    ) { folder in
        let path = "\(folder)/large"
        try write("", path)
        try FileHandle(forWritingTo: URL(filePath: path)).truncate(atOffset: 10 << 30)
        _ = try PropertyListDictionary(contentsOfFile: path)
    },
    Mistake(
        "a file with a key that occurs twice",
        "store: OpenStep property list: the key `a` occurs twice in a dictionary at line 1, column "
            + "10, file FOLDER/twice (parse it with `PropertyListDocument`: "
            + "`ParsingOptions.duplicateKeys` or `.allDuplicateKeys` accepts it)"
    ) { folder in
        try write("{ a = 1; a = 2; }", "\(folder)/twice")
        _ = try PropertyListDictionary(contentsOfFile: "\(folder)/twice")
    },
    Mistake(
        "a file that may not be read",
        "store: Permission denied, file FOLDER/secret (give the user of this program "
            + "read and write access)"
    ) { folder in
        let path = "\(folder)/secret"
        try KeyedArchiver.archive("text", toFile: path)
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
        try withoutRights { _ = try KeyedUnarchiver.unarchive(String.self, fromFile: path) }
    },
    Mistake(
        "a file that may not be written",
        "store: the file has the read-only mode 0444, file FOLDER/text (make it writable first "
            + "with `chmod u+w`)"
    ) { folder in
        let path = "\(folder)/text"
        try KeyedArchiver.archive("text", toFile: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
        try KeyedArchiver.archive("other", toFile: path)
    },
    Mistake(
        "a file in a folder that is missing",
        "store: No such file or directory, file FOLDER/none/text (check the path)"
    ) { folder in
        try KeyedArchiver.archive("text", toFile: "\(folder)/none/text")
    },
    Mistake(
        "a class that is not allowed in a file",
        #"keyed archive: object 3 is of class NSUUID, which is not allowed, in "#
            + #"root["id"], file FOLDER/text (`.adding(UUID.self)` would allow it)"#
    ) { folder in
        try KeyedArchiver.archive(["id": UUID()], toFile: "\(folder)/text", allowing: .foundation)
        _ = try KeyedUnarchiver.unarchive(
            AnyArchived.self, fromFile: "\(folder)/text", allowing: .propertyList)
    },
    Mistake(
        "text in place of an archive",
        "keyed archive: this is not a keyed archive: the root has no `$archiver`, file "
            + "FOLDER/text (`PropertyListDocument` and `PlistDecoder` read other property "
            + "lists)"
    ) { folder in
        try write("{ a = 1; }", "\(folder)/text")
        _ = try KeyedUnarchiver.unarchive(String.self, fromFile: "\(folder)/text")
    },
    Mistake(
        "a property list whose root is not a dictionary",
        "store: expected a dictionary as the root, found a value of kind array, file "
            + "FOLDER/list (use `PropertyListDocument` for other kinds)"
    ) { folder in
        try PropertyListArray([1]).write(toFile: "\(folder)/list")
        _ = try PropertyListDictionary(contentsOfFile: "\(folder)/list")
    },
    Mistake(
        "a key that is not a valid file name",
        "store: `../secret.archive` is not a valid file name (use 1 to 255 bytes "
            + "without a slash, NUL or a leading dot, or `ObjectStore.Naming.escaped`, which "
            + "accepts all characters)"
    ) { folder in
        let store = try ObjectStore(folder: folder, naming: .plain(extension: "archive"))
        try store.set("text", forKey: "../secret")
    },
    Mistake(
        "an object of an unlisted class in a folder of objects",
        "keyed archive: a value is of class NSUUID, which is not allowed, in root, "
            + "file FOLDER/id.plist (`.adding(UUID.self)` would allow it)"
    ) { folder in
        let store = try ObjectStore(folder: folder, allowing: .commonClasses)
        try store.set(AnyArchived(UUID()), forKey: "id")
    },
]

// MARK: - Preferences

private let preferenceMistakes: [Mistake] = [
    Mistake(
        "a path in place of a domain",
        "store: `a/b` is not a valid domain (use 1 to 200 bytes without a slash, a NUL or a "
            + "leading dot)"
    ) { folder in
        _ = try Preferences(domain: "a/b", folder: folder)
    },
    Mistake(
        "a file that is not a property list",
        "store: property list: unrecognized format: not a binary, XML, OpenStep or "
            + "JSON property list at byte 0, file FOLDER/com.example.plist (restore the "
            + "file, or move it away)"
    ) { folder in
        try write("hello <world>", "\(folder)/com.example.plist")
        _ = try Preferences(domain: "com.example", folder: folder)
    },
    Mistake(
        "a stored value whose type differs from that of its key",
        "store: expected Double, found a stored value of kind string, in volume "
            + "(read it with `value(forKey:)`, or remove it with `removeValue(for:)`)"
    ) { folder in
        let preferences = try Preferences(domain: "com.example", folder: folder, saving: .onRequest)
        preferences["volume"] = "loud"
        _ = try preferences.value(for: Preferences.Key<Double>("volume", default: 1))
    },
    Mistake(
        "a file that another program keeps locked",
        "store: the file has been locked by another program for too long, file "
            + "FOLDER/com.example.plist.lock (try again, or raise the timeout)"
    ) { folder in
        let preferences = try Preferences(
            domain: "com.example", folder: folder, timeout: 0, saving: .onRequest)
        preferences["volume"] = 1
        let lock = unsafe open("\(folder)/com.example.plist.lock", O_RDWR | O_CREAT, 0o600)
        defer { close(lock) }
        _ = flock(lock, LOCK_EX)
        try preferences.synchronize()
    },
]

// MARK: - Items

private func memory() -> ItemStore { ItemStore(MemoryItemDatabase(accessGroup: "group")) }

private let itemMistakes: [Mistake] = [
    Mistake(
        "an item that exists",
        "store: the access group `group` already has an item with this account for the "
            + "service `example.com` (use `save` to replace it)"
    ) { _ in
        let store = memory()
        try store.add(Item(service: "example.com", account: "anna", password: "a"))
        try store.add(Item(service: "example.com", account: "anna", password: "b"))
    },
    Mistake(
        "an item that does not exist",
        "store: no item of the service `example.com` matches (`items(matching:)` "
            + "returns an empty result instead of an error)"
    ) { _ in
        _ = try memory().item(matching: ItemQuery(service: "example.com"))
    },
    Mistake(
        "a group that the program was not given",
        "store: the store has no access group `other` (its access groups are `group`)"
    ) { _ in
        var item = Item(service: "example.com", account: "anna", password: "a")
        item.attributes.accessGroup = "other"
        try memory().add(item)
    },
    Mistake(
        "a dictionary value that is read as the wrong type",
        #"store: expected Int, found String, item of the service `example.com` for "#
            + #"the account `settings`, in values["name"] (request the value as `String`)"#
    ) { _ in
        let values = ArchivedDictionary(in: memory(), service: "example.com", account: "settings")
        values["name"] = "Anna"
        _ = try values.value(Int.self, forKey: "name")
    },
    Mistake(
        "a class that a dictionary does not allow",
        #"keyed archive: a value is of class NSUUID, which is not allowed, in "#
            + #"values["device"], item of the service `example.com` for the account "#
            + #"`settings` (`.adding(UUID.self)` would allow it)"#
    ) { _ in
        let values = ArchivedDictionary(in: memory(), service: "example.com", account: "settings")
        try values.set(UUID(), forKey: "device")
    },
    Mistake(
        "an item that holds no dictionary",
        "property list: unrecognized format: not a binary, XML, OpenStep or JSON "
            + "property list at byte 0, item of the service `example.com` for the account "
            + "`settings` (check that this is the right input)"
    ) { _ in
        let store = memory()
        try store.add(Item(service: "example.com", account: "settings", password: "a"))
        let values = ArchivedDictionary(in: store, service: "example.com", account: "settings")
        _ = try values.dictionary()
    },
    Mistake(
        "a transaction that is used after its end",
        "store: the transaction has ended (use a transaction only within the closure "
            + "that receives it)"
    ) { _ in
        var kept: (any ItemTransaction)?
        try memory().transaction { kept = $0 }
        try kept?.save(Item(service: "example.com", account: "anna", password: "a"))
    },
    Mistake(
        "a backup that was cut off",
        "binary property list: expected references of 1 to 8 bytes, found 33 at byte "
            + "503 (the file may be truncated: copy or download it again)"
    ) { _ in
        let store = memory()
        try store.add(Item(service: "example.com", account: "anna", password: "a"))
        _ = try ItemBackup(parsing: store.backup().archived().dropLast(40))
    },
    Mistake(
        "an archive that is no backup",
        "store: expected an array in the backup, found a value of kind string (check that "
            + "these bytes are a backup)"
    ) { _ in
        _ = try ItemBackup(parsing: KeyedArchiver.archive("text"))
    },
]

#if Stores
// MARK: - Encrypted stores

private func weakCost() -> PassphraseCost {
    var cost = PassphraseCost(rounds: 16)
    cost.allowsWeakness = true
    return cost
}

private func open(
    _ folder: String, _ passphrase: String, group: String = "group", creating: Bool = false
) throws -> EncryptedItemDatabase {
    try EncryptedItemDatabase(
        file: "\(folder)/items", accessGroup: group,
        key: MasterKey(passphrase: passphrase, cost: weakCost()), creatingIfMissing: creating)
}

private let encryptedMistakes: [Mistake] = [
    Mistake(
        "a store that does not exist",
        "store: No such file or directory, file FOLDER/items (check the path)"
    ) { folder in _ = try open(folder, "right") },
    Mistake(
        "a folder that does not exist",
        "store: No such file or directory, file FOLDER/none/items (check the path)"
    ) { folder in
        _ = try open("\(folder)/none", "right", creating: true)
    },
    Mistake(
        "a wrong passphrase",
        "store: the key does not open this store, or the store's header was "
            + "altered, file FOLDER/items (ask for the passphrase again, or restore a backup)"
    ) { folder in
        _ = try open(folder, "right", creating: true)
        _ = try open(folder, "wrong")
    },
    Mistake(
        "a wrong key file",
        "store: the key does not open this store, or the store's header was "
            + "altered, file FOLDER/items (use the key of this store, or restore a backup)"
    ) { folder in
        for name in ["right", "wrong"] {
            _ = try EncryptedItemDatabase(
                file: "\(folder)/items", accessGroup: "group",
                key: MasterKey(file: "\(folder)/\(name)", creatingIfMissing: true))
        }
    },
    Mistake(
        "a write-ahead log without a store",
        "store: expected no journal or write-ahead log beside a new store, found one that "
            + "would change it, file FOLDER/items-wal (restore the store that it belongs to, or "
            + "move it away)"
    ) { folder in
        try write("log", "\(folder)/items-wal")
        _ = try open(folder, "right", creating: true)
    },
    Mistake(
        "a symbolic link in place of a journal",
        "store: expected no symbolic link beside the store, found one, file "
            + "FOLDER/items-journal (stores never create such a file; move it away if you know "
            + "where it came from)"
    ) { folder in
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder)/items-journal", withDestinationPath: "nothing")
        _ = try open(folder, "right", creating: true)
    },
    Mistake(
        "another group",
        "store: expected a store of the access group `other`, found one of `group`, file "
            + "FOLDER/items (open each file with its own access group)"
    ) { folder in
        _ = try open(folder, "right", creating: true)
        _ = try open(folder, "right", group: "other")
    },
    Mistake(
        "a file that is no store",
        "store: SQLite: file is not a database, file FOLDER/items (check the path: "
            + "this is not an item store)"
    ) { folder in
        try write(String(repeating: "hello", count: 1000), "\(folder)/items")
        _ = try open(folder, "right")
    },
    Mistake(
        "a file without contents",
        "store: the file is empty, file FOLDER/items (restore a backup, or remove the "
            + "file to create a new store)"
    ) { folder in
        try write("", "\(folder)/items")
        _ = try open(folder, "right")
    },
    Mistake(
        "a store that was cut off",
        "store: expected 4 pages of 4096 bytes, as in the header, found 16284 bytes, file "
            + "FOLDER/items (restore a backup)"
    ) { folder in
        _ = try open(folder, "right", creating: true)
        let file = URL(filePath: "\(folder)/items")
        try Data(contentsOf: file).dropLast(100).write(to: file)
        _ = try open(folder, "right")
    },
    Mistake(
        "a store that may not be read",
        "store: SQLite: unable to open database file, file FOLDER/items (give the user "
            + "of this program read and write access to the file and its folder)"
    ) { folder in
        _ = try open(folder, "right", creating: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0], ofItemAtPath: "\(folder)/items")
        try withoutRights { _ = try open(folder, "right") }
    },
    Mistake(
        "an empty passphrase",
        "store: the passphrase is empty, file FOLDER/items (ask for one, or set "
            + "`PassphraseCost.allowsWeakness`)"
    ) { folder in
        _ = try EncryptedItemDatabase(
            file: "\(folder)/items", accessGroup: "group", key: MasterKey(passphrase: ""),
            creatingIfMissing: true)
    },
    Mistake(
        "a store that is used within its own transaction",
        "store: a transaction of this database is open on the same thread (within a "
            + "transaction, call the transaction instead of the store)"
    ) { folder in
        let store = ItemStore(try open(folder, "right", creating: true))
        try store.transaction { _ in _ = try store.items() }
    },
    Mistake(
        "a key file that is missing",
        "store: No such file or directory, file FOLDER/key (check the path)"
    ) { folder in
        _ = try MasterKey(file: "\(folder)/key")
    },
    Mistake(
        "a key file of the wrong size",
        "store: expected a key of 32 bytes, found 6, file FOLDER/key "
            + "(use `MasterKey(passphrase:)` for text of any length)"
    ) { folder in
        try write("secret", "\(folder)/key")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: "\(folder)/key")
        _ = try MasterKey(file: "\(folder)/key")
    },
    Mistake(
        "a large file in place of a key file",
        "store: expected at most 32 bytes, found 300000, file FOLDER/key "
            + "(use `MasterKey(passphrase:)` for text of any length)"
    ) { folder in
        try write(String(repeating: "a", count: 300_000), "\(folder)/key")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: "\(folder)/key")
        _ = try MasterKey(file: "\(folder)/key")
    },
    Mistake(
        "a key file that others may read",
        "store: other users may access the key file, file FOLDER/key (restrict it to "
            + "its owner with `chmod 600`)"
    ) { folder in
        _ = try MasterKey(file: "\(folder)/key", creatingIfMissing: true)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: "\(folder)/key")
        _ = try MasterKey(file: "\(folder)/key")
    },
    Mistake(
        "a key of the wrong size",
        "store: expected a key of 32 bytes, found 3 (use `MasterKey(passphrase:)` for "
            + "text of any length)"
    ) { _ in _ = try MasterKey(bytes: [1, 2, 3]) },
    Mistake(
        "a wrong passphrase of a backup",
        "store: the passphrase is wrong, or the backup was altered (ask for the "
            + "passphrase again, or take another copy of the backup)"
    ) { _ in
        let sealed = try memory().backup().sealed(passphrase: "right", cost: weakCost())
        _ = try ItemBackup(opening: sealed, passphrase: "wrong")
    },
    Mistake(
        "a backup that is not sealed",
        "store: this is not a sealed backup (use `ItemBackup(parsing:)` for a backup that "
            + "is not sealed)"
    ) { _ in
        _ = try ItemBackup(opening: memory().backup().archived(), passphrase: "right")
    },
]
#endif

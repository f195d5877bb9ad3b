// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveStore
import Foundation
import KeyedArchive
import PropertyList
import TestSupport
import Testing

/// Mistakes with files and stores, each with its whole message: the problem, its place and the fix.
@Suite("Messages about files and stores")
struct MessageTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func message(_ body: () throws -> Void) -> String? {
        do { try body() } catch { return "\(error)" }
        return nil
    }

    @Test("the message about a missing file names the problem, the place and the fix")
    func missing() {
        let path = folder("none")
        #expect(
            message { _ = try KeyedUnarchiver.unarchive(String.self, fromFile: path) }
                == "store: No such file or directory, file \(path) (check the path)")
    }

    @Test("the message about a folder in place of a file names the problem, the place and the fix")
    func noFile() {
        #expect(
            message { _ = try KeyedUnarchiver.unarchive(String.self, fromFile: folder.path) }
                == "store: expected a file, found a directory, file \(folder.path) (check the path)"
        )
    }

    @Test("the message about a truncated file names the problem, the place and the fix")
    func cut() throws {
        let path = folder("cut")
        let bytes = try KeyedArchiver.archive("text")
        try Data(bytes.prefix(30)).write(to: URL(filePath: path))
        #expect(
            message { _ = try KeyedUnarchiver.unarchive(String.self, fromFile: path) }
                == "binary property list: expected at least 42 bytes, found 30 at byte 0, file \(path) "
                + "(the file may be truncated: copy or download it again)")
    }

    @Test(
        "the message about a wrong type in a file names the problem, the place and the fix"
    )
    func wrongType() throws {
        let path = folder("text")
        try KeyedArchiver.archive("text", toFile: path)
        #expect(
            message { _ = try KeyedUnarchiver.unarchive(Int.self, fromFile: path) }
                == "keyed archive: expected Int, found an object of class NSString (object 1), in root, "
                + "file \(path) (`String.self` reads it)")
    }

    @Test(
        "the message about a wrong type in a store names the problem, the place and the fix"
    )
    func wrongObject() throws {
        let store = try ObjectStore(folder: folder.path)
        try store.set("text", forKey: "level")
        #expect(
            message { _ = try store.object(Int.self, forKey: "level") }
                == "keyed archive: expected Int, found an object of class NSString (object 1), in root, "
                + "file \(folder.path)/level.plist (`String.self` reads it)")
    }

    #if Stores
    @Test("the message about a wrong passphrase names the problem, the place and the fix")
    func passphrase() throws {
        let file = folder("items")
        var cost = PassphraseCost(rounds: 16)
        cost.allowsWeakness = true
        _ = try EncryptedItemDatabase(
            file: file, accessGroup: "group", key: MasterKey(passphrase: "right", cost: cost),
            creatingIfMissing: true)
        #expect(
            message {
                _ = try EncryptedItemDatabase(
                    file: file, accessGroup: "group", key: MasterKey(passphrase: "wrong"),
                    creatingIfMissing: false)
            }
                == "store: the key does not open this store, or the store's header was altered, "
                + "file \(file) (ask for the passphrase again, or restore a backup)")
    }
    #endif
}

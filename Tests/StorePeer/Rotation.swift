// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

import ArchiveStore
import Foundation

/// Changes the key of a store repeatedly, alternating between two keys.
struct Rotation {
    private static let count = 200
    private static let padding = [UInt8](repeating: 7, count: 1000)

    let folder: String

    /// Changes the key `times` times, or until the process is killed, and prints the name of the
    /// last key. If a change fails, the last key is the one before that change.
    func run(_ times: Int = .max) throws {
        let (database, first) = try open()
        let store = ItemStore(database)
        try store.transaction { transaction in
            for number in 0..<Self.count { try transaction.save(item(number)) }
        }
        // Not with `print`, which buffers its output.
        FileHandle.standardOutput.write(Data("began\n".utf8))
        var name = first
        defer { print("ended with the key \(name)") }
        for _ in 0..<times {
            try database.rotateKey(to: key(Self.other(name)))
            name = Self.other(name)
        }
    }

    /// Checks the store after ``run(_:)``.
    ///
    /// - Throws: If the store opens with both keys or with none, or an item has changed.
    func check() throws {
        let (database, name) = try open()
        let store = ItemStore(database)
        let items = try store.items()
        guard items.count == Self.count, try items.indices.allSatisfy({ try isKept($0, store) })
        else { throw Finding(description: "\(items.count) items, not all as they were") }
        print("ok, with the key \(name)")
    }

    private func isKept(_ number: Int, _ store: ItemStore) throws -> Bool {
        let item = item(number)
        return try store.data(matching: ItemQuery(item.attributes.identity)) == item.data
    }

    private func item(_ number: Int) -> Item {
        Item(
            service: "rotation", account: "\(number)", data: Array("\(number)".utf8) + Self.padding)
    }

    private static func other(_ name: String) -> String { name == "one" ? "other" : "one" }

    private func key(_ name: String) throws -> MasterKey {
        try MasterKey(file: "\(folder)/key.\(name)", creatingIfMissing: true)
    }

    /// Returns the store, and the name of the only key that opens it.
    private func open() throws -> (EncryptedItemDatabase, String) {
        var opened: [(EncryptedItemDatabase, String)] = []
        for name in ["one", "other"] {
            do {
                let database = try EncryptedItemDatabase(
                    file: "\(folder)/rotated", accessGroup: "group", key: key(name))
                opened.append((database, name))
            } catch let error as StoreError where error.code == .wrongKey {}
        }
        guard opened.count == 1 else {
            throw Finding(description: "\(opened.count) of two keys open the store")
        }
        return opened[0]
    }
}

#endif

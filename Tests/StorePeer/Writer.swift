// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

import ArchiveStore
import Foundation
import KeyedArchive
import PropertyList

/// A process that shares stores with others, and writes in rounds: a batch of items in one
/// transaction, an entry of a shared dictionary, a shared preference, and an archived object.
struct Writer {
    private static let batchSize = 20

    let folder: String
    let name: String

    init(folder: String, name: String) {
        self.folder = folder
        self.name = name
    }

    /// Writes the rounds after `round`.
    func run(after round: Int) throws {
        let store = try openStore()
        let shared = dictionary(store)
        let preferences = try Preferences(domain: "shared", folder: folder)
        let objects = try ObjectStore(folder: "\(folder)/objects")
        var round = round
        while true {
            round += 1
            try store.transaction { transaction in
                for number in 0..<Self.batchSize {
                    try transaction.save(item(number, round))
                }
            }
            try shared.set(round, forKey: name)
            preferences.set(round, forKey: name)
            try preferences.synchronize()
            try objects.set(Array(repeating: round, count: 100), forKey: name)
            // Not with `print`, which buffers its output.
            FileHandle.standardOutput.write(Data("\(round)\n".utf8))
        }
    }

    /// Checks the stores after ``run(after:)``.
    ///
    /// - Throws: If an item is missing, if items are of different rounds, or if something is of a
    ///   round other than `acknowledged` and the next.
    func check(atLeast acknowledged: Int) throws {
        let store = try openStore()
        let items = try store.items(matching: ItemQuery(service: name))
        let rounds = Set(items.map { $0.attributes.comment ?? "" })
        try require(rounds.count <= 1, "items of the rounds \(rounds)")
        let round = Int(rounds.first ?? "0") ?? -1
        try require(round == 0 || items.count == Self.batchSize, "\(items.count) items")
        for item in items { try require(item.data == data(round), "the data of an item") }
        try require(round, acknowledged, "items")
        try require(
            try dictionary(store).value(Int.self, forKey: name) ?? 0, acknowledged, "dictionary")
        let preferences = try Preferences(domain: "shared", folder: folder)
        try require(preferences.integer(forKey: name) ?? 0, acknowledged, "preferences")
        let object = try ObjectStore(folder: "\(folder)/objects").object([Int].self, forKey: name)
        try require(Set(object ?? []).count <= 1, "an object of several rounds")
        try require(object?.first ?? 0, acknowledged, "object")
        print("ok, round \(round) (acknowledged: \(acknowledged))")
    }

    private func require(_ condition: Bool, _ what: String) throws {
        if !condition { throw Finding(description: "\(name): \(what)") }
    }

    private func require(_ round: Int, _ acknowledged: Int, _ what: String) throws {
        try require(
            round == acknowledged || round == acknowledged + 1,
            "\(what): expected round \(acknowledged) or \(acknowledged + 1), found \(round)")
    }

    private func openStore() throws -> ItemStore {
        let key = try MasterKey(file: "\(folder)/key", creatingIfMissing: true)
        return ItemStore(
            try EncryptedItemDatabase(file: "\(folder)/items", accessGroup: "group", key: key))
    }

    private func dictionary(_ store: ItemStore) -> ArchivedDictionary {
        ArchivedDictionary(in: store, service: "shared", account: "rounds")
    }

    private func item(_ number: Int, _ round: Int) -> Item {
        var attributes = ItemAttributes(service: name, account: "\(number)")
        attributes.comment = "\(round)"
        return Item(attributes, data: data(round))
    }

    private func data(_ round: Int) -> [UInt8] { Array("round \(round) ".utf8) + Self.padding }

    private static let padding = [UInt8](repeating: 7, count: 1000)
}

extension StorePeer {
    /// Writes items until the disk is full. Checks that larger writes then fail, and that the items
    /// are intact.
    static func fill(_ folder: String) throws {
        let key = try MasterKey(file: "\(folder)/key", creatingIfMissing: true)
        let file = "\(folder)/items"
        let store = ItemStore(
            try EncryptedItemDatabase(file: file, accessGroup: "group", key: key))
        let preferences = try Preferences(domain: "full", folder: folder, saving: .onRequest)
        let objects = try ObjectStore(folder: "\(folder)/objects")
        let value = [UInt8](repeating: 1, count: 10_000)
        let items = try untilFull { try store.add(item("\($0)", value)) }
        try outOfSpace { try store.save(item("0", [UInt8](repeating: 2, count: 5_000_000))) }
        try outOfSpace {
            preferences["blob"] = Data(repeating: 3, count: 5_000_000)
            try preferences.synchronize()
        }
        try outOfSpace {
            try objects.set(Data(repeating: 4, count: 5_000_000), forKey: "blob")
        }
        let again = ItemStore(
            try EncryptedItemDatabase(file: file, accessGroup: "group", key: key))
        let kept = try again.items()
        guard kept.count == items, kept.allSatisfy({ $0.data.count == value.count }),
            kept.first?.data == value
        else { throw Finding(description: "\(kept.count) of \(items) items are left") }
        guard try objects.keys().isEmpty,
            try Preferences(domain: "full", folder: folder).storedValues.isEmpty
        else { throw Finding(description: "half of a file was left") }
        print("ok, \(items) items before the disk was full")
    }

    private static func item(_ account: String, _ data: [UInt8]) -> Item {
        Item(service: "fill", account: account, data: data)
    }

    /// Calls `body` until the disk is full.
    ///
    /// - Returns: The number of times that `body` succeeded.
    private static func untilFull(_ body: (Int) throws -> Void) throws -> Int {
        for count in 0..<100_000 {
            do { try body(count) } catch let error as StoreError where error.code == .outOfSpace {
                return count
            }
        }
        throw Finding(description: "the disk does not get full")
    }

    private static func outOfSpace(_ body: () throws -> Void) throws {
        do { try body() } catch let error as StoreError where error.code == .outOfSpace { return }
        throw Finding(description: "there was room for more")
    }
}

#endif

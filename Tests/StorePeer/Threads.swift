// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

import ArchiveStore
import Foundation
import KeyedArchive
import PropertyList

/// Threads that open, change and close the same stores repeatedly, in one of several processes.
///
/// Closing a descriptor at the wrong moment releases the locks that other threads of the process
/// have on the file. Two transactions are then open at the same time, and the later one undoes the
/// other.
struct Threads {
    private static let count = 4
    private static let total = ItemIdentity(service: "threads", account: "total")

    let folder: String
    let name: String

    /// Works on the stores in several threads, `rounds` times in each.
    func run(rounds: Int) throws {
        let failures = Guarded<[String]>([])
        DispatchQueue.concurrentPerform(iterations: Self.count) { thread in
            do {
                for round in 0..<rounds { try change("\(name) \(thread) \(round)") }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        if let failure = failures.withLock({ $0 }).first { throw Finding(description: failure) }
        print("ok")
    }

    private func change(_ key: String) throws {
        try openStore().transaction { transaction in
            // Only one transaction of all processes may be in progress here.
            let inside = "\(folder)/inside"
            try FileManager.default.createDirectory(
                atPath: inside, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(atPath: inside) }
            let total = try transaction.items(matching: ItemQuery(Self.total), limit: 1).first
            let number = total?.password.flatMap { Int($0) } ?? 0
            try transaction.save(
                Item(
                    service: Self.total.service, account: Self.total.account,
                    password: "\(number + 1)"))
            try transaction.add(Item(service: "round", account: key, password: key))
        }
        _ = try openStore().items(matching: ItemQuery(service: "round", account: key))
        let preferences = try Preferences(domain: "threads", folder: folder, timeout: 60)
        preferences[key] = key
        try preferences.synchronize()
        try ObjectStore(folder: "\(folder)/objects").set(key, forKey: key)
    }

    /// Checks that no change is lost. `expected` is the number of rounds of all threads together.
    func check(_ expected: Int) throws {
        let store = try openStore()
        let total = try store.item(matching: ItemQuery(Self.total)).password
        let items = try store.items(matching: ItemQuery(service: "round"))
        let preferences = try Preferences(domain: "threads", folder: folder).storedValues
        let objects = try ObjectStore(folder: "\(folder)/objects")
        let keys = try objects.keys()
        guard total == "\(expected)", items.count == expected, preferences.count == expected,
            keys.count == expected,
            items.allSatisfy({ $0.password == $0.attributes.account }),
            try keys.allSatisfy({ try objects.object(String.self, forKey: $0) == $0 })
        else {
            throw Finding(
                description: "of \(expected) rounds: total \(total ?? "?"), \(items.count) items, "
                    + "\(preferences.count) preferences, \(keys.count) objects")
        }
        print("ok")
    }

    private func openStore() throws -> ItemStore {
        let key = try MasterKey(file: "\(folder)/key", creatingIfMissing: true)
        return ItemStore(
            try EncryptedItemDatabase(
                file: "\(folder)/items", accessGroup: "group", key: key, timeout: 60))
    }
}

#endif

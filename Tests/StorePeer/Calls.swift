// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

import ArchiveStore
import Foundation
import KeyedArchive
import PropertyList

/// One use of each store, so that a system call of it can be made to fail.
struct Calls {
    private static let stores = ["object", "preferences", "key", "items", "file"]

    let folder: String

    /// Writes number `round` to all stores, and prints the name of each one that has taken it, or the
    /// error of one that has not.
    func write(_ round: Int) {
        for store in Self.stores {
            do {
                try write(round, to: store)
                print("stored \(store)")
            } catch {
                print("refused \(store): \(error)")
            }
        }
    }

    private func write(_ round: Int, to store: String) throws {
        switch store {
        case "object":
            try ObjectStore(folder: "\(folder)/objects/within").set(round, forKey: "a")
        case "preferences":
            let preferences = try Preferences(
                domain: "calls", folder: "\(folder)/preferences", saving: .onRequest)
            preferences["a"] = round
            try preferences.synchronize()
        case "key": _ = try MasterKey(file: "\(folder)/key", creatingIfMissing: true)
        case "items":
            try items().save(Item(service: "s", account: "a", password: "\(round)"))
        default:
            let options = FileOptions(isPrivate: true)
            try PropertyListArray([round.propertyListValue]).write(
                toFile: "\(folder)/file", options: options)
        }
    }

    /// Prints the number that each store has, 0 for none. No store is damaged, whatever failed.
    func read() throws {
        for (store, number) in try numbers() { print(store, number) }
    }

    private func numbers() throws -> [(store: String, number: Int)] {
        let object = try ObjectStore(folder: "\(folder)/objects/within")
            .object(Int.self, forKey: "a")
        let preferences = try Preferences(domain: "calls", folder: "\(folder)/preferences")
        let password = try items().items().first?.password
        let file = try? PropertyListArray(contentsOfFile: "\(folder)/file")
        _ = try MasterKey(file: "\(folder)/key", creatingIfMissing: true)
        return [
            ("object", object ?? 0), ("preferences", preferences.integer(forKey: "a") ?? 0),
            ("items", password.flatMap { Int($0) } ?? 0),
            ("file", file?.first.flatMap { Int(propertyListValue: $0) } ?? 0),
        ]
    }

    /// Checks that each store has the number `new` or, where it did not take that, `old`.
    ///
    /// `output` is what ``write(_:)`` printed.
    func check(_ old: Int, _ new: Int, _ output: [String]) throws {
        let acknowledged = output.compactMap { line in
            line.hasPrefix("stored ") ? String(line.dropFirst("stored ".count)) : nil
        }
        for (store, number) in try numbers() {
            guard number == new || number == old && !acknowledged.contains(store) else {
                throw Finding(
                    description: "\(store) has \(number), not \(new), after: \(output)")
            }
        }
        print("ok")
    }

    private func items() throws -> ItemStore {
        let key = try MasterKey(file: "\(folder)/key", creatingIfMissing: true)
        return ItemStore(
            try EncryptedItemDatabase(file: "\(folder)/items", accessGroup: "group", key: key))
    }
}

#endif

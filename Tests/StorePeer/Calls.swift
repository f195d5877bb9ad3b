// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

import ArchiveStore
import Foundation
import KeyedArchive
import PropertyList

/// Writes to each store once, while the caller makes system calls fail with `strace`.
struct Calls {
    private static let stores = ["object", "preferences", "key", "items", "file"]

    let folder: String

    /// Writes the number `round` to all stores, and prints the name of each store that accepted it,
    /// or the error of one that did not.
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

    /// Prints the number that each store holds, or 0 for a store without a number.
    ///
    /// - Throws: If a store is damaged. No failed system call may cause that.
    func read() throws {
        for (store, number) in try numbers() { print(store, number) }
    }

    private func numbers() throws -> [(store: String, number: Int)] {
        let object = try ObjectStore(folder: "\(folder)/objects/within")
            .object(Int.self, forKey: "a")
        let preferences = try Preferences(domain: "calls", folder: "\(folder)/preferences")
        let password = try items().items().first?.password
        // A damaged file must not count as a missing one.
        let plain = "\(folder)/file"
        let file =
            FileManager.default.fileExists(atPath: plain)
            ? try PropertyListArray(contentsOfFile: plain) : nil
        _ = try MasterKey(file: "\(folder)/key", creatingIfMissing: true)
        return [
            ("object", object ?? 0), ("preferences", preferences.integer(forKey: "a") ?? 0),
            ("items", password.flatMap { Int($0) } ?? 0),
            ("file", file?.first.flatMap { Int(propertyListValue: $0) } ?? 0),
        ]
    }

    /// Checks that each store has the number `new` or, if it did not acknowledge that, `old`.
    ///
    /// - Parameters:
    ///   - old: The number before the call of ``write(_:)``.
    ///   - new: The number that it wrote.
    ///   - output: The lines that it printed.
    /// - Throws: A ``Finding`` if a store has another number.
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

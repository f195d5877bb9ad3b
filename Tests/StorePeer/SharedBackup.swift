// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

import ArchiveStore
import Foundation
import KeyedArchive
import PropertyList

/// A small backup whose items share their data, to measure the memory for reading it.
enum SharedBackup {
    /// Writes a backup of `count` references to one item with 1 MB of data.
    static func write(_ path: String, count: Int) throws {
        let item: PropertyListValue = .dictionary([
            "service": "s", "account": "a", "accessGroup": "g", "accessibility": "ak",
            "created": .date(PropertyListDate(secondsSince2001: 0)),
            "modified": .date(PropertyListDate(secondsSince2001: 0)),
            "data": .data(Array(repeating: 1, count: 1_000_000)),
        ])
        let items = PropertyListValue.array(PropertyListArray(Array(repeating: item, count: count)))
        let bytes = try KeyedArchiver.archive(items, allowing: .propertyList)
        try Data(bytes).write(to: URL(filePath: path))
    }

    /// Reads a backup under the untrusted limits, and prints the growth of peak memory in bytes.
    static func read(_ path: String) throws {
        let bytes = Array(try Data(contentsOf: URL(filePath: path)))
        let before = try peak()
        do {
            print(try ItemBackup(parsing: bytes, limits: .untrusted).items.count, "items")
        } catch {
            print("refused: \(error)")
        }
        print(try peak() - before)
    }

    /// Seals a backup of `count` items with 1 MiB of data each, and opens it again.
    static func sealAndOpen(count: Int) throws {
        let database = MemoryItemDatabase(accessGroup: "group")
        let store = ItemStore(database)
        for number in 0..<count {
            let data = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 1 << 20)
            try store.add(Item(service: "s", account: "\(number)", data: data))
        }
        let backup = try store.backup()
        let sealed = try backup.sealed(passphrase: "passphrase")
        guard try ItemBackup(opening: sealed, passphrase: "passphrase") == backup else {
            throw Finding(description: "the backup has other items")
        }
        print("ok, \(count) items in \(sealed.count) bytes")
    }

    private static func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let kilobytes = line?.split(separator: " ").compactMap { Int($0) }.first
        guard let kilobytes else { throw Finding(description: "no VmHWM in /proc/self/status") }
        return kilobytes * 1024
    }
}

#endif

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveStore
import Foundation

// Foundation has no item store. Programs archive to files instead.
extension FoundationPeer {
    /// Reads one entry of each dictionary. Each dictionary is in a separate file.
    @Sendable static func getEntries(_ input: Input, _ scale: Double) throws -> Work {
        let archives = try FileList.bytes(input, scale)
        let folder = try WorkFolder()
        for (number, archive) in archives.enumerated() {
            try Data(archive).write(to: folder.url("\(number)"))
        }
        return Work(size: FileList.size(archives), count: archives.count) {
            let texts = try archives.indices.compactMap { number in
                let entries: NSDictionary = try unarchive(
                    folder.url("\(number)"), [NSMutableDictionary.self, NSString.self],
                    ArchivedDictionary.defaultKey)
                return entries[StoredItems.key] as? String
            }
            return .checksum(StoredItems.checksum(texts: texts))
        }
    }

    /// Writes a file for each batch of items. Each is flushed to the disk before the next one.
    @Sendable static func saveItems(_ input: Input, _ scale: Double) throws -> Work {
        let data = StoredItems.written(try FileList.bytes(input, scale))
        let batches = StoredItems.batches(data.count)
        let folder = try WorkFolder()
        return Work(size: FileList.size(data), count: data.count) {
            for batch in batches {
                let items = batch.map { number in
                    [
                        "service": StoredItems.service(number) as NSString,
                        "account": StoredItems.account(number) as NSString,
                        "data": Data(data[number]) as NSData,
                    ] as NSDictionary
                }
                try write(items as NSArray, folder.url("\(batch.lowerBound)"))
            }
            return .file {
                let items = try batches.flatMap { batch -> [NSDictionary] in
                    let items: NSArray = try unarchive(
                        folder.url("\(batch.lowerBound)"),
                        [NSArray.self, NSDictionary.self, NSString.self, NSData.self],
                        NSKeyedArchiveRootObjectKey)
                    return items as? [NSDictionary] ?? []
                }
                return StoredItems.checksum(data: items.compactMap { $0["data"] as? Data })
            }
        }
    }

    /// Looks up some items in an archive. A file has no index, so it is read as a whole once per
    /// run.
    @Sendable static func findItems(_ input: Input, _ scale: Double) throws -> Work {
        let data = try FileList.bytes(input, scale)
        let folder = try WorkFolder()
        let items = NSMutableDictionary()
        for (number, bytes) in data.enumerated() { items[name(number)] = Data(bytes) as NSData }
        try write(items, folder.url("items"))
        let numbers = StoredItems.lookedUp(data.count, scale)
        return Work(size: FileList.size(data), count: numbers.count) {
            let items: NSDictionary = try unarchive(
                folder.url("items"), [NSMutableDictionary.self, NSString.self, NSData.self],
                NSKeyedArchiveRootObjectKey)
            let found = numbers.compactMap { items[name($0)] as? Data }
            return .checksum(StoredItems.checksum(data: found))
        }
    }

    private static func name(_ number: Int) -> NSString {
        "\(StoredItems.service(number))/\(StoredItems.account(number))" as NSString
    }

    /// Archives to a file atomically, and flushes it to the disk.
    private static func write(_ root: NSObject, _ url: URL) throws {
        try NSKeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: true)
            .write(to: url, options: .atomic)
        let file = try FileHandle(forUpdating: url)
        try file.synchronize()
        try file.close()
    }

    private static func unarchive<Root>(
        _ url: URL, _ classes: [AnyClass], _ key: String
    ) throws -> Root {
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: Data(contentsOf: url))
        unarchiver.requiresSecureCoding = true
        let found = unarchiver.decodeObject(of: classes, forKey: key)
        guard let root = found as? Root else {
            throw unarchiver.error ?? BenchmarkError(expected: Root.self, found: found)
        }
        return root
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveStore
import Foundation

extension Ours {
    /// Reads one entry of each dictionary, from items in memory.
    @Sendable static func getEntries(_ input: Input, _ scale: Double) throws -> Work {
        let archives = try FileList.bytes(input, scale)
        let store = ItemStore(MemoryItemDatabase(accessGroup: "benchmark"))
        try store.transaction { transaction in
            for (number, archive) in archives.enumerated() {
                try transaction.add(StoredItems.item(number, archive))
            }
        }
        let dictionaries = archives.indices.map { number in
            ArchivedDictionary(
                in: store, service: StoredItems.service(number),
                account: StoredItems.account(number))
        }
        return Work(size: FileList.size(archives), count: archives.count) {
            let texts = try dictionaries.compactMap {
                try $0.value(String.self, forKey: StoredItems.key)
            }
            return .checksum(StoredItems.checksum(texts: texts))
        }
    }

    /// Writes the first tenth of the items to a new encrypted store. Each batch is flushed to the
    /// disk before the next one.
    @Sendable static func saveItems(_ input: Input, _ scale: Double) throws -> Work {
        let data = StoredItems.written(try FileList.bytes(input, scale))
        let folder = try WorkFolder()
        return Work(size: FileList.size(data), count: data.count) {
            let store = try encryptedStore(folder, data)
            return .file { StoredItems.checksum(data: try store.items().map(\.data)) }
        }
    }

    /// Looks up some items in an open encrypted store, by service and account.
    @Sendable static func findItems(_ input: Input, _ scale: Double) throws -> Work {
        let data = try FileList.bytes(input, scale)
        let folder = try WorkFolder()
        let store = try encryptedStore(folder, data)
        let numbers = StoredItems.lookedUp(data.count, scale)
        return Work(size: FileList.size(data), count: numbers.count) {
            // Keeps the folder while the store is open.
            try withExtendedLifetime(folder) {
                let found = try numbers.map { number in
                    try store.data(
                        matching: ItemQuery(
                            service: StoredItems.service(number),
                            account: StoredItems.account(number)))
                }
                return .checksum(StoredItems.checksum(data: found))
            }
        }
    }

    private static func encryptedStore(
        _ folder: WorkFolder, _ data: [[UInt8]]
    ) throws -> ItemStore {
        let database = try EncryptedItemDatabase(
            file: folder.url("\(UUID().uuidString).items").path, accessGroup: "benchmark",
            key: MasterKey(bytes: [UInt8](repeating: 7, count: MasterKey.size)))
        let store = ItemStore(database)
        for batch in StoredItems.batches(data.count) {
            try store.transaction { transaction in
                for number in batch {
                    try transaction.save(StoredItems.item(number, data[number]))
                }
            }
        }
        return store
    }
}

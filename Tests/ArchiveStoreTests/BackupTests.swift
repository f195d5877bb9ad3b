// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyedArchive
import PropertyList
import TestSupport
import Testing

@testable import ArchiveStore

/// Checks that every backup that is written can be read again.
@Suite("Backups")
struct BackupTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func items(_ count: Int, size: Int) -> [Item] {
        (0..<count).map { number in
            let attributes = ItemAttributes(service: "s", account: "\(number)", accessGroup: "g")
            return Item(
                attributes, data: Array(repeating: UInt8(truncatingIfNeeded: number), count: size))
        }
    }

    @Test(
        "a backup that would exceed the limits for reading is not written, whether it is sealed or not"
    )
    func limits() throws {
        let backup = ItemBackup(items(26, size: 10_000))
        var limits = ParsingLimits.untrusted
        limits.inputSize = 256_000
        let error = #expect(throws: KeyedArchiveError.self) { try backup.archived(limits: limits) }
        #expect(error?.propertyListError?.code == .sizeLimitExceeded)
        limits.inputSize = 300_000
        let bytes = try backup.archived(limits: limits)
        #expect(try ItemBackup(parsing: bytes, limits: limits) == backup)
        limits.depth = 1
        #expect(throws: KeyedArchiveError.self) { try backup.archived(limits: limits) }
        #if Stores
        #expect(throws: KeyedArchiveError.self) {
            try backup.sealed(passphrase: "passphrase", limits: limits)
        }
        limits = .trusted
        let sealed = try backup.sealed(passphrase: "passphrase", limits: limits)
        #expect(try ItemBackup(opening: sealed, passphrase: "passphrase", limits: limits) == backup)
        limits.inputSize = 1000
        #expect(throws: KeyedArchiveError.self) {
            try ItemBackup(opening: sealed, passphrase: "passphrase", limits: limits)
        }
        #endif
    }

    @Test("a backup with a date that is not finite is refused when it is written")
    func nonFiniteDate() throws {
        var item = items(1, size: 1)[0]
        item.attributes.created = Date(timeIntervalSinceReferenceDate: .nan)
        let backup = ItemBackup([item])
        #expect(throws: StoreError.self) { try backup.archived() }
    }

    @Test("data shared by many items of a backup counts against the size limit once for each item")
    func sharedData() throws {
        let one = items(1, size: 1_000_000)[0]
        let many = [Item](repeating: one, count: 100)
        let error = #expect(throws: StoreError.self) { try ItemBackup(many).archived() }
        #expect(error?.code == .invalidContents && error?.recovery?.contains("output") == true)
        #expect(error?.what.contains("too large when each is stored separately: ") == true)
        let few = ItemBackup([Item](repeating: one, count: 10))
        #expect(try ItemBackup(parsing: few.archived()) == few)
    }

    @Test("an access group shared by many items counts against the size limit once for each item")
    func sharedAccessGroup() throws {
        let group = String(repeating: "g", count: 1_000_000)
        let one = Item(ItemAttributes(service: "s", account: "a", accessGroup: group), data: [1])
        let error = #expect(throws: StoreError.self) {
            try ItemBackup([Item](repeating: one, count: 100)).archived()
        }
        #expect(error?.what.contains("too large when each is stored separately: ") == true)
    }

    #if os(Linux) && Stores
    @Test("reading a backup whose items share 1 MB does not use 1 MB of memory for each item")
    func memoryOfSharedData() throws {
        let path = folder("backup")
        let written = try Program.run("StorePeer", ["make-shared-backup", path, "3000"])
        #expect(written.status == 0, "\(written.output)")
        let size = try Data(contentsOf: URL(filePath: path)).count
        let read = try Program.run("StorePeer", ["read-backup", path])
        let peak = try #require(
            Int(read.output.split(separator: "\n").last ?? ""), "\(read.output)")
        #expect(peak < 32 * size + 1 << 20, "\(peak) bytes for \(size)")
        #expect(peak > size / 4, "\(peak) bytes for \(size)")
    }
    #endif
}

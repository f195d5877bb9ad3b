// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A rollback journal: `NAME-journal` beside the database `NAME`.
///
/// SQLite saves the old contents of the pages that it is about to change in this file. If the program
/// dies, the next one that opens the database restores them. The file consists of segments, each of
/// which begins at a multiple of the sector size:
///
/// | offset | bytes | content |
/// |---|---|---|
/// | 0 | 8 | D9 D5 05 F9 20 A1 63 D7 |
/// | 8 | 4 | number of pages in this segment; FFFFFFFF for all that follow |
/// | 12 | 4 | nonce of the checksums |
/// | 16 | 4 | number of pages of the database before the change |
/// | 20 | 4 | sector size |
/// | 24 | 4 | page size |
/// | sector size | | for each page: its number (4), its old contents, a checksum (4) |
///
/// A change of several attached databases has a super-journal. Its name is the last record of each
/// journal: a page number (4), the name, its length (4), the sum of its bytes (4) and the first eight
/// bytes of a header. **SQLite deletes the file of that name** after the rollback, without a look at
/// what it is. So whoever can write a journal can have any file deleted that the reader may delete.
///
/// A journal whose first byte is zero is not in use.
package struct RollbackJournal: Sendable, Equatable {
    package static let suffix = "-journal"
    static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    private static let headerSize = 28
    /// The bytes of a super-journal record after the name.
    private static let recordTail = 16

    /// The first header; nil where it is malformed, and SQLite would restore nothing.
    package let header: Header?
    /// The number of pages that a rollback would restore.
    package let pageCount: Int
    /// Whether the journal ends like one that names a super-journal.
    package let namesSuperJournal: Bool

    /// The header of a segment.
    package struct Header: Sendable, Equatable {
        /// The number of pages in the segment; nil for all that follow.
        let pageCount: Int?
        private let nonce: UInt32
        /// The number of pages of the database before the change.
        package let originalPageCount: Int
        let sectorSize: Int
        package let pageSize: Int

        init?(_ bytes: [UInt8]) {
            guard bytes.starts(with: magic), let count = bytes.word(at: 8),
                let nonce = bytes.word(at: 12), let original = bytes.word(at: 16),
                let sector = bytes.word(at: 20),
                let page = bytes.word(at: 24)
            else { return nil }
            pageCount = count == .max ? nil : Int(clamping: count)
            self.nonce = nonce
            originalPageCount = Int(clamping: original)
            sectorSize = Int(clamping: sector)
            pageSize = Int(clamping: page)
            guard DatabaseHeader.isPageSize(pageSize), (32...65536).contains(sectorSize),
                sectorSize & (sectorSize - 1) == 0
            else { return nil }
        }

        /// The sum of the nonce and of every 200th byte of a page, from its end down.
        func checksum(of page: [UInt8]) -> UInt32 {
            var sum = nonce
            var place = pageSize - 200
            while place > 0, place < page.count {
                sum = sum &+ UInt32(page[place])
                place -= 200
            }
            return sum
        }
    }

    /// Inspects a journal. Nothing that it names is opened.
    ///
    /// - Returns: nil for a journal that is not in use: an empty one, or one whose first byte is zero.
    /// - Complexity: linear in the number of sectors.
    package init?(_ source: some ByteSource) throws(DatabaseFileError) {
        let head = try source.read(at: 0, count: Self.headerSize)
        guard let first = head.first, first != 0 else { return nil }
        header = Header(head)
        pageCount = try Self.pageCount(source)
        namesSuperJournal = try Self.namesSuperJournal(source)
    }

    /// The header of the database as the journal would restore it; nil where it has no record of the
    /// first page, or a malformed one.
    ///
    /// - Complexity: linear in the number of pages in the journal.
    package static func restoredHeader(
        _ source: some ByteSource
    ) throws(DatabaseFileError) -> DatabaseHeader? {
        var offset = 0
        while let header = Header(try source.read(at: offset, count: headerSize)) {
            let records = offset + header.sectorSize
            let size = header.pageSize + 8
            let rest = max(0, source.size - records) / size
            let count = min(header.pageCount ?? rest, rest)
            for number in 0..<count {
                let place = records + number * size
                let page = try source.read(at: place, count: 4).word(at: 0)
                // SQLite restores nothing beyond a record of no page.
                if page == 0 { return nil }
                guard page == 1 else { continue }
                let record = try source.read(at: place + 4, count: header.pageSize + 4)
                guard record.word(at: header.pageSize) == header.checksum(of: record) else {
                    return nil
                }
                return try? DatabaseHeader(record)
            }
            offset = (records + count * size + header.sectorSize - 1) & ~(header.sectorSize - 1)
        }
        return nil
    }

    private static func pageCount(_ source: some ByteSource) throws(DatabaseFileError) -> Int {
        var (offset, total) = (0, 0)
        while let header = Header(try source.read(at: offset, count: headerSize)) {
            let records = offset + header.sectorSize
            let rest = max(0, source.size - records) / (header.pageSize + 8)
            let count = min(header.pageCount ?? rest, rest)
            total += count
            let end = records + count * (header.pageSize + 8)
            offset = (end + header.sectorSize - 1) & ~(header.sectorSize - 1)
        }
        return total
    }

    private static func namesSuperJournal(
        _ source: some ByteSource
    ) throws(DatabaseFileError) -> Bool {
        let tail = try source.read(at: source.size - recordTail, count: recordTail)
        guard tail.count == recordTail, tail.suffix(8).elementsEqual(magic),
            let length = tail.word(at: 0)
        else { return false }
        // The sum of the bytes is not looked at: a writer of such a record means to name a file.
        return length > 0
    }
}

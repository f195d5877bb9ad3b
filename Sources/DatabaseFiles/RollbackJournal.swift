// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A rollback journal: `NAME-journal` beside the database `NAME`.
///
/// SQLite saves the old contents of pages in this file before changing them. If the program dies,
/// the next program that opens the database restores those pages. The file consists of segments,
/// each of which begins at a multiple of the sector size:
///
/// | offset | bytes | content |
/// |---|---|---|
/// | 0 | 8 | D9 D5 05 F9 20 A1 63 D7 |
/// | 8 | 4 | number of pages in this segment; FFFFFFFF for all pages that follow |
/// | 12 | 4 | nonce of the checksums |
/// | 16 | 4 | number of pages of the database before the change |
/// | 20 | 4 | sector size |
/// | 24 | 4 | page size; versions before 3.5.8 wrote 0, for the page size of the database |
/// | sector size | | for each page: its number (4), its old contents, a checksum (4) |
///
/// A transaction over several attached databases has a super-journal. Its name is the last record
/// of each journal: a page number (4), the name, its length (4), the sum of its bytes (4) and the
/// first eight bytes of a header. **SQLite deletes the file with that name** after the rollback
/// without checking that it is a super-journal. So anyone who can write a journal can make the
/// reader delete any file that the reader may delete.
///
/// A journal whose first byte is zero is not hot: SQLite does not apply it, but overwrites it with
/// the next journal without truncating it. When SQLite rolls back the transaction of the new
/// journal, it may read the record that the old journal left at the end of the file.
package struct RollbackJournal: Sendable, Equatable {
    package static let suffix = "-journal"
    static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    private static let headerSize = 28
    /// The size of the part of a super-journal record after the name.
    private static let recordTail = 16

    /// The first header, or nil if it is malformed. SQLite would then restore nothing, but would
    /// still delete the file named as a super-journal.
    package let header: Header?
    /// The number of complete records. A rollback restores at most that many pages.
    package let recordCount: Int
    /// A Boolean value indicating whether the journal ends with a record that names a
    /// super-journal.
    package let namesSuperJournal: Bool
    /// A Boolean value indicating whether each segment but the last has pages. SQLite begins a new
    /// segment only after writing pages.
    package let hasPagesInEachSegment: Bool

    /// The header of a segment.
    package struct Header: Sendable, Equatable {
        /// The number of pages in the segment, or nil if all pages that follow belong to the
        /// segment.
        let pageCount: Int?
        private let nonce: UInt32
        /// The number of pages of the database before the change.
        package let originalPageCount: UInt32
        let sectorSize: Int
        /// The page size of the database before the change. `VACUUM` can change it.
        package let pageSize: Int

        /// Parses the header of a segment.
        ///
        /// `first` is the header of the first segment, whose sizes apply to all segments.
        init?(_ bytes: [UInt8], after first: Header?, databasePageSize: Int?) {
            guard bytes.starts(with: magic), let count = bytes.word(at: 8),
                let nonce = bytes.word(at: 12), let original = bytes.word(at: 16),
                let sector = bytes.word(at: 20),
                let page = bytes.word(at: 24)
            else { return nil }
            pageCount = count == .max ? nil : Int(clamping: count)
            self.nonce = nonce
            originalPageCount = original
            sectorSize = first?.sectorSize ?? Int(clamping: sector)
            let written = page == 0 ? databasePageSize : Int(clamping: page)
            guard let pageSize = first?.pageSize ?? written else { return nil }
            self.pageSize = pageSize
            guard DatabaseHeader.isPageSize(pageSize), (32...65536).contains(sectorSize),
                sectorSize & (sectorSize - 1) == 0
            else { return nil }
        }

        /// The number of the page that contains the bytes that SQLite locks. That page has no
        /// content. In a journal, its number marks the record that names a super-journal.
        var lockPage: UInt32 { UInt32(truncatingIfNeeded: 0x4000_0000 / pageSize + 1) }

        /// Returns the sum of the nonce and of every 200th byte of a page, counted from its end.
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

    /// Inspects a journal without opening the super-journal that it may name.
    ///
    /// The result is nil for a journal that is not hot, because it is empty or its first byte is
    /// zero. `databasePageSize` is the page size for a header without one; if it is nil, such a
    /// header is malformed.
    ///
    /// - Complexity: Linear in the number of segments that have pages.
    package init?(
        _ source: some ByteSource, databasePageSize: Int? = nil
    ) throws(DatabaseFileError) {
        guard let first = try source.read(at: 0, count: 1).first, first != 0 else { return nil }
        var segments = Segments(source, databasePageSize: databasePageSize)
        var recordCount = 0
        while let segment = try segments.next() { recordCount += segment.count }
        self.recordCount = recordCount
        header = segments.first
        hasPagesInEachSegment = try segments.isAtEnd()
        namesSuperJournal = try Self.namesSuperJournal(source)
    }

    /// The first page of the database after a rollback.
    package enum FirstPage: Sendable, Equatable {
        /// SQLite would restore no record of the first page.
        case none
        case header(DatabaseHeader)
        /// A page that does not begin with a valid database header.
        case malformed
    }

    /// The parts of a journal that SQLite would restore.
    package struct Restored: Sendable, Equatable {
        package fileprivate(set) var firstPage = FirstPage.none
        /// The number of restored records. Several records may contain the same page.
        package fileprivate(set) var recordCount = 0
    }

    /// Determines what SQLite would restore from a journal.
    ///
    /// SQLite restores the records in order, so the last record of a page wins. It skips records of
    /// pages beyond the end of the original database, and does not verify their checksums. It stops
    /// at the first record whose page number is 0 or that of the lock page, and at the first wrong
    /// checksum of any other page. The result is empty for a journal whose header has no page size.
    ///
    /// - Complexity: Linear in the size of the journal.
    package static func restored(
        _ source: some ByteSource
    ) throws(DatabaseFileError) -> Restored {
        var segments = Segments(source, databasePageSize: nil)
        var originalPageCount: UInt32?
        var found = Restored()
        while let segment = try segments.next() {
            let header = segment.header
            let pageCount = originalPageCount ?? header.originalPageCount
            originalPageCount = pageCount
            for number in 0..<segment.count {
                let place = segment.records + number * segment.recordSize
                guard let page = try source.read(at: place, count: 4).word(at: 0), page != 0,
                    page != header.lockPage
                else { return found }
                guard page <= pageCount else { continue }
                let record = try source.read(at: place + 4, count: header.pageSize + 4)
                guard record.word(at: header.pageSize) == header.checksum(of: record) else {
                    return found
                }
                found.recordCount += 1
                guard page == 1 else { continue }
                found.firstPage = (try? DatabaseHeader(record)).map { .header($0) } ?? .malformed
            }
        }
        return found
    }

    /// A segment: its header, the offset of its first record, and the number of complete records.
    private struct Segment {
        let header: Header
        let records: Int
        let count: Int

        var recordSize: Int { header.pageSize + 8 }
        /// The offset of the next segment.
        var end: Int {
            let end = records + count * recordSize
            return (end + header.sectorSize - 1) & ~(header.sectorSize - 1)
        }
    }

    /// The segments of a journal in order, up to the first one without pages. Stopping there bounds
    /// the number of segments, because even a small file has room for many headers without pages.
    private struct Segments<Source: ByteSource> {
        private let source: Source
        private let databasePageSize: Int?
        /// The first header, or nil if none was read or it is malformed.
        private(set) var first: Header?
        private var last: Segment?

        init(_ source: Source, databasePageSize: Int?) {
            self.source = source
            self.databasePageSize = databasePageSize
        }

        private var offset: Int { last?.end ?? 0 }

        private func header() throws(DatabaseFileError) -> Header? {
            Header(
                try source.read(at: offset, count: headerSize), after: first,
                databasePageSize: databasePageSize)
        }

        mutating func next() throws(DatabaseFileError) -> Segment? {
            if last?.count == 0 { return nil }
            guard let header = try header() else { return nil }
            if first == nil { first = header }
            let records = offset + header.sectorSize
            let rest = max(0, source.size - records) / (header.pageSize + 8)
            let segment = Segment(
                header: header, records: records, count: min(header.pageCount ?? rest, rest))
            last = segment
            return segment
        }

        /// Returns whether no header follows the last segment returned.
        func isAtEnd() throws(DatabaseFileError) -> Bool { try header() == nil }
    }

    /// Returns whether a journal, hot or not, ends with a record that names a super-journal.
    package static func namesSuperJournal(
        _ source: some ByteSource
    ) throws(DatabaseFileError) -> Bool {
        let tail = try source.read(at: source.size - recordTail, count: recordTail)
        guard tail.count == recordTail, tail.suffix(8).elementsEqual(magic),
            let length = tail.word(at: 0)
        else { return false }
        // The checksum of the name is ignored, so a record with a wrong checksum is reported as
        // well.
        return length > 0
    }
}

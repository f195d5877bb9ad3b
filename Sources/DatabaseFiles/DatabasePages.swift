// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The pages of a database, including the committed frames of its write-ahead log.
package final class DatabasePages {
    package let header: DatabaseHeader
    /// The largest valid page number.
    package let count: Int
    private let main: any ByteSource
    private let log: (offsets: WriteAheadLog, source: any ByteSource)?

    /// Opens a database.
    ///
    /// - Parameters:
    ///   - main: The database.
    ///   - log: Its write-ahead log, if there is one that contains a committed transaction.
    /// - Throws: An error if a file cannot be read, if a header is malformed, or if the page sizes
    ///   of the database and the log differ.
    package init(
        _ main: any ByteSource, log: (offsets: WriteAheadLog, source: any ByteSource)? = nil
    ) throws(DatabaseFileError) {
        let original = try DatabaseHeader(main.read(at: 0, count: DatabaseHeader.size))
        if let log, log.offsets.pageSize != original.pageSize {
            throw DatabaseFileError(
                "expected a write-ahead log with pages of \(original.pageSize) bytes, found "
                    + "\(log.offsets.pageSize)")
        }
        self.main = main
        self.log = log
        guard let log else {
            header = original
            count = main.size / original.pageSize + (main.size % original.pageSize > 0 ? 1 : 0)
            return
        }
        // The database cannot have more pages than its file and the frames of the log together.
        count = min(
            log.offsets.pageCount,
            main.size / original.pageSize + log.source.size / original.pageSize + 2)
        guard let offset = log.offsets.offsets[1] else {
            header = original
            return
        }
        header = try DatabaseHeader(log.source.read(at: offset, count: DatabaseHeader.size))
        guard header.pageSize == original.pageSize else {
            throw DatabaseFileError(
                "expected pages of \(original.pageSize) bytes in the database header within the "
                    + "write-ahead log, found \(header.pageSize)")
        }
    }

    /// Returns the bytes of a page. The first page has the number 1.
    package func page(_ number: UInt32) throws(DatabaseFileError) -> [UInt8] {
        let size = header.pageSize
        guard number >= 1, number <= count else {
            throw DatabaseFileError("expected a page from 1 to \(count), found \(number)")
        }
        let bytes =
            if let log, let offset = log.offsets.offsets[number] {
                try log.source.read(at: offset, count: size)
            } else {
                try main.read(at: (Int(number) - 1) * size, count: size)
            }
        guard bytes.count == size else {
            throw DatabaseFileError(
                "expected \(size) bytes of page \(number), found \(bytes.count)")
        }
        return bytes
    }
}

/// The set of pages that have been read.
///
/// In a valid database, each page belongs to one tree or one row. So each page is read only once,
/// and reading all tables takes time linear in the size of the file, even for malformed files.
package final class PageUsage {
    // Bit sets of 64 pages each, by page number / 64. A sparse file may have more pages than bytes
    // on disk, so a dictionary holds only the bit sets that are used.
    private var words: [UInt32: UInt64] = [:]
    private let count: Int

    package init(_ pages: DatabasePages) { count = pages.count }

    /// Marks a page as read.
    ///
    /// - Throws: An error if the page was read before, or if there is no such page.
    func claim(_ number: UInt32) throws(DatabaseFileError) {
        let (index, bit) = (number / 64, UInt64(1) << UInt64(number % 64))
        guard number > 0, number <= count else {
            throw DatabaseFileError("expected a page from 1 to \(count), found \(number)")
        }
        if words[index, default: 0] & bit != 0 {
            throw DatabaseFileError("page \(number) is referred to more than once")
        }
        words[index, default: 0] |= bit
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The first 100 bytes of an SQLite database.
///
/// | offset | bytes | content |
/// |---|---|---|
/// | 0 | 16 | `SQLite format 3` and NUL |
/// | 16 | 2 | page size: a power of two from 512 on; 1 means 65,536 |
/// | 18 | 1 | 1 for a rollback journal, 2 for a write-ahead log, as writers must use it |
/// | 19 | 1 | the same for readers |
/// | 20 | 1 | bytes at the end of each page that are not used |
/// | 24 | 4 | change counter |
/// | 28 | 4 | number of pages |
/// | 52 | 4 | the largest page that is a root where the database gives pages back by itself, else 0 |
/// | 56 | 4 | encoding of text: 1 UTF-8, 2 UTF-16 little-endian, 3 UTF-16 big-endian |
/// | 68 | 4 | application identifier |
///
/// Integers are big-endian.
package struct DatabaseHeader: Sendable, Equatable {
    package static let size = 100
    package static let magic = Array("SQLite format 3\0".utf8)

    /// The encoding of text in a database.
    package enum TextEncoding: Sendable {
        case utf8, utf16LittleEndian, utf16BigEndian
    }

    package let pageSize: Int
    /// The bytes of a page that hold content.
    let usableSize: Int
    package let textEncoding: TextEncoding
    /// A Boolean value that says whether readers and writers are to use a write-ahead log.
    package let usesWriteAheadLog: Bool
    /// The versions of the format for writers and for readers: 1 where they use a rollback journal.
    package let versions: [UInt8]
    /// The number of transactions that changed the database, modulo 2³².
    package let changeCounter: UInt32
    /// The number of pages, as the header says.
    package let pageCount: UInt32
    /// Whether the database gives pages back by itself, for which SQLite moves others.
    package let vacuumsItself: Bool
    /// The number of the program that the database belongs to.
    package let applicationIdentifier: UInt32

    /// Parses the beginning of a database.
    package init(_ bytes: [UInt8]) throws(DatabaseFileError) {
        guard bytes.starts(with: Self.magic) else {
            throw DatabaseFileError("is no SQLite database")
        }
        guard bytes.count >= Self.size, let size = bytes.bigEndian(at: 16, width: 2) else {
            throw DatabaseFileError(
                "expected a header of \(Self.size) bytes, found \(bytes.count)")
        }
        pageSize = size == 1 ? 65536 : size
        guard Self.isPageSize(pageSize) else {
            throw DatabaseFileError(
                "expected a page size that is a power of two from 512 to 65536, found \(size)")
        }
        usableSize = pageSize - Int(bytes[20])
        // Below this size SQLite's own formula for cells gives no room.
        guard usableSize >= 480 else {
            throw DatabaseFileError(
                "expected at least 480 usable bytes in a page, found \(usableSize)")
        }
        usesWriteAheadLog = bytes[18] == 2 || bytes[19] == 2
        versions = Array(bytes[18...19])
        changeCounter = bytes.word(at: 24) ?? 0
        pageCount = bytes.word(at: 28) ?? 0
        vacuumsItself = bytes.word(at: 52) ?? 0 != 0
        applicationIdentifier = bytes.word(at: 68) ?? 0
        // SQLite looks at two bits only.
        textEncoding =
            switch bytes[59] & 3 {
            case 2: .utf16LittleEndian
            case 3: .utf16BigEndian
            default: .utf8
            }
    }

    static func isPageSize(_ size: Int) -> Bool {
        (512...65536).contains(size) && size & (size - 1) == 0
    }

    /// The text that bytes of a database stand for; invalid sequences become U+FFFD. Linear.
    package func text(_ bytes: some Collection<UInt8>) -> String {
        if textEncoding == .utf8 { return String(decoding: bytes, as: UTF8.self) }
        var units: [UInt16] = []
        var first: UInt8?
        for byte in bytes {
            guard let before = first else {
                first = byte
                continue
            }
            units.append(
                textEncoding == .utf16BigEndian
                    ? UInt16(before) << 8 | UInt16(byte) : UInt16(byte) << 8 | UInt16(before))
            first = nil
        }
        return String(decoding: units, as: UTF16.self)
    }
}

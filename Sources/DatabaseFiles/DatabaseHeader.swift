// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The first 100 bytes of an SQLite database.
///
/// | offset | bytes | content |
/// |---|---|---|
/// | 0 | 16 | `SQLite format 3` and NUL |
/// | 16 | 2 | page size: a power of two, at least 512; 1 means 65,536 |
/// | 18 | 1 | write version: 1 for a rollback journal, 2 for a write-ahead log |
/// | 19 | 1 | read version: the same values |
/// | 20 | 1 | number of unused bytes at the end of each page |
/// | 24 | 4 | change counter |
/// | 28 | 4 | number of pages |
/// | 52 | 4 | number of the largest root page in auto-vacuum mode, else 0 |
/// | 56 | 4 | text encoding: 1 UTF-8, 2 UTF-16 little-endian, 3 UTF-16 big-endian |
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
    /// The number of bytes of a page that hold content.
    let usableSize: Int
    package let textEncoding: TextEncoding
    /// A Boolean value indicating whether the database uses a write-ahead log.
    package let usesWriteAheadLog: Bool
    /// The write version and the read version of the format. Both are 1 with a rollback journal.
    package let versions: [UInt8]
    /// The number of transactions that changed the database, modulo 2³². With a write-ahead log,
    /// SQLite does not count every transaction.
    package let changeCounter: UInt32
    /// The number of pages according to the header.
    package let pageCount: UInt32
    /// A Boolean value indicating whether the database is in auto-vacuum mode, in which SQLite
    /// moves pages in order to shrink the file.
    package let usesAutoVacuum: Bool
    /// The identifier of the application that the database belongs to.
    package let applicationIdentifier: UInt32

    /// Parses the header of a database.
    package init(_ bytes: [UInt8]) throws(DatabaseFileError) {
        guard bytes.starts(with: Self.magic) else {
            throw DatabaseFileError("expected an SQLite database, found another format")
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
        // SQLite's minimum. In smaller pages, its formula for the local part of a row leaves no
        // room.
        guard usableSize >= 480 else {
            throw DatabaseFileError(
                "expected at least 480 usable bytes in a page, found \(usableSize)")
        }
        usesWriteAheadLog = bytes[18] == 2 || bytes[19] == 2
        versions = Array(bytes[18...19])
        changeCounter = bytes.word(at: 24) ?? 0
        pageCount = bytes.word(at: 28) ?? 0
        usesAutoVacuum = bytes.word(at: 52) ?? 0 != 0
        applicationIdentifier = bytes.word(at: 68) ?? 0
        // SQLite uses only the lowest two bits.
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

    /// Decodes text of the database. Invalid sequences become U+FFFD. An odd last byte of UTF-16 is
    /// ignored.
    ///
    /// - Complexity: Linear in the number of bytes.
    package func text(_ bytes: some Collection<UInt8>) -> String {
        if textEncoding == .utf8 { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: units(bytes), as: UTF16.self)
    }

    /// Returns the UTF-8 form of UTF-16 text of the database. An unpaired surrogate becomes the
    /// three bytes that would encode its code point in UTF-8. Parsers refuse these bytes. An odd
    /// last byte is ignored.
    ///
    /// - Complexity: Linear in the number of bytes.
    package func convertedText(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let units = units(bytes)
        var result: [UInt8] = []
        var start = 0
        for (index, unit) in units.enumerated() where Self.isUnpaired(index, units) {
            result += String(decoding: units[start..<index], as: UTF16.self).utf8
            result += [
                0xE0 | UInt8(unit >> 12), 0x80 | UInt8(unit >> 6 & 0x3F), 0x80 | UInt8(unit & 0x3F),
            ]
            start = index + 1
        }
        return result + String(decoding: units[start...], as: UTF16.self).utf8
    }

    /// Returns whether the unit at an index is a surrogate that is not part of a pair.
    private static func isUnpaired(_ index: Int, _ units: [UInt16]) -> Bool {
        if UTF16.isLeadSurrogate(units[index]) {
            return index + 1 == units.count || !UTF16.isTrailSurrogate(units[index + 1])
        }
        return UTF16.isTrailSurrogate(units[index])
            && (index == 0 || !UTF16.isLeadSurrogate(units[index - 1]))
    }

    /// Returns the units of UTF-16 text of the database. An odd last byte is ignored.
    private func units(_ bytes: some Collection<UInt8>) -> [UInt16] {
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
        return units
    }
}

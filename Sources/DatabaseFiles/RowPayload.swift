// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The bytes of a row, stored in its page and in overflow pages.
///
/// The page of a long row holds only its beginning. The rest is in a linked list of overflow pages.
/// The first four bytes of each contain the number of the next one, or 0 at the end of the list.
package struct RowPayload {
    /// The number of bytes.
    package let size: Int
    private let pages: DatabasePages
    private let usage: PageUsage
    private let page: [UInt8]
    private let local: Range<Int>
    // The overflow pages followed so far, and the contents of the one read last.
    private var chain: [UInt32] = []
    private var lastRead: (index: Int, bytes: [UInt8])?

    /// Creates the payload of a row. `local` is the range of the row's beginning in `page`.
    /// `overflow` is the first overflow page, or nil if the page holds the whole row.
    init(
        _ pages: DatabasePages, _ usage: PageUsage, size: Int, page: [UInt8], local: Range<Int>,
        overflow: UInt32?
    ) throws(DatabaseFileError) {
        self.size = size
        self.pages = pages
        self.usage = usage
        self.page = page
        self.local = local
        guard let overflow else { return }
        try usage.claim(overflow)
        chain.append(overflow)
    }

    /// Returns the bytes of a range within the row. Reads the overflow pages up to the end of the
    /// range.
    package mutating func bytes(in range: Range<Int>) throws(DatabaseFileError) -> [UInt8] {
        guard range.lowerBound >= 0, range.upperBound <= size else {
            throw DatabaseFileError(
                "expected a value within the \(size) bytes of its row, found one that ends at byte "
                    + "\(range.upperBound)")
        }
        let head = range.clamped(to: 0..<local.count)
        var result = Array(
            page[local.lowerBound + head.lowerBound..<local.lowerBound + head.upperBound])
        let room = pages.header.usableSize - 4
        var position = max(range.lowerBound, local.count)
        while position < range.upperBound {
            let (index, start) = (position - local.count).quotientAndRemainder(dividingBy: room)
            let count = min(room - start, range.upperBound - position)
            try readOverflow(index)
            if let lastRead { result += lastRead.bytes[start + 4..<start + 4 + count] }
            position += count
        }
        return result
    }

    /// Reads an overflow page by its index, after following the list that far.
    private mutating func readOverflow(_ index: Int) throws(DatabaseFileError) {
        while chain.count <= index {
            try readFollowed(chain.count - 1)
            guard let next = lastRead?.bytes.word(at: 0), next > 0 else {
                throw DatabaseFileError(
                    "expected a row of \(size) bytes, found the end of its overflow pages")
            }
            try usage.claim(next)
            chain.append(next)
        }
        try readFollowed(index)
    }

    private mutating func readFollowed(_ index: Int) throws(DatabaseFileError) {
        guard chain.indices.contains(index) else {
            throw DatabaseFileError("expected an overflow page, found none")
        }
        if lastRead?.index != index { lastRead = (index, try pages.page(chain[index])) }
    }
}

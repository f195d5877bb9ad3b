// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A traversal of the rows of a table, in the order of its tree.
///
/// A table is a tree of pages. On page 1, the header of the database comes before the content. A
/// page contains:
///
/// | offset | bytes | content |
/// |---|---|---|
/// | 0 | 1 | 2 or 5 for an inner page, 10 or 13 for a leaf; 5 and 13 if rows have rowids |
/// | 3 | 2 | number of cells |
/// | 8 | 4 | inner pages only: the last child |
/// | 8 or 12 | 2 each | offset of each cell in the page |
///
/// The parts of a cell depend on the kind of its page: the preceding child (4 bytes; inner pages),
/// the size of the row (variable; not in 5), the rowid (variable; 5 and 13), the beginning of the
/// row (not in 5), and the first overflow page (4 bytes; if the row does not fit).
///
/// The walk skips malformed parts and records the first one in ``problem``. It reads each page once
/// and limits the total size of a page's cells to the size of the page. Its time is therefore
/// linear in the number of pages that it reads.
package struct TableWalk {
    // SQLite's limit. The inner pages of a valid tree have several children, so a deeper tree would
    // need more pages than a file can have.
    fileprivate static let deepest = 20

    /// The first defect found.
    package private(set) var problem: String?
    private let pages: DatabasePages
    private let usage: PageUsage
    private var stack: [TreePage] = []

    /// Begins a walk. If the root cannot be read, the table has no rows and ``problem`` is set.
    package init(_ pages: DatabasePages, _ usage: PageUsage, root: UInt32) {
        self.pages = pages
        self.usage = usage
        enter(root)
    }

    /// A Boolean value indicating whether the table has rowids, or nil if its root cannot be read.
    ///
    /// The value is valid only before the first call of ``next()``.
    package var hasRowIDs: Bool? { stack.first?.hasRowIDs }

    /// Returns the next row, or nil after the last one.
    package mutating func next() -> StoredRow? {
        while let last = stack.indices.last {
            switch stack[last].advance() {
            case nil: stack.removeLast()
            case .child(let number): enter(number)
            case .row(let offset):
                do {
                    return try stack[last].row(at: offset, pages, usage)
                } catch {
                    note(error)
                }
            }
        }
        return nil
    }

    private mutating func enter(_ number: UInt32) {
        do throws(DatabaseFileError) {
            guard stack.count < Self.deepest else {
                throw DatabaseFileError(
                    "expected a tree of at most \(Self.deepest) levels, found more")
            }
            try usage.claim(number)
            let page = try TreePage(pages.page(number), number, pages.header.usableSize)
            if let root = stack.first, root.hasRowIDs != page.hasRowIDs {
                throw DatabaseFileError("page \(number) belongs to another kind of table")
            }
            stack.append(page)
        } catch {
            note(error)
        }
    }

    private mutating func note(_ error: DatabaseFileError) {
        if problem == nil { problem = error.what }
    }
}

extension DatabasePages {
    /// Checks that no tree is deeper than a walk can enter, and that no index entry is too large.
    /// Does not read overflow pages.
    ///
    /// A search in an index loads each entry that it compares. A few large entries would therefore
    /// slow down every search.
    ///
    /// - Parameters:
    ///   - roots: The root pages of the trees.
    ///   - largestEntry: The maximum size of an index entry, in bytes.
    /// - Throws: An error for a tree that is too deep, an entry that is too large, or a page that
    ///   occurs more than once.
    /// - Complexity: Linear in the number of pages of the trees.
    package func requireTrees(
        at roots: [UInt32], largestEntry: Int
    ) throws(DatabaseFileError) {
        let usage = PageUsage(self)
        var level = roots
        for _ in 0..<TableWalk.deepest {
            var below: [UInt32] = []
            for number in level {
                try usage.claim(number)
                let page = try TreePage(page(number), number, header.usableSize)
                try page.requireEntries(ofAtMost: largestEntry)
                below += page.children()
            }
            if below.isEmpty { return }
            level = below
        }
        throw DatabaseFileError(
            "expected trees of at most \(TableWalk.deepest) levels, found more")
    }
}

/// A page of a tree, and the position of a walk in it.
private struct TreePage {
    enum Step {
        case child(UInt32)
        case row(Int)
    }

    let hasRowIDs: Bool
    private let isLeaf: Bool
    private let number: UInt32
    private let bytes: [UInt8]
    private let usableSize: Int
    private let start: Int
    private let cellCount: Int
    private var position = 0
    // The number of bytes that further cells may use. Overlapping cells would otherwise make the
    // walk read more bytes than the page has.
    private var bytesLeft: Int

    init(_ bytes: [UInt8], _ number: UInt32, _ usableSize: Int) throws(DatabaseFileError) {
        start = number == 1 ? DatabaseHeader.size : 0
        let kind = bytes[start]
        guard [2, 5, 10, 13].contains(kind), let count = bytes.bigEndian(at: start + 3, width: 2)
        else {
            throw DatabaseFileError(
                "expected a b-tree page (type 2, 5, 10 or 13) at page \(number), found type "
                    + "\(kind)")
        }
        hasRowIDs = kind == 5 || kind == 13
        isLeaf = kind >= 10
        let cells = start + (isLeaf ? 8 : 12)
        guard count <= (usableSize - cells) / 2 else {
            throw DatabaseFileError(
                "expected at most \((usableSize - cells) / 2) cells in page \(number), found "
                    + "\(count)")
        }
        (self.bytes, self.number, self.usableSize) = (bytes, number, usableSize)
        cellCount = count
        bytesLeft = usableSize
    }

    /// Returns the next step, or nil at the end of the page.
    ///
    /// In tables without rowids, inner pages have rows between the children. In other tables
    /// they have only children.
    mutating func advance() -> Step? {
        defer { position += 1 }
        if isLeaf { return position < cellCount ? cell(position).map { .row($0) } : nil }
        let index = hasRowIDs ? position : position / 2
        if hasRowIDs || position % 2 == 0 { return child(index) }
        return index < cellCount ? cell(index).map { .row($0 + 4) } : nil
    }

    private func child(_ index: Int) -> Step? {
        childNumber(index).map { .child($0) }
    }

    private func childNumber(_ index: Int) -> UInt32? {
        if index > cellCount { return nil }
        let place = index < cellCount ? cell(index) : start + 8
        return place.map { bytes.word(at: $0) ?? 0 }
    }

    /// Returns the numbers of all children. A leaf has none.
    func children() -> [UInt32] { isLeaf ? [] : (0...cellCount).compactMap(childNumber) }

    /// Checks the sizes of the entries if this is a page of an index.
    func requireEntries(ofAtMost largest: Int) throws(DatabaseFileError) {
        if hasRowIDs { return }
        for index in 0..<cellCount {
            guard let place = cell(index),
                let (size, _) = bytes.variableInteger(at: isLeaf ? place : place + 4)
            else { throw malformed }
            if size > largest {
                throw DatabaseFileError(
                    "expected entries of at most \(largest) bytes in the index, found one of "
                        + "\(size) bytes in page \(number)")
            }
        }
    }

    private func cell(_ index: Int) -> Int? {
        bytes.bigEndian(at: start + (isLeaf ? 8 : 12) + 2 * index, width: 2)
    }

    /// Returns the row at `offset`.
    mutating func row(
        at offset: Int, _ pages: DatabasePages, _ usage: PageUsage
    ) throws(DatabaseFileError) -> StoredRow {
        guard let (claimed, width) = bytes.variableInteger(at: offset) else { throw malformed }
        var place = offset + width
        var rowID: Int64?
        if hasRowIDs {
            guard let (value, width) = bytes.variableInteger(at: place) else { throw malformed }
            rowID = Int64(bitPattern: value)
            place += width
        }
        // A row cannot have more bytes than the file.
        guard let size = Int(exactly: claimed), size / usableSize <= pages.count else {
            throw DatabaseFileError(
                "page \(number) has a row of \(claimed) bytes, which is more than the file has")
        }
        let local = localSize(of: size)
        let end = place + local
        let overflow = local < size ? bytes.word(at: end) : nil
        bytesLeft -= end - offset
        guard end <= usableSize, bytesLeft >= 0, local == size || overflow != nil else {
            throw malformed
        }
        return StoredRow(
            rowID: rowID,
            payload: try RowPayload(
                pages, usage, size: size, page: bytes, local: place..<end, overflow: overflow))
    }

    private var malformed: DatabaseFileError {
        DatabaseFileError("page \(number) has cells that overlap or extend beyond the page")
    }

    /// Returns the number of bytes of a row that its page stores. `size` is the size of the row.
    /// Short rows are stored whole. Otherwise the page stores the bytes that remain after filling
    /// whole overflow pages, or the minimum if that many do not fit.
    private func localSize(of size: Int) -> Int {
        let largest = hasRowIDs && isLeaf ? usableSize - 35 : (usableSize - 12) * 64 / 255 - 23
        if size <= largest { return size }
        let smallest = (usableSize - 12) * 32 / 255 - 23
        let full = smallest + (size - smallest) % (usableSize - 4)
        return full <= largest ? full : smallest
    }
}

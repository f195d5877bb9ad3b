// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A walk through the rows of a table, in the order of its tree.
///
/// A table is a tree of pages. Page 1 has the header of the database before its content. A page is:
///
/// | offset | bytes | content |
/// |---|---|---|
/// | 0 | 1 | 2 or 5 for an inner page, 10 or 13 for a leaf; 5 and 13 in tables with row numbers |
/// | 3 | 2 | number of cells |
/// | 8 | 4 | inner pages only: the last child |
/// | 8 or 12 | 2 each | offset of each cell in the page |
///
/// A cell has, as far as its kind of page asks for it: the child before it (4; inner pages), the size
/// of the row (variable; not in 5), its number (variable; 5 and 13), the beginning of the row, and the
/// first overflow page (4) where the row does not fit.
///
/// A malformed part is skipped and noted in ``problem``. Each page is read once, and the cells of a
/// page may have no more bytes than the page, so the walk is linear in the pages that it reads.
package struct TableWalk {
    // As in SQLite: deeper trees have more pages than a file can have.
    fileprivate static let deepest = 20

    /// The first defect that was met.
    package private(set) var problem: String?
    private let pages: DatabasePages
    private let usage: PageUsage
    private var stack: [TreePage] = []

    /// Begins a walk. A root that cannot be read is a ``problem``, and a table without rows.
    package init(_ pages: DatabasePages, _ usage: PageUsage, root: UInt32) {
        self.pages = pages
        self.usage = usage
        enter(root)
    }

    /// A Boolean value that says whether the table has numbers for its rows; nil where its root
    /// cannot be read.
    ///
    /// To be asked before the first row.
    package var isNumbered: Bool? { stack.first?.isNumbered }

    /// Returns the next row; nil after the last.
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
                throw DatabaseFileError("expected a tree of at most \(Self.deepest) levels")
            }
            try usage.claim(number)
            let page = try TreePage(pages.page(number), number, pages.header.usableSize)
            if let root = stack.first, root.isNumbered != page.isNumbered {
                throw DatabaseFileError("page \(number) is of another kind of table")
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
    /// Checks that each tree has at most as many levels as a walk enters, and that no entry of an index is large.
    /// Overflow pages are not read.
    ///
    /// A search in an index loads each entry that it compares, so a few large entries cost each search their size.
    ///
    /// `largestEntry` is the size that an entry of an index may have, in bytes.
    ///
    /// - Throws: also for a page that is in two trees, or twice in one.
    /// - Complexity: linear in the number of pages of the trees.
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
        throw DatabaseFileError("expected trees of at most \(TableWalk.deepest) levels")
    }
}

/// A page of a tree, and how far a walk has come in it.
private struct TreePage {
    enum Step {
        case child(UInt32)
        case row(Int)
    }

    let isNumbered: Bool
    private let isLeaf: Bool
    private let number: UInt32
    private let bytes: [UInt8]
    private let usableSize: Int
    private let start: Int
    private let cellCount: Int
    private var position = 0
    // Cells that overlap would be read more often than there are bytes.
    private var bytesLeft: Int

    init(_ bytes: [UInt8], _ number: UInt32, _ usableSize: Int) throws(DatabaseFileError) {
        start = number == 1 ? DatabaseHeader.size : 0
        let kind = bytes[start]
        guard [2, 5, 10, 13].contains(kind), let count = bytes.bigEndian(at: start + 3, width: 2)
        else {
            throw DatabaseFileError(
                "expected a page of a table at page \(number), found type \(kind)")
        }
        isNumbered = kind == 5 || kind == 13
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

    /// Returns what follows; nil at the end of the page.
    ///
    /// Inner pages of tables without row numbers have rows between the children, others only children.
    mutating func advance() -> Step? {
        defer { position += 1 }
        if isLeaf { return position < cellCount ? cell(position).map { .row($0) } : nil }
        let index = isNumbered ? position : position / 2
        if isNumbered || position % 2 == 0 { return child(index) }
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

    /// The numbers of all children; none of a leaf.
    func children() -> [UInt32] { isLeaf ? [] : (0...cellCount).compactMap(childNumber) }

    /// Checks the sizes of the entries of an index.
    func requireEntries(ofAtMost largest: Int) throws(DatabaseFileError) {
        if isNumbered { return }
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

    /// The row at `offset`.
    mutating func row(
        at offset: Int, _ pages: DatabasePages, _ usage: PageUsage
    ) throws(DatabaseFileError) -> StoredRow {
        guard let (claimed, width) = bytes.variableInteger(at: offset) else { throw malformed }
        var place = offset + width
        var rowNumber: Int64?
        if isNumbered {
            guard let (value, width) = bytes.variableInteger(at: place) else { throw malformed }
            rowNumber = Int64(bitPattern: value)
            place += width
        }
        // No row has more bytes than the file.
        guard let size = Int(exactly: claimed), size / usableSize <= pages.count else {
            throw DatabaseFileError("page \(number) has a row of \(claimed) bytes")
        }
        let local = localSize(of: size)
        let end = place + local
        let overflow = local < size ? bytes.word(at: end) : nil
        bytesLeft -= end - offset
        guard end <= usableSize, bytesLeft >= 0, local == size || overflow != nil else {
            throw malformed
        }
        return StoredRow(
            number: rowNumber,
            payload: try RowPayload(
                pages, usage, size: size, page: bytes, local: place..<end, overflow: overflow))
    }

    private var malformed: DatabaseFileError {
        DatabaseFileError("page \(number) has cells that overlap or leave the page")
    }

    /// The bytes of a row of `size` bytes that are in its page: all, or so many that the last
    /// overflow page is full, or few.
    private func localSize(of size: Int) -> Int {
        let largest = isNumbered && isLeaf ? usableSize - 35 : (usableSize - 12) * 64 / 255 - 23
        if size <= largest { return size }
        let smallest = (usableSize - 12) * 32 / 255 - 23
        let full = smallest + (size - smallest) % (usableSize - 4)
        return full <= largest ? full : smallest
    }
}

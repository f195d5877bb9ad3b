// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Assembles SQLite databases byte by byte, both valid and malformed ones.
///
/// Pages are numbered from 1. Page 1 contains the schema; `bytes()` assembles it after the other
/// pages.
public struct DatabaseAssembler: Sendable {
    /// A value of a row.
    public enum Value: Sendable {
        case null
        /// A number of up to 48 bits.
        case integer(Int)
        case text([UInt8])
        case blob([UInt8])
    }

    public let pageSize: Int
    /// The pages after the first.
    public private(set) var pages: [[UInt8]] = []
    private var schema: [[Value]] = []

    public init(pageSize: Int = 512) { self.pageSize = pageSize }

    /// Appends a page and returns its number.
    public mutating func add(_ page: [UInt8]) -> Int {
        pages.append(page + [UInt8](repeating: 0, count: pageSize - page.count))
        return pages.count + 1
    }

    /// Adds a table to the schema.
    ///
    /// `columns` is the text after the opening parenthesis.
    public mutating func addTable(_ name: String, root: Int, columns: String) {
        let quoted = name.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined()
        addSchemaRow("table", name, root: root, sql: "CREATE TABLE \"\(quoted)\" (\(columns)")
    }

    /// Adds any entry to the schema.
    public mutating func addSchemaRow(_ type: String, _ name: String, root: Int = 0, sql: String) {
        schema.append([
            .text(Array(type.utf8)), .text(Array(name.utf8)), .text(Array(name.utf8)),
            .integer(root), .text(Array(sql.utf8)),
        ])
    }

    /// A page of a table, and the largest rowid in its subtree. The rowid is the key of the cell
    /// that refers to the page.
    public typealias Subtree = (page: Int, lastRow: Int)

    /// Adds inner pages above leaves whose rows are numbered in order, and returns the root.
    public mutating func addTree(over leaves: [Subtree]) -> Int {
        // A cell has at most 4 + 4 bytes, and a pointer of 2 bytes.
        let width = (pageSize - 112) / 10
        var level = leaves
        while level.count > 1 {
            level = stride(from: 0, to: level.count, by: width).map { start in
                let part = level[start..<min(level.count, start + width)]
                let cells = part.dropLast().map {
                    Self.integer($0.page, 4) + Self.variable($0.lastRow)
                }
                let last = part[part.endIndex - 1]
                return (add(treePage(kind: 5, cells, last: last.page)), last.lastRow)
            }
        }
        return level.first?.page ?? 0
    }

    /// Returns a page of a tree. `kind` is 2 or 5 for inner pages, 10 or 13 for leaves.
    public func treePage(
        kind: UInt8, _ cells: [[UInt8]], last: Int = 0, header: Int = 0
    ) -> [UInt8] {
        var page = [UInt8](repeating: 0, count: pageSize)
        page[header] = kind
        Self.put(cells.count, 2, at: header + 3, in: &page)
        if kind < 10 { Self.put(last, 4, at: header + 8, in: &page) }
        var end = pageSize
        for (index, cell) in cells.enumerated() {
            end -= cell.count
            page.replaceSubrange(end..<end + cell.count, with: cell)
            Self.put(end, 2, at: header + (kind < 10 ? 12 : 8) + 2 * index, in: &page)
        }
        Self.put(end, 2, at: header + 5, in: &page)
        return page
    }

    /// Returns a cell with a row, which continues in overflow pages if it does not fit.
    ///
    /// `number` is the rowid; nil in tables without rowids. `child` is the preceding child page, on
    /// an inner page of such a table. `overflow` is the first overflow page; nil to add as many as
    /// necessary.
    public mutating func cell(
        _ row: [UInt8], number: Int?, child: Int? = nil, overflow: Int? = nil, size: Int? = nil
    ) -> [UInt8] {
        let size = size ?? row.count
        let local = localSize(of: size, isNumberedLeaf: number != nil)
        var cell = child.map { Self.integer($0, 4) } ?? []
        cell += Self.variable(size) + (number.map(Self.variable) ?? []) + row.prefix(local)
        if local < size {
            cell += Self.integer(overflow ?? addOverflow(Array(row.dropFirst(local))), 4)
        }
        return cell
    }

    /// Adds overflow pages and returns the first.
    public mutating func addOverflow(_ bytes: [UInt8]) -> Int {
        let room = pageSize - 4
        let parts = stride(from: 0, to: max(1, bytes.count), by: room).map {
            Array(bytes.dropFirst($0).prefix(room))
        }
        let first = pages.count + 2
        for (index, part) in parts.enumerated() {
            let next = index + 1 < parts.count ? first + index + 1 : 0
            _ = add(Self.integer(next, 4) + part)
        }
        return first
    }

    private func localSize(of size: Int, isNumberedLeaf: Bool) -> Int {
        let largest = isNumberedLeaf ? pageSize - 35 : (pageSize - 12) * 64 / 255 - 23
        if size <= largest { return size }
        let smallest = (pageSize - 12) * 32 / 255 - 23
        let full = smallest + (size - smallest) % (pageSize - 4)
        return full <= largest ? full : smallest
    }

    /// Returns a row in its stored form: the types of the values, then the values.
    public static func row(_ values: [Value]) -> [UInt8] {
        var (types, contents): ([UInt8], [UInt8]) = ([], [])
        for value in values {
            switch value {
            case .null: types += variable(0)
            case .integer(let number):
                let isShort = Int32(exactly: number) != nil
                types += variable(isShort ? 4 : 5)
                contents += integer(number, isShort ? 4 : 6)
            case .text(let bytes):
                types += variable(13 + 2 * bytes.count)
                contents += bytes
            case .blob(let bytes):
                types += variable(12 + 2 * bytes.count)
                contents += bytes
            }
        }
        // The size of the header counts the bytes of the size itself, too.
        let size = types.count + (types.count < 127 ? 1 : 2)
        return variable(size) + types + contents
    }

    /// Returns the whole database.
    public func bytes() -> [UInt8] {
        var copy = self
        let cells = schema.enumerated().map { copy.cell(Self.row($1), number: $0 + 1) }
        var first = copy.schemaPage(cells)
        first.replaceSubrange(0..<16, with: Array("SQLite format 3\0".utf8))
        Self.put(pageSize == 65536 ? 1 : pageSize, 2, at: 16, in: &first)
        first.replaceSubrange(18..<24, with: [1, 1, 0, 64, 32, 32])
        Self.put(copy.pages.count + 1, 4, at: 28, in: &first)
        Self.put(4, 4, at: 44, in: &first)
        Self.put(1, 4, at: 56, in: &first)
        return first + copy.pages.joined()
    }

    /// Returns page 1, with the cells of the schema or, if they do not fit, with references to
    /// pages that contain them.
    private mutating func schemaPage(_ cells: [[UInt8]]) -> [UInt8] {
        func size(_ cells: some Sequence<[UInt8]>) -> Int { cells.reduce(8) { $0 + $1.count + 2 } }
        if size(cells) <= pageSize - 100 { return treePage(kind: 13, cells, header: 100) }
        var (leaves, part, used): ([Subtree], [[UInt8]], Int) = ([], [], 8)
        for (index, cell) in cells.enumerated() {
            if used + cell.count + 2 > pageSize {
                // The rowids begin with 1, so `index` is that of the previous row.
                leaves.append((add(treePage(kind: 13, part)), index))
                (part, used) = ([], 8)
            }
            part.append(cell)
            used += cell.count + 2
        }
        leaves.append((add(treePage(kind: 13, part)), cells.count))
        return treePage(kind: 5, [], last: addTree(over: leaves), header: 100)
    }

    /// Returns a write-ahead log.
    ///
    /// `frames` are page numbers with contents. A frame that ends a transaction also has the number
    /// of pages in the database.
    public static func log(
        _ frames: [(page: Int, contents: [UInt8], count: Int)], pageSize: Int,
        isBigEndian: Bool = false
    ) -> [UInt8] {
        let salts: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        var bytes = integer(0x377F_0682 + (isBigEndian ? 1 : 0), 4) + integer(3_007_000, 4)
        bytes += integer(pageSize, 4) + integer(0, 4) + salts
        var sums: (UInt32, UInt32) = (0, 0)
        func add(_ bytes: some Collection<UInt8>) {
            let words = Array(bytes)
            for start in stride(from: 0, to: words.count - 7, by: 8) {
                func word(_ at: Int) -> UInt32 {
                    let value = words[at..<at + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                    return isBigEndian ? value : value.byteSwapped
                }
                sums.0 = sums.0 &+ word(start) &+ sums.1
                sums.1 = sums.1 &+ word(start + 4) &+ sums.0
            }
        }
        add(bytes)
        bytes += integer(Int(sums.0), 4) + integer(Int(sums.1), 4)
        for frame in frames {
            let head = integer(frame.page, 4) + integer(frame.count, 4)
            add(head)
            add(frame.contents)
            bytes += head + salts + integer(Int(sums.0), 4) + integer(Int(sums.1), 4)
            bytes += frame.contents
        }
        return bytes
    }

    /// Returns a rollback journal that restores pages of `database` with their current contents.
    ///
    /// `superJournal` is the path of the super-journal, which SQLite deletes after the rollback;
    /// nil for none.
    public static func journal(
        restoring pages: [Int], of database: [UInt8], pageSize: Int, superJournal: String? = nil
    ) -> [UInt8] {
        let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        let nonce = 7
        var bytes = magic + integer(pages.count, 4) + integer(nonce, 4)
        bytes += integer(database.count / pageSize, 4) + integer(512, 4) + integer(pageSize, 4)
        bytes += [UInt8](repeating: 0, count: 512 - bytes.count)
        for page in pages {
            let contents = Array(database[(page - 1) * pageSize..<page * pageSize])
            // The checksum covers every 200th byte, counted from the end of the page.
            let places = stride(from: pageSize - 200, to: 0, by: -200)
            let sum = places.reduce(nonce) { $0 + Int(contents[$1]) }
            bytes += integer(page, 4) + contents + integer(sum, 4)
        }
        guard let name = superJournal.map({ Array($0.utf8) }) else { return bytes }
        let sum = name.reduce(0) { $0 + Int($1) }
        bytes += integer(0x4000_0000 / pageSize + 1, 4) + name
        return bytes + integer(name.count, 4) + integer(sum, 4) + magic
    }

    // MARK: Integers

    /// Returns a variable-length integer of up to 56 bits.
    public static func variable(_ value: Int) -> [UInt8] {
        var groups = [UInt8(value & 0x7F)]
        var rest = value >> 7
        while rest > 0 {
            groups.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
            rest >>= 7
        }
        return groups
    }

    /// Returns a big-endian integer.
    public static func integer(_ value: Int, _ width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * (width - 1 - $0))) }
    }

    private static func put(_ value: Int, _ width: Int, at offset: Int, in page: inout [UInt8]) {
        page.replaceSubrange(offset..<offset + width, with: integer(value, width))
    }
}

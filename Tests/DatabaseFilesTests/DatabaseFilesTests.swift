// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DatabaseFiles

#if canImport(Glibc)
import Glibc
#endif

private typealias Assembler = DatabaseAssembler

/// The UTF-8 bytes of `text`.
private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// A row of one blob.
private func row(_ contents: [UInt8]) -> [UInt8] { Assembler.row([.blob(contents)]) }

#if os(Linux)
@Suite("Files larger than any database")
struct LargestFileTests {
    private static let folder = "/dev/shm"
    private static let hasFolder = unsafe access(folder, W_OK) == 0

    /// Creates a sparse file of the largest possible size.
    private func withLargestFile(
        _ head: [UInt8], _ body: (FileSource) throws -> Void
    ) throws {
        let path = Self.folder + "/keyed-largest-\(UInt64.random(in: .min ... .max))"
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
        try #require(descriptor >= 0)
        defer {
            close(descriptor)
            unsafe _ = unlink(path)
        }
        try #require(unsafe pwrite(descriptor, head, head.count, 0) == head.count)
        try #require(ftruncate(descriptor, .max) == 0)
        try body(try FileSource(path))
    }

    @Test(
        "journals of any size are read without integer overflow",
        .enabled(if: hasFolder, "this needs a writable in-memory file system at /dev/shm"))
    func largest() throws {
        let page = [UInt8](repeating: 0, count: 4096)
        let journal = Assembler.journal(
            restoring: [1], of: page, pageSize: 4096, superJournal: nil)
        var endless = journal
        // The number of records and the sector size.
        endless.replaceSubrange(8..<12, with: [0xFF, 0xFF, 0xFF, 0xFF])
        endless.replaceSubrange(20..<24, with: [0, 1, 0, 0])
        for head in [journal, endless] {
            try withLargestFile(head) { source in
                #expect(source.size == Int(UInt32.max) << 16)
                #expect(try RollbackJournal(source) != nil)
                _ = try RollbackJournal.restored(source)
            }
        }
    }
}
#endif

@Suite("The text of CREATE TABLE")
struct TableDefinitionTests {
    @Test(
        "the stored columns are parsed from CREATE TABLE statements in every notation",
        arguments: [
            ("CREATE TABLE t (a, b)", ["a", "b"]),
            ("create table t(a int,b text default ',)')", ["a", "b"]),
            (
                "CREATE TABLE IF NOT EXISTS main.\"t(\" ([a b], `c``d`, 'e''f')",
                ["a b", "c`d", "e'f"]
            ),
            ("CREATE TABLE t (\"a\"\"b\u{301}\", \"\")", ["a\"b\u{301}", ""]),
            ("CREATE TABLE t (a, /* b, */ c -- d\n, e)", ["a", "c", "e"]),
            ("CREATE TABLE t (a, v AS (a), s AS (a) STORED, b)", ["a", "s", "b"]),
            ("CREATE TABLE t (a CHECK (a IN (1, 2)), UNIQUE (a), CHECK (a > 0))", ["a"]),
            ("CREATE TABLE t (\"check\", \"primary\" TEXT)", ["check", "primary"]),
            ("CREATE TABLE t (a) STRICT, WITHOUT ROWID", ["a"]),
        ])
    func stored(_ sql: String, _ names: [String]) throws {
        let definition = try #require(TableDefinition(bytes(sql)))
        let found = definition.storedColumns(hasRowIDs: true)
        #expect(found.map { Array($0.utf8) } == names.map { Array($0.utf8) })
    }

    @Test(
        "the primary key comes first in tables without rowids",
        arguments: [
            ("CREATE TABLE t (a, b, c, PRIMARY KEY (C, \"b\" DESC))", ["c", "b", "a"]),
            ("CREATE TABLE t (a, b TEXT PRIMARY KEY, c)", ["b", "a", "c"]),
            ("CREATE TABLE t (a, b, PRIMARY KEY (b, b, a))", ["b", "a"]),
        ])
    func keyed(_ sql: String, _ names: [String]) throws {
        let definition = try #require(TableDefinition(bytes(sql)))
        #expect(definition.storedColumns(hasRowIDs: false) == names)
    }

    @Test(
        "a truncated or empty CREATE TABLE statement is refused",
        arguments: [
            "", "CREATE TABLE t", "CREATE TABLE t (", "CREATE TABLE t (a, b", "()", "\"", "/*",
        ])
    func refused(_ sql: String) { #expect(TableDefinition(bytes(sql)) == nil) }
}

@Suite("Files beside a database")
struct CompanionTests {
    private let database: [UInt8]

    init() {
        var assembler = Assembler()
        let cell = assembler.cell(row(bytes("old")), number: 1)
        let root = assembler.add(assembler.treePage(kind: 13, [cell]))
        assembler.addTable("t", root: root, columns: "v)")
        database = assembler.bytes()
    }

    /// A page with one row.
    private func page(_ text: String) -> [UInt8] {
        var assembler = Assembler()
        return assembler.treePage(kind: 13, [assembler.cell(row(bytes(text)), number: 1)])
    }

    private func value(_ log: [UInt8]?) throws -> [UInt8] {
        try DatabaseContents(database, log: log).values.flatMap(\.bytes)
    }

    @Test(
        "the last committed contents of a page in the log are used",
        arguments: [false, true])
    func log(_ isBigEndian: Bool) throws {
        func log(_ frames: [(page: Int, contents: [UInt8], count: Int)]) -> [UInt8] {
            Assembler.log(frames, pageSize: 512, isBigEndian: isBigEndian)
        }
        let (old, one, two) = (bytes("old"), bytes("one"), bytes("two"))
        #expect(try value(nil) == old)
        #expect(try value(log([(2, page("one"), 2)])) == one)
        #expect(try value(log([(2, page("one"), 2), (2, page("two"), 2)])) == two)
        #expect(try value(log([(2, page("one"), 2), (2, page("two"), 0)])) == one)
        #expect(try value(log([(2, page("one"), 0)])) == old)
        // Frames after a damaged frame are ignored.
        var damaged = log([(2, page("one"), 2), (2, page("two"), 2), (2, page("one"), 2)])
        damaged[32 + 24 + 512 + 24 + 100] ^= 1
        #expect(try value(damaged) == one)
        for count in 0..<32 + 24 + 512 {
            #expect(try value(Array(log([(2, page("one"), 2)]).prefix(count))) == old)
        }
        // The damaged frame and later frames are counted if they have the salts of the log.
        let left = try WriteAheadLog(MemorySource(damaged)).leftFrames
        #expect(left?.first == 2 && left?.count == 2 && left?.commitCount == 2)
        damaged[32 + 2 * (24 + 512) + 8] ^= 1
        #expect(try WriteAheadLog(MemorySource(damaged)).leftFrames?.count == 1)
        var version = log([(2, page("one"), 2)])
        version[7] ^= 1
        #expect(try value(version) == old)
    }

    @Test("a log with pages of another size is refused")
    func pageSize() throws {
        let log = Assembler.log([(1, [UInt8](repeating: 0, count: 1024), 1)], pageSize: 1024)
        #expect(throws: DatabaseFileError.self) { try value(log) }
    }

    @Test("reading a journal with many headers without pages stops after the first")
    func denseJournal() throws {
        let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        var header = magic + [UInt8](repeating: 0, count: 24)
        header[23] = 32
        header[26] = 16
        let source = CountingSource(MemorySource((0..<32768).flatMap { _ in header }))
        let journal = try #require(try RollbackJournal(source))
        #expect(journal.recordCount == 0 && !journal.hasPagesInEachSegment)
        #expect(try RollbackJournal.restored(source).firstPage == .none)
        #expect(source.reads < 20)
        // A single segment without pages is valid. A program that is killed early leaves one.
        let short = try #require(try RollbackJournal(MemorySource(header)))
        #expect(short.recordCount == 0 && short.hasPagesInEachSegment)
    }

    /// Counts the read calls on a source.
    private final class CountingSource: ByteSource {
        let size: Int
        private let source: MemorySource
        private(set) var reads = 0

        init(_ source: MemorySource) {
            self.source = source
            size = source.size
        }

        func read(at offset: Int, count: Int) -> [UInt8] {
            reads += 1
            return source.read(at: offset, count: count)
        }
    }

    @Test("the sizes in the first segment of a journal apply to all segments, as in SQLite")
    func sizesOfSegments() throws {
        let plain = Assembler.journal(restoring: [2], of: database, pageSize: 512)
        var other = Assembler.journal(restoring: [1], of: database, pageSize: 512)
        other.replaceSubrange(20..<28, with: [0, 0, 0, 0, 0, 0, 0, 1])
        let gap = [UInt8](repeating: 0, count: 512 - plain.count % 512)
        let source = MemorySource(plain + gap + other)
        let journal = try #require(try RollbackJournal(source))
        #expect(journal.recordCount == 2 && journal.hasPagesInEachSegment)
        #expect(
            try RollbackJournal.restored(source).firstPage == .header(DatabaseHeader(database)))
        let zeros = [UInt8](repeating: 0, count: 512)
        let wiping = MemorySource(Assembler.journal(restoring: [1], of: zeros, pageSize: 512))
        #expect(try RollbackJournal.restored(wiping).firstPage == .malformed)
    }

    @Test("the last record of page 1 is used, but none after a record that ends the rollback")
    func recordsOfOnePage() throws {
        let size = 512
        var other = database
        other[27] &+= 5
        func record(_ page: Int, of database: [UInt8]) -> [UInt8] {
            Array(Assembler.journal(restoring: [page], of: database, pageSize: size)[512...])
        }
        func restored(_ records: [[UInt8]]) throws -> RollbackJournal.FirstPage {
            var bytes = Assembler.journal(restoring: [], of: database, pageSize: size)
            bytes.replaceSubrange(8..<12, with: [0, 0, 0, UInt8(records.count)])
            return try RollbackJournal.restored(
                MemorySource(bytes + records.flatMap { $0 })
            ).firstPage
        }
        let (mine, hostile) = (record(1, of: database), record(1, of: other))
        let header = RollbackJournal.FirstPage.header(try DatabaseHeader(database))
        let otherHeader = RollbackJournal.FirstPage.header(try DatabaseHeader(other))
        #expect(header != otherHeader)
        #expect(try restored([mine, hostile]) == otherHeader)
        #expect(try restored([hostile, record(2, of: database), mine]) == header)
        // Each of these records ends the rollback.
        let none: [UInt8] = [0, 0, 0, 0] + mine[4...]
        var wrongSum = record(2, of: database)
        wrongSum[wrongSum.count - 1] ^= 1
        let lockPage: [UInt8] = Assembler.integer(0x4000_0000 / size + 1, 4) + mine[4...]
        for end in [none, wrongSum, lockPage] {
            #expect(try restored([mine, end, hostile]) == header)
            #expect(try restored([end, hostile]) == .none)
        }
        // A record of a page beyond the end of the database is skipped, whatever its checksum.
        var beyond: [UInt8] = Assembler.integer(database.count / size + 1, 4) + mine[4...]
        beyond[beyond.count - 1] ^= 1
        #expect(try restored([mine, beyond, hostile]) == otherHeader)
    }

    @Test("a journal reports the number of its records, and whether it names a super-journal")
    func journal() throws {
        func journal(_ name: String?) throws -> RollbackJournal? {
            try RollbackJournal(
                MemorySource(
                    Assembler.journal(
                        restoring: [1, 2], of: database, pageSize: 512, superJournal: name)))
        }
        let plain = try #require(try journal(nil))
        #expect(plain.recordCount == 2)
        #expect(plain.header?.pageSize == 512)
        #expect(plain.header?.originalPageCount == 2)
        #expect(!plain.namesSuperJournal)
        #expect(try journal("/victim")?.namesSuperJournal == true)
        #expect(try RollbackJournal(MemorySource([])) == nil)
        #expect(try RollbackJournal(MemorySource([UInt8](repeating: 0, count: 600))) == nil)
        var sizeless = Assembler.journal(restoring: [1, 2], of: database, pageSize: 512)
        sizeless.replaceSubrange(24..<28, with: [0, 0, 0, 0])
        let source = MemorySource(sizeless)
        #expect(try RollbackJournal(source)?.header == nil)
        #expect(try RollbackJournal(source, databasePageSize: 512) == plain)
        let other = try #require(try RollbackJournal(MemorySource(bytes("some other file"))))
        #expect(other.header == nil && other.recordCount == 0)
    }
}

@Suite("Malformed databases")
struct MalformedDatabaseTests {
    /// Reads a database, and checks that the work is linear.
    private func read(_ bytes: [UInt8]) throws -> DatabaseContents {
        let source = CountingSource(bytes)
        let contents = DatabaseContents(try DatabasePages(source))
        #expect(source.bytesRead <= 3 * bytes.count + 1000)
        #expect(contents.rows <= bytes.count)
        #expect(contents.values.reduce(0) { $0 + $1.bytes.count } <= bytes.count)
        return contents
    }

    @Test("tables that share pages are read once")
    func sharedTables() throws {
        var assembler = Assembler()
        let cell = assembler.cell(row(bytes("value")), number: 1)
        let root = assembler.add(assembler.treePage(kind: 13, [cell]))
        for name in ["a", "b", "c"] { assembler.addTable(name, root: root, columns: "v)") }
        let contents = try read(assembler.bytes())
        #expect(contents.values.map(\.table) == ["a"])
        #expect(
            contents.problems
                == Array(repeating: "page 2 is referred to more than once", count: 2))
    }

    @Test("rows that share overflow pages are read once")
    func sharedOverflow() throws {
        var assembler = Assembler()
        // All bytes of the row but 39 fill overflow pages.
        let long = row([UInt8](repeating: 7, count: 39 + 39 * 508 - 4))
        let overflow = assembler.addOverflow(Array(long.dropFirst(39)))
        let leaves = (0..<30).map { leaf in
            let cells = (0..<6).map {
                assembler.cell(
                    Array(long.prefix(478)), number: leaf * 6 + $0, overflow: overflow,
                    size: long.count)
            }
            return assembler.add(assembler.treePage(kind: 13, cells))
        }
        let children = leaves.dropLast().enumerated().map {
            Assembler.integer($1, 4) + Assembler.variable($0 * 6 + 5)
        }
        let root = assembler.add(
            assembler.treePage(kind: 5, children, last: leaves[leaves.count - 1]))
        assembler.addTable("t", root: root, columns: "v)")
        let contents = try read(assembler.bytes())
        #expect(contents.values.count == 1)
        #expect(contents.problems.count == 1)
    }

    @Test(
        "no more overlapping cells are read than fit on the page side by side",
        arguments: [512, 65536])
    func overlappingCells(_ pageSize: Int) throws {
        var assembler = Assembler(pageSize: pageSize)
        let cell = assembler.cell(row([UInt8](repeating: 7, count: 100)), number: 1)
        let count = (pageSize - 8 - cell.count) / 2
        var page = assembler.treePage(kind: 13, [cell])
        for index in 0..<count {
            page.replaceSubrange(8 + 2 * index..<10 + 2 * index, with: page[8..<10])
        }
        page.replaceSubrange(3..<5, with: Assembler.integer(count, 2))
        assembler.addTable("t", root: assembler.add(page), columns: "v)")
        let contents = try read(assembler.bytes())
        #expect(contents.values.count == pageSize / cell.count)
        #expect(contents.problems == ["page 2 has cells that overlap or extend beyond the page"])
    }

    @Test("reading ends for trees that contain themselves or are too deep")
    func cycles() throws {
        var assembler = Assembler()
        let own = assembler.add(
            assembler.treePage(kind: 5, [Assembler.integer(2, 4) + [1]], last: 2))
        assembler.addTable("own", root: own, columns: "v)")
        for last in 4...40 { _ = assembler.add(assembler.treePage(kind: 5, [], last: last)) }
        assembler.addTable("deep", root: 3, columns: "v)")
        assembler.addTable("nowhere", root: 999, columns: "v)")
        let contents = try read(assembler.bytes())
        #expect(contents.values.isEmpty)
        #expect(contents.problems.count == 3)
        #expect(contents.problems[1] == "expected a tree of at most 20 levels, found more")
    }

    @Test("a malformed or unusual table does not prevent other tables from being read")
    func odd() throws {
        var assembler = Assembler(pageSize: 4096)
        func root(_ text: String) -> Int {
            let cell = assembler.cell(row(bytes(text)), number: 1)
            return assembler.add(assembler.treePage(kind: 13, [cell]))
        }
        let roots = ["one", "two", "three", "four"].map(root)
        assembler.addTable("a\"\u{301}'\u{301}\0\n", root: roots[0], columns: "\"v\"\"\u{301}\")")
        assembler.addTable("cut", root: roots[1], columns: "v")
        assembler.addTable(
            String(repeating: "n", count: 5000), root: roots[2], columns: "v)")
        assembler.addTable("last", root: roots[3], columns: "v)")
        let values = try read(assembler.bytes()).values
        #expect(values.map(\.column) == ["v\"\u{301}", "column 1", "v", "v"])
        #expect(values.map(\.bytes) == ["one", "two", "three", "four"].map(bytes))
        #expect(Array(values[0].table.utf8) == bytes("a\"\u{301}'\u{301}\0\n"))
    }

    @Test("a table whose root page has a number of more than 4 bytes is reported")
    func distantRoot() throws {
        var assembler = Assembler()
        let cell = assembler.cell(row(bytes("value")), number: 1)
        let root = assembler.add(assembler.treePage(kind: 13, [cell]))
        assembler.addTable("distant", root: 1 << 31, columns: "v)")
        assembler.addTable("near", root: root, columns: "v)")
        let contents = try read(assembler.bytes())
        #expect(contents.values.map(\.table) == ["near"])
        #expect(
            contents.problems == [
                "row 1: expected a root page number of at most 4 bytes for a table, found one of 6 "
                    + "bytes"
            ])
    }

    @Test("a schema row of an unknown type, or of a table without a root page, is reported")
    func unknownSchemaRows() throws {
        for (type, sql, problem) in [
            ("tabke", "CREATE TABLE x (v)", "expected the type table, index, view or trigger"),
            ("table", "CREATE TABLE x (v)", "expected the number of a root page for a table"),
            ("table", "CREATE VIRTUAL TABLE x USING fts5(v)", nil), ("view", "CREATE VIEW x", nil),
        ] {
            var assembler = Assembler()
            assembler.addSchemaRow(type, "x", sql: sql)
            let cell = assembler.cell(row(bytes("value")), number: 1)
            let root = assembler.add(assembler.treePage(kind: 13, [cell]))
            assembler.addTable("near", root: root, columns: "v)")
            let contents = try read(assembler.bytes())
            #expect(contents.values.map(\.table) == ["near"])
            #expect(contents.problems.count == (problem == nil ? 0 : 1))
            if let problem {
                #expect(contents.problems.first?.contains("row 1: " + problem) == true)
            }
        }
    }

    @Test("a row whose header ends within the type of a value is reported")
    func cutHeader() throws {
        var assembler = Assembler()
        var contents = row(bytes(String(repeating: "a", count: 100)))
        contents[0] -= 1
        let root = assembler.add(
            assembler.treePage(kind: 13, [assembler.cell(contents, number: 1)]))
        assembler.addTable("t", root: root, columns: "v)")
        let problems = try read(assembler.bytes()).problems
        #expect(problems.count == 1)
        #expect(problems.first?.contains("found a truncated one at byte 1") == true, "\(problems)")
    }

    @Test("of several defects in the schema, the first is reported")
    func firstDefect() throws {
        var assembler = Assembler()
        for number in 0..<20 {
            assembler.addSchemaRow("view", "number \(number)", sql: "CREATE VIEW")
        }
        assembler.addTable("distant", root: 1 << 31, columns: "v)")
        var damaged = assembler.bytes()
        // The kind of page 2, which has the first rows.
        damaged[512] = 99
        let problems = try read(damaged).problems
        #expect(problems.count == 1)
        #expect(problems.first?.contains("page 2") == true, "\(problems)")
    }

    @Test("reading any prefix of a database, or one with a changed byte, takes linear work")
    func changes() throws {
        var assembler = Assembler()
        let long = assembler.cell(row([UInt8](repeating: 7, count: 1500)), number: 3)
        let root = assembler.add(
            assembler.treePage(kind: 13, [assembler.cell(row(bytes("short")), number: 1), long]))
        assembler.addTable("t", root: root, columns: "v)")
        let key = assembler.cell(
            Assembler.row([.text(bytes("k")), .blob(bytes("v"))]), number: nil)
        let keys = assembler.add(assembler.treePage(kind: 10, [key]))
        assembler.addTable("w", root: keys, columns: "v, k PRIMARY KEY) WITHOUT ROWID")
        let whole = assembler.bytes()
        #expect(try read(whole).values.map(\.column) == ["v", "v", "k", "v"])
        #expect(try read(whole).problems == [])
        for place in whole.indices where place % 512 < 200 || place % 3 == 0 {
            for mask in [0x01, 0xFF] as [UInt8] {
                var changed = whole
                changed[place] ^= mask
                _ = try? read(changed)
            }
            _ = try? read(Array(whole.prefix(place)))
        }
    }
}

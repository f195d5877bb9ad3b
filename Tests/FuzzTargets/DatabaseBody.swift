// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import DatabaseFiles
import TestSupport

/// Reads a database with its write-ahead log. The work and the size of the values must be linear,
/// and merging the log into the database must give the same values.
///
/// The first byte of an input selects what follows the second byte. If it is even, a database
/// follows. If it is odd, a script of changes to a small valid database follows. The second byte is
/// not used.
public func fuzzDatabase(_ bytes: [UInt8]) throws {
    let input = Array(bytes.dropFirst(2))
    var files = DatabaseScript()
    if bytes.first.map({ $0 % 2 == 1 }) ?? false {
        files.run(input)
    } else {
        files.database = input
    }
    _ = try? WriteAheadLog(MemorySource(input))
    _ = try RollbackJournal(MemorySource(input))
    _ = try RollbackJournal(MemorySource(files.journal))
    try check(files)
}

private func check(_ files: DatabaseScript) throws {
    let (main, log) = (CountingSource(files.database), CountingSource(files.log))
    let offsets = (try? WriteAheadLog(log)).flatMap { $0.pageCount > 0 ? $0 : nil }
    guard
        let pages = try? DatabasePages(main, log: offsets.map { ($0, log) })
    else { return }
    let contents = DatabaseContents(pages)
    let size = files.database.count + files.log.count
    try BrokenProperty.check(
        main.bytesRead + log.bytesRead <= 4 * size + 1000,
        "\(main.bytesRead) and \(log.bytesRead) bytes were read of \(size)")
    try BrokenProperty.check(contents.rows <= size, "\(contents.rows) rows of \(size) bytes")
    // Replacing invalid UTF-8 can make text three times as long.
    let found = contents.values.reduce(0) { $0 + $1.bytes.count }
    try BrokenProperty.check(found <= 3 * size, "\(found) bytes of values of \(size)")
    try BrokenProperty.check(
        contents == DatabaseContents(pages), "a second read gives different contents")
    guard offsets != nil, let merged = merged(pages) else { return }
    try BrokenProperty.check(
        try DatabaseContents(merged) == contents,
        "merging the log into the database changes the contents")
}

/// Returns the database after all committed changes; nil if pages are missing.
private func merged(_ pages: DatabasePages) -> [UInt8]? {
    var merged: [UInt8] = []
    for number in 0..<pages.count {
        guard let page = try? pages.page(UInt32(number + 1)) else { return nil }
        merged += page
    }
    return merged
}

/// A small database with a log and a journal, and changes to them.
private struct DatabaseScript {
    private static let pageSize = 512
    private static let valid = makeValid()

    var database = valid
    private(set) var log: [UInt8] = []
    private(set) var journal: [UInt8] = []
    private var frames: [(page: Int, contents: [UInt8], count: Int)] = []

    /// Returns a database with two tables of two levels each. The first has a long value, and the
    /// second has no rowids.
    private static func makeValid() -> [UInt8] {
        var assembler = DatabaseAssembler(pageSize: pageSize)
        func row(_ size: Int) -> [UInt8] {
            DatabaseAssembler.row([
                .null, .text(Array("text".utf8)), .blob([UInt8](repeating: 7, count: size)),
            ])
        }
        let first = [row(3), row(1500)].enumerated().map { assembler.cell($1, number: $0) }
        let leaves = [first, [assembler.cell(row(9), number: 5)]].map {
            assembler.add(assembler.treePage(kind: 13, $0))
        }
        let children = [DatabaseAssembler.integer(leaves[0], 4) + [1]]
        let root = assembler.add(assembler.treePage(kind: 5, children, last: leaves[1]))
        assembler.addTable("t", root: root, columns: "a, \"b\"\"\" TEXT, c BLOB)")
        func key(_ text: String) -> [UInt8] {
            DatabaseAssembler.row([.text(Array(text.utf8)), .integer(1)])
        }
        let small = assembler.add(
            assembler.treePage(kind: 10, [assembler.cell(key("a"), number: nil)]))
        let large = assembler.add(
            assembler.treePage(kind: 10, [assembler.cell(key("c"), number: nil)]))
        let middle = assembler.cell(
            key(String(repeating: "b", count: 900)), number: nil, child: small)
        let keys = assembler.add(assembler.treePage(kind: 2, [middle], last: large))
        assembler.addTable("w", root: keys, columns: "n, k, PRIMARY KEY (k)) WITHOUT ROWID")
        return assembler.bytes()
    }

    private var pageCount: Int { database.count / Self.pageSize }

    /// Changes the files by a script. The meaning of a byte never changes, because inputs are kept.
    mutating func run(_ script: [UInt8]) {
        var script = ByteScript(script)
        while !script.isAtEnd, pageCount > 0 {
            switch script.byte() % 8 {
            case 0: put([script.byte()], &script)
            case 1: put([0, 0, 0, script.byte()], &script)
            case 2: put(script.bytes(Int(script.byte() % 32)), &script)
            case 3: copyPage(&script)
            case 4: database.removeLast(min(database.count, Int(script.byte()) * 4))
            case 5: addFrame(&script)
            case 6: changeLog(&script)
            default: journal = makeJournal(&script)
            }
        }
    }

    private func place(_ script: inout ByteScript) -> Int {
        let page = Int(script.byte()) % pageCount
        return page * Self.pageSize + (Int(script.byte()) << 8 | Int(script.byte())) % Self.pageSize
    }

    private mutating func put(_ bytes: [UInt8], _ script: inout ByteScript) {
        let start = place(&script)
        for (index, byte) in bytes.enumerated() where start + index < database.count {
            database[start + index] = byte
        }
    }

    private func page(_ number: Int) -> [UInt8] {
        Array(database[number * Self.pageSize..<(number + 1) * Self.pageSize])
    }

    private mutating func copyPage(_ script: inout ByteScript) {
        let (from, to) = (Int(script.byte()) % pageCount, Int(script.byte()) % pageCount)
        database.replaceSubrange(
            to * Self.pageSize..<(to + 1) * Self.pageSize, with: page(from))
    }

    private mutating func addFrame(_ script: inout ByteScript) {
        var contents = page(Int(script.byte()) % pageCount)
        let change = (Int(script.byte()) << 8 | Int(script.byte())) % Self.pageSize
        contents[change] = script.byte()
        // At most 64 frames, because each takes time to build.
        if frames.count < 64 {
            frames.append((Int(script.byte() % 32), contents, Int(script.byte() % 32)))
        }
        log = DatabaseAssembler.log(
            frames, pageSize: Self.pageSize, isBigEndian: script.byte() % 2 == 1)
    }

    private mutating func changeLog(_ script: inout ByteScript) {
        let place = Int(script.byte()) << 8 | Int(script.byte())
        let byte = script.byte()
        if place < log.count { log[place] = byte }
    }

    private func makeJournal(_ script: inout ByteScript) -> [UInt8] {
        let pages = (0..<Int(script.byte() % 4)).map { _ in Int(script.byte()) % pageCount + 1 }
        var journal = DatabaseAssembler.journal(
            restoring: pages, of: database, pageSize: Self.pageSize,
            superJournal: script.byte() % 2 == 1 ? script.text() : nil)
        let place = Int(script.byte()) << 8 | Int(script.byte())
        let byte = script.byte()
        if place < journal.count { journal[place] = byte }
        return journal
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A database that tries to make its reader open files, run statements or do excessive work.
struct HostileDatabase {
    let name: String
    let bytes: [UInt8]
    /// The contents of the files beside it, by the suffix of their names.
    var companions: [String: [UInt8]] = [:]

    // The file that a reader would open, delete or attach if it were deceived.
    private static let victim = "victim"
    private static let pageSize = 1024
    // A binary property list: an empty dictionary.
    private static let list: [UInt8] =
        Array("bplist00".utf8) + [0xD0, 8] + [UInt8](repeating: 0, count: 6)
        + [1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9]

    /// Writes all databases and the victim file to a folder. Databases that cause excessive work
    /// have about `size` bytes.
    static func write(to folder: URL, size: Int) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("precious".utf8).write(to: folder.appending(path: victim))
        for database in all(size) {
            let path = folder.appending(path: database.name + ".db").path
            try Data(database.bytes).write(to: URL(filePath: path))
            for (suffix, bytes) in database.companions {
                try Data(bytes).write(to: URL(filePath: path + suffix))
            }
        }
    }

    private static func all(_ size: Int) -> [HostileDatabase] {
        journals() + [names(), schemas()] + growing.map { $0.make(size) }
    }

    /// The databases that cause excessive work, by name, each of about `size` bytes.
    static let growing: [(name: String, make: @Sendable (_ size: Int) -> HostileDatabase)] = [
        ("shared tables", sharedTables), ("shared overflow pages", sharedOverflow),
        ("overlapping cells", overlappingCells), ("wide table", wideTable),
        ("many tables", manyTables), ("long definition", longDefinition),
        ("many property lists", manyLists),
    ]

    /// A row with a property list.
    private static func row() -> [UInt8] { DatabaseAssembler.row([.blob(list)]) }

    private static func plain() -> DatabaseAssembler {
        var assembler = DatabaseAssembler(pageSize: pageSize)
        let cell = assembler.cell(row(), number: 1)
        let root = assembler.add(assembler.treePage(kind: 13, [cell]))
        assembler.addTable("t", root: root, columns: "v)")
        return assembler
    }

    // MARK: Files

    private static func journals() -> [HostileDatabase] {
        let bytes = plain().bytes()
        func journal(_ name: String?) -> [UInt8] {
            DatabaseAssembler.journal(
                restoring: [1, 2], of: bytes, pageSize: pageSize, superJournal: name)
        }
        let page = Array(bytes[pageSize...])
        let log = DatabaseAssembler.log([(2, page, 2)], pageSize: pageSize)
        return [
            HostileDatabase(
                name: "super-journal", bytes: bytes, companions: ["-journal": journal(victim)]),
            HostileDatabase(name: "journal", bytes: bytes, companions: ["-journal": journal(nil)]),
            HostileDatabase(name: "log", bytes: bytes, companions: ["-wal": log]),
            HostileDatabase(
                name: "log-and-journal", bytes: bytes,
                companions: ["-wal": log, "-journal": journal(victim)]),
        ]
    }

    // MARK: Statements

    private static func names() -> HostileDatabase {
        var assembler = DatabaseAssembler(pageSize: 4096)
        for name in [
            "y'\u{301}", "t\"\u{301} UNION ALL SELECT 1 --", "'; ATTACH '\(victim)' AS a; --",
            "\u{1B}[31m",
        ] {
            let cell = assembler.cell(row(), number: 1)
            let root = assembler.add(assembler.treePage(kind: 13, [cell]))
            assembler.addTable(name, root: root, columns: "v)")
        }
        return HostileDatabase(name: "names", bytes: assembler.bytes())
    }

    private static func schemas() -> HostileDatabase {
        var assembler = plain()
        assembler.addSchemaRow(
            "view", "t2",
            sql: "CREATE VIEW t2 AS WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x FROM r) "
                + "SELECT writefile('\(victim)', x) FROM r")
        assembler.addSchemaRow(
            "trigger", "t3",
            sql: "CREATE TRIGGER t3 BEFORE SELECT ON t BEGIN ATTACH '\(victim)' AS a; END")
        assembler.addSchemaRow(
            "table", "t4", sql: "CREATE VIRTUAL TABLE t4 USING csv(filename='\(victim)')")
        assembler.addSchemaRow(
            "table", "t5", root: 2,
            sql: "CREATE TABLE t5 (v DEFAULT (load_extension('\(victim)')), "
                + "w AS (readfile('\(victim)')))")
        return HostileDatabase(name: "schemas", bytes: assembler.bytes())
    }

    // MARK: Work

    @Sendable private static func sharedTables(_ size: Int) -> HostileDatabase {
        var assembler = DatabaseAssembler(pageSize: 65536)
        let cells = (0..<1000).map { assembler.cell(row(), number: $0) }
        let root = assembler.add(assembler.treePage(kind: 13, cells))
        // Each entry of the schema has about 60 bytes, so the schema fills half of the size.
        return filled(assembler, name: "shared-tables", count: size / 120) { _ in root }
    }

    /// Returns a database whose schema has `count` tables, in leaves below page 1.
    private static func filled(
        _ assembler: DatabaseAssembler, name: String, count: Int, columns: String = "v)",
        root: (inout DatabaseAssembler) -> Int
    ) -> HostileDatabase {
        var assembler = assembler
        for number in 0..<max(1, count) {
            assembler.addTable("t\(number)", root: root(&assembler), columns: columns)
        }
        return HostileDatabase(name: name, bytes: assembler.bytes())
    }

    @Sendable private static func sharedOverflow(_ size: Int) -> HostileDatabase {
        var assembler = DatabaseAssembler(pageSize: 512)
        // All but 39 bytes of a row fill overflow pages. The property list is at the end.
        let overhead =
            DatabaseAssembler.row([.blob([UInt8](repeating: 7, count: size / 2))]).count
            - size / 2 + list.count + 1
        let count = size / 2 / 508 * 508 + 39 - overhead
        let long = DatabaseAssembler.row([.blob([UInt8](repeating: 7, count: count)), .blob(list)])
        let overflow = assembler.addOverflow(Array(long.dropFirst(39)))
        let leaves: [DatabaseAssembler.Subtree] = (0..<max(2, size / 2 / 512)).map { leaf in
            let cells = (0..<9).map {
                assembler.cell(
                    Array(long.prefix(39)), number: leaf * 9 + $0, overflow: overflow,
                    size: long.count)
            }
            return (assembler.add(assembler.treePage(kind: 13, cells)), leaf * 9 + 8)
        }
        let root = assembler.addTree(over: leaves)
        assembler.addTable("t", root: root, columns: "v, w)")
        return HostileDatabase(name: "shared-overflow", bytes: assembler.bytes())
    }

    @Sendable private static func overlappingCells(_ size: Int) -> HostileDatabase {
        var assembler = DatabaseAssembler(pageSize: 65536)
        let long = DatabaseAssembler.row([.blob([UInt8](repeating: 7, count: 30000))])
        let cell = assembler.cell(long, number: 1)
        var page = assembler.treePage(kind: 13, [cell])
        let count = (65536 - 8 - cell.count) / 2
        for index in 0..<count {
            page.replaceSubrange(8 + 2 * index..<10 + 2 * index, with: page[8..<10])
        }
        page.replaceSubrange(3..<5, with: DatabaseAssembler.integer(count, 2))
        return filled(assembler, name: "overlapping-cells", count: size / 65536) { $0.add(page) }
    }

    /// Returns a database whose table has many columns, and many rows of few columns each.
    @Sendable private static func wideTable(_ size: Int) -> HostileDatabase {
        var assembler = DatabaseAssembler(pageSize: 65536)
        let leaves: [DatabaseAssembler.Subtree] = (0..<max(2, size / 2 / 65536)).map { leaf in
            let cells = (0..<8000).map {
                assembler.cell([2, 0], number: leaf * 8000 + $0)
            }
            return (assembler.add(assembler.treePage(kind: 13, cells)), leaf * 8000 + 7999)
        }
        let root = assembler.addTree(over: leaves)
        let columns = [String](repeating: "v", count: min(30_000, size / 8)).joined(separator: ",")
        assembler.addTable("t", root: root, columns: columns + ")")
        return HostileDatabase(name: "wide-table", bytes: assembler.bytes())
    }

    @Sendable private static func manyTables(_ size: Int) -> HostileDatabase {
        let assembler = DatabaseAssembler(pageSize: 512)
        return filled(assembler, name: "many-tables", count: size / 700) { assembler in
            let cell = assembler.cell(row(), number: 1)
            return assembler.add(assembler.treePage(kind: 13, [cell]))
        }
    }

    @Sendable private static func longDefinition(_ size: Int) -> HostileDatabase {
        var assembler = DatabaseAssembler(pageSize: 4096)
        let cell = assembler.cell(row(), number: 1)
        let root = assembler.add(assembler.treePage(kind: 13, [cell]))
        assembler.addTable(
            "t", root: root, columns: String(repeating: "(\"", count: size / 4))
        let name = String(repeating: "\u{301}\u{323}", count: size / 8)
        assembler.addTable(name, root: 2, columns: "v)")
        return HostileDatabase(name: "long-definition", bytes: assembler.bytes())
    }

    @Sendable private static func manyLists(_ size: Int) -> HostileDatabase {
        var assembler = DatabaseAssembler(pageSize: 4096)
        let leaves: [DatabaseAssembler.Subtree] = (0..<max(2, size / 4096)).map { leaf in
            let cells = (0..<70).map { assembler.cell(row(), number: leaf * 70 + $0) }
            return (assembler.add(assembler.treePage(kind: 13, cells)), leaf * 70 + 69)
        }
        let root = assembler.addTree(over: leaves)
        let name = String(repeating: "n", count: size / 8)
        assembler.addTable(name, root: root, columns: "v)")
        return HostileDatabase(name: "many-lists", bytes: assembler.bytes())
    }
}

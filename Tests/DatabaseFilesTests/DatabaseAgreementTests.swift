// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DatabaseFiles

/// A value as read by SQLite.
private struct ExpectedValue: Codable {
    let table: String
    let row: Int
    let column: String
    let hex: String

    var placed: PlacedValue {
        let digits = Array(hex.utf8)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
        return PlacedValue(table: table, row: row, column: column, bytes: bytes)
    }
}

@Suite("Agreement of DatabaseFiles with SQLite", .enabled(if: Python.isAvailable))
struct DatabaseAgreementTests {
    /// Creates a database of random tables with SQLite, and lists the values that SQLite reads from
    /// it.
    private static let script = #"""
        import json, random, sqlite3, sys
        seed, mode = int(sys.argv[1]), sys.argv[2]
        random.seed(seed)
        c = sqlite3.connect('a.db', isolation_level=None)
        size = random.choice([512, 1024, 4096, 65536])
        c.execute(f'PRAGMA page_size = {size}')
        c.execute(f'PRAGMA encoding = "{random.choice(["UTF-8", "UTF-16le", "UTF-16be"])}"')
        c.execute(f'PRAGMA auto_vacuum = {random.choice([0, 1, 2])}')
        if mode == 'wal':
            c.execute('PRAGMA journal_mode = WAL')
            c.execute('PRAGMA wal_autocheckpoint = 0')
        def value(big):
            kind = random.randrange(6)
            if kind == 0: return None
            if kind == 1: return random.choice([0, 1, -1, 127, -129, 1 << 20, 1 << 40, -(1 << 62)])
            if kind == 2: return random.random()
            length = random.choice([0, 1, 10, 10, 100, 100, size, big])
            if kind == 3: return ''.join(random.choice('abc é𝄞') for _ in range(length))
            return random.randbytes(length)
        tables = {
            'plain': 'a, b BLOB, c TEXT',
            'keyed': 'id INTEGER PRIMARY KEY, a, b',
            'odd "quotes\u0301': '"x""y", [z w], `q`, \'s\', "é" VARCHAR(10, 2) DEFAULT (1 + (2))',
            'comments': '-- first (,\n a /* , ( */ TEXT CHECK (a <> \')\'), b',
            'computed': 'a, v GENERATED ALWAYS AS (a || 1) VIRTUAL, s AS (substr(hex(a), 1, 50)) STORED, b',
            'without': 'a, k TEXT, b, n, PRIMARY KEY (n, "k" COLLATE NOCASE DESC)',
            'without2': 'a, k TEXT PRIMARY KEY, b',
            'without3': 'a, k TEXT NOT NULL, b, CHECK (1) PRIMARY KEY (k)',
            'wide': ', '.join(f'c{i}' for i in range(300)),
        }
        for name, columns in tables.items():
            quoted = '"' + name.replace('"', '""') + '"'
            options = ' WITHOUT ROWID' if name.startswith('without') else ''
            c.execute(f'CREATE TABLE {quoted} ({columns}){options}')
            names = [r[1] for r in c.execute(f'PRAGMA table_info({quoted})')]
            count = random.choice([0, 1, 7, 40 if name != 'wide' else 3])
            for number in range(count):
                row = [value(min(size * 5, 8000)) if n not in ('k', 'n') else f'{n}{random.random()}' for n in names]
                if name == 'keyed': row[0] = number * random.choice([1, 3, 1000])
                marks = ', '.join('?' * len(row))
                keys = ', '.join('"' + n.replace('"', '""') + '"' for n in names)
                c.execute(f'INSERT OR IGNORE INTO {quoted} ({keys}) VALUES ({marks})', row)
            if 'b' in names and random.random() < 0.5:
                c.execute(f'DELETE FROM {quoted} WHERE b IS NULL OR length(b) > 1000')
        c.execute('ALTER TABLE plain ADD COLUMN late DEFAULT 5')
        c.execute('ALTER TABLE plain RENAME COLUMN a TO renamed')
        c.execute('INSERT INTO plain (late) VALUES (?)', (b'late',))
        c.execute('CREATE INDEX i ON plain (b)')
        c.execute('CREATE VIEW view AS SELECT * FROM plain')
        c.execute('CREATE VIRTUAL TABLE search USING fts4(text)')
        c.execute('INSERT INTO search VALUES (\'words\')')
        # Neither rolled back nor checkpointed, like a copy of a database that is in use.
        if mode == 'wal':
            c.execute('BEGIN'); c.execute('DELETE FROM plain')
            c.execute('PRAGMA cache_size = 1'); c.execute('UPDATE keyed SET a = 1')
        import shutil
        shutil.copy('a.db', 'b.db')
        if mode == 'wal': shutil.copy('a.db-wal', 'b.db-wal')
        if mode == 'wal': c.execute('ROLLBACK')
        c.text_factory = lambda b: b
        values = []
        for (name,) in c.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0").fetchall():
            name = name.decode()
            quoted = '"' + name.replace('"', '""') + '"'
            names = [r[1].decode() for r in c.execute(f'PRAGMA table_xinfo({quoted})') if r[6] != 2]
            keys = ', '.join('"' + n.replace('"', '""') + '"' for n in names)
            try: rows = c.execute(f'SELECT rowid, {keys} FROM {quoted} NOT INDEXED').fetchall()
            except sqlite3.OperationalError:
                rows = [(i,) + r for i, r in enumerate(c.execute(f'SELECT {keys} FROM {quoted} NOT INDEXED').fetchall())]
            for row in rows:
                for n, v in zip(names, row[1:]):
                    if isinstance(v, bytes):
                        values.append(dict(table=name, row=row[0], column=n, hex=v.hex()))
        json.dump(values, open('expected.json', 'w'))
        """#

    @Test(
        "tables of all kinds have the values that SQLite reads",
        arguments: Exhaustive.sample(0..<8, oneIn: 8),
        ["rollback", "wal"])
    func agreement(_ seed: Int, _ mode: String) throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.url
        let script = "import sys; sys.argv[1:] = ['\(seed)', '\(mode)']\n" + Self.script
        try #require(try Python.run(script, in: folder) == 0)
        func bytes(_ name: String) throws -> [UInt8] {
            [UInt8](try Data(contentsOf: folder.appending(path: name)))
        }
        let contents = try DatabaseContents(
            bytes("b.db"), log: mode == "wal" ? bytes("b.db-wal") : nil)
        #expect(contents.problems == [], "seed \(seed)")
        let expected = try JSONDecoder().decode(
            [ExpectedValue].self, from: Data(bytes("expected.json"))
        ).map(\.placed)
        #expect(expected.count > 1)
        #expect(Set(expected).count == expected.count)
        #expect(contents.values.count == expected.count, "seed \(seed)")
        let difference = Set(contents.values).symmetricDifference(expected)
        #expect(
            difference.isEmpty,
            "seed \(seed): \(difference.prefix(4).map { "\($0.table).\($0.column) \($0.row)" })")
    }
}

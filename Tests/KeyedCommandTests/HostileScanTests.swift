// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import TestSupport
import Testing

@testable import KeyedCommand

private typealias Assembler = DatabaseAssembler

/// Returns a database with a table for each name, each with one row that contains a small property
/// list.
private func database(_ names: [String], pageSize: Int = 512) throws -> [UInt8] {
    var assembler = Assembler(pageSize: pageSize)
    let list = try Files.binary([1])
    for name in names {
        let cell = assembler.cell(Assembler.row([.blob(list)]), number: 1)
        assembler.addTable(
            name, root: assembler.add(assembler.treePage(kind: 13, [cell])), columns: "v)")
    }
    return assembler.bytes()
}

@Suite("keyed scan on hostile databases")
struct HostileScanTests {
    @Test("a journal is reported but not applied, and the file that it names is kept")
    func superJournal() throws {
        try Files.withFolder { folder in
            let (file, victim) = (folder.path + "/a.db", folder.path + "/victim")
            let bytes = try database(["t"])
            let journal = Assembler.journal(
                restoring: [1, 2], of: bytes, pageSize: 512, superJournal: victim)
            try Data(bytes).write(to: URL(filePath: file))
            try Data(journal).write(to: URL(filePath: file + "-journal"))
            try Data("precious".utf8).write(to: URL(filePath: victim))
            let run = keyed("scan", file)
            #expect(run.status == 3)
            #expect(run.output == "t.v: 1 of 1 value: 1 binary property list\n")
            #expect(
                run.errors == "\(file)-journal: is the rollback journal of an interrupted change "
                    + "and would restore up to 2 pages and delete a file that it names; it is not "
                    + "applied, and the database is shown as it is\n")
            #expect(try Files.bytes(file) == bytes)
            #expect(try Files.bytes(file + "-journal") == journal)
            #expect(try Files.bytes(victim) == Array("precious".utf8))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
                    == ["a.db", "a.db-journal", "victim"])
        }
    }

    @Test("an unused or malformed journal is ignored")
    func otherJournals() throws {
        try Files.withFile(try database(["t"]), named: "a.db") { file in
            try Data(count: 600).write(to: URL(filePath: file + "-journal"))
            #expect(keyed("scan", file).status == 0)
            #expect(keyed("scan", file).errors == "")
            try Data("something else".utf8).write(to: URL(filePath: file + "-journal"))
            var run = keyed("scan", file)
            #expect(run.status == 0)
            #expect(
                run.errors == "\(file)-journal: is not a valid rollback journal; it is ignored\n")
            // SQLite restores no page from a journal with a page size of 515, but still deletes the
            // file that the journal names.
            var malformed = Assembler.journal(
                restoring: [1], of: try database(["t"]), pageSize: 512, superJournal: "/victim")
            malformed[27] = 3
            try Data(malformed).write(to: URL(filePath: file + "-journal"))
            run = keyed("scan", file)
            #expect(run.status == 0)
            #expect(
                run.errors == "\(file)-journal: is not a valid rollback journal, but SQLite would "
                    + "delete a file that it names; it is ignored\n")
        }
    }

    @Test(
        "a journal that SQLite would apply is reported, even if its page size is 0 or outdated"
    )
    func pageSizesOfJournals() throws {
        // SQLite 3.40.1 restores a database from both kinds of journals. Versions before 3.5.8
        // wrote 0, and a VACUUM that changes the page size leaves a journal with the old one.
        let bytes = try database(["t"])
        try Files.withFile(bytes, named: "a.db") { file in
            var journal = Assembler.journal(restoring: [1, 2], of: bytes, pageSize: 512)
            journal.replaceSubrange(24..<28, with: [0, 0, 0, 0])
            let old = Assembler.journal(
                restoring: [1], of: [UInt8](repeating: 0, count: 1024), pageSize: 1024)
            for (journal, pages) in [(journal, "2 pages"), (old, "1 page")] {
                try Data(journal).write(to: URL(filePath: file + "-journal"))
                let run = keyed("scan", file)
                #expect(run.status == 3)
                #expect(
                    run.errors == "\(file)-journal: is the rollback journal of an interrupted "
                        + "change and would restore up to \(pages); it is not applied, and the "
                        + "database is shown as it is\n")
                #expect(try Files.bytes(file + "-journal") == journal)
            }
        }
    }

    @Test("a write-ahead log of another database is reported")
    func otherLogs() throws {
        try Files.withFile(try database(["t"]), named: "a.db") { file in
            try Data("something else".utf8).write(to: URL(filePath: file + "-wal"))
            var run = keyed("scan", file)
            #expect(run.status == 3)
            #expect(
                run.errors == "\(file)-wal: expected the header of a write-ahead log, found other "
                    + "bytes; the database is shown without this file\n")
            try Data(Assembler.log([], pageSize: 512)).write(to: URL(filePath: file + "-wal"))
            run = keyed("scan", file)
            #expect(run.status == 0)
            #expect(run.errors == "\(file)-wal: contains no committed change; it is ignored\n")
            let log = Assembler.log(
                [(1, [UInt8](repeating: 0, count: 1024), 1)], pageSize: 1024)
            try Data(log).write(to: URL(filePath: file + "-wal"))
            run = keyed("scan", file)
            #expect(run.status == 3)
            #expect(
                run.errors == "\(file)-wal: expected a write-ahead log with pages of 512 bytes, "
                    + "found 1024; the database is shown without this file\n")
            #expect(run.output == "t.v: 1 of 1 value: 1 binary property list\n")
        }
    }

    @Test("table names may contain any characters")
    func names() throws {
        let names = [
            "y'\u{301}", "q\"\u{301} UNION SELECT 1 --", "\u{301}", "a.b", "a", "nul\0nul",
            "\u{1B}[31mred\u{7}", "; DROP TABLE a", String(repeating: "n", count: 3000),
        ]
        try Files.withFile(try database(names, pageSize: 8192), named: "a.db") { file in
            let run = keyed("scan", file)
            #expect(run.status == 0)
            #expect(run.errors == "")
            #expect(run.lines.count == names.count)
            #expect(run.lines[5] == "nul\\u{0}nul.v: 1 of 1 value: 1 binary property list")
            #expect(run.lines[6].hasPrefix("\\u{1b}[31mred\\u{7}.v: "))
            #expect(run.lines[8].utf8.count < 300)
            for name in names {
                let one = keyed("scan", file, "--column", name)
                #expect(one.lines.count == 1, "\(name)")
                #expect(keyed("scan", file, "--column", name + ".v").output == one.output)
                #expect(keyed("scan", file, "--column", name + ".w").status == 1)
            }
            let unknown = keyed("scan", file, "--column", "\u{1B}\u{301}")
            #expect(unknown.status == 1)
            #expect(!unknown.errors.contains("\u{1B}"))
            #expect(!unknown.errors.contains("\u{7}"))
        }
    }

    @Test("a table that cannot be read is named, and does not prevent the others from being read")
    func partial() throws {
        var bytes = try database(["a\u{1B}", "b", "c"])
        bytes[512] = 7
        try Files.withFile(bytes, named: "a.db") { file in
            let run = keyed("scan", file)
            #expect(run.status == 3)
            #expect(
                run.lines == ["b", "c"].map { "\($0).v: 1 of 1 value: 1 binary property list" })
            #expect(
                run.errors
                    == "\(file): a\\u{1b} is not fully readable: expected a b-tree page "
                    + "(type 2, 5, 10 or 13) at page 2, found type 7\n")
        }
    }

    @Test(
        "a malformation that occurs many times is reported twenty times",
        arguments: [(1000, "980 more parts are"), (21, "1 more part is")])
    func reports(count: Int, rest: String) throws {
        var assembler = Assembler(pageSize: 65536)
        let cells = (0..<count).map { assembler.cell([], number: $0) }
        assembler.addTable(
            "t", root: assembler.add(assembler.treePage(kind: 13, cells)), columns: "v)")
        try Files.withFile(assembler.bytes(), named: "a.db") { file in
            let run = keyed("scan", file)
            #expect(run.status == 3)
            let lines = run.errors.split(separator: "\n")
            #expect(lines.count == 22)
            #expect(lines.last == "\(file): \(rest) not fully readable")
        }
    }

    @Test("standard input is read like a file")
    func standardInput() throws {
        var bytes = try database(["t"])
        let run = try keyedProcess(["scan", "-"], input: bytes)
        #expect(run.status == 0)
        #expect(run.output == "t.v: 1 of 1 value: 1 binary property list\n")
        #expect(run.errors == "")
        bytes.replaceSubrange(18..<20, with: [2, 2])
        let logged = try keyedProcess(["scan", "-"], input: bytes)
        #expect(logged.status == 0 && logged.output == run.output)
        #expect(logged.errors.contains("so its changes are not shown"))
    }

    /// Calls `body` with the path of a database and the bytes of a write-ahead log for it. Only the
    /// log has a row.
    private func withLog(_ body: (_ file: String, _ log: [UInt8]) throws -> Void) throws {
        var assembler = Assembler()
        let cell = assembler.cell(Assembler.row([.blob(try Files.binary([1]))]), number: 1)
        let root = assembler.add(assembler.treePage(kind: 13, []))
        assembler.addTable("t", root: root, columns: "v)")
        let page = Assembler(pageSize: 512).treePage(kind: 13, [cell])
        let frame = (page: root, contents: page, count: 2)
        try Files.withFile(assembler.bytes(), named: "a.db") { file in
            try body(file, Assembler.log([frame, frame, frame], pageSize: 512))
        }
    }

    @Test("a link to a database is read with the write-ahead log beside the database")
    func link() throws {
        try withLog { file, log in
            try Data(log).write(to: URL(filePath: file + "-wal"))
            let found = "t.v: 1 of 1 value: 1 binary property list\n"
            #expect(keyed("scan", file).output == found)
            try Files.withFolder { folder in
                let link = folder.appending(path: "link.db").path
                try FileManager.default.createSymbolicLink(
                    atPath: link, withDestinationPath: file)
                let run = keyed("scan", link)
                #expect(run.status == 0 && run.output == found)
                #expect(run.errors.hasSuffix("a.db-wal: its committed changes are included\n"))
            }
        }
    }

    @Test("frames of a write-ahead log that cannot be read are reported")
    func damagedLog() throws {
        try withLog { file, log in
            for (offset, status, message) in [
                (
                    32 + 24 + 512 + 100, Int32(3),
                    "ignored 2 frames, starting at frame 2, as SQLite does (commit frames: 2): "
                        + "frame 2 is incomplete or has a wrong checksum"
                ), (8, 3, "the header has a wrong checksum or page size"),
                (0, 3, "expected the header of a write-ahead log, found other bytes"),
            ] {
                var log = log
                log[offset] ^= 4
                try Data(log).write(to: URL(filePath: file + "-wal"))
                let run = keyed("scan", file)
                #expect(run.status == status)
                #expect(run.errors.contains("a.db-wal: " + message), "\(run.errors)")
            }
            try Data(log.dropLast()).write(to: URL(filePath: file + "-wal"))
            let run = keyed("scan", file)
            #expect(run.status == 3)
            #expect(
                run.errors.hasSuffix(
                    "a.db-wal: ignored 1 frame, starting at frame 3, as SQLite does (commit frames: "
                        + "1): frame 3 is incomplete or has a wrong checksum\n"))
        }
    }

    @Test("a device with more bytes than the size limit allows gives exit code 4")
    func size() throws {
        var limits = ParsingLimits.untrusted
        limits.inputSize = 4096
        let failure = try #require(throws: Failure.self) {
            try DatabaseInput("/dev/zero", limits: limits)
        }
        let console = Console(capturing: true)
        #expect(console.report(failure).rawValue == 4)
        #expect(
            String(decoding: console.errors, as: UTF8.self)
                == "/dev/zero: the file has more than the 4096 bytes that --limits allows\n")
    }

    @Test("UTF-16 text of either byte order is decoded")
    func encodings() throws {
        let text = String(decoding: Files.xml("<string>é𝄞</string>"), as: UTF8.self)
        for isBigEndian in [false, true] {
            func encoded(_ text: String) -> [UInt8] {
                text.utf16.flatMap { unit in
                    let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
                    return isBigEndian ? bytes : bytes.reversed()
                }
            }
            var assembler = Assembler(pageSize: 4096)
            let cell = assembler.cell(Assembler.row([.text(encoded(text))]), number: 1)
            let root = assembler.add(assembler.treePage(kind: 13, [cell]))
            let sql = "CREATE TABLE t (v)"
            let schema: [Assembler.Value] = [
                .text(encoded("table")), .text(encoded("t")), .text(encoded("t")),
                .integer(root), .text(encoded(sql)),
            ]
            var bytes = assembler.bytes()
            let first = assembler.treePage(
                kind: 13, [assembler.cell(Assembler.row(schema), number: 1)], header: 100)
            bytes.replaceSubrange(100..<4096, with: first[100...])
            bytes[59] = isBigEndian ? 3 : 2
            try Files.withFile(bytes, named: "a.db") { file in
                let run = keyed("scan", file, "--depth", "1", "--row", "1")
                #expect(run.lines.last == "  \"é𝄞\"")
            }
            // An unpaired surrogate in place of the é.
            let place = try #require(bytes.firstRange(of: encoded("é")))
            bytes.replaceSubrange(place, with: encoded("é").map { $0 == 0xE9 ? 0 : 0xD8 })
            try Files.withFile(bytes, named: "a.db") { file in
                let run = keyed("scan", file, "--depth", "1", "--row", "1")
                #expect(run.output.contains("damaged"), "\(run.output)")
            }
        }
    }
}

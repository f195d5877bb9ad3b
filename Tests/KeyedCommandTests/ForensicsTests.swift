// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import TestSupport
import Testing

@testable import KeyedCommand

/// Parses each line of the output as a JSON object, with Foundation.
private func objects(_ run: Run) throws -> [[String: Any]] {
    try run.lines.map {
        try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
}

private func fixture(_ name: String) -> String {
    Corpus.repository.appending(path: "Fixtures/embedded/\(name)").path
}

@Suite("keyed carve")
struct CarveTests {
    @Test("lists the property lists in a file with offsets and sizes")
    func list() {
        let run = keyed("carve", fixture("image.bin"))
        #expect(run.status == 0)
        #expect(
            run.output == """
                         215         410  keyed archive by NSKeyedArchiver, binary, 7 objects
                        1024          54  binary property list
                        1139         236  XML property list
                        2494          55  XML property list

                """)
        #expect(run.errors.hasSuffix(": 5 possible property lists are invalid; --all lists them\n"))
        let all = keyed("carve", "--all", fixture("image.bin"))
        #expect(all.lines.count == 9)
        #expect(all.output.contains("damaged binary property list: no matching trailer found"))
        #expect(all.errors == "")
    }

    @Test("shows trees down to --depth, including property lists nested in data")
    func depth() {
        let run = keyed("carve", fixture("image.bin"), "--depth", "9")
        #expect(
            run.output.contains(
                """
                  root: App.Note
                    title: "first"
                    written: NSDate 2023-03-08T20:26:40Z
                    settings: 68 bytes, binary property list
                      dictionary, 2 entries
                        color: "red"
                        pinned: true

                """))
        let flat = keyed("carve", fixture("image.bin"), "--depth", "0")
        #expect(flat.output.contains("  root: App.Note …\n"))
        #expect(!flat.output.contains("title"))
    }

    @Test("extracts files with the same bytes as in the searched file")
    func extract() throws {
        try Files.withFolder { folder in
            let target = folder.appending(path: "found/here").path
            #expect(keyed("carve", fixture("image.bin"), "--extract", target).status == 0)
            let names = try FileManager.default.contentsOfDirectory(atPath: target)
            #expect(names.sorted() == ["1024.plist", "1139.plist", "215.plist", "2494.plist"])
            for name in names { #expect(keyed("lint", target + "/" + name).status == 0) }
            let image = try Files.bytes(fixture("image.bin"))
            #expect(try Files.bytes(target + "/215.plist") == Array(image[215..<625]))
        }
    }

    @Test(
        "extracting never replaces a file: the searched one, an earlier find or a link's target"
    )
    func existingFiles() throws {
        try Files.withFolder { folder in
            let file = folder.appending(path: "5.plist").path
            let bytes = try Array("XXXXX".utf8) + Files.bytes(Files.archive("save"))
            try Data(bytes).write(to: URL(filePath: file))
            let run = keyed("carve", file, "--extract", folder.path)
            #expect(
                run.status == 1
                    && run.errors.contains("5.plist: expected a new file, found an existing one"))
            #expect(try Files.bytes(file) == bytes)

            let target = folder.appending(path: "found").path
            #expect(keyed("carve", file, "--extract", target).status == 0)
            let other = folder.appending(path: "other").path
            try Data(Array("XXXXX".utf8) + Files.bytes(Files.archive("hints"))).write(
                to: URL(filePath: other))
            #expect(keyed("carve", other, "--extract", target).status == 1)
            #expect(try Files.bytes(target + "/5.plist") == Array(bytes.dropFirst(5)))

            let links = folder.appending(path: "links")
            try FileManager.default.createDirectory(at: links, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: links.path + "/5.plist", withDestinationPath: file)
            #expect(keyed("carve", other, "--extract", links.path).status == 1)
            #expect(try Files.bytes(file) == bytes)
        }
    }

    @Test("prints JSON with offsets in the searched file")
    func json() throws {
        let file = fixture("image.bin")
        let lines = try objects(keyed("carve", file, "--json", "--depth", "99"))
        let bytes = try Files.bytes(file)
        let title = try #require(lines.first { $0["value"] as? String == "first" })
        let offset = try #require(title["offset"] as? Int)
        // The marker of an ASCII string of five characters, followed by the string.
        #expect(bytes[offset...].starts(with: [0x55] + Array("first".utf8)))
        // The same holds for a value in the data of a binary archive.
        let color = try #require(lines.first { $0["value"] as? String == "red" })
        let place = try #require(color["offset"] as? Int)
        #expect(bytes[place...].starts(with: [0x53] + Array("red".utf8)))
        #expect(color["path"] as? String == "@1.settings!color")
    }

    @Test("reports that nothing was found, and refuses a path that is not a file")
    func nothing() throws {
        try Files.withFile("plain text".utf8) { file in
            let run = keyed("carve", file)
            #expect(run.status == 0)
            #expect(run.errors == "\(file): nothing found\n")
        }
        #expect(keyed("carve", "/nowhere").errors == "/nowhere: No such file or directory\n")
        #expect(keyed("carve", "/").status == 1)
        #expect(keyed("carve", "/", "--depth", "-1").status == 2)
    }

    @Test("prints many expanding property lists within one budget for the file")
    func bombs() throws {
        let seconds = try ProcessorTime.seconds {
            // Sixteen arrays, each of which contains the next one twice: 65536 Booleans from about
            // 100 bytes.
            let bomb = BinaryAssembler(
                (1...16).map { .array([$0, $0]) } + [.boolean(true)])
            let bytes = (0..<60).flatMap { _ in bomb.bytes }
            try Files.withFile(bytes) { file in
                let run = keyed("carve", file, "--depth", "99", "--limits", "untrusted")
                #expect(run.status == 4)
                #expect(run.bytes.count < 18 << 20)
            }
        }
        #expect(seconds < 60)
    }
}

@Suite("keyed scan")
struct ScanTests {
    @Test("lists the columns that contain property lists, in tables of any kind and name")
    func list() {
        let run = keyed("scan", fixture("notes.db"))
        #expect(run.status == 0)
        #expect(
            run.lines == [
                "notes.body: 4 of 5 values: 2 keyed archives, 1 XML property list, "
                    + "1 damaged binary property list",
                "notes.other: 2 of 5 values: 1 damaged typedstream, 1 damaged bplist17",
                "odd \"name.select: 1 of 1 value: 1 binary property list",
            ])
    }

    @Test("shows the values of a column or a row")
    func values() throws {
        let run = keyed(
            "scan", fixture("notes.db"), "--column", "notes.body", "--row", "5",
            "--depth", "9")
        #expect(
            run.lines == [
                "notes.body, row 5: 224 bytes, XML property list", "  dictionary, 1 entry",
                "    a: 1",
            ])
        let lines = try objects(
            keyed("scan", fixture("notes.db"), "--json", "--depth", "9", "--row", "2"))
        let title = try #require(lines.first { $0["value"] as? String == "second" })
        #expect(title["table"] as? String == "notes")
        #expect(title["column"] as? String == "body")
        #expect(title["row"] as? Int == 2)
        let unknown = keyed("scan", fixture("notes.db"), "--column", "nots")
        #expect(unknown.status == 1)
        #expect(
            unknown.errors.contains("missing column or table `nots`; the tables are: notes, odd"))
    }

    @Test("extracts each value to a file")
    func extract() throws {
        try Files.withFolder { folder in
            let run = keyed("scan", fixture("notes.db"), "--extract", folder.path)
            #expect(run.status == 0)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.count == 7)
            #expect(names.contains("1-notes-body-1.plist"))
            #expect(names.contains("7-odd__name-select-1.plist"))
        }
    }

    @Test("refuses a file that is not a database, and suggests another verb")
    func refused() throws {
        let archive = Files.archive("save")
        #expect(
            keyed("scan", archive).errors == "\(archive): expected an SQLite database, found a "
                + "property list (read it with keyed show)\n")
        #expect(keyed("scan", "/").errors == "/: expected a file, found a directory\n")
        #expect(keyed("scan", "/nowhere").errors == "/nowhere: No such file or directory\n")
        try Files.withFile([]) { #expect(keyed("scan", $0).errors == "\($0): is empty\n") }
    }

    @Test("survives a truncated database, and one with any byte changed")
    func damaged() throws {
        let bytes = try Files.bytes(fixture("notes.db"))
        let places = stride(from: 16, to: bytes.count, by: 61)
        for place in Exhaustive.sample(Array(places), oneIn: 8) {
            var changed = bytes
            changed[place] ^= 0xFF
            try Files.withFile(changed, named: "a.db") { file in
                #expect([0, 1, 3, 4].contains(keyed("scan", file, "--depth", "9").status))
            }
            try Files.withFile(bytes.prefix(place), named: "a.db") { file in
                #expect([0, 1, 3, 4].contains(keyed("scan", file).status))
            }
        }
    }

    @Test(
        "reads changes that are still in the write-ahead log, and leaves the folder unchanged",
        .enabled(if: Python.isAvailable))
    func writeAheadLog() throws {
        try Files.withFolder { folder in
            // The files of a database in use, as copied from a device.
            let script = """
                import plistlib, shutil, sqlite3
                c = sqlite3.connect('live.db')
                c.execute('PRAGMA journal_mode=WAL')
                c.execute('CREATE TABLE t (v BLOB)')
                c.commit()
                c.execute('PRAGMA wal_checkpoint(TRUNCATE)')
                c.execute('INSERT INTO t VALUES (?)', (plistlib.dumps([1], fmt=plistlib.FMT_BINARY),))
                c.commit()
                import os
                os.mkdir('seized')
                for name in ['live.db', 'live.db-wal']: shutil.copy(name, 'seized/' + name)
                """
            #expect(try Python.run(script, in: folder) == 0)
            let seized = folder.appending(path: "seized").path
            let before = try Files.bytes(seized + "/live.db")
            let run = keyed("scan", seized + "/live.db")
            #expect(run.output == "t.v: 1 of 1 value: 1 binary property list\n")
            #expect(
                run.errors == "\(seized)/live.db-wal: its committed changes are included\n")
            let line = try #require(try objects(keyed("scan", seized + "/live.db", "--json")).first)
            #expect(line["wal"] as? String == seized + "/live.db-wal")
            #expect((line["walSha256"] as? String)?.count == 64)
            #expect(line["walSha256"] as? String != line["sha256"] as? String)
            #expect(try Files.bytes(seized + "/live.db") == before)
            let names = try FileManager.default.contentsOfDirectory(atPath: seized)
            #expect(names.sorted() == ["live.db", "live.db-wal"])
        }
    }
}

@Suite("keyed show --json")
struct ShowJSONTests {
    @Test("prints each value with its path, object, offset, file and hash")
    func lines() throws {
        let file = Files.archive("save")
        let run = keyed("show", "--json", file)
        #expect(run.status == 0)
        let lines = try objects(run)
        let head = try #require(lines.first)
        #expect(head["kind"] as? String == "keyed archive")
        #expect(head["archiver"] as? String == "NSKeyedArchiver")
        #expect(head["objects"] as? Int == 23)
        let bytes = try Files.bytes(file)
        let hash = SHA256.hexadecimal(of: bytes)
        for line in lines {
            #expect(line["path"] as? String != nil && line["offset"] as? Int != nil)
            #expect(line["file"] as? String == file && line["sha256"] as? String == hash)
        }
        let born = try #require(lines.first { $0["value"] as? String == "1989-10-13T00:00:00Z" })
        #expect(born["class"] as? String == "NSDate")
        #expect(born["kind"] as? String == "date")
        #expect(born["key"] as? String == "born")
        #expect(born["path"] as? String == "@2.born" && born["object"] as? Int == 4)
        let name = try #require(lines.first { $0["value"] as? String == "Bob" })
        let offset = try #require(name["offset"] as? Int)
        #expect(bytes[offset...].starts(with: [0x53] + Array("Bob".utf8)))
        let cycle = try #require(
            lines.first {
                $0["key"] as? String == "friends" && $0["kind"] as? String == "reference"
            })
        #expect(cycle["object"] as? Int == 1)
    }

    @Test(
        "prints paths that keyed get accepts", arguments: ["save", "object-keys", "nodes", "roots"])
    func paths(name: String) throws {
        let file = Files.archive(name)
        for line in try objects(keyed("show", "--json", file)).dropFirst() {
            let path = try #require(line["path"] as? String)
            let run = keyed("get", file, path)
            #expect(run.status == 0, "\(path): \(run.errors)")
            guard line["class"] == nil, let text = line["value"] as? String else { continue }
            #expect(run.output == text + "\n")
        }
    }

    @Test(
        "identifies the file by the hash that other programs compute",
        .enabled(if: Python.isAvailable))
    func hash() throws {
        for length in [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000] {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 7) }
            try Files.withFolder { folder in
                try Data(bytes).write(to: folder.appending(path: "a"))
                let script = """
                    import hashlib
                    open('h', 'w').write(hashlib.sha256(open('a', 'rb').read()).hexdigest())
                    """
                #expect(try Python.run(script, in: folder) == 0)
                let expected = try Files.bytes(folder.appending(path: "h").path)
                #expect(Array(SHA256.hexadecimal(of: bytes).utf8) == expected)
            }
        }
        #expect(
            SHA256.hexadecimal(of: Array("abc".utf8))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test("shows property lists nested in data, up to a limit of 16 levels")
    func nesting() throws {
        var bytes = try Files.binary(["end": true])
        for _ in 0..<40 { bytes = try Files.binary(["in": .data(bytes)]) }
        try Files.withFile(bytes) { file in
            let run = keyed("show", file)
            #expect(run.status == 0)
            #expect(run.lines.filter { $0.contains("in: ") }.count == 17)
            #expect(run.lines.last?.contains("(binary property list)") == true)
            let path = String(repeating: "in!", count: 3) + "in"
            let paths = try objects(keyed("show", "--json", file)).map { $0["path"] as? String }
            #expect(paths.contains(path))
            #expect(keyed("show", "--raw", file).lines.count == 3)
        }
    }
}

@Suite("Color and progress")
struct TerminalTests {
    @Test("prints colors only on request if the output is not a terminal")
    func colors() {
        let file = Files.archive("cycle")
        #expect(!keyed("show", file).output.contains("\u{1B}"))
        #expect(!keyed("show", "--no-color", file).output.contains("\u{1B}"))
        #expect(keyed("show", "--color", file).output.contains("\u{1B}[36mroot: \u{1B}[0m"))
        let diff = keyed("diff", "--color", file, Files.archive("nodes"))
        #expect(diff.output.contains("\u{1B}[31m- "))
        #expect(diff.output.contains("\u{1B}[32m+ "))
    }

    @Test("reports progress after two seconds, then at growing intervals")
    func progress() {
        let console = Console(capturing: true)
        var now = 0.0
        var progress = Progress("counting", console, clock: { now })
        for second in 0...70 {
            now = Double(second)
            progress.report("\(second) of 70")
        }
        let lines = String(decoding: console.errors, as: UTF8.self).split(separator: "\n")
        #expect(lines.first == "keyed: counting: 2 of 70, after 2 seconds")
        #expect(lines.count == 6)
    }
}

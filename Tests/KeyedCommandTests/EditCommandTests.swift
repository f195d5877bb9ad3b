// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import PropertyListTools
import TestSupport
import Testing

@testable import KeyedCommand

@Suite("keyed get, set, insert, append, remove, rename, edit")
struct EditCommandTests {
    private static let text = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0">
        <dict>
        \t<key>name</key> <!-- whose -->
        \t<string>Anna</string>
        \t<key>age</key>
        \t<integer>7</integer>
        \t<key>list</key>
        \t<array>
        \t\t<string>x</string>
        \t</array>
        \t<key>blob</key>
        \t<data>AAEC</data>
        </dict>
        </plist>

        """

    /// Runs a verb that replaces a file, and returns the new text of the file.
    private func inPlace(_ arguments: String...) throws -> (text: String, run: Run) {
        try Files.withFile(Self.text.utf8) { file in
            let console = Console(capturing: true)
            let all = [arguments[0], "--in-place", file] + arguments.dropFirst()
            let status = Main.run(all, console)
            let run = Run(
                status: status.rawValue, bytes: console.output,
                errors: String(decoding: console.errors, as: UTF8.self))
            return (String(decoding: try Files.bytes(file), as: UTF8.self), run)
        }
    }

    @Test("a new value has the type of the value that it replaces, or the given type")
    func types() throws {
        let age = try inPlace("set", "age", "8")
        #expect(age.text == Self.text.replacing("<integer>7<", with: "<integer>8<"))
        #expect(age.run.status == 0 && age.run.bytes.isEmpty)
        let cases: [(String, String, String)] = [
            ("string", "5", "<string>5</string>"), ("int", "-0x10", "<integer>-16</integer>"),
            ("real", "1e3", "<real>1000</real>"), ("bool", "YES", "<true/>"),
            ("date", "2020-01-02T03:04:05Z", "<date>2020-01-02T03:04:05Z</date>"),
            ("array", "", "<array/>"), ("dict", "", "<dict/>"),
            ("plist", "<plist><array><true/></array></plist>", "<array>\n\t\t<true/>\n\t</array>"),
        ]
        for (type, value, element) in cases {
            let result = try inPlace("set", "age", value, "-t", type)
            #expect(
                result.text == Self.text.replacing("<integer>7</integer>", with: element), "\(type)"
            )
        }
        let data = try inPlace("set", "blob", "00 ff", "-t", "hex")
        #expect(data.text.contains("<data>\n\tAP8=\n\t</data>"))
    }

    @Test("text that is not a value of the type is refused, and the file is unchanged")
    func wrongType() throws {
        for (value, type) in [
            ("x", "int"), ("", "int"), ("maybe", "bool"), ("2020-13-01T00:00:00Z", "date"),
            ("@@", "data"), ("0g", "hex"), ("99999999999", "uid"), ("x", "array"), ("{", "plist"),
        ] {
            let result = try inPlace("set", "age", value, "-t", type)
            #expect(result.run.status == 2, "\(type)")
            #expect(result.text == Self.text)
        }
        let result = try inPlace("set", "age", "old")
        #expect(
            result.run.errors == "keyed: expected a value of type integer, found \"old\"; "
                + "name another type with -t\n")
        #expect(try inPlace("set", "name").run.status == 2)
    }

    @Test("the error for an incomplete edit gives its number if there are several edits")
    func incompleteEdits() throws {
        for (edit, message) in [
            ("set name", "the value is missing; write an empty one as \"\""),
            ("set name string", "the value is missing; write an empty one as \"\""),
            ("rename name", "the new key is missing; write an empty one as \"\""),
            ("remove", "`remove` needs a key path"),
            ("move", "expected one of set, insert, append, merge, remove, rename, found `move`"),
        ] {
            let one = try inPlace("edit", edit)
            #expect(one.run.status == 2 && one.run.errors == "keyed: \(message)\n")
            let two = try inPlace("edit", "set name \"\"", edit)
            #expect(two.run.errors == "keyed: edit 2: \(message)\n" && two.text == Self.text)
        }
        #expect(
            try inPlace("edit", "set name \"\"").text
                == Self.text.replacing(">Anna<", with: "><"))
    }

    @Test("a malformed property list on the command line is refused with the place of the error")
    func malformedValue() throws {
        let value = try inPlace("set", "age", "{a = 1", "-t", "plist").run
        #expect(value.status == 2)
        #expect(
            value.errors
                == "keyed: the value cannot be read as a property list: OpenStep property list: "
                + "expected the end of the dictionary that begins on line 1, found the end of the "
                + "text at line 1, column 7, in a\n")
        let edit = try inPlace("edit", "set age plist <plist><dict></plist>").run
        #expect(
            edit.status == 2
                && edit.errors.contains("the value cannot be read as a property list: XML"))
        #expect(try inPlace("set", "list", "x").run.errors.hasSuffix("name another type with -t\n"))
    }

    @Test("a path that leads to nothing is shown with a caret")
    func wrongPath() throws {
        let result = try inPlace("set", "list[3]", "x")
        #expect(result.run.status == 1)
        #expect(
            result.run.errors.hasSuffix(
                "expected the index 0: there is one element\n    list[3]\n        ^\n"))
        #expect(result.text == Self.text)
        let malformed = try inPlace("remove", "list[")
        #expect(malformed.run.status == 2)
        #expect(
            malformed.run.errors.hasSuffix("a quoted key after `[`\n    list[\n        ^\n"))
    }

    @Test("values are read from files")
    func fromFiles() throws {
        try Files.withFolder { folder in
            let file = folder.appending(path: "a.plist").path
            let other = folder.appending(path: "b").path
            try Data(Self.text.utf8).write(to: URL(filePath: file))
            try Data(Files.binary(["k": [1]])).write(to: URL(filePath: other))
            let plist = keyed("append", file, "list", "--from", other)
            #expect(try PropertyListValue(parsing: plist.bytes)["list"]?[1] == ["k": [1]])
            let data = keyed("set", file, "blob", "--from", other, "-t", "data")
            #expect(
                try PropertyListValue(parsing: data.bytes)["blob"]?.data == Files.bytes(other))
            #expect(keyed("set", file, "name", "x", "--from", other).status == 2)
            #expect(keyed("set", file, "name", "--from", folder.path).status == 1)
        }
    }

    @Test("standard input cannot be both the file and the value")
    func standardInputAsValue() {
        for verb in ["set", "insert", "append"] {
            let run = keyed(verb, "-", "key", "-t", "data", "--from", "-")
            #expect(run.status == 2, "\(verb)")
            #expect(
                run.errors.contains("Standard input cannot be both the file and the value."),
                "\(verb)")
        }
    }

    @Test("several edits in one call are applied together or not at all")
    func several() throws {
        let all = try inPlace(
            "edit", "set age integer 8", "rename name \"full name\"", "remove blob",
            "set \"a b\".c string \"  x\\n\"")
        #expect(all.run.status == 1)
        #expect(all.text == Self.text)
        let made = try inPlace(
            "edit", "set age integer 8", "rename name \"full name\"", "remove blob",
            "set \"a b\" dict", "set \"a b\".c string \"  x\\n\"", "append list two words",
            "merge \"a b\" plist <plist><dict><key>d</key><true/></dict></plist>")
        #expect(made.run.errors == "")
        let value = try PropertyListValue(parsing: Array(made.text.utf8))
        #expect(
            value == [
                "full name": "Anna", "age": 8, "list": ["x", "two words"],
                "a b": ["c": "  x\n", "d": true],
            ])
    }

    @Test("edits are read from a script, and errors in it have the line number")
    func script() throws {
        try Files.withFile(Self.text.utf8) { file in
            try Files.withFile("# a comment\n\nset age integer 9\r\n remove  list \n".utf8) {
                script in
                let run = keyed("edit", file, "--script", script)
                let value = try PropertyListValue(parsing: run.bytes)
                #expect(value == ["name": "Anna", "age": 9, "blob": .data([0, 1, 2])])
            }
            for (line, what) in [
                ("delete x", "expected one of set"), ("set", "needs a key path"),
                ("set a integer x", "expected a value"),
                ("remove a b", "only a key path"), ("set a \"x", "the closing quote is missing"),
                ("set a \"x\" y", "text follows the quote"),
                ("rename a \"x\"y", "expected one quoted string"), ("set a..b c", "expected a key"),
            ] {
                try Files.withFile("\n\(line)\n".utf8, named: "script") { script in
                    let run = keyed("edit", file, "--script", script)
                    #expect(run.status == 2)
                    #expect(run.errors.contains("line 2: ") && run.errors.contains(what), "\(line)")
                }
            }
        }
        #expect(keyed("edit", "x").status == 2)
        #expect(keyed("edit", "-", "--script", "-").status == 2)
    }

    /// Prints edits of `a.plist`, a file in a new folder, as a unified diff. Calls `body` with the
    /// folder, the path of the file, the diff, and the edited file.
    private func dryRun(_ body: (URL, String, Run, [UInt8]) throws -> Void) throws {
        try Files.withFolder { folder in
            let file = folder.appending(path: "a.plist").path
            let edits = [
                "set name Bob", "append list y", "remove blob",
                "insert new after \"age\" integer 1",
            ]
            try Data(Self.text.utf8).write(to: URL(filePath: file))
            let run = try keyedProcess(["edit", "a.plist", "--dry-run"] + edits, in: folder)
            try body(folder, file, run, keyed(list: ["edit", file] + edits).bytes)
        }
    }

    @Test("a dry run prints a unified diff, and writes nothing")
    func unifiedDiff() throws {
        try dryRun { _, file, run, _ in
            #expect(run.status == 0)
            #expect(run.output.hasPrefix("--- a.plist\n+++ a.plist\n@@ -"))
            let bytes = try Files.bytes(file)
            #expect(bytes == Array(Self.text.utf8))
        }
    }

    private static let patch = "/usr/bin/patch"

    @Test(
        "`patch` applies the unified diff of a dry run",
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: patch), "patch is not installed"))
    func patching() throws {
        try dryRun { folder, file, run, edited in
            try Data(run.bytes).write(to: folder.appending(path: "p"))
            let patched = try process(Self.patch, ["-s", "-p0", "-i", "p"], in: folder)
            #expect(patched.status == 0, "\(patched.errors)")
            #expect(try Files.bytes(file) == edited)
        }
    }

    @Test("a dry run on a file that is only a byte order mark prints the added lines")
    func dryRunOfEmptyText() throws {
        try Files.withFile([0xFF, 0xFE]) { file in
            let run = keyed("set", file, "a", "b", "--dry-run")
            #expect(run.status == 0)
            #expect(run.lines.dropFirst(2) == ["@@ -0,0 +1 @@", "+a = b; "], "\(run)")
        }
    }

    @Test("a dry run on a binary file prints the old and new values")
    func dryRunOfBinary() throws {
        try Files.withFile(Files.binary(["a": 1, "b": ["x"]])) { file in
            #expect(
                keyed("edit", file, "set a integer 2", "remove b[0]", "-n").lines
                    == ["- a: 1", "+ a: 2", "- b[0]: \"x\""])
        }
    }

    @Test(
        "a replaced file keeps its mode and links, and an unchanged file is not written"
    )
    func replacing() throws {
        try Files.withFolder { folder in
            let manager = FileManager.default
            let file = folder.appending(path: "a.plist").path
            try Data(Self.text.utf8).write(to: URL(filePath: file))
            try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            let link = folder.appending(path: "link").path
            try manager.createSymbolicLink(atPath: link, withDestinationPath: "a.plist")
            #expect(keyed("set", link, "age", "8", "-i").status == 0)
            #expect(try manager.destinationOfSymbolicLink(atPath: link) == "a.plist")
            let attributes = try manager.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let number = attributes[.systemFileNumber] as? Int
            #expect(keyed("set", file, "age", "8", "-i").status == 0)
            let same = try manager.attributesOfItem(atPath: file)
            #expect(same[.systemFileNumber] as? Int == number)
            #expect(try manager.contentsOfDirectory(atPath: folder.path).count == 2)
        }
    }

    @Test("each of several simultaneous edits of a file is kept or refused")
    func simultaneousEdits() throws {
        try Files.withFolder { folder in
            let file = folder.appending(path: "a.plist").path
            try Data(Self.text.utf8).write(to: URL(filePath: file))
            // Each of four shells runs ten edits and prints the keys that were set.
            let script = """
                for shell in 1 2 3 4; do
                    for edit in 1 2 3 4 5 6 7 8 9 10; do
                        "$0" set -i "$1" "key$shell$edit" x && echo "key$shell$edit"
                    done &
                done; wait
                """
            let run = try process("/bin/bash", ["-c", script, keyedPath, file])
            let errors = run.errors.split(separator: "\n")
            #expect(errors.allSatisfy { $0.contains("another program has changed the file since") })
            let keys = run.output.split(separator: "\n").map(String.init)
            #expect(keys.count + errors.count == 40 && !keys.isEmpty, "\(run.errors)")
            for key in keys { #expect(keyed("get", file, key).status == 0, "\(key)") }
        }
    }

    @Test("errors of reading and writing give the reason")
    func files() throws {
        #expect(keyed("set", "/nonexistent/a", "x", "y").errors.contains("No such file"))
        #expect(keyed("get", "/", "x").errors.contains("found a directory"))
        try Files.withFile(Self.text.utf8) { file in
            let run = keyed("set", file, "age", "8", "-o", "/nonexistent/b")
            #expect(run.status == 1 && run.errors.contains("/nonexistent/b: No such file"))
            #expect(keyed("set", file, "age", "8", "-o", "/dev/full").status == 1)
            #expect(keyed("set", file, "age", "8", "-i", "-o", "x").status == 2)
        }
        #expect(keyed("set", "-", "age", "8", "-i").status == 2)
    }

    @Test("the command ends silently if the reader of its output goes away")
    func closedPipe() throws {
        // More than the capacity of a pipe, so that the command is still writing.
        let list = String(repeating: "<string>x</string>\n", count: 20_000)
        try Files.withFile(Files.xml("<array>\n\(list)</array>")) { file in
            for verb in ["set '\(file)' '[0]' y", "show '\(file)'", "convert json '\(file)'"] {
                let run = try process("/bin/sh", ["-c", "'\(keyedPath)' \(verb) | head -n 1"])
                #expect(run.lines.count == 1 && run.errors == "", "\(verb)")
            }
        }
    }

    @Test("a value that begins with a dash must follow `--`, unless it is a number")
    func dash() throws {
        #expect(
            try inPlace("set", "name", "--", "-x").text
                == Self.text.replacing(">Anna<", with: ">-x<"))
        #expect(try inPlace("set", "age", "-8").text == Self.text.replacing(">7<", with: ">-8<"))
        let run = try inPlace("set", "name", "-x").run
        #expect(run.status == 2 && run.errors.contains("begins with a dash, as in -- -x"))
        #expect(try inPlace("set", "name", "--", "-x", "-y").run.status == 2)
        try Files.withFile(Self.text.utf8) { file in
            let written = keyed("set", "--", file, "name", "-x").output
            #expect(written == Self.text.replacing(">Anna<", with: ">-x<"))
            #expect(keyed("set", "-x", "--", file, "name").status == 2)
        }
    }

    @Test("an operation on the wrong kind of value is refused instead of giving an empty result")
    func otherKinds() throws {
        let refused = try inPlace("insert", "new", "x", "--after", "nam")
        #expect(refused.run.status == 1 && refused.text == Self.text)
        #expect(
            refused.run.errors.hasSuffix("missing key `nam` to insert after (there is `name`)\n"))
        let root = try inPlace("append", "", "x").run
        #expect(root.errors.hasSuffix("cannot append to a dictionary; set a key instead\n"))
        try Files.withFile(Self.text.utf8) { file in
            for (path, form, message) in [
                (
                    "name", "count",
                    "expected a container for --as count, found a value of kind string"
                ),
                (
                    "list", "keys",
                    "expected a dictionary for --as keys, found a value of kind array"
                ),
            ] {
                let run = keyed("get", file, path, "--as", form)
                #expect(run.status == 1 && run.errors == "\(file): \(message)\n")
            }
            let nested = keyed("get", file, "blob!a")
            #expect(nested.errors.hasSuffix("at byte 0\n    blob!a\n        ^\n"))
        }
    }

    @Test("JSON is edited with the mapping that `--json` selects")
    func json() throws {
        let text = "{\"a\":{\"$real\":\"1\"},\"d\":{\"$date\":\"2020-01-01T00:00:00Z\"}}\n"
        try Files.withFile(text.utf8, named: "a.json") { file in
            let typed = keyed(
                "set", file, "e", "2021-01-01T00:00:00Z", "-t", "date", "--json", "typed")
            #expect(
                typed.output
                    == text.replacing(
                        "}}\n", with: "},\"e\":{\"$date\":\"2021-01-01T00:00:00Z\"}}\n"))
            let plain = keyed("set", file, "e", "1")
            #expect(plain.output == text.replacing("}}\n", with: "},\"e\":\"1\"}\n"))
            let strict = keyed("set", file, "e", "2021-01-01T00:00:00Z", "-t", "date")
            #expect(strict.status == 1 && strict.errors.contains("--json coerce or typed"))
            let coerced = keyed(
                "set", file, "e", "2021-01-01T00:00:00Z", "-t", "date", "--json", "coerce")
            #expect(coerced.output.hasSuffix(",\"e\":\"2021-01-01T00:00:00Z\"}\n"))
        }
    }

    @Test("JSON keeps its line endings: LF, CRLF or CR")
    func lineEndings() throws {
        for newline in ["\n", "\r\n", "\r"] {
            let lines = ["{", "  \"a\": 1,", "  \"b\": 2", "}", ""]
            let text = lines.joined(separator: newline)
            try Files.withFile(text.utf8, named: "a.json") { file in
                let run = keyed("set", file, "b", "3")
                #expect(run.bytes == Array(text.replacing("2", with: "3").utf8), "\(run)")
            }
        }
    }

    @Test("an edit of JSON with a key that is not a string is refused, unless it removes the key")
    func pairs() throws {
        let text = #"{"a":1,"p":{"$pairs":[[1,"x"],["b",2]]}}"# + "\n"
        try Files.withFile(text.utf8, named: "a.json") { file in
            for path in ["a", "p.b"] {
                let run = keyed("set", file, path, "3", "--json", "typed", "--lenient")
                #expect(run.status == 1 && run.bytes.isEmpty, "\(path)")
                #expect(
                    run.errors.contains(
                        "expected a string as a dictionary key, found a value of kind integer at "
                            + "line 1, column 24"), "\(path)")
            }
            let run = keyed("remove", file, "p", "--json", "typed", "--lenient")
            #expect(run.output == "{\"a\":1}\n")
        }
    }

    @Test(
        "text keeps its encoding, and an encoding that cannot be written is refused with advice"
    )
    func encodings() throws {
        try Files.withFile("a=b;\n".utf8) { file in
            let run = keyed("set", file, "a", "é", "--encoding", "ISO-8859-1")
            #expect(run.bytes == Array("a=\"".utf8) + [0xE9] + Array("\";\n".utf8))
            let other = keyed("set", file, "a", "é", "--encoding", "macintosh")
            #expect(other.status == 1)
            #expect(
                other.errors.hasSuffix(
                    "`macintosh` but cannot write it (convert the file to UTF-8 first)\n"
                ))
        }
        let wide = Array("a\0=\0b\0;\0".utf8)
        try Files.withFile(wide) { file in
            let run = keyed("set", file, "a", "c", "--encoding", "UTF-16LE")
            #expect(run.output == "a\0=\0c\0;\0")
        }
    }

    @Test(
        "setting one key in the largest genuine file changes exactly its line",
        .enabled(if: Corpus.hasExternal, "there is no external corpus"),
        arguments: ["real-plists/xml", "real-plists/openstep/pbxproj"])
    func largest(folder: String) throws {
        let files = Corpus.external(folder).sorted { $0.bytes.count > $1.bytes.count }
        let found = files.lazy.compactMap { file in
            Self.lastSingleLineString(file.bytes).map { (file, $0) }
        }.first
        let (file, path) = try #require(found)
        try Files.withFile(file.bytes, named: "a.plist") { name in
            let run = keyed("set", name, path.description, "-t", "string", "changed", "-i")
            #expect(run.status == 0 && run.errors == "")
            let old = file.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
            let new = try Files.bytes(name).split(separator: 0x0A, omittingEmptySubsequences: false)
            #expect(old.count == new.count && old.count > 1000)
            let changed = zip(old, new).filter { $0 != $1 }
            #expect(changed.count == 1)
            let line = String(decoding: changed.first?.1 ?? [], as: UTF8.self)
            #expect(line.contains("changed"))
        }
    }

    /// Returns the path of the last dictionary value that is a string without a line break, or nil.
    private static func lastSingleLineString(_ bytes: [UInt8]) -> PropertyListKeyPath? {
        guard let document = try? PropertyListDocument(parsing: bytes) else { return nil }
        var budget = document.budget(.default)
        var walk = DocumentWalk(document.root)
        var found: PropertyListPath?
        while let step = try? walk.next(&budget) {
            guard case .enter(let number, let key) = step, key != nil,
                let text = document.node(number).string, !text.contains("\n")
            else { continue }
            found = walk.path()
        }
        return found.map { PropertyListKeyPath($0) }
    }

    @Test(
        "get reads paths that begin with the key of a root, and follows a reference at the end of a path"
    )
    func archivePaths() {
        let file = Files.archive("save")
        #expect(keyed("get", file, "root.\"NS.objects\"[0].age").output == "36\n")
        #expect(keyed("get", file, "$top.root.\"NS.objects\"[0].age").output == "36\n")
        #expect(
            keyed("get", file, "root.\"NS.objects\"[0].born", "--as", "type").output
                == "dictionary\n")
        #expect(
            keyed("get", file, "root.\"NS.objects\"[0].name", "--as", "bytes").output
                == "Anna Ångström")
        #expect(
            keyed("get", file, "root.\"NS.objects\"[0]", "--as", "keys").output
                == keyed("get", file, "@2", "--as", "keys").output)
        let missing = keyed("get", file, "root.\"NS.objects\"[0].nam")
        #expect(missing.status == 1 && missing.errors.contains("there is `name`"))
        #expect(keyed("get", file, "roots").errors.contains("missing key `roots`"))
    }

    @Test("a value of --from or of -t plist is read with the options of the verb")
    func readingOptions() throws {
        try Files.withFolder { folder in
            let file = folder.appending(path: "a.plist").path
            let date = folder.appending(path: "date.json").path
            let twice = folder.appending(path: "twice.plist").path
            try Data(Files.xml("<dict><key>a</key><true/></dict>")).write(to: URL(filePath: file))
            let text = #"{"$date":"2020-01-02T03:04:05Z"}"#
            try Data(text.utf8).write(to: URL(filePath: date))
            try Data(Files.xml("<dict><key>k</key><true/><key>k</key><false/></dict>"))
                .write(to: URL(filePath: twice))
            for arguments in [["--from", date], ["-t", "plist", text]] {
                let typed = keyed(list: ["set", file, "b", "--json", "typed"] + arguments)
                #expect(typed.output.contains("<date>2020-01-02T03:04:05Z</date>"))
                #expect(keyed(list: ["set", file, "b"] + arguments).output.contains("$date"))
            }
            #expect(keyed("set", file, "b", "--from", twice).status == 1)
            let lenient = keyed("set", file, "b", "--from", twice, "--lenient")
            #expect(lenient.status == 0 && lenient.errors.contains("leniency"))
        }
    }

    @Test("two keyed archives are not merged without a base")
    func archives() throws {
        let (first, second) = (Files.archive("save"), Files.archive("save"))
        let run = keyed("merge", first, second)
        #expect(run.status == 1 && run.bytes.isEmpty)
        #expect(run.errors.contains("cannot merge two keyed archives without --base"))
    }

    @Test("get --as xml reports what XML cannot represent")
    func losses() throws {
        let value: PropertyListValue = ["s": .set([1]), "u": .uid(3)]
        try Files.withFile(Files.binary(value)) { file in
            let run = keyed("get", file, ".", "--as", "xml")
            #expect(run.status == 0)
            #expect(run.errors.contains("set") && run.errors.contains("UID"))
            let target = file + ".xml"
            let captured = keyed("get", file, ".", "--as", "xml", "-o", target)
            #expect(captured.errors == run.errors)
        }
    }

    @Test("an argument that is not UTF-8 is refused, because Swift would replace its bytes")
    func invalidArguments() throws {
        try Files.withFile(Self.text.utf8) { file in
            let command = "'\(keyedPath)' set -i '\(file)' name \"$(printf 'x\\377')\""
            let run = try process("/bin/sh", ["-c", command])
            #expect(run.status == 2)
            #expect(run.errors.contains("expected arguments in UTF-8"))
            #expect(try Files.bytes(file) == Array(Self.text.utf8))
        }
    }

    @Test("a number that is too large or too small for a 32-bit real is refused")
    func single() throws {
        try Files.withFile(Self.text.utf8) { file in
            for number in ["1e300", "1e-60", "-1e-60"] {
                let run = keyed("set", file, "age", "-t", "single", number)
                #expect(run.status == 2, "\(number)")
                #expect(run.errors.contains("expected a value of type single"), "\(number)")
            }
            // The number fits, so it is not a usage error; writing fails, because XML has no 32-bit
            // reals.
            let zero = keyed("set", file, "age", "-t", "single", "0.0")
            #expect(zero.status == 1 && zero.errors.contains("32-bit real"), "\(zero.errors)")
        }
    }

    @Test("get prints scalars plainly, and other forms on request")
    func get() throws {
        try Files.withFile(Self.text.utf8) { file in
            for (arguments, output) in [
                (["name"], "Anna\n"), (["age"], "7\n"), (["blob"], "AAEC\n"),
                (["list"], "array, 1 element\n  [0] \"x\"\n"),
                ([".", "--as", "keys"], "name\nage\nlist\nblob\n"),
                (["list", "--as", "count"], "1\n"), (["blob", "--as", "type"], "data\n"),
                (["blob", "--as", "bytes"], "\0\u{1}\u{2}"),
            ] {
                #expect(keyed(list: ["get", file] + arguments).output == output, "\(arguments)")
            }
            let list = keyed("get", file, "list", "--as", "binary")
            let value = try PropertyListValue(parsing: list.bytes)
            #expect(value == ["x"])
            #expect(keyed("get", file, "age", "--as", "bytes").status == 1)
        }
    }
}

@Suite("keyed diff and merge")
struct DiffCommandTests {
    @Test("diff prints values by path, and its exit code tells whether there are differences")
    func diff() throws {
        try Files.withFolder { folder in
            let files = try Self.write(
                [["a": 1, "b": ["x", "y"], "d": [:]], ["b": ["y"], "a": true, "c": ["k": [0]]]],
                folder)
            let run = keyed("diff", files[0], files[1])
            #expect(run.status == 1)
            #expect(
                run.lines == [
                    "- a: 1", "+ a: true", "- d: dictionary, 0 entries", "+ c.k[0]: 0",
                    "- b[0]: \"x\"",
                ])
            #expect(keyed("diff", files[0], files[0]).status == 0)
            #expect(keyed("diff", "-q", files[0], files[1]).bytes.isEmpty)
            #expect(keyed("diff", files[0], "/nonexistent").status == 1)
        }
    }

    @Test(
        "diff --as-commands prints edits that turn one file into the other, for every kind of value"
    )
    func commands() throws {
        let date = PropertyListDate(secondsSince2001: -0.25)
        let new: PropertyListValue = [
            "a b": .date(date), "c\n": .data([1, 2]), "x.y": ["": .null, "\"": .set([1, 2])],
            "n": [
                .integer(PropertyListInteger(UInt64.max)), -1, .real(PropertyListReal(Float(0.5))),
                0.1,
            ],
            "s": [" lead", "", "#", "\"q\"", "é\u{1}"], "u": .uid(PropertyListUID(9)), "t": true,
        ]
        try Files.withFolder { folder in
            let files = try Self.write([["n": [5, -1, 0.1], "s": "old"], new], folder)
            let commands = keyed("diff", files[0], files[1], "--as-commands")
            #expect(commands.status == 1)
            let script = folder.appending(path: "script").path
            try Data(commands.bytes).write(to: URL(filePath: script))
            let run = keyed("edit", files[0], "--script", script)
            #expect(run.errors == "")
            #expect(try PropertyListValue(parsing: run.bytes) == new)
        }
    }

    @Test("diff compares archives as object graphs, or as property lists with --raw")
    func archives() throws {
        let archive = Files.archive("save")
        let graph = try PropertyListValue(parsing: Files.bytes(archive))
        var objects = Array(graph["$objects"]?.array ?? [])
        objects.append("unused")
        var other = graph
        other["$objects"] = .array(PropertyListArray(objects))
        try Files.withFile(Files.binary(other)) { file in
            #expect(keyed("diff", archive, file).status == 0)
            #expect(keyed("diff", "--raw", archive, file).status == 1)
        }
    }

    @Test("diff shows an object by its class, and truncates a long class name")
    func classNames() throws {
        func archive(_ name: String) -> PropertyListValue {
            let uids = (0..<5).map { PropertyListValue.uid(PropertyListUID($0)) }
            return [
                "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": ["root": uids[1]],
                "$objects": [
                    "$null", ["$class": uids[2], "a": uids[3], "b": uids[4]],
                    ["$classname": "Holder", "$classes": ["Holder", "NSObject"]],
                    name.isEmpty ? "text" : ["$class": uids[4]],
                    ["$classname": .string(name), "$classes": [.string(name), "NSObject"]],
                ],
            ]
        }
        try Files.withFolder { folder in
            let long = String(repeating: "N", count: 1000)
            let files = try Self.write([archive(""), archive(long)], folder)
            let run = keyed("diff", files[0], files[1])
            let cut = String(repeating: "N", count: 200)
            #expect(
                run.lines.prefix(2) == [
                    "- $top.root.a: \"text\"", "+ $top.root.a.$class: class \(cut)…",
                ])
        }
    }

    @Test("merge takes the other side's changes, and reports a conflict without changing the value")
    func merge() throws {
        try Files.withFolder { folder in
            let files = try Self.write(
                [
                    ["a": 1, "b": 1, "l": ["x"]], ["a": 2, "b": 1, "l": ["x", "o"]],
                    ["a": 3, "b": 4, "l": ["x", "t"], "n": 5],
                ], folder)
            let run = keyed("merge", files[1], files[2], "--base", files[0])
            #expect(run.status == 1)
            #expect(run.errors.contains("conflict at a: both changed it"))
            #expect(run.errors.contains("both sides added elements to l"))
            #expect(
                try PropertyListValue(parsing: run.bytes)
                    == ["a": 2, "b": 4, "l": ["x", "o", "t"], "n": 5])
            let two = keyed("merge", files[1], files[2])
            #expect(two.status == 0)
            #expect(
                try PropertyListValue(parsing: two.bytes)
                    == ["a": 3, "b": 4, "l": ["x", "t"], "n": 5])
            #expect(keyed("merge", files[0], files[1], "--at", "nope").status == 1)
        }
    }

    @Test("standard input can be only one of the files to merge")
    func standardInput() {
        for arguments in [["-", "-"], ["a", "-", "--base", "-"], ["-", "a", "--base", "-"]] {
            let run = keyed(list: ["merge"] + arguments)
            #expect(run.status == 2, "\(arguments)")
            #expect(
                run.errors.contains("Standard input cannot be more than one of the files."),
                "\(arguments)")
        }
    }

    @Test(
        "git merges with the command as its merge driver",
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/git"), "there is no git"))
    func git() throws {
        try Files.withFolder { folder in
            let command = keyedPath
            let script = #"""
                set -e
                export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null HOME=$PWD
                export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a
                export GIT_COMMITTER_EMAIL=a@b
                git init -q -b main
                driver='"\#(command)" merge --in-place --base %O --name %P %A %B'
                git config merge.plist.driver "$driver"
                git config diff.plist.textconv '"\#(command)" show --full'
                echo '*.plist merge=plist diff=plist' > .gitattributes
                echo '*.pbxproj merge=plist' >> .gitattributes
                printf '// !$*UTF8*$!\n{\n\tobjects = {\n\t\tA = {\n\t\t\tfiles = (\n' > p.pbxproj
                printf '\t\t\t\tX,\n\t\t\t);\n\t\t};\n\t};\n}\n' >> p.pbxproj
                add() {
                    awk -v n="$1" '{ print } /X,$/ { print "\t\t\t\t" n "," }' p.pbxproj > new
                    mv new p.pbxproj
                }
                cp 0.plist a.plist; git add -A; git commit -qm base
                git checkout -qb other; cp 2.plist a.plist
                add Z
                git commit -qam theirs
                git checkout -q main; cp 1.plist a.plist
                add Y
                git commit -qam ours
                git diff HEAD~ -- a.plist > diff.txt
                git merge -q -m merged other
                git checkout -qb conflicting other; cp 1.plist a.plist; git commit -qam conflicting
                git checkout -q main; cp 3.plist a.plist; git commit -qam again
                git merge -q conflicting 2> conflict.txt || true
                """#
            _ = try Self.write(
                [
                    ["a": 1, "b": 1], ["a": 2, "b": 1], ["a": 1, "b": 2, "c": 3],
                    ["a": 2, "b": 2, "c": 4],
                ], folder)
            let lines = try shell(script, in: folder)
            #expect(lines.last?.hasPrefix("[exit") != true, "\(lines)")
            let merged = try process(
                "/usr/bin/git", ["show", "main~:a.plist"], in: folder)
            #expect(try PropertyListValue(parsing: merged.bytes) == ["a": 2, "b": 2, "c": 3])
            let conflict = try Files.bytes(folder.appending(path: "conflict.txt").path)
            #expect(
                String(decoding: conflict, as: UTF8.self)
                    == "a.plist: conflict at c: ours changed it, theirs removed it\n")
            let project = try Files.bytes(folder.appending(path: "p.pbxproj").path)
            #expect(
                String(decoding: project, as: UTF8.self).contains(
                    "\t\t\t\tX,\n\t\t\t\tY,\n\t\t\t\tZ,\n\t\t\t);"))
            let difference = try Files.bytes(folder.appending(path: "diff.txt").path)
            #expect(String(decoding: difference, as: UTF8.self).contains("+  a: 2"))
        }
    }

    private static func write(_ values: [PropertyListValue], _ folder: URL) throws -> [String] {
        try values.enumerated().map { number, value in
            let file = folder.appending(path: "\(number).plist")
            try Data(Files.binary(value)).write(to: file)
            return file.path
        }
    }
}

/// Returns the lines that a shell command prints, and its exit code if that is not 0. Programs in
/// the folder `programs` take precedence over those of the system.
func shell(
    _ command: String, in folder: URL, _ programs: URL? = nil
) throws -> [String] {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", command]
    process.currentDirectoryURL = folder
    let path = programs.map { "\($0.path):" } ?? ""
    process.environment = ["PATH": path + "/usr/bin:/bin", "LC_ALL": "C"]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    var lines = String(decoding: bytes, as: UTF8.self)
        .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    if process.terminationStatus != 0 { lines.append("[exit \(process.terminationStatus)]") }
    return lines
}

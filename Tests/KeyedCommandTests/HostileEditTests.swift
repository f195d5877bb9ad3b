// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import TestSupport
import Testing

@testable import KeyedCommand

/// Edits, merges and conversions of hostile or unusual input: their cost, refusals and escaping.
@Suite("Edits and project files with hostile input")
struct HostileEditTests {
    /// Runs the built command with limits on address space and processor time.
    private func limited(_ arguments: [String], megabytes: Int = 700) throws -> Run {
        try process(
            "/bin/sh",
            ["-c", "ulimit -v \(megabytes << 10); ulimit -t 20; exec \"$0\" \"$@\"", keyedPath]
                + arguments + ["--limits", "untrusted"])
    }

    @Test("a property list in a script must be text, and counts against the budget of the run")
    func values() throws {
        let nested = (0..<15).reduce("1") { text, _ in "(\(text), \(text))" }
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        let large = "[" + Array(repeating: deep, count: 700).joined(separator: ",") + "]"
        try Files.withFile(Files.xml("<dict/>")) { file in
            let binary = keyed("edit", file, "set a plist bplist00\u{8}")
            #expect(binary.status == 2)
            #expect(binary.errors.contains("expected text, found a binary property list"))
            let script = "set a plist \(nested)\n"
            try Files.withFile(script.utf8, named: "script") { script in
                #expect(keyed("edit", file, "--script", script).status == 0)
            }
            // The first value leaves too little of the budget for the second.
            let values = "set a plist \(large)\nset b plist \(large)\n"
            try Files.withFile(values.utf8, named: "script") { script in
                let run = keyed("edit", file, "--script", script, "--limits", "untrusted")
                #expect(run.status == 4)
                #expect(
                    run.errors.contains(
                        "line 2: the value cannot be read as a property list: expected at most"),
                    "\(run.errors.prefix(300))")
            }
        }
    }

    @Test("the values of a shared nested property list count once for each place that is edited")
    func sharedContents() throws {
        let count = 6000
        let inner = BinaryAssembler(
            [.array(Array(repeating: 1, count: 2 * count)), .integer(1)], offsetWidth: 2,
            referenceWidth: 2
        ).bytes
        let outer = BinaryAssembler(
            [.array(Array(repeating: 1, count: count)), .data(inner)], offsetWidth: 2)
        try Files.withFile(outer.bytes) { file in
            let edits = (0..<count).map { "set [\($0)]![0] integer 2" }
            try Files.withFile(edits.joined(separator: "\n").utf8, named: "script") { script in
                let run = try limited(["edit", file, "--script", script, "-o", "/dev/null"])
                #expect(run.status == 4, "\(run.status) \(run.errors)")
                #expect(run.errors.contains("expected shared containers to expand to at most"))
            }
            let few = Array(edits.prefix(5))
            let verb = ["edit", file, "--limits", "untrusted", "-o", "/dev/null"]
            #expect(keyed(list: verb + few).status == 0)
        }
    }

    @Test("a file's name is computed once for many build phases; long texts are not used as names")
    func projectFiles() throws {
        let files = (0..<2000).map { "F\($0)" }.joined(separator: ", ")
        let phases = (0..<20).map {
            "P\($0) = { isa = PBXSourcesBuildPhase; files = (\(files)); };"
        }.joined()
        let name = String(repeating: "n", count: 200_000) + "*/"
        let references = Array(repeating: "X", count: 50_000).joined(separator: ", ")
        let text = """
            // !$*UTF8*$!
            { archiveVersion = 1; objects = { \(phases)
            X = { isa = PBXFileReference; name = "\(name)"; };
            G = { isa = PBXGroup; children = (\(references)); }; }; rootObject = G; }
            """
        try Files.withFile(text.utf8) { file in
            let run = try limited(["convert", "pbxproj", file])
            #expect(run.status == 0, "\(run.errors.prefix(300))")
            #expect(!run.output.contains("/* nnn"))
        }
    }

    @Test(
        "the name of an object with thousands of references is computed once, whatever its length")
    func sharedNames() throws {
        let name = "\u{301}" + String(repeating: "/", count: 2040) + "x"
        for (key, isa, url) in [
            ("repositoryURL", "XCRemoteSwiftPackageReference", name),
            ("name", String(name.prefix(1000)), name),
        ] {
            let count = 200_000
            let objects: [BinaryAssembler.Object] = [
                .dictionary([1, 2], [3, 4]), .ascii("objects"), .ascii("z"),
                .dictionary([5], [6]), .array(Array(repeating: 5, count: count)), .ascii("A"),
                .dictionary([7, 8], [9, 10]), .ascii("isa"), .ascii(key),
                .utf16(Array(isa.utf16)), .utf16(Array((url + "*/").utf16)),
            ]
            try Files.withFile(BinaryAssembler(objects, offsetWidth: 4).bytes) { file in
                let run = try limited(["convert", "pbxproj", file])
                #expect(run.status == 0, "\(run.errors.prefix(300))")
                #expect(run.output.contains("\t\tA"))
            }
        }
    }

    @Test("an edit whose resulting text has no recognizable format is refused")
    func bareRoots() throws {
        for (text, format) in [("[1]", "JSON"), ("{ a = b; }", "OpenStep")] {
            try Files.withFile(text.utf8) { file in
                let run = keyed("set", file, ".", "hello", "-t", "string")
                #expect(run.status == 1)
                #expect(run.output == "")
                #expect(
                    run.errors.contains(
                        "\(format) property list: the edited text has no recognizable format"
                    ),
                    "\(run.errors)")
            }
        }
        try Files.withFile("[1]".utf8) { file in
            #expect(keyed("set", file, ".", "-t", "array").output == "[]")
        }
    }

    /// An array with one element, in each text format.
    private static let texts = [
        Files.xml("<array>\n<array/>\n</array>"), Array("(a)".utf8), Array("[[]]".utf8),
    ]

    @Test("a value that is inserted into text many times takes little memory and time")
    func additions() throws {
        let count = Exhaustive.size(400_000, inDebug: 100_000)
        let many = BinaryAssembler(
            [.array(Array(repeating: 1, count: count)), .array([])], offsetWidth: 4
        ).bytes
        for text in Exhaustive.sample(Self.texts, oneIn: 3) {
            try Files.withFile(text) { file in
                try Files.withFile(many, named: "other") { other in
                    let run = try limited(["merge", file, other], megabytes: 400)
                    #expect(run.status == 0, "\(run.errors.prefix(300))")
                    #expect(run.bytes.count > 2 * count)
                }
            }
        }
    }

    @Test("a value that refers twice to a long array is charged for the memory that it takes")
    func builtValues() throws {
        let references = [UInt64](repeating: 2, count: 900_000)
        let leaves = [BinaryAssembler.Object.array([]), .ascii("a"), .raw([0x09])]
        for leaf in Exhaustive.sample(leaves, oneIn: 3) {
            let many = BinaryAssembler(
                [.array([1, 1]), .array(references), leaf], offsetWidth: 4
            ).bytes
            for text in Exhaustive.sample(Self.texts, oneIn: 3) {
                try Files.withFile(text) { file in
                    try Files.withFile(many, named: "other") { other in
                        for verb in [
                            ["set", file, "[0]", "--from", other], ["merge", file, other],
                        ] {
                            let run = try limited(verb, megabytes: 400)
                            #expect(run.status == 4, "\(run.errors.prefix(300))")
                            #expect(run.bytes.isEmpty)
                        }
                    }
                }
            }
        }
    }

    @Test("containers that a script modifies are charged for the memory that they take")
    func openedContainers() throws {
        let (count, depth) = (4500, 100)
        var objects: [BinaryAssembler.Object] = [
            .array(Array(repeating: 2, count: count)), .ascii("a"),
        ]
        objects += (0..<depth).map { .dictionary([1], [UInt64($0 + 3)]) } + [.ascii("b")]
        let file = BinaryAssembler(objects, offsetWidth: 4, referenceWidth: 4).bytes
        let path = Array(repeating: "a", count: depth).joined(separator: ".")
        let script = (0..<count).map { "set [\($0)].\(path) c\n" }.joined()
        try Files.withFile(file) { file in
            try Files.withFile(script.utf8, named: "script") { script in
                let run = try limited(["edit", file, "--script", script, "-o", "/dev/null"])
                #expect(run.status == 4, "\(run.errors.prefix(300))")
            }
            let few = (0..<Exhaustive.size(40, inDebug: 10)).map { "set [\($0)].\(path) c" }
            #expect(keyed(list: ["edit", file, "-o", "/dev/null"] + few).status == 0)
        }
    }

    @Test("edited JSON without a final newline gets none, whether it is a file or within a string")
    func lastLineOfJSON() throws {
        try Files.withFile("{\"a\":1}".utf8) { file in
            #expect(keyed("set", file, "a", "2").output == "{\"a\":2}")
        }
        let nested = Files.xml("<array><string>{\"a\":1}</string></array>")
        try Files.withFile(nested) { file in
            let run = keyed("set", file, "[0]!a", "2")
            #expect(run.output.contains("<string>{\"a\":2}</string>"))
        }
    }

    @Test("inserting a key after a missing key is refused")
    func missingPreviousKey() throws {
        try Files.withFile(Files.xml("<dict><key>a</key><integer>1</integer></dict>")) { file in
            let run = keyed("edit", file, #"insert q after "nokey" integer 1"#)
            #expect(run.status == 1 && run.output.isEmpty)
            #expect(run.errors.contains("missing key `nokey` to insert after"))
        }
        try Files.withFile("[1]".utf8) { file in
            let run = keyed("edit", file, #"insert [0] after "k" integer 1"#)
            #expect(run.status == 1 && run.errors.contains("cannot be inserted after a key"))
        }
    }

    @Test("class names and object identifiers that could end a comment are left out of comments")
    func commentsOfProjects() throws {
        let objects: [PropertyListValue] = [
            [
                "A0": ["isa": "*/ Z = { /*", "name": "n"], "A1": ["isa": "*/ }; /*", "name": "n"],
                "B0": ["isa": "/**/", "name": "n"], "B1": ["isa": "PBXGroup", "name": "n"],
            ],
            [
                "A0": ["isa": "X"], "\n{": ["isa": "X"], "\u{0}\u{1}": ["isa": "X"],
                "B1": ["isa": "X"],
            ],
        ]
        for (objects, version) in zip(objects, ["46", "40"]) {
            let project: PropertyListValue = [
                "archiveVersion": "1", "objectVersion": .string(version), "objects": objects,
            ]
            try Files.withFile(Files.binary(project)) { file in
                let run = keyed("convert", "pbxproj", file, "-o", "-")
                #expect(run.status == 0, "\(run.errors)")
                let read = try PropertyListDocument(parsing: run.bytes, format: .openStep)
                #expect(try read.root.value() == project)
            }
        }
    }

    @Test("XML in a string is refused if it declares another encoding")
    func encodingInString() throws {
        let xml = """
            <?xml version="1.0" encoding="ISO-8859-1"?><plist version="1.0"><array>\
            <string>é</string></array></plist>
            """
        try Files.withFile(Files.binary(["s": .string(xml)])) { file in
            for verb in [["get", file, "s![0]"], ["set", file, "s![0]", "ü"]] {
                let run = keyed(list: verb)
                #expect(run.status == 1)
                #expect(
                    run.errors.contains("found another encoding"), "\(run.errors)")
            }
        }
    }

    @Test("property lists in shared data count once for each place that is edited")
    func nestedBytes() throws {
        let text = String(repeating: "t", count: 100_000)
        let inner = BinaryAssembler(
            [.array([1, 2]), .ascii(text), .ascii("b")], offsetWidth: 4
        ).bytes
        let count = 4000
        let outer = BinaryAssembler(
            [.array(Array(repeating: 1, count: count)), .data(inner)], offsetWidth: 4)
        try Files.withFile(outer.bytes) { file in
            let script = (0..<count).map { "set [\($0)]![1] string x\n" }.joined()
            try Files.withFile(script.utf8, named: "script") { script in
                let run = try limited(["edit", file, "--script", script, "-o", "/dev/null"])
                #expect(run.status == 4, "\(run.status) \(run.errors)")
            }
        }
    }

    @Test(
        "new text is counted while it is generated, because each line may have a long indentation")
    func longIndentation() throws {
        let blanks = String(repeating: " ", count: 200_000)
        let many = "(" + String(repeating: "a,", count: 20_000) + ")"
        let sources = [
            "(\n\(blanks)a\n)", "<plist><array>\n\(blanks)<string>a</string>\n</array></plist>",
        ]
        for source in sources {
            try Files.withFile(source.utf8) { file in
                for script in ["append : plist \(many)\n", "append : plist (\(many))\n"] {
                    try Files.withFile(script.utf8, named: "script") { script in
                        let run = try limited(
                            ["edit", file, "--lenient", "--script", script, "-o", "/dev/null"])
                        #expect(run.status == 4, "\(run.status) \(run.errors.prefix(300))")
                    }
                }
            }
        }
    }

    @Test("the output limit grows with the input, not with new values")
    func deepValues() throws {
        // Each value takes two bytes here, and a line of 240 bytes in JSON.
        let count = 100_000
        let open = String(repeating: "(", count: 118)
        let close = String(repeating: ")", count: 118)
        let deep = open + Array(repeating: "a", count: count).joined(separator: ",") + close
        try Files.withFolder { folder in
            func written(_ name: String, _ text: String) throws -> String {
                let file = folder.appending(path: name)
                try Data(text.utf8).write(to: file)
                return file.path
            }
            let file = try written("source", "{\n  \"a\": []\n}\n")
            let value = try written("value", deep)
            let entry = try written("entry", "{a = \(deep);}")
            let script = try written("script", "set a plist \(deep)\n")
            let commands = [
                ["set", file, "a", "--from", value],
                ["edit", file, "--script", script],
                ["merge", file, entry],
                ["merge", file, value, "--at", "a"],
            ]
            for arguments in Exhaustive.sample(commands, oneIn: 4) {
                let run = try limited(arguments + ["-o", "/dev/null"], megabytes: 400)
                #expect(run.status == 4, "\(arguments): \(run.status) \(run.errors.prefix(300))")
                #expect(run.errors.contains("bytes of output"), "\(run.errors.prefix(300))")
            }
        }
    }

    /// Returns an array with `count` references to one property list of 900 KB.
    private static func array(ofOneList count: Int) -> BinaryAssembler {
        let data = [UInt8](repeating: 7, count: 900_000)
        let inner = BinaryAssembler([.array([1, 2]), .integer(1), .data(data)]).bytes
        return BinaryAssembler([.array(Array(repeating: 1, count: count)), .data(inner)])
    }

    @Test("results of nested property lists share the output limit")
    func manyNestedResults() throws {
        let count = 30
        let outer = Self.array(ofOneList: count)
        try Files.withFile(outer.bytes) { file in
            let lines = (0..<count).map { "set [\($0)]![0] integer \($0)\n" }.joined()
            try Files.withFile(lines.utf8, named: "script") { script in
                let run = try limited(
                    ["edit", file, "--script", script, "-o", "/dev/null"], megabytes: 350)
                #expect(run.status == 4 && run.errors.contains("bytes of output"), "\(run.errors)")
            }
        }
    }

    @Test("a property list within a removed value is not written")
    func removedNested() throws {
        let count = 30
        let outer = Self.array(ofOneList: count)
        try Files.withFile(outer.bytes) { file in
            let lines = (0..<count).map { _ in "set [0]![0] integer 2\nremove [0]\n" }.joined()
            try Files.withFile(lines.utf8, named: "script") { script in
                let run = try limited(["edit", file, "--script", script, "-o", "-"])
                #expect(run.status == 0, "\(run.errors)")
                #expect(try PropertyListValue(parsing: run.bytes) == [])
            }
        }
    }

    @Test("an edit of a binary property list in a string is refused if its result is not UTF-8")
    func binaryInString() throws {
        let inner = String(decoding: BinaryAssembler([.integer(1)]).bytes, as: UTF8.self)
        let outer = BinaryAssembler([.array([1]), .ascii(inner)])
        try Files.withFile(outer.bytes) { file in
            let refused = keyed("set", file, "[0]!", "-t", "hex", "ff00ff", "-o", "-")
            #expect(refused.status == 1)
            #expect(refused.errors.contains("its new bytes are not UTF-8"), "\(refused.errors)")
            let fine = keyed("set", file, "[0]!", "-t", "integer", "2", "-o", "-")
            #expect(fine.status == 0, "\(fine.errors)")
        }
    }

    @Test("a real number that is out of range is refused")
    func infiniteReal() throws {
        try Files.withFile(Files.xml("<dict/>")) { file in
            #expect(keyed("set", file, "x", "-t", "real", "1e400").status == 2)
            #expect(keyed("set", file, "x", "-t", "real", "1e300").status == 0)
        }
    }

    @Test("edited JSON keeps its byte order mark and its line endings")
    func mannerOfJSON() throws {
        let source = "\u{FEFF}{\r\n  \"a\": \"x\\ny\",\r\n  \"b\": 1\r\n}\r\n"
        try Files.withFile(source.utf8) { file in
            #expect(keyed("set", file, "b", "2", "--in-place").status == 0)
            let edited = try Files.bytes(file)
            #expect(edited == Array(source.replacing("\"b\": 1", with: "\"b\": 2").utf8))
        }
    }

    @Test("edited JSON on one line stays on it, even if a byte order mark and blank lines precede")
    func lineOfJSON() throws {
        for head in ["\u{FEFF}", "\n", "\u{FEFF}\n"] {
            try Files.withFile((head + #"{"a": [1, 2], "b": 1}"#).utf8) { file in
                #expect(keyed("set", file, "b", "2", "--in-place").status == 0)
                let edited = String(decoding: try Files.bytes(file), as: UTF8.self)
                #expect(edited.contains(#"[1,2],"b":2}"#), "\(edited)")
            }
        }
    }

    @Test("long white space next to many inserted children is read once")
    func longBlank() throws {
        let count = 5000
        let blank = String(repeating: "\n", count: 400_000)
        let rest = String(repeating: "<true/>\n", count: count)
        let source =
            "<plist version=\"1.0\"><array>\n<true/>\(blank)<true/>\n\(rest)</array></plist>"
        try Files.withFile(source.utf8) { file in
            let script = (0..<count).map { "insert [\(2 + 2 * $0)] string a\n" }.joined()
            try Files.withFile(script.utf8, named: "script") { script in
                let run = try limited(
                    ["edit", file, "--script", script, "-o", "/dev/null"], megabytes: 900)
                #expect(run.status == 0, "\(run.status) \(run.errors.prefix(300))")
            }
        }
    }

    @Test("a script that is not UTF-8 is refused")
    func encoding() throws {
        try Files.withFile(Files.xml("<dict/>")) { file in
            try Files.withFile(
                Array("set a M".utf8) + [0xFC] + Array("ller\n".utf8), named: "script"
            ) {
                let run = keyed("edit", file, "--script", $0)
                #expect(run.status == 1)
                #expect(run.errors.hasSuffix("script: expected UTF-8 text\n"))
            }
        }
    }

    @Test("--ordered cannot be combined with --as-commands")
    func ordered() {
        #expect(keyed("diff", "--ordered", "--as-commands", "a", "b").status == 2)
    }

    @Test("merge lists twenty conflicts, and counts the rest")
    func conflicts() throws {
        let text = { (value: Int) in
            Array(
                ("{" + (0..<1000).map { "\"k\($0)\": \(value)" }.joined(separator: ",") + "}").utf8)
        }
        try Files.withFolder { folder in
            let paths = try (0..<3).map { number in
                let file = folder.appending(path: "\(number).json")
                try Data(text(number)).write(to: file)
                return file.path
            }
            let run = keyed("merge", paths[1], paths[2], "--base", paths[0])
            #expect(run.status == 1)
            #expect(run.errors.contains("980 more conflicts"))
            #expect(run.errors.split(separator: "\n").count == 21)
        }
    }

    @Test(
        "JSON escapes invisible characters and bidirectional controls, and decodes to the same text"
    )
    func marksInJSON() throws {
        let text = "\u{202E}\u{9B}31m\u{2028}\u{7F}\u{E0041}"
        try Files.withFile(Files.binary([text: .string(text)])) { file in
            for verb in [["show", "--json"], ["carve", "--json", "--depth", "9"]] {
                let run = keyed(list: verb + [file])
                #expect(run.status == 0)
                let isPlain = run.output.unicodeScalars.allSatisfy {
                    $0 == "\n" || (0x20..<0x7F).contains($0.value)
                }
                #expect(isPlain, "\(verb)")
                #expect(run.output.contains("\\u202e\\u009b31m\\u2028\\u007f\\udb40\\udc41"))
                let values = try run.lines.compactMap {
                    try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
                }
                #expect(values.contains { $0["value"] as? String == text }, "\(verb)")
            }
        }
    }

    @Test("error messages escape control characters in arguments")
    func arguments() {
        for arguments in [
            ["show", "a", "--x\u{1B}[31m\u{202E}"], ["show", "a", "--depth", "\u{9B}1m"],
        ] {
            let run = keyed(list: arguments)
            #expect(run.status == 2)
            let isPlain = run.errors.unicodeScalars.allSatisfy {
                $0 == "\n"
                    || $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value)
                        && $0 != "\u{202E}"
            }
            #expect(isPlain, "\(run.errors)")
            #expect(run.errors.contains("\\u{"))
        }
    }

    @Test("invisible characters and bidirectional controls are escaped")
    func marks() throws {
        for scalar: Unicode.Scalar in ["\u{61C}", "\u{206A}", "\u{FFF9}", "\u{E0041}", "\u{202E}"] {
            try Files.withFile(Files.binary([String(scalar): .string(String(scalar))])) { file in
                for verb in [["show", file], ["get", file, ".", "--as", "keys"]] {
                    let run = keyed(list: verb)
                    #expect(!run.output.unicodeScalars.contains(scalar), "\(verb[0])")
                }
            }
        }
    }
}

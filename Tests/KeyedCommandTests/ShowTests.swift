// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import TestSupport
import Testing

@Suite("keyed show")
struct ShowTests {
    @Test("prints an archive as a tree of objects")
    func archive() {
        let run = keyed("show", Files.archive("save"))
        #expect(run.status == 0)
        #expect(run.errors == "")
        #expect(
            run.output == """
                keyed archive by NSKeyedArchiver, binary, 23 objects
                level: 3
                extras: NSDictionary, 3 entries
                  "session": NSUUID E621E1F8-C36C-495A-93FC-0C247A3E6E5F
                  "thumbnail": 12 bytes (PNG): 89504e470d0a1a0a0000000d
                  "site": NSURL "https://example.com/saves/1"
                root: NSArray @1, 2 elements
                  [0] App.Save
                    name: "Anna Ångström"
                    age: 36
                    sex: true
                    born: NSDate 1989-10-13T00:00:00Z
                    friends: NSArray, 1 element
                      [0] App.Save @7
                        born: NSDate 1984-10-13T00:00:00.25Z
                        age: 41
                        name: "Bob"
                        sex: false
                        friends: → @1
                  [1] → @7

                """)
    }

    @Test("prints cycles once, and prints nil, several roots and keys that are objects")
    func shapes() {
        #expect(
            keyed("show", Files.archive("cycle")).lines.dropFirst() == [
                "root: NSMutableArray @1, 1 element", "  [0] → @1",
            ])
        #expect(keyed("show", Files.archive("nodes")).output.contains("  owner: nil\n"))
        #expect(
            keyed("show", Files.archive("roots")).lines == [
                "keyed archive by SCNKeyedArchiver, binary, 4 objects",
                "State: NSArray, 1 element", "  [0] \"shared\"", "count: 3", "text: \"shared\"",
                "nothing: nil",
            ])
        #expect(
            keyed("show", Files.archive("object-keys")).lines.dropFirst(2) == [
                "  7: \"seven\"", "  [1] key: NSArray, 0 elements", "  [1] value: → @1",
            ])
    }

    @Test("prints a collection with numbered fields (`NS.object.0`, …) as a collection")
    func numberedCollections() throws {
        func described(_ name: String) -> PropertyListValue {
            ["$classname": .string(name), "$classes": [.string(name), "NSObject"]]
        }
        let archive: PropertyListValue = [
            "$archiver": "NSKeyedArchiver", "$version": 100000,
            "$top": [
                "list": .uid(1), "pairs": .uid(2), "none": .uid(3), "gap": .uid(4), "odd": .uid(5),
                "empty": .uid(6),
            ],
            "$objects": [
                "$null",
                ["NS.object.1": .uid(10), "NS.object.0": .uid(9), "$class": .uid(7)],
                [
                    "NS.key.0": .uid(9), "NS.object.0": .uid(10), "NS.object.1": .uid(1),
                    "NS.key.1": .uid(1), "$class": .uid(8),
                ],
                ["$class": .uid(7)],
                ["NS.object.0": .uid(9), "NS.object.2": .uid(9), "$class": .uid(7)],
                ["NS.object.0": .uid(9), "name": .uid(9), "$class": .uid(7)],
                ["$class": .uid(8)],
                described("NSOrderedSet"), described("NSDictionary"), "first", "second",
            ],
        ]
        try Files.withFile(Files.binary(archive)) { file in
            #expect(
                keyed("show", file).lines.dropFirst() == [
                    "list: NSOrderedSet @1, 2 elements",
                    #"  [0] "first""#,
                    #"  [1] "second""#,
                    "pairs: NSDictionary, 2 entries",
                    #"  "first": "second""#,
                    "  [1] key: → @1",
                    "  [1] value: → @1",
                    "none: NSOrderedSet, 0 elements",
                    "gap: NSOrderedSet",
                    #"  NS.object.0: "first""#,
                    #"  NS.object.2: "first""#,
                    "odd: NSOrderedSet",
                    #"  NS.object.0: "first""#,
                    #"  name: "first""#,
                    "empty: NSDictionary, 0 entries",
                ])
            // The paths in the JSON output name the fields, and `keyed get` resolves them.
            let json = keyed("show", "--json", file).output
            for (path, text) in [
                (#"@1."NS.object.1""#, "second"), (#"@2."NS.object.0""#, "second"),
            ] {
                let escaped = path.replacing("\"", with: "\\\"")
                #expect(json.contains(#"{"path":"\#(escaped)","#), "\(path)")
                #expect(keyed("get", file, path).output == "\(text)\n")
            }
        }
    }

    @Test("reports unreachable objects, and prints them with --all")
    func unreached() {
        let run = keyed("show", Files.archive("unreached"))
        #expect(run.lines.last == "(2 objects unreachable from the roots; --all shows them)")
        #expect(
            keyed("show", "--all", Files.archive("unreached")).lines.suffix(3) == [
                "2 objects unreachable from the roots:", "App.Node @2", "  name: \"not seen\"",
            ])
        let cut = keyed("show", "--depth", "1", Files.archive("unreached"))
        #expect(cut.lines.last == "(2 objects unreachable from the roots; --all shows them)")
        let json = keyed("show", "--json", Files.archive("unreached"))
        #expect(json.status == 0)
        #expect(
            json.errors.hasSuffix("2 objects unreachable from the roots; --all shows them\n"),
            "\(json.errors)")
    }

    @Test("prints unreachable objects that only refer to each other")
    func unreachedCycle() throws {
        let objects: [PropertyListValue] = [
            "$null", "root",
            .dictionary(["next": .uid(3), "$class": .uid(4)]),
            .dictionary(["next": .uid(2), "$class": .uid(4)]),
            .dictionary(["$classname": "App.Node", "$classes": ["App.Node", "NSObject"]]),
        ]
        let bytes = try Files.binary([
            "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": ["root": .uid(1)],
            "$objects": .array(PropertyListArray(objects)),
        ])
        try Files.withFile(bytes) { file in
            #expect(
                keyed("show", "--all", file).lines.dropFirst() == [
                    "root: \"root\"", "2 objects unreachable from the roots:", "App.Node @2",
                    "  next: App.Node", "    next: → @2",
                ])
            #expect(
                keyed("show", "--all", "--depth", "1", file).lines.suffix(2) == [
                    "App.Node @2", "  next: App.Node …",
                ])
        }
    }

    @Test("stops at --depth")
    func depth() {
        #expect(
            keyed("show", "--depth", "1", Files.archive("nodes")).lines.dropFirst() == [
                "root: App.Node @1", "  name: \"first\"", "  next: App.Node …", "  owner: nil",
            ])
        #expect(keyed("show", "--depth", "-1", Files.archive("nodes")).status == 2)
    }

    @Test("prints UIDs, object numbers and offsets with --raw")
    func raw() {
        let lines = keyed("show", "--raw", Files.archive("cycle")).lines
        #expect(lines[1].hasPrefix("dictionary, 4 entries  [#0 at 8]"))
        #expect(lines.contains { $0.hasPrefix("    root: UID 1  [#") })
    }

    @Test("prints a plain property list")
    func plain() throws {
        let value: PropertyListValue = [
            "a.b": [1, 2.5, true], "": .date(PropertyListDate(secondsSince2001: 0)),
            "data": .data([0, 255]), "set": .set(["x"]), "null": .null, "uid": .uid(3),
        ]
        try Files.withFile(Files.binary(value)) { file in
            #expect(
                keyed("show", file).lines == [
                    "binary property list", "dictionary, 6 entries", "  a.b: array, 3 elements",
                    "    [0] 1", "    [1] 2.5", "    [2] true", "  \"\": 2001-01-01T00:00:00Z",
                    "  data: 2 bytes: 00ff", "  set: set, 1 element", "    [0] \"x\"",
                    "  null: null",
                    "  uid: UID 3",
                ])
        }
    }

    @Test("escapes control characters in values, keys, class names and errors")
    func escaping() throws {
        let evil = "a\u{1B}[2J\u{202E}\"\\\n"
        let value: PropertyListValue = [
            "$version": 100_000, "$archiver": .string(evil), "$top": [evil: .uid(1)],
            "$objects": [
                "$null", [evil: .string(evil), "$class": .uid(2)],
                ["$classname": .string(evil)],
            ],
        ]
        try Files.withFile(Files.binary(value)) { file in
            for arguments in [
                ["show"], ["show", "--raw"], ["classes"], ["inspect"],
                ["show", "--allow", "foundation"],
            ] {
                let run = keyed(list: arguments + [file])
                let text = run.output + run.errors
                #expect(!text.unicodeScalars.contains("\u{1B}"))
                #expect(!text.unicodeScalars.contains("\u{202E}"))
                #expect(run.output.contains("\\u{1b}[2J"))
            }
            let refused = keyed("show", "--allow", "foundation", file)
            #expect(refused.errors.contains("of class a\\u{1b}[2J"))
        }
    }

    @Test("truncates long strings and data, unless --full is given")
    func previews() throws {
        let value: PropertyListValue = [
            .string(String(repeating: "x", count: 1000)), .data([UInt8](repeating: 7, count: 100)),
        ]
        try Files.withFile(Files.binary(value)) { file in
            let run = keyed("show", file)
            #expect(run.output.contains("x\"… (1000 bytes)"))
            #expect(run.output.contains("100 bytes: 07070707070707070707070707070707…"))
            #expect(keyed("show", "--full", file).output.count > 1200)
        }
    }

    @Test(
        "shows the readable part of a malformed archive, reports the error, and exits with 3",
        arguments: [
            (
                "dangling-reference",
                "expected a reference to one of 4 objects, found one to object 99"
            ),
            ("dangling-class", "object 1: its `$class` is object 77, but there are only 3 objects"),
            ("class-not-a-uid", "object 1: its `$class` is of kind string, not a UID"),
            ("no-class", "object 1: it has no `$class`"),
            ("object-is-an-array", "object 1: expected an object, found a value of kind array"),
            (
                "name-not-a-string",
                "class description 2: `$classname` is of kind integer, not a string"
            ),
        ])
    func malformed(name: String, problem: String) {
        let run = keyed("show", Files.archive("malformed/\(name)"))
        #expect(run.status == 3)
        #expect(run.output.contains("root: "))
        #expect(run.errors.contains(problem))
        #expect(run.errors.contains("shown in part"))
    }

    @Test("shows the readable part of a damaged file, but refuses it with --strict")
    func damaged() throws {
        var bytes = try Files.bytes(Files.archive("nodes"))
        // The marker of the string "first" precedes it.
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: "first".utf8) })
        bytes[place - 1] = 0xFF
        try Files.withFile(bytes) { file in
            let run = keyed("show", file)
            #expect(run.status == 3)
            #expect(run.output.contains("name: <unreadable>"))
            #expect(run.output.contains("name: \"second\""))
            #expect(
                run.errors.contains(
                    "expected the marker of an object, found 0xff at byte \(place - 1)"))
            #expect(keyed("show", "--strict", file).status == 1)
        }
    }

    @Test("refuses a file that is not a property list, with a message of one line")
    func refused() throws {
        try Files.withFile("nothing".utf8) { file in
            let run = keyed("show", file)
            #expect(run.status == 1)
            #expect(
                run.errors
                    == "\(file): unrecognized format: not a binary, XML, OpenStep or JSON property list at byte 0 (search it for property lists with keyed carve)\n"
            )
        }
        let missing = keyed("show", "/nowhere/at all")
        #expect(missing.status == 1)
        #expect(missing.errors == "/nowhere/at all: No such file or directory\n")
        #expect(keyed("show", "/").errors == "/: expected a file, found a directory\n")
    }

    @Test("describes an error that no leniency allows, and suggests no leniency")
    func beyondLeniency() throws {
        try Files.withFile("\n<?xml version=\"1.0\"?><plist></plist>".utf8) { file in
            for arguments in [["show", file], ["explore", file, "-o", "-"], ["inspect", file]] {
                let run = keyed(list: arguments)
                #expect(run.status == 1)
                #expect(run.errors.contains("expected a value in `<plist>`, found none"))
                #expect(!run.errors.contains("--strict"))
            }
            let strict = keyed("show", "--strict", file)
            #expect(strict.status == 1)
            #expect(
                strict.errors.contains(
                    "(omit --strict to allow the leniency leadingWhitespace)"))
        }
        // Neither `show` nor `inspect` has the option --lenient.
        try Files.withFile("<plist>&#1;".utf8) { file in
            for verb in ["show", "inspect"] {
                let run = keyed(verb, file)
                #expect(run.status == 1)
                #expect(!run.errors.contains("lenien"), "\(run.errors)")
            }
        }
    }

    @Test("stops at the limit for an expanding file of shared containers, with exit code 4")
    func bomb() throws {
        // Forty arrays, each of which contains the next one twice.
        var objects: [UInt8] = []
        var offsets: [UInt8] = []
        for level in UInt8(0)..<40 {
            offsets.append(8 + UInt8(objects.count))
            objects += [0xA2, level + 1, level + 1]
        }
        offsets.append(8 + UInt8(objects.count))
        objects += [0x08]
        var bytes = Array("bplist00".utf8) + objects + offsets + [0, 0, 0, 0, 0, 0, 1, 1]
        bytes += [0, 0, 0, 0, 0, 0, 0, UInt8(offsets.count), 0, 0, 0, 0, 0, 0, 0, 0]
        bytes += [0, 0, 0, 0, 0, 0, 0, 8 + UInt8(objects.count)]
        try Files.withFile(bytes) { file in
            #expect(keyed("lint", file).status == 0)
            let limits = Exhaustive.isSampled ? "untrusted" : "default"
            for verb in [["show"], ["convert", "xml"]] {
                let run = keyed(list: verb + [file, "--limits", limits])
                #expect(run.status == 4)
                #expect(run.errors.contains("--limits trusted"))
            }
        }
    }

    @Test("does not convert values that it does not print")
    func lazily() throws {
        let seconds = try ProcessorTime.seconds {
            // An array with many references to another array of the same size, and the same with
            // archived objects.
            let count = Exhaustive.size(30_000, inDebug: 10_000)
            let many = [UInt64](repeating: 1, count: count)
            let plain = BinaryAssembler(
                [.array(many), .array(many.map { _ in 2 }), .boolean(true)], offsetWidth: 4)
            try Files.withFile(plain.bytes) { file in
                let run = keyed("show", "--depth", "1", file)
                #expect(run.status == 0)
                #expect(run.lines.count == count + 2)
                #expect(run.lines.last == "  [\(count - 1)] array, \(count) elements …")
            }
            let references = { (number: UInt32) in
                PropertyListValue.array(
                    PropertyListArray(many.map { _ in .uid(PropertyListUID(number)) }))
            }
            let archive: PropertyListValue = [
                "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": ["root": .uid(1)],
                "$objects": [
                    "$null", ["$class": .uid(3), "NS.objects": references(2)],
                    ["$class": .uid(3), "NS.objects": references(0)], ["$classname": "NSArray"],
                ],
            ]
            try Files.withFile(Files.binary(archive)) { file in
                let run = keyed("show", "--depth", "1", file)
                #expect(run.status == 0)
                #expect(run.lines.last == "  [\(count - 1)] NSArray @2, \(count) elements …")
            }
        }
        #expect(seconds < 60)
    }

    @Test(
        "shared long text does not expand beyond the output limit",
        arguments: ["show", "inspect"])
    func sharedText(verb: String) throws {
        let long = BinaryAssembler.Object.ascii(String(repeating: "k", count: 1_000_000))
        let inner = BinaryAssembler.Object.dictionary([2], [2])
        let file = BinaryAssembler(
            [.array([UInt64](repeating: 1, count: 5000)), inner, long], offsetWidth: 4)
        try Files.withFile(file.bytes) { path in
            let run = keyed(verb, "--limits", "untrusted", path)
            #expect(run.status == (verb == "show" ? 4 : 0))
            #expect(run.bytes.count < 40_000_000)
        }
    }

    @Test("escapes a class name if a root refers to a class description instead of an object")
    func className() throws {
        let archive: PropertyListValue = [
            "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": ["root": .uid(1)],
            "$objects": ["$null", ["$classname": "A\u{1B}[2J\nB"]],
        ]
        try Files.withFile(Files.binary(archive)) { file in
            #expect(keyed("show", file).lines.dropFirst() == ["root: class A\\u{1b}[2J\\nB"])
        }
    }

    @Test("shows keys that are not strings, and reports those that it cannot show")
    func otherKeys() throws {
        let number = BinaryAssembler([
            .dictionary([1, 2], [3, 3]), .integer(5), .integer(6), .boolean(true),
        ])
        try Files.withFile(number.bytes) { file in
            let run = keyed("show", file)
            #expect(run.status == 0)
            #expect(run.lines.suffix(2) == ["  (integer 5): true", "  (integer 6): true"])
            let keys = keyed("get", file, ".", "--as", "keys", "--lenient")
            #expect(keys.output == "(integer 5)\n(integer 6)\n")
            let lines = keyed("show", "--json", file).output
            #expect(lines.contains(#"{"path":"[0]","#) && lines.contains(#"{"path":"[1]","#))
        }
        let archive = BinaryAssembler([
            .dictionary([1, 2, 3, 4], [5, 6, 7, 10]), .ascii("$version"), .ascii("$archiver"),
            .ascii("$top"), .ascii("$objects"), .integer(100_000, width: 4),
            .ascii("NSKeyedArchiver"), .dictionary([8, 11], [9, 9]), .integer(5), .boolean(true),
            .array([12]), .ascii("root"), .ascii("$null"),
        ])
        try Files.withFile(archive.bytes) { file in
            #expect(keyed("show", file).lines.suffix(2) == ["(integer 5): true", "root: true"])
            #expect(keyed("show", "--json", file).output.contains(#"{"path":"$top[0]","#))
        }
        let array = BinaryAssembler([.dictionary([1], [2]), .array([2]), .boolean(true)])
        try Files.withFile(array.bytes) { file in
            let run = keyed("show", file)
            #expect(run.status == 3)
            #expect(
                run.errors.contains(
                    "expected a string as a dictionary key, found a value of kind array"))
        }
    }
}

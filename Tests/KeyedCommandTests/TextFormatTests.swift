// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import Testing

@Suite("keyed with OpenStep text and JSON")
struct TextFormatTests {
    private static let value: PropertyListValue = [
        "name": "Anna é", "age": 7, "when": .date(PropertyListDate(secondsSince2001: 0.5)),
        "data": .data([1, 2]),
    ]

    @Test("counts the UIDs that become plain numbers in coerced JSON")
    func references() {
        let file = Files.archive("save")
        let run = keyed("convert", "json", "--json", "coerce", file)
        #expect(run.status == 0)
        #expect(
            run.errors == "\(file): 28 UIDs became plain numbers; keyed show --json prints the "
                + "objects of an archive\n")
        #expect(keyed("convert", "json", "--json", "typed", file).errors.isEmpty)
    }

    @Test("writes JSON with each mapping, and reads typed JSON back")
    func json() throws {
        try Files.withFile(Files.binary(Self.value)) { file in
            let strict = keyed("convert", "json", file)
            #expect(strict.status == 1 && strict.output.isEmpty)
            #expect(
                strict.errors == """
                    \(file): JSON property list: JSON cannot represent a date, in when \
                    (choose another form with --json coerce or typed)

                    """)
            let coerced = keyed("convert", "json", "--json", "coerce", "--layout", "compact", file)
            #expect(
                coerced.output == """
                    {"name":"Anna é","age":7,"when":"2001-01-01T00:00:00.5Z","data":"AQI="}

                    """)
            let typed = keyed("convert", "json", "--json", "typed", file)
            #expect(typed.output.contains("\n  \"data\": {\"$data\": \"AQI=\"}\n"))
            try Files.withFile(typed.bytes) { file in
                let back = keyed("convert", "binary", "--json", "typed", file)
                let value = try PropertyListValue(parsing: back.bytes)
                #expect(value == Self.value)
                let plain = keyed("convert", "binary", file)
                let dictionary = try PropertyListValue(parsing: plain.bytes)
                #expect(dictionary["data"] == ["$data": "AQI="])
                #expect(keyed("show", file, "--typed").output.contains("2 bytes: 0102"))
                #expect(keyed("lint", file).output == "\(file): OK\n")
            }
        }
    }

    @Test("writes one line for each file, and continues after a malformed file")
    func lines() throws {
        try Files.withFolder { folder in
            let files = ["a", "b\"c", "d"].map { folder.appending(path: $0).path }
            try Data(Files.binary([1, "x"])).write(to: URL(filePath: files[0]))
            try Data("broken".utf8).write(to: URL(filePath: files[1]))
            try Data("{k = (v);}".utf8).write(to: URL(filePath: files[2]))
            let run = keyed("convert", "jsonl", files[0], files[1], files[2])
            #expect(run.status == 1)
            #expect(
                run.lines == [
                    "{\"file\":\"\(files[0])\",\"value\":[1,\"x\"]}",
                    "{\"file\":\"\(files[2])\",\"value\":{\"k\":[\"v\"]}}",
                ])
            #expect(run.errors.contains("unrecognized format"))
            let target = folder.appending(path: "out").path
            #expect(keyed("convert", "jsonl", "-o", target, files[0], files[2]).bytes.isEmpty)
            #expect(try String(decoding: Files.bytes(target), as: UTF8.self) == run.output)
        }
    }

    @Test("writes OpenStep text, and refuses numbers unless --scalars selects a form for them")
    func openStep() throws {
        try Files.withFile(Files.binary(["a": 1, "b": ["x y"], "d": .data([1])])) { file in
            let refused = keyed("convert", "openstep", file)
            #expect(refused.status == 1)
            #expect(
                refused.errors == """
                    \(file): OpenStep property list: OpenStep cannot represent a value of kind \
                    integer, in a (choose another form with --scalars typed or text)

                    """)
            let text = keyed(
                "convert", "openstep", "--scalars", "text", "--layout", "compact", file)
            #expect(text.output == "{a = 1; b = (\"x y\"); d = <01>;}\n")
            let typed = keyed("convert", "openstep", "--scalars", "typed", "--base64", file)
            #expect(typed.output.contains("    a = <*I1>;\n"))
            #expect(typed.output.contains("    d = <[AQ==]>;\n"))
            let strings = keyed("convert", "strings", "--scalars", "text", "--sort-keys", file)
            #expect(strings.output.hasPrefix("\"a\" = 1;\n\"b\" = (\n    \"x y\"\n);\n"))
        }
    }

    @Test("writes a project file in Xcode's layout, with its folder's name as the project name")
    func project() throws {
        let project = """
            {rootObject = P; objects = {P = {isa = PBXProject; buildConfigurationList = L;};
            L = {isa = XCConfigurationList;};};}
            """
        try Files.withFolder { folder in
            let directory = folder.appending(path: "My App.xcodeproj")
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
            let file = directory.appending(path: "project.pbxproj").path
            try Data(project.utf8).write(to: URL(filePath: file))
            #expect(keyed("convert", "xml", "--in-place", file).status == 0)
            #expect(keyed("convert", "pbxproj", "--in-place", file).status == 0)
            let text = try String(decoding: Files.bytes(file), as: UTF8.self)
            #expect(text.hasPrefix("// !$*UTF8*$!\n{\n\trootObject = P /* Project object */;\n"))
            #expect(text.contains("L /* Build configuration list for PBXProject \"My App\" */ = {"))
            #expect(keyed("convert", "pbxproj", file).output == text)
            let named = keyed("convert", "pbxproj", "--project-name", "Other", file)
            #expect(named.output.contains("for PBXProject \"Other\" */"))
        }
    }

    @Test("shows, lints and inspects OpenStep text, with the place of an error")
    func reading() throws {
        try Files.withFile("/* c */\n\"k\" = \"v\";\nlist = (1,\n 2);\n".utf8) { file in
            let shown = keyed("show", file)
            #expect(shown.status == 0)
            #expect(shown.lines.first == "OpenStep property list")
            #expect(keyed("lint", file).output == "\(file): OK\n")
            let inspected = keyed("inspect", file)
            #expect(inspected.lines.first == "OpenStep property list, 35 bytes of text")
            #expect(inspected.lines.last == "        6         4  string \"2\"")
        }
        try Files.withFile("{\n    name = \"a\" b;\n}\n".utf8) { file in
            let run = keyed("lint", file)
            #expect(run.status == 1)
            #expect(
                run.errors == """
                    \(file): OpenStep property list: expected `;` after a value, found `b` at \
                    line 2, column 16, in name
                            name = "a" b;
                                       ^

                    """)
        }
    }

    @Test("reads entries separated by commas with --lenient, and suggests that option")
    func commas() throws {
        try Files.withFile("{a = 1, b = 2}\n".utf8) { file in
            #expect(keyed("lint", file).output == "\(file): OK, with leniency: looseSeparators\n")
            let refused = keyed("convert", "json", file)
            #expect(refused.status == 1)
            #expect(
                refused.errors.contains("(use --lenient to allow the leniency looseSeparators)"))
            let run = keyed("convert", "json", "--layout", "compact", "--lenient", file)
            #expect(run.output == "{\"a\":\"1\",\"b\":\"2\"}\n")
            let edit = keyed("set", "--lenient", file, "a", "2")
            #expect(edit.status == 1)
            #expect(edit.errors.hasSuffix("(rewrite the file with keyed convert)\n"))
        }
    }

    @Test("reads a blank file with --lenient, under each mapping of JSON")
    func blankFile() throws {
        try Files.withFile(" \n".utf8) { file in
            for mapping in ["strict", "coerce", "typed"] {
                let run = keyed("convert", "json", "--json", mapping, "--lenient", file)
                #expect(run.output == "{}\n" && run.status == 0)
                #expect(run.errors == "\(file): read with leniency: blankText\n")
                let refused = keyed("convert", "json", "--json", mapping, file)
                #expect(refused.status == 1)
                #expect(
                    refused.errors.hasSuffix("(use --lenient to allow the leniency blankText)\n"))
            }
        }
    }

    @Test("names every leniency that a value needs, in full")
    func leniencyNames() throws {
        try Files.withFile("<plist version=\"1.0\"><integer> 1 </integer></plist>".utf8) { file in
            #expect(
                keyed("convert", "json", file).errors.contains(
                    "(use --lenient to allow the leniencies paddedScalars and trailingBlanks)"))
        }
        try Files.withFile("<plist version=\"1.0\"><data>AA^^</data></plist>".utf8) { file in
            #expect(
                keyed("convert", "json", file).errors.contains(
                    "(use --lenient to allow the leniency looseBase64)"))
        }
    }

    @Test("reads old files in the given encoding")
    func encodings() throws {
        try Files.withFile(Array("{a = \"".utf8) + [0x8E] + Array("\";}".utf8)) { file in
            let refused = keyed("lint", file)
            #expect(refused.status == 1)
            #expect(refused.errors.contains("(name its encoding with --encoding)"))
            let run = keyed("convert", "json", "--encoding", "macintosh", file)
            #expect(run.output == "{\n  \"a\": \"é\"\n}\n")
        }
    }

    @Test(
        "exits with code 2 for an invalid option value or an invalid combination of options",
        arguments: [
            ["convert", "jsonl", "--in-place", "x"], ["convert", "json", "--json", "loose", "x"],
            ["convert", "json", "--layout", "corefoundation", "x"],
            ["convert", "strings", "--layout", "compact", "x"],
            ["convert", "binary", "--layout", "indented", "x"],
            ["convert", "openstep", "--scalars", "odd", "x"],
        ])
    func usage(arguments: [String]) throws {
        let run = try keyedProcess(arguments)
        #expect(run.status == 2)
        #expect(run.output == "")
        #expect(run.errors.contains("Usage: keyed"))
    }

    @Test("--encoding applies only to text whose encoding is not otherwise known")
    func otherEncodings() throws {
        let value: PropertyListValue = ["k": "é"]
        let xml = try PropertyListDocument(value).serialized(as: .xml)
        let binary = try PropertyListDocument(value).serialized(as: .binary)
        let utf16: [UInt8] =
            [0xFE, 0xFF]
            + Array("k = \"é\";".utf16).flatMap { unit in
                [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            }
        for bytes in [
            xml, binary, Array("k = \"é\";".utf8), utf16,
            Array("k = \"".utf8) + [0x8E, 0x22, 0x3B],
        ] {
            try Files.withFile(bytes, named: "file.strings") { file in
                let run = keyed("get", file, "k", "--encoding", "macintosh")
                #expect(run.output == "é\n", "\(run.errors)")
            }
        }
    }
}

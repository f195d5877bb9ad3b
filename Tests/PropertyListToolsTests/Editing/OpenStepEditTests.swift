// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import PropertyListTools
import TestSupport
import Testing

@Suite("Edits to OpenStep text")
struct OpenStepEditTests {
    private static let source = """
        // top
        {
            name = Anna; // the name
            list = (
                one, /* first */
                "two words"
            );
            inline = {a = 1; b = (x, y);};
            empty = ();
            short;
        }
        // end

        """

    private func replaced(_ old: String, _ new: String) -> String {
        Self.source.replacing(old, with: new)
    }

    @Test(
        "a new container is indented like the others, even if they begin on the lines of their keys"
    )
    func indentation() throws {
        let source = "{\n  a = 1;\n  b = {\n    c = 2;\n  };\n}"
        #expect(
            try edited(source, ("x", .set(["y": "1"])))
                == "{\n  a = 1;\n  b = {\n    c = 2;\n  };\n  x = {\n    y = 1;\n  };\n}")
    }

    @Test("setting a value changes only its text")
    func set() throws {
        #expect(
            try edited(Self.source, ("name", .set("Bob B"))) == replaced("Anna", "\"Bob B\""))
        #expect(try edited(Self.source, ("list[0]", .set("1"))) == replaced("one", "1"))
        #expect(try edited(Self.source, ("inline.b[1]", .set("z"))) == replaced("x, y", "x, z"))
        #expect(try edited(Self.source, ("short", .set("s"))) == replaced("short;", "short = s;"))
        #expect(
            try edited(Self.source, ("name", .set("Anna")), ("list", .set(["one", "two words"])))
                == Self.source)
    }

    @Test("new entries and elements are separated in the same way as their neighbors")
    func insert() throws {
        #expect(
            try edited(Self.source, ("new", .set(["k": ["v"]])))
                == replaced(
                    "short;",
                    "short;\n    new = {\n        k = (\n            v,\n        );\n    };"))
        #expect(
            try edited(Self.source, ("list", .append("3")), ("list", .append("4")))
                == replaced("\"two words\"", "\"two words\",\n        3,\n        4"))
        #expect(
            try edited(Self.source, ("list[1]", .insert("1b")))
                == replaced("/* first */", "/* first */\n        1b,"))
        #expect(
            try edited(Self.source, ("list[0]", .insert("0")))
                == replaced("list = (", "list = (\n        0,"))
        #expect(
            try edited(Self.source, ("inline.c", .set("2")))
                == replaced("(x, y);}", "(x, y); c = 2;}"))
        #expect(try edited(Self.source, ("inline.b", .append("z"))) == replaced("x, y", "x, y, z"))
        #expect(
            try edited(Self.source, ("empty", .append("a")))
                == replaced("empty = ()", "empty = (\n        a,\n    )"))
        #expect(
            try edited(Self.source, ("z", .insert("Z", afterKey: "name")))
                == replaced("// the name", "// the name\n    z = Z;"))
    }

    @Test("removing a child removes its separator, and keeps comments")
    func remove() throws {
        #expect(try edited(Self.source, ("short", .remove)) == replaced("\n    short;", ""))
        #expect(try edited(Self.source, ("name", .remove)) == replaced("\n    name = Anna;", ""))
        #expect(
            try edited(Self.source, ("list[1]", .remove))
                == replaced("\n        \"two words\"", ""))
        #expect(try edited(Self.source, ("list[0]", .remove)) == replaced("\n        one,", ""))
        #expect(try edited(Self.source, ("inline.a", .remove)) == replaced("a = 1;", ""))
        let none = try edited(Self.source, ("list[0]", .remove), ("list[0]", .remove))
        #expect(try PropertyListValue(parsing: Array(none.utf8))["list"] == [])
    }

    @Test("text after a removed child does not become part of a preceding comment")
    func removeBelowComment() throws {
        #expect(try edited("(a, // x\n b, c)", ("[1]", .remove)) == "(a, // x\n c)")
        #expect(try edited("( // x\n a)", ("[0]", .remove)) == "( // x\n )")
        #expect(
            try edited("{\n// x\na = 1; /* y */ b = 2;\n}", ("a", .remove))
                == "{\n// x\n/* y */ b = 2;\n}")
        #expect(
            try edited("(\n// x\na, b,\nc)", ("[0]", .remove), ("[0]", .remove))
                == "(\n// x\n\nc)")
    }

    @Test("a word beside a comment is quoted, because words may contain slashes")
    func wordBesideComment() throws {
        let text = "{\"a b\"/* c */ = \"x y\"/* d */;}"
        #expect(
            try edited(text, (#""a b""#, .set("n"))) == "{\"a b\"/* c */ = \"n\"/* d */;}")
        #expect(
            try edited(text, (#""a b""#, .rename("k"))) == "{\"k\"/* c */ = \"x y\"/* d */;}")
    }

    @Test("keys are renamed")
    func rename() throws {
        #expect(
            try edited(Self.source, ("list", .rename("a b"))) == replaced("list =", "\"a b\" ="))
        #expect(
            try edited(Self.source, ("short", .rename("s"))) == replaced("short;", "s = short;"))
        #expect(
            try edited(Self.source, ("short", .rename("s")), ("s", .set("long")))
                == replaced("short;", "s = long;"))
    }

    @Test("strings files keep their quotes")
    func strings() throws {
        let text = "/* One */\n\"a\" = \"A\";\n\n/* Two */\n\"b\" = \"B\";\n"
        #expect(
            try edited(text, ("b", .set("x")), ("c", .set("C")), ("a", .remove))
                == "/* One */\n\n\n/* Two */\n\"b\" = \"x\";\n\"c\" = \"C\";\n".replacing(
                    "/* One */\n\n\n", with: "/* One */\n\n"))
        #expect(try edited("\"a\" = \"A\";", ("b", .set("B"))) == "\"a\" = \"A\";\n\"b\" = \"B\";")
        #expect(
            try PropertyListValue(
                parsing: Array(edited("// c\n", ("b", .set("B"))).utf8), format: .openStep)
                == ["b": "B"])
    }

    @Test("the first child of an empty container never becomes part of a comment in it")
    func firstAfterComment() throws {
        for (source, inner) in [
            ("{\n  // none yet\n}\n", "\tnew = 1;"), ("{ // none\n}", "\tnew = 1;"),
            ("{\n\ta = 1; b = { // none\n\t};\n}", "\t\tnew = 1;"),
            ("{ /* none */ }", nil), ("{ /* none\n */ }", nil), ("{ // none\n /* at all */ }", nil),
        ] {
            let path = source.contains("b =") ? "b.new" : "new"
            let text = try edited(source, (path, .set("1")))
            let value = try PropertyListValue(parsing: Array(text.utf8))
            #expect((value["b"] ?? value)["new"] == "1", "\(text)")
            if let inner {
                #expect(text.split(separator: "\n").contains(Substring(inner)), "\(text)")
            }
        }
    }

    @Test("a new entry can replace the only one, whatever white space precedes it")
    func inPlaceOfTheFirst() throws {
        for source in [" old;", "  old = 1;", "\n old;", "{ old; }", "( old, )", "{old = 1; }"] {
            let isArray = source.contains("(")
            let edits: (String, PropertyListEdit.Operation) =
                isArray ? ("[0]", .insert("new")) : ("new", .set("value"))
            let text = try edited(source, (isArray ? "[0]" : "old", .remove), edits)
            let expected: PropertyListValue = isArray ? ["new"] : ["new": "value"]
            #expect(
                try PropertyListValue(parsing: Array(text.utf8)) == expected, "\(source): \(text)")
        }
    }

    @Test("a new entry precedes a multi-line comment, whatever the line endings")
    func commentOfSeveralLines() throws {
        for newline in ["\n", "\r\n", "\r"] {
            let lines = ["{", "\ta = 1; /* one", " two */", "}"]
            let text = try edited(lines.joined(separator: newline), ("b", .set("B")))
            let expected = ["{", "\ta = 1;", "\tb = B; /* one", " two */", "}"]
            #expect(text == expected.joined(separator: newline))
        }
    }

    @Test("Base64 with a stray `>` is replaced as a whole")
    func looseBase64() throws {
        let text = try edited("{a = <[AA>E=]>;}", options: .looseBase64, ("a", .set("x")))
        #expect(text == "{a = x;}")
    }

    @Test("new text never becomes part of a line comment")
    func comments() throws {
        for text in [
            "{a = 1; // one\n}", "{a = 1; // one\n // two\n}", "(a // x\n)", "(a, // x\n)",
        ] {
            let isArray = text.hasPrefix("(")
            let new = try edited(
                text, isArray ? ("", .append("n")) : ("n", .set("N")))
            let value = try PropertyListValue(parsing: Array(new.utf8))
            #expect(value == (isArray ? ["a", "n"] : ["a": "1", "n": "N"]), "\(new)")
        }
        for text in ["// only", "// only\n", "/* only */", ""] {
            let document = try PropertyListDocument(
                parsing: Array(text.utf8), format: .openStep)
            let new = try document.applying([PropertyListEdit([.key("b")], .set("B"))])
            #expect(try new.document.root.value() == ["b": "B"], "\(text)")
            let root = try document.applying([PropertyListEdit([], .set(["x"]))])
            #expect(try root.document.root.value() == ["x"], "\(text)")
        }
    }

    @Test("numbers and booleans are refused, and UTF-16 text stays UTF-16")
    func others() throws {
        for value in [1, true, 2.5] as [PropertyListValue] {
            let operation = PropertyListEdit.Operation.set(value)
            let error = #expect(throws: PropertyListError.self) {
                try edited(Self.source, ("name", operation))
            }
            #expect(error?.code == .unrepresentableValue)
        }
        var bytes: [UInt8] = [0xFE, 0xFF]
        for unit in "\"é\" = \"ü\";\n".utf16 { bytes += [UInt8(unit >> 8), UInt8(unit & 0xFF)] }
        let document = try PropertyListDocument(parsing: bytes)
        let result = try document.applying([PropertyListEdit([.key("é")], .set("漢"))])
        #expect(result.bytes.count == bytes.count && result.bytes.prefix(2) == [0xFE, 0xFF])
        #expect(result.document.root["é"]?.string == "漢")
    }

    private static let project = """
        // !$*UTF8*$!
        {
        \tarchiveVersion = 1;
        \tobjects = {

        /* Begin PBXBuildFile section */
        \t\tAA11 /* a.m in Sources */ = {isa = PBXBuildFile; fileRef = AA12 /* a.m */; };
        /* End PBXBuildFile section */

        /* Begin PBXFileReference section */
        \t\tAA12 /* a.m */ = {isa = PBXFileReference; path = a.m; sourceTree = "<group>"; };
        \t\tAA13 /* b.m */ = {isa = PBXFileReference; path = b.m; sourceTree = "<group>"; };
        /* End PBXFileReference section */

        /* Begin PBXGroup section */
        \t\tAA14 = {
        \t\t\tisa = PBXGroup;
        \t\t\tchildren = (
        \t\t\t\tAA12 /* a.m */,
        \t\t\t);
        \t\t\tsourceTree = "<group>";
        \t\t};
        /* End PBXGroup section */
        \t};
        \trootObject = AA19 /* Project object */;
        }

        """

    @Test("references in a project file keep their comments, and changed references get new ones")
    func project() throws {
        #expect(
            try edited(Self.project, ("objects.AA14.children", .append("AA13")))
                == Self.project.replacing(
                    "\t\t\t\tAA12 /* a.m */,\n",
                    with: "\t\t\t\tAA12 /* a.m */,\n\t\t\t\tAA13 /* b.m */,\n"))
        #expect(
            try edited(Self.project, ("objects.AA11.fileRef", .set("AA13")))
                == Self.project.replacing("AA12 /* a.m */; }", with: "AA13 /* b.m */; }"))
        #expect(
            try edited(
                Self.project,
                (
                    "objects.AA15",
                    .insert(["isa": "PBXFileReference", "path": "c"], afterKey: "AA13")
                ))
                == Self.project.replacing(
                    "/* End PBXFileRef",
                    with: "\t\tAA15 /* c */ = {isa = PBXFileReference; path = c; };\n"
                        + "/* End PBXFileRef"))
    }

    @Test("new objects in a project file are sorted into the section of their class")
    func sections() throws {
        let reference: PropertyListValue = ["isa": "PBXFileReference", "path": "c"]
        let group: PropertyListValue = ["isa": "PBXGroup", "children": ["AA10"]]
        let start = "/* Begin PBXFileReference section */\n"
        let end = "/* End PBXGroup section */\n"
        #expect(
            try edited(
                Self.project, ("objects.AA15", .set(group)), ("objects.AA10", .set(reference)))
                == Self.project.replacing(
                    start,
                    with: start + "\t\tAA10 /* c */ = {isa = PBXFileReference; path = c; };\n"
                ).replacing(
                    end,
                    with: "\t\tAA15 = {\n\t\t\tisa = PBXGroup;\n\t\t\tchildren = (\n"
                        + "\t\t\t\tAA10 /* c */,\n\t\t\t);\n\t\t};\n" + end))
        let first = try edited(Self.project, ("objects.AA17", .set(["isa": "AClass"])))
        #expect(
            first
                == Self.project.replacing(
                    "\tobjects = {\n",
                    with: "\tobjects = {\n\n/* Begin AClass section */\n\t\tAA17 = {\n"
                        + "\t\t\tisa = AClass;\n\t\t};\n/* End AClass section */\n"))
        let odd = try edited(Self.project, ("objects.AA17", .set(["isa": "a */ b"])))
        #expect(!odd.contains("a */ b section"))
        #expect(
            try edited(
                Self.project, ("objects.AA11", .remove),
                ("objects.AA16", .set(["isa": "PBXBuildFile"])))
                == Self.project.replacing(
                    "\t\tAA11 /* a.m in Sources */ = {isa = PBXBuildFile; fileRef = AA12 /* a.m */; };",
                    with: "\t\tAA16 /* (null) in (null) */ = {isa = PBXBuildFile; };"))
        let target = try edited(
            Self.project, ("attributes", .set(["AA12": ["a": "AA12", "TestTargetID": "AA12"]])))
        #expect(
            target.contains("\t\tAA12 = {\n\t\t\ta = AA12 /* a.m */;\n\t\t\tTestTargetID = AA12;"))
    }

    @Test(
        "adding, changing, renaming and removing objects has the same result as in a binary file",
        arguments: 1...40)
    func randomObjects(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let document = try PropertyListDocument(parsing: Array(Self.project.utf8))
        let plain = try PropertyListDocument(parsing: BinaryPropertyList.serialize(document))
        var edits: [PropertyListEdit] = []
        for _ in 0..<6 {
            func number() -> String { "AA\(UInt.random(in: 10...22, using: &random))" }
            let classes = ["PBXBuildFile", "PBXFileReference", "PBXGroup", "A", "Z", "*/", ""]
            let className = classes.randomElement(using: &random) ?? ""
            let value: PropertyListValue = ["isa": .string(className), "fileRef": "AA12"]
            let operations: [PropertyListEdit.Operation] = [
                .set(value), .insert(value, afterKey: number()), .remove, .rename(number()),
                .set("no object"),
            ]
            let edit = PropertyListEdit(
                Self.path("objects", number()), operations.randomElement(using: &random) ?? .remove)
            if (try? plain.applying(edits + [edit])) != nil { edits.append(edit) }
        }
        let edited = try document.applying(edits)
        let expected = try plain.applying(edits).document.root.value()
        #expect(try edited.document.root.value() == expected, "seed \(seed)")
        #expect(edited.bytes.starts(with: "// !$*UTF8*$!\n{\n\tarchiveVersion = 1;".utf8))
    }

    @Test("many new classes beside many objects get one section each, in order")
    func manyClasses() throws {
        let numbers = 1_000..<5_000
        let objects = numbers.map { "A\($0) = {isa = C\($0);};" }.joined(separator: "\n")
        let text = "// !$*UTF8*$!\n{objects = {\n/* Begin C1000 section */\n\(objects)\n};}\n"
        let document = try PropertyListDocument(parsing: Array(text.utf8))
        let edited = try document.applying(
            numbers.map {
                PropertyListEdit(Self.path("objects", "B\($0)"), .set(["isa": .string("D\($0)")]))
            })
        let lines = String(decoding: edited.bytes, as: UTF8.self).split(separator: "\n")
        let begun = lines.filter { $0.hasPrefix("/* Begin D") }
        #expect(begun == numbers.map { "/* Begin D\($0) section */" })
        #expect(edited.document.root["objects"]?.dictionary?.count == 2 * numbers.count)
    }

    @Test(
        "adding objects to a genuine project file gives the text that the writer would write",
        .enabled(if: Corpus.hasExternal, "there is no external corpus"))
    func projectCorpus() throws {
        var number = 0
        for file in Exhaustive.sample(Corpus.external("real-plists/openstep/pbxproj"), oneIn: 8) {
            let document = try PropertyListDocument(parsing: file.bytes)
            let text = String(decoding: file.bytes, as: UTF8.self)
            guard text.contains("/* Begin PBXBuildFile"), let edits = Self.newFile(in: document)
            else { continue }
            number += 1
            let edited = try document.applying(edits)
            var options = OpenStepPropertyList.Options()
            options.layout = .projectFile(projectName: nil)
            let written = try OpenStepPropertyList.serialize(edited.document, options: options)
            #expect(edited.bytes == written, "\(file.name)")
            #expect(try edited.document.root.value() == Self.value(document, edits), "\(file.name)")
        }
        #expect(number > Exhaustive.size(20, inDebug: 0))
    }

    /// Returns edits that add a source file, and objects of known and new classes, to a project.
    /// Returns nil if the project has no group, or no build phase for sources, that contains
    /// entries.
    private static func newFile(in document: PropertyListDocument) -> [PropertyListEdit]? {
        let objects = document.root["objects"]?.dictionary.map(Array.init) ?? []
        func first(_ isa: String, with key: String) -> String? {
            objects.first { $0.value["isa"]?.string == isa && $0.value[key]?[0] != nil }?.key
        }
        guard let group = first("PBXGroup", with: "children"),
            let phase = first("PBXSourcesBuildPhase", with: "files")
        else { return nil }
        let (buildFile, reference) = ("7A0000000000000000000001", "7A0000000000000000000002")
        return [
            .init(
                path("objects", buildFile),
                .set(["isa": "PBXBuildFile", "fileRef": .string(reference)])),
            .init(
                path("objects", reference),
                .set(["isa": "PBXFileReference", "path": "New File.swift"])),
            .init(path("objects", group, "children"), .append(.string(reference))),
            .init(path("objects", phase, "files"), .append(.string(buildFile))),
            .init(path("objects", "000000000000000000000003"), .set(["isa": "PBXBuildFile"])),
            .init(path("objects", "FF0000000000000000000004"), .set(["isa": "PBXBuildFile"])),
            .init(
                path("objects", "7A0000000000000000000005"),
                .set(["isa": "XCNewKind", "name": "n"])),
            .init(path("objects", "7A0000000000000000000006"), .set(["isa": "XCNewKind"])),
            .init(path("objects", "7A0000000000000000000007"), .set(["isa": "AAFirst"])),
        ]
    }

    private static func path(_ keys: String...) -> PropertyListKeyPath {
        PropertyListKeyPath(keys.map { .key($0) })
    }

    private static func value(
        _ document: PropertyListDocument, _ edits: [PropertyListEdit]
    ) throws -> PropertyListValue {
        let binary = try BinaryPropertyList.serialize(document)
        return try PropertyListDocument(parsing: binary).applying(edits).document.root.value()
    }

    @Test(
        "setting one value in any genuine OpenStep file changes only the text of that value",
        .enabled(if: Corpus.hasExternal, "there is no external corpus"))
    func corpus() throws {
        var number = 0
        for file in Exhaustive.sample(Corpus.external("real-plists/openstep"), oneIn: 12) {
            guard let document = try? PropertyListDocument(parsing: file.bytes),
                document.format == .openStep, document.source == file.bytes,
                let path = Self.lastString(document)
            else { continue }
            number += 1
            let edited = try document.applying([PropertyListEdit(path, .set("x-changed"))])
            let change = try #require(edited.changes?.first)
            #expect(edited.changes?.count == 1)
            let expected =
                file.bytes[..<change.range.lowerBound] + change.replacement
                + file.bytes[change.range.upperBound...]
            #expect(edited.bytes.elementsEqual(expected), "\(file.name)")
            #expect(String(decoding: change.replacement, as: UTF8.self).contains("x-changed"))
            #expect(try edited.document.value(at: path).string == "x-changed")
            let back = try edited.document.applying(
                [PropertyListEdit(path, .set(document.value(at: path).value()))])
            #expect(try back.document.root.value() == document.root.value(), "\(file.name)")
        }
        #expect(number > Exhaustive.size(30, inDebug: 0))
    }

    private static func lastString(_ document: PropertyListDocument) -> PropertyListKeyPath? {
        var budget = document.budget(.default)
        var walk = DocumentWalk(document.root)
        var found: PropertyListPath?
        while let step = try? walk.next(&budget) {
            if case .enter(let node, _) = step, document.node(node).kind == .string {
                found = walk.path()
            }
        }
        return found.map { PropertyListKeyPath($0) }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import PropertyListTools
import TestSupport
import Testing

/// Returns the text after edits, given as paths and operations.
func edited(
    _ text: String, options: ParsingOptions = .strict,
    _ edits: (String, PropertyListEdit.Operation)...
) throws -> String {
    let document = try PropertyListDocument(parsing: Array(text.utf8), options: options)
    let list = try edits.map { PropertyListEdit(try PropertyListKeyPath(parsing: $0.0), $0.1) }
    return String(decoding: try document.applying(list, options: options).bytes, as: UTF8.self)
}

@Suite("Edits to XML")
struct XMLEditTests {
    private static let source = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <!-- top -->
        <dict>
        \t<!-- the name -->
        \t<key>name</key>
        \t<string>Anna &#38; Bob</string> <!-- both -->

        \t<key>list</key>
        \t<array>
        \t\t<string>one</string>  <!-- first -->
        \t\t<!-- before two -->
        \t\t<string>two</string>
        \t</array>
        \t<key>empty</key> <dict/>
        \t<key>odd</key><integer>0x1F</integer>
        </dict>
        </plist>
        <!-- end -->
        """

    /// Returns the lines in which `edited` differs from the source, sorted.
    private func difference(_ edited: String) -> [String] {
        let old = Self.source.split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init)
        let new = edited.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return new.difference(from: old).map {
            switch $0 {
            case .insert(_, let line, _): "+" + line
            case .remove(_, let line, _): "-" + line
            }
        }.sorted()
    }

    @Test("setting a value changes only its element")
    func set() throws {
        #expect(
            difference(try edited(Self.source, ("list[1]", .set("2")))) == [
                "+\t\t<string>2</string>", "-\t\t<string>two</string>",
            ])
        #expect(
            difference(try edited(Self.source, ("odd", .set(true)))) == [
                "+\t<key>odd</key><true/>", "-\t<key>odd</key><integer>0x1F</integer>",
            ])
    }

    @Test("setting the existing value leaves the text unchanged")
    func setSame() throws {
        let same = try edited(
            Self.source, ("name", .set("Anna & Bob")), ("odd", .set(31)),
            ("list", .set(["one", "two"])))
        #expect(same == Self.source)
    }

    @Test("new entries and elements are formatted like their neighbors")
    func insert() throws {
        #expect(
            difference(try edited(Self.source, ("\"new\"", .set(1)))) == [
                "+\t<integer>1</integer>", "+\t<key>new</key>",
            ])
        #expect(
            difference(try edited(Self.source, ("list[1]", .insert(["x": .data([1])])))) == [
                "+\t\t\t</data>", "+\t\t\t<data>", "+\t\t\t<key>x</key>", "+\t\t\tAQ==",
                "+\t\t</dict>", "+\t\t<dict>",
            ])
        let text = try edited(Self.source, ("list[1]", .insert("1b")), ("list", .append("3")))
        #expect(text.contains("<!-- first -->\n\t\t<string>1b</string>\n\t\t<!-- before two -->"))
        #expect(text.contains("<string>two</string>\n\t\t<string>3</string>\n\t</array>"))
    }

    @Test("an entry is inserted after the named key")
    func insertAfter() throws {
        let text = try edited(Self.source, ("zip", .insert("Z", afterKey: "name")))
        #expect(
            text.contains("<!-- both -->\n\t<key>zip</key>\n\t<string>Z</string>\n\n\t<key>list"))
    }

    @Test("removing an entry removes its line, and keeps comments")
    func remove() throws {
        #expect(
            difference(try edited(Self.source, ("odd", .remove))) == [
                "-\t<key>odd</key><integer>0x1F</integer>"
            ])
        #expect(
            difference(try edited(Self.source, ("list", .remove), ("empty", .remove))).count == 7)
        let text = try edited(Self.source, ("list[0]", .remove), ("list[0]", .remove))
        #expect(text.contains("<array>  <!-- first -->\n\t\t<!-- before two -->\n\t</array>"))
    }

    @Test("renaming changes the key")
    func rename() throws {
        #expect(
            difference(try edited(Self.source, ("empty", .rename("a<b")))) == [
                "+\t<key>a&lt;b</key> <dict/>", "-\t<key>empty</key> <dict/>",
            ])
    }

    @Test("the first child of an empty container is indented like the rest of the text")
    func fill() throws {
        let text = try edited(Self.source, ("empty.a", .set(["b": [1]])))
        #expect(
            text.contains(
                "<key>empty</key> <dict>\n\t\t<key>a</key>\n\t\t<dict>\n\t\t\t<key>b</key>\n\t\t\t<array>"
                    + "\n\t\t\t\t<integer>1</integer>\n\t\t\t</array>\n\t\t</dict>\n\t</dict>\n\t<key>odd"
            ))
        let comment = try edited(
            "<plist>\n<array>\n  <!-- none -->\n</array>\n</plist>", ("", .append("x")))
        #expect(
            comment
                == "<plist>\n<array>\n  <!-- none -->\n\t<string>x</string>\n</array>\n</plist>")
    }

    @Test("indentation with spaces, CRLF and text without line breaks are kept")
    func formatting() throws {
        let spaces =
            "<plist>\r\n    <dict>\r\n      <key>a</key>\r\n      <array/>\r\n    </dict>\r\n</plist>"
        #expect(
            try edited(spaces, ("b", .set("x\ny")), ("a", .append(["k": 1])))
                == "<plist>\r\n    <dict>\r\n      <key>a</key>\r\n      <array>\r\n        <dict>\r\n"
                + "          <key>k</key>\r\n          <integer>1</integer>\r\n        </dict>\r\n"
                + "      </array>\r\n      <key>b</key>\r\n      <string>x\ny</string>\r\n    </dict>\r\n"
                + "</plist>")
        let line = "<plist><dict><key>a</key><integer>1</integer></dict></plist>"
        #expect(
            try edited(line, ("b", .set([.data([1, 2]), "x"])), ("a", .set(2)))
                == "<plist><dict><key>a</key><integer>2</integer><key>b</key><array><data>AQI=</data>"
                + "<string>x</string></array></dict></plist>")
        #expect(
            try edited(line, ("a", .remove)) == "<plist><dict></dict></plist>")
        #expect(
            try edited("<plist><dict/></plist>", ("a", .set(1)))
                == "<plist><dict><key>a</key><integer>1</integer></dict></plist>")
    }

    @Test("data are written in lines as long as Apple's at that depth")
    func dataLines() throws {
        let value: PropertyListValue = ["a": ["b": .data([UInt8](repeating: 7, count: 200))]]
        let whole = try XMLPropertyList.serialize(PropertyListDocument(value)).bytes
        let start = try XMLPropertyList.serialize(PropertyListDocument(["a": ["b": 1]])).bytes
        let text = try edited(
            String(decoding: start, as: UTF8.self),
            ("a.b", .set(.data([UInt8](repeating: 7, count: 200)))))
        #expect(text == String(decoding: whole, as: UTF8.self))
    }

    @Test("later edits see earlier ones, and a value that is added and removed leaves no trace")
    func sequence() throws {
        #expect(
            try edited(Self.source, ("x", .set([:])), ("x.y", .set([1])), ("x", .remove))
                == Self.source)
        let text = try edited(
            Self.source, ("x", .set([:])), ("x.y", .set([1])), ("x.y", .append(2)),
            ("x.y", .rename("z")), ("x", .merge(["z": 5, "w": ["a": 1]])),
            ("x", .merge(["w": ["b": 2]])))
        let value = try PropertyListValue(parsing: Array(text.utf8))
        #expect(value["x"] == ["z": 5, "w": ["a": 1, "b": 2]])
    }

    @Test("nested property lists are edited in place, in their own format")
    func nested() throws {
        let inner =
            "<plist>\n<dict>\n <key>k</key>\n <!-- c -->\n <integer>1</integer>\n</dict>\n</plist>"
        let binary = try BinaryPropertyList.serialize(PropertyListDocument(["q": "old"]))
        let source = try XMLPropertyList.serialize(
            PropertyListDocument(["xml": .data(Array(inner.utf8)), "bin": .data(binary)])
        ).bytes
        let text = try edited(
            String(decoding: source, as: UTF8.self), ("xml!k", .set(2)), ("bin!q", .set("new")))
        let value = try PropertyListValue(parsing: Array(text.utf8))
        #expect(
            value["xml"]?.data.map { String(decoding: $0, as: UTF8.self) }
                == inner.replacing("1</integer>", with: "2</integer>"))
        #expect(try value["bin"]?.data.map { try PropertyListValue(parsing: $0) } == ["q": "new"])
        #expect(
            try edited(String(decoding: source, as: UTF8.self), ("bin!q", .set("old")))
                == String(decoding: source, as: UTF8.self))
    }

    @Test(
        "an edit is refused if the encoding lacks a character, and the error names the encoding",
        arguments: ["US-ASCII", "ISO-8859-1"])
    func missingCharacters(encoding: String) throws {
        let text =
            "<?xml version=\"1.0\" encoding=\"\(encoding)\"?><plist><string>a</string></plist>"
        #expect(try edited(text, ("", .set("b"))) == text.replacing(">a<", with: ">b<"))
        let error = #expect(throws: PropertyListError.self) {
            try edited(text, ("", .set("漢")))
        }
        #expect(error?.code == .invalidEncoding)
        #expect(error?.what.contains(encoding) == true, "\(error?.what ?? "")")
    }

    @Test(
        "a document in ASCII is edited, whichever name it declares",
        arguments: ["ascii", "ISO-IR-6"])
    func asciiNames(encoding: String) throws {
        let text =
            "<?xml version=\"1.0\" encoding=\"\(encoding)\"?><plist><string>a</string></plist>"
        #expect(try edited(text, ("", .set("b"))) == text.replacing(">a<", with: ">b<"))
    }

    @Test("text in other encodings keeps its encoding")
    func encodings() throws {
        let text =
            "<?xml version=\"1.0\" encoding=\"UTF-16\"?>\n<plist>\n<string>é漢😀</string></plist>"
        var little: [UInt8] = [0xFF, 0xFE]
        for unit in text.utf16 { little += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        let document = try PropertyListDocument(parsing: little)
        let same = try document.applying([PropertyListEdit([], .set("é漢😀"))])
        #expect(same.bytes == little)
        let other = try document.applying([PropertyListEdit([], .set("z"))])
        #expect(other.bytes.prefix(2) == [0xFF, 0xFE])
        #expect(other.document.root.string == "z")
        let latin =
            Array("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><plist><string>".utf8)
            + [0xE9] + Array("</string></plist>".utf8)
        let old = try PropertyListDocument(parsing: latin)
        #expect(try old.applying([PropertyListEdit([], .set("é"))]).bytes == latin)
        let refused = #expect(throws: PropertyListError.self) {
            try old.applying([PropertyListEdit([], .set("漢"))])
        }
        #expect(refused?.code == .invalidEncoding)
    }

    @Test(
        "a document in Latin-1 is edited, whichever name it declares",
        arguments: ["iso-8859-1", "ISO8859-1", "ISO_8859-1", "latin1", "L1"])
    func latin1(name: String) throws {
        let head = Array("<?xml version=\"1.0\" encoding=\"\(name)\"?><plist><string>".utf8)
        let tail = Array("</string></plist>".utf8)
        let document = try PropertyListDocument(parsing: head + [0xE9] + tail)
        let edited = try document.applying([PropertyListEdit([], .set("ü"))])
        #expect(edited.bytes == head + [0xFC] + tail)
    }

    @Test(
        "edits that cannot be applied are refused",
        arguments: [
            ("nope.x", .set(1), .noSuchValue), ("list[2]", .set(1), .noSuchValue),
            ("list[3]", .insert(1), .noSuchValue), ("name", .insert(1), .duplicateKey),
            ("name", .append(1), .noSuchValue), ("", .append(1), .wrongKind),
            ("", .remove, .wrongKind), ("list[0]", .rename("x"), .wrongKind),
            ("name", .rename("list"), .duplicateKey), ("nope", .remove, .noSuchValue),
            ("list", .merge(["a": 1]), .wrongKind),
            (
                "x", .set(.uid(PropertyListUID(1))),
                .unrepresentableValue
            ), ("x", .set(.null), .unrepresentableValue),
            ("name", .set("a\u{1}b"), .unrepresentableValue),
            (
                "name!x", .set(1),
                .unrecognizedFormat
            ),
        ] as [(String, PropertyListEdit.Operation, PropertyListError.Code)])
    func refusals(
        _ path: String, _ operation: PropertyListEdit.Operation, _ code: PropertyListError.Code
    ) {
        let error = #expect(throws: PropertyListError.self) {
            try edited(Self.source, (path, operation))
        }
        #expect(error?.code == code)
    }

    @Test("a document with a duplicate key is not edited")
    func duplicates() {
        let text = "<plist><dict><key>a</key><true/><key>a</key><false/></dict></plist>"
        let error = #expect(throws: PropertyListError.self) {
            try edited(text, options: .duplicateKeys, ("a", .set(1)))
        }
        #expect(error?.code == .duplicateKey)
    }

    @Test(
        "in an archive, a dictionary is refused if and only if it would be read as a UID",
        arguments: [
            (PropertyListValue.integer(5), true),
            (.integer(PropertyListInteger(1 << 32 - 1)), true),
            (.integer(-1), false), (.integer(PropertyListInteger(1 << 32)), false),
            ("5", false),
        ])
    func uidDictionary(number: PropertyListValue, isRefused: Bool) throws {
        let archive: PropertyListValue = [
            "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": [:], "$objects": ["$null"],
        ]
        let text = String(
            decoding: try XMLPropertyList.serialize(PropertyListDocument(archive)).bytes,
            as: UTF8.self)
        let set = ("$top.root", PropertyListEdit.Operation.set(["CF$UID": number]))
        if isRefused {
            let error = #expect(throws: PropertyListError.self) { try edited(text, set) }
            #expect(error?.code == .unrepresentableValue)
            // In an archive, such a dictionary is always read as a UID, so no option allows writing
            // it.
            #expect(error?.recovery == nil && error?.recoveryCode == nil)
            return
        }
        let changed = try PropertyListValue(parsing: Array(try edited(text, set).utf8))
        #expect(changed["$top"] == ["root": ["CF$UID": number]])
    }

    @Test("long indented lines of data are counted before they are written")
    func longIndentation() throws {
        let blanks = String(repeating: " ", count: 200_000)
        let text =
            "<plist version=\"1.0\">\n<dict>\n\(blanks)<key>x</key>\n\(blanks)<true/>\n</dict>\n</plist>\n"
        let data = PropertyListValue.data([UInt8](repeating: 7, count: 2_000_000))
        for value in [data, ["a": ["b": ["c": data]]]] {
            let error = #expect(throws: PropertyListError.self) {
                try edited(text, ("new", .set(value)))
            }
            #expect(error?.code == .sizeLimitExceeded)
        }
    }

    @Test("an edit that would turn UIDs into dictionaries is refused")
    func archive() throws {
        let archive: PropertyListValue = [
            "$version": 100_000, "$archiver": "NSKeyedArchiver",
            "$top": ["root": .uid(PropertyListUID(1))], "$objects": ["$null", "x"],
        ]
        let text = String(
            decoding: try XMLPropertyList.serialize(PropertyListDocument(archive)).bytes,
            as: UTF8.self)
        let error = #expect(throws: PropertyListError.self) {
            try edited(text, ("$version", .remove))
        }
        #expect(error?.code == .unrepresentableValue)
        let changed = try edited(text, ("$top.root", .set(.uid(PropertyListUID(0)))))
        #expect(
            try PropertyListValue(parsing: Array(changed.utf8))["$top"]
                == ["root": .uid(PropertyListUID(0))])
        let removal = #expect(throws: PropertyListError.self) { try edited(text, ("@1", .remove)) }
        #expect(removal?.code == .wrongKind)
        #expect(removal?.description.contains("all later objects would be renumbered") == true)
    }

    @Test("the root cannot be removed, inserted or renamed, and the error says why")
    func root() {
        for operation: PropertyListEdit.Operation in [.remove, .rename("x"), .insert(1)] {
            let error = #expect(throws: PropertyListError.self) {
                try edited("<plist><dict/></plist>", ("", operation))
            }
            #expect(error?.code == .wrongKind)
            #expect(error?.description.contains("it has no key or index") == true)
        }
    }

    @Test(
        "setting one value in any genuine XML file changes only its element",
        .enabled(if: Corpus.hasExternal, "there is no external corpus"))
    func corpus() throws {
        var number = 0
        for file in Exhaustive.sample(Corpus.external("real-plists/xml"), oneIn: 3) {
            guard let document = try? PropertyListDocument(parsing: file.bytes),
                document.source == file.bytes,
                let path = Self.lastString(document)
            else { continue }
            number += 1
            let edit = PropertyListEdit(path, .set("changed"))
            let edited = try document.applying([edit])
            let change = try #require(edited.changes?.first)
            #expect(edited.changes?.count == 1)
            let expected =
                file.bytes[..<change.range.lowerBound] + change.replacement
                + file.bytes[change.range.upperBound...]
            #expect(edited.bytes.elementsEqual(expected), "\(file.name)")
            #expect(
                String(decoding: change.replacement, as: UTF8.self)
                    == "<string>changed</string>")
        }
        #expect(number > Exhaustive.size(50, inDebug: 5))
    }

    /// Returns the path of the document's last string other than `changed`.
    private static func lastString(_ document: PropertyListDocument) -> PropertyListKeyPath? {
        var budget = document.budget(.default)
        var walk = DocumentWalk(document.root)
        var found: PropertyListPath?
        while let step = try? walk.next(&budget) {
            if case .enter(let node, _) = step, document.node(node).kind == .string,
                document.node(node).string != "changed"
            {
                found = walk.path()
            }
        }
        return found.map { PropertyListKeyPath($0) }
    }
}

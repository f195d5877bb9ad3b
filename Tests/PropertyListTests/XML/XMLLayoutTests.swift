// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import TestSupport
import Testing

@Suite("Layouts of XML")
struct XMLLayoutTests {
    private static let value: PropertyListValue = [
        "name": "Anna", "ages": [7, [true]], "none": [], "uid": .uid(3),
        "data": .data([UInt8](repeating: 0, count: 60)),
    ]

    private func text(
        _ value: PropertyListValue = value, _ change: (inout XMLPropertyList.Options) -> Void
    ) throws -> String {
        var options = XMLPropertyList.Options()
        options.allowedLosses = .uidDictionaries
        change(&options)
        let document = try PropertyListDocument(value)
        return String(
            decoding: try XMLPropertyList.serialize(document, options: options).bytes, as: UTF8.self
        )
    }

    @Test("Apple's layout is the default")
    func usual() throws {
        let text = try text { _ in }
        #expect(
            text.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC "))
        #expect(
            text.contains("\n\t<array>\n\t\t<integer>7</integer>\n\t\t<array>\n\t\t\t<true/>\n"))
    }

    @Test("a UID that would be nested too deeply to be read again is not written")
    func depth() throws {
        for (levels, isAllowed) in [(511, true), (512, false)] {
            let value = (0..<levels).reduce(PropertyListValue.uid(3)) { inner, _ in .array([inner])
            }
            let archive: PropertyListValue = [
                "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": [:], "$objects": [],
                "more": (1..<levels).reduce(PropertyListValue.uid(3)) { inner, _ in .array([inner])
                },
            ]
            for value in [value, archive] {
                do {
                    let text = try text(value) { _ in }
                    #expect(isAllowed, "\(levels)")
                    _ = try PropertyListDocument(parsing: text.utf8)
                } catch let error as PropertyListError {
                    #expect(!isAllowed, "\(levels)")
                    #expect(error.code == .depthLimitExceeded)
                    #expect(error.path != nil)
                }
            }
        }
    }

    @Test("elements are indented with spaces, or not at all", arguments: [0, 1, 2, 4, 16])
    func spaces(_ width: Int) throws {
        let usual = try text { _ in }
        let spaced = try text { $0.indentation = width == 0 ? .none : .spaces(width) }
        let unit = String(repeating: " ", count: width)
        func isData(_ line: Substring) -> Bool { line.hasSuffix("A") || line.hasSuffix("=") }
        let expected = usual.split(separator: "\n").filter { !isData($0) }.map { line in
            let level = line.prefix { $0 == "\t" }.count
            return String(repeating: unit, count: level) + line.dropFirst(level)
        }
        let lines = spaced.split(separator: "\n")
        #expect(lines.filter { !isData($0) }.map(String.init) == expected)
        #expect(lines.filter(isData).allSatisfy { $0.utf8.count <= 76 && $0.hasPrefix(unit) })
        let value = try PropertyListDocument(parsing: spaced.utf8).root.value()
        #expect(try value == PropertyListDocument(parsing: usual.utf8).root.value())
    }

    @Test("widths below 0 and above 16 are clamped")
    func widths() throws {
        for (width, nearest) in [(-1, 0), (Int.min, 0), (17, 16), (Int.max, 16)] {
            #expect(
                try text { $0.indentation = .spaces(width) }
                    == text { $0.indentation = .spaces(nearest) })
        }
    }

    @Test("deeply nested data keeps lines of at least twelve characters")
    func deepData() throws {
        var value = PropertyListValue.data([UInt8](repeating: 0, count: 90))
        for _ in 0..<20 { value = [value] }
        let text = try text(value) { $0.indentation = .spaces(16) }
        let line = String(repeating: " ", count: 8 * 16) + String(repeating: "A", count: 12)
        #expect(text.contains("\n\(line)\n"))
        #expect(try PropertyListDocument(parsing: text.utf8).root.value() == value)
    }

    @Test("the declarations and the outer element can be omitted")
    func frame() throws {
        let whole = try text(["a"]) { _ in }
        let body = "<array>\n\t<string>a</string>\n</array>\n"
        let element = "<plist version=\"1.0\">\n\(body)</plist>\n"
        let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        #expect(whole.hasSuffix(element) && whole.hasPrefix(declaration))
        #expect(try text(["a"]) { $0.hasDeclarations = false } == element)
        #expect(try text(["a"]) { $0.hasPlistElement = false } == declaration + body)
        let bare = try text(["a"]) {
            $0.hasPlistElement = false
            $0.hasDeclarations = false
        }
        #expect(bare == body)
        let document = try PropertyListDocument(
            parsing: bare.utf8, format: .xml, options: .missingPlistElement)
        #expect(try document.root.value() == ["a"])
    }

    @Test("losses are described in sentences, in the singular and the plural")
    func losses() {
        let losses: [XMLPropertyList.Losses] = [
            .fractionsOfSeconds, .realWidths, .sets, .uidDictionaries, .controlCharacters,
        ]
        #expect(
            losses.map { $0.sentence(count: 1) } == [
                "1 date loses its fraction of a second",
                "1 real loses its 32-bit width or the bits of its NaN",
                "1 set is written as an array",
                "1 UID or dictionary `{CF$UID: n}` will be read as the other kind",
                "1 string has control characters that XML forbids",
            ])
        #expect(
            losses.map { $0.sentence(count: 3) } == [
                "3 dates lose their fractions of a second",
                "3 reals lose their 32-bit width or the bits of their NaN",
                "3 sets are written as arrays",
                "3 UIDs and dictionaries `{CF$UID: n}` will be read as the other kind",
                "3 strings have control characters that XML forbids",
            ])
    }
}

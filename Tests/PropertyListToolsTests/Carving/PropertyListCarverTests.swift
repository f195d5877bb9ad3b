// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import PropertyListTools
import TestSupport
import Testing

@Suite("PropertyListCarver")
struct PropertyListCarverTests {
    private static func image() throws -> [UInt8] {
        try #require(Corpus.fixtures("embedded", suffix: "image.bin").first).bytes
    }

    private static func name(_ item: CarvedItem) -> String {
        switch item.content {
        case .propertyList(let document):
            document.root["$archiver"] == nil
                ? document.format.map { "\($0)" } ?? "" : "keyed archive"
        case .damaged: "damaged"
        case .otherFormat(let name): name
        }
    }

    private static func binary(_ value: PropertyListValue) throws -> [UInt8] {
        try BinaryPropertyList.serialize(PropertyListDocument(value))
    }

    @Test("finds the property lists embedded in a test image, at their offsets")
    func image() throws {
        let expected = try #require(Corpus.fixtures("embedded", suffix: ".expected").first)
        let lines = String(decoding: expected.bytes, as: UTF8.self).split(separator: "\n")
        let items = PropertyListCarver(try Self.image()).map { item in
            (start: "\(item.range.lowerBound)", name: Self.name(item), item: item)
        }
        #expect(items.count == lines.count)
        for (found, line) in zip(items, lines) {
            let parts = line.split(separator: " ", maxSplits: 2)
            #expect(found.start == parts[0])
            #expect(found.name == parts[2])
            // The script that writes the image counts the line end after `</plist>`, which is not
            // part of the XML document.
            if case .propertyList = found.item.content, let size = Int(parts[1]) {
                #expect((size - 1...size).contains(found.item.range.count))
            }
        }
    }

    @Test("a search in portions of any size finds the same items")
    func portions() throws {
        let bytes = try Self.image()
        let whole = PropertyListCarver(bytes).map { "\($0.range) \(Self.name($0))" }
        for size in [1, 7, 1000, 1_000_000] {
            var carver = PropertyListCarver(bytes)
            var found: [String] = []
            while carver.position < bytes.count {
                while let item = carver.next(before: carver.position + size) {
                    found.append("\(item.range) \(Self.name(item))")
                }
            }
            #expect(found == whole)
        }
    }

    @Test("finds property lists nested in data only on request")
    func nested() throws {
        let inner = try Self.binary(["a": 1])
        let outer = try Self.binary(["inner": .data(inner)])
        #expect(PropertyListCarver(outer).map(\.range) == [0..<outer.count])
        let all = PropertyListCarver(outer, findsNested: true).map(\.range)
        #expect(all.count == 2)
        #expect(all.last?.count == inner.count)
    }

    @Test("finds adjacent property lists, and one after a truncated one")
    func neighbors() throws {
        let first = try Self.binary([1])
        let second = try Self.binary(["two"])
        let bytes = first + second + first.dropLast(5) + second
        let found = PropertyListCarver(bytes).map { "\($0.range.lowerBound) \(Self.name($0))" }
        let third = first.count + second.count
        #expect(
            found == [
                "0 binary", "\(first.count) binary", "\(third) damaged",
                "\(third + first.count - 5) binary",
            ])
    }

    @Test("includes an XML declaration only if it belongs to the property list")
    func xml() throws {
        let list = "<plist version=\"1.0\"><array/></plist>"
        let declared = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + list
        let found = { (text: String) in PropertyListCarver(Array(text.utf8)).map(\.range) }
        #expect(found("--" + declared + "--") == [2..<(2 + declared.utf8.count)])
        #expect(found("<?xml version=\"1.0\"?>\0\0" + list) == [23..<(23 + list.utf8.count)])
        #expect(found("<plists></plists>") == [])
        let between = "<?xml version=\"1.0\"?><!--NIBArchive-->" + list
        #expect(found(between) == [0..<between.utf8.count])
        let other = "<?xml version=\"1.0\"?><!--NIBArchive-->." + list
        #expect(found(other) == [25..<35, 39..<(39 + list.utf8.count)])
        #expect(found(list + list).count == 2)
    }

    @Test("uses the encoding of the declaration, whatever comments come after it")
    func declaredEncoding() throws {
        let declaration = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>"
        let list =
            Array("<plist version=\"1.0\"><string>".utf8) + [0xC3, 0xA9]
            + Array("</string></plist>".utf8)
        for comment in [
            "bplist00", String(repeating: "x", count: 5000), "<plist></plist>", "<plist ",
            "</plist>",
        ] {
            let file = Array("\(declaration)\n<!--\(comment)-->\n".utf8) + list
            for findsNested in [false, true] {
                let items = Array(
                    PropertyListCarver(Array("..".utf8) + file, findsNested: findsNested))
                guard case .propertyList(let document)? = items.first?.content else {
                    Issue.record("\(comment.prefix(20))")
                    continue
                }
                #expect(items[0].range == 2..<(2 + file.count))
                #expect(document.root.string == "Ã©")
                #expect(items.dropFirst().allSatisfy { Self.name($0) == "damaged" })
            }
        }
        // An unknown encoding is damage, which shows that the declaration is not ignored.
        let unknown = Array("<?xml version=\"1.0\" encoding=\"x-unknown\"?>".utf8) + list
        #expect(PropertyListCarver(unknown).map(Self.name) == ["damaged"])
    }

    @Test("an end tag in a comment or a CDATA section does not end a property list")
    func endTagsInComments() {
        for content in [
            "<!-- </plist> --><string>a</string>", "<string><![CDATA[</plist>]]></string>",
        ] {
            let list = "<?xml version=\"1.0\"?><plist><!-- a -->" + content + "</plist>"
            let items = Array(PropertyListCarver(Array("--\(list)--\(list)".utf8)))
            let length = list.utf8.count
            #expect(items.map(\.range) == [2..<(length + 2), (length + 4)..<(2 * length + 4)])
            for item in items {
                guard case .propertyList = item.content else {
                    Issue.record("\(item.content)")
                    continue
                }
            }
        }
    }

    /// Returns the ranges and the names of all items in `bytes`.
    private static func items(
        _ bytes: [UInt8], findsNested: Bool = false
    ) -> [(Range<Int>, String)] {
        PropertyListCarver(bytes, findsNested: findsNested).map { ($0.range, name($0)) }
    }

    @Test("finds the intact items of truncated files and of files with a changed byte")
    func damaged() throws {
        let bytes = try Self.image()
        let nested = Self.items(bytes, findsNested: true)
        for count in stride(from: 0, to: bytes.count, by: 13) {
            let found = Self.items(Array(bytes.prefix(count)), findsNested: true)
            #expect(found.allSatisfy { $0.0.upperBound <= count })
            for item in nested where item.0.upperBound < count {
                #expect(found.contains { $0 == item }, "\(item) in \(count) bytes")
            }
        }
        let whole = Self.items(bytes)
        for place in stride(from: 0, to: bytes.count, by: 11) {
            var changed = bytes
            changed[place] ^= 0xFF
            let found = Self.items(changed)
            #expect(found.allSatisfy { $0.0.upperBound <= changed.count })
            for item in whole where !item.0.contains(place) {
                #expect(found.contains { $0 == item }, "\(item), with a change at \(place)")
            }
        }
    }

    @Test("finds nothing in random bytes", arguments: [1, 2, 3] as [UInt64])
    func noise(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let bytes = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        #expect(PropertyListCarver(bytes).map(\.range) == [], "seed \(seed)")
    }

    @Test("stops at its budget if many trailers imply the same start, and reports one damaged item")
    func manyEnds() {
        // All trailers imply a start at the first byte, where no valid property list begins.
        var bytes = Array("bplist00".utf8) + [0xFF]
        while bytes.count < 400_000 {
            let table = bytes.count
            bytes.append(8)
            bytes += [0, 0, 0, 0, 0, 0, 1, 1]
            bytes += [0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 8)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: table >> (56 - 8 * $0)) }
        }
        let items = PropertyListCarver(bytes).map(\.content)
        #expect(items.count == 1)
        guard case .damaged(_, let error) = items.first else {
            Issue.record("expected a damaged item")
            return
        }
        #expect(error.code == .sizeLimitExceeded)
    }

    @Test("finds each XML beginning among many beginnings and few ends")
    func manyBeginnings() {
        let text = String(repeating: "<?xml <plist>", count: 20_000)
        for end in ["", "</plist>"] {
            let items = PropertyListCarver(Array((text + end).utf8)).map(\.content)
            #expect(items.count == 20_000)
        }
    }
}

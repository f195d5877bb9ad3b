// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import PropertyList

@Suite("Views of a document")
struct PropertyListNodeTests {
    private static let sample: PropertyListValue = [
        "text": "hé", "list": [1, 2.5, true], "empty": [], "nothing": [:],
    ]

    @Test("an accessor for another kind returns nil")
    func wrongKind() throws {
        let values: [PropertyListValue] = [
            .null, true, 1, 1.5, .date(PropertyListDate(secondsSince2001: 0)), .data([1]), "a",
            .uid(3), [], .set([]), [:],
        ]
        for value in values {
            let node = try PropertyListDocument(value).root
            #expect(node.kind == value.kind)
            #expect((node.boolean != nil) == (node.kind == .boolean))
            #expect((node.integer != nil) == (node.kind == .integer))
            #expect((node.real != nil) == (node.kind == .real))
            #expect((node.date != nil) == (node.kind == .date))
            #expect((node.data != nil) == (node.kind == .data))
            #expect((node.string != nil) == (node.kind == .string))
            #expect((node.uid != nil) == (node.kind == .uid))
            #expect((node.array != nil) == (node.kind == .array))
            #expect((node.set != nil) == (node.kind == .set))
            #expect((node.dictionary != nil) == (node.kind == .dictionary))
            #expect(node.isNull == (node.kind == .null))
            #expect(node["a"] == nil && node[0] == nil)
            #expect(!node.isString(""))
        }
    }

    @Test("elements and entries are found, and missing ones are nil")
    func access() throws {
        let root = try PropertyListDocument(Self.sample).root
        #expect(root["list"]?[1]?.real == 2.5)
        #expect(root["list"]?[-1] == nil && root["list"]?[3] == nil && root["list"]?["a"] == nil)
        #expect(root["none"] == nil)
        #expect(root["empty"]?.array?.isEmpty == true)
        #expect(root["nothing"]?.dictionary?.isEmpty == true)
        #expect(root.dictionary?.map(\.key) == ["text", "list", "empty", "nothing"])
        #expect(root["list"]?.array?.reversed().map(\.kind) == [.boolean, .real, .integer])
        #expect(root.sourceOffset == nil && root.location == nil)
    }

    @Test("a node reports the offset of its object in the file")
    func sourceOffset() throws {
        let file = BinaryAssembler([.array([1, 1]), .ascii("a")])
        let root = try parsed(file).root
        #expect(root.sourceOffset == 8)
        #expect(root[0]?.sourceOffset == 11)
        #expect(root[0]?.location?.description == "byte 11")
        let (first, second) = try (#require(root[0]), #require(root[1]))
        #expect(first.isIdentical(to: second))
    }

    @Test("strings are compared scalar by scalar, in built documents and in parsed binary files")
    func literalText() throws {
        let texts = ["", "a", "é", "e\u{301}", "漢", "😀"]
        for text in texts {
            let built = try PropertyListDocument(.string(text))
            let read = try PropertyListDocument(parsing: BinaryPropertyList.serialize(built))
            for other in texts {
                #expect(built.root.isString(other) == text.isLiterally(other))
                #expect(read.root.isString(other) == text.isLiterally(other))
            }
        }
    }

    @Test("canonically equivalent keys are distinct")
    func canonicalKeys() throws {
        let value: PropertyListValue = ["é": 1, "e\u{301}": 2]
        #expect(value.dictionary?.count == 2)
        let built = try PropertyListDocument(value)
        let read = try PropertyListDocument(parsing: BinaryPropertyList.serialize(built))
        for root in [built.root, read.root] {
            #expect(root["é"]?.integer == 1)
            #expect(root["e\u{301}"]?.integer == 2)
            #expect(root["e"] == nil)
        }
        #expect(try read.root.value() == value)
    }

    @Test("keys are found in dictionaries of every size", arguments: [1, 16, 17, 1000, 100_000])
    func lookUp(_ count: Int) throws {
        var builder = DocumentBuilder()
        builder.beginDictionary()
        for number in 0..<count {
            builder.key("key \(number)")
            builder.integer(PropertyListInteger(number))
        }
        builder.key("other")
        builder.beginDictionary()
        builder.key("elsewhere")
        builder.null()
        builder.end()
        builder.end()
        let root = try builder.finish().root
        for number in stride(from: 0, to: count, by: max(count / 100, 1)) {
            #expect(root["key \(number)"]?.integer?.value(as: Int.self) == number)
        }
        #expect(root["key \(count)"] == nil)
        #expect(root["elsewhere"] == nil)
        #expect(root["other"]?["elsewhere"]?.isNull == true)
    }
}

@Suite("DocumentBuilder")
struct DocumentBuilderTests {
    /// Returns the error of `finish` after `calls`.
    private func misuse(_ calls: (inout DocumentBuilder) -> Void) -> PropertyListError? {
        var builder = DocumentBuilder()
        calls(&builder)
        do {
            _ = try builder.finish()
            return nil
        } catch { return error }
    }

    @Test("calls in the wrong order are reported by `finish`")
    func mistakes() {
        let mistakes: [(inout DocumentBuilder) -> Void] = [
            { _ in },
            {
                $0.null(); $0.null()
            },
            { $0.end() },
            { $0.beginArray() },
            {
                $0.beginArray(); $0.key("a"); $0.end()
            },
            { $0.key("a") },
            {
                $0.beginDictionary(); $0.null(); $0.end()
            },
            {
                $0.beginDictionary(); $0.key("a"); $0.end()
            },
            {
                $0.beginDictionary(); $0.key("a"); $0.key("b"); $0.end()
            },
            {
                $0.beginDictionary(); $0.beginArray(); $0.end(); $0.end()
            },
        ]
        for (number, mistake) in mistakes.enumerated() {
            #expect(misuse(mistake)?.code == .unexpectedElement, "mistake \(number)")
        }
    }

    @Test(
        "a builder's error has the path of the first wrong call, and later calls do not change it")
    func place() {
        let error = misuse {
            $0.beginDictionary()
            $0.key("list")
            $0.beginArray()
            $0.null()
            $0.key("a")
            $0.end()
            $0.end()
            $0.end()
        }
        #expect(error?.code == .unexpectedElement)
        #expect(error?.path?.description == "list[1]")
    }

    @Test("a duplicate key is refused")
    func duplicates() {
        let error = misuse {
            $0.beginDictionary()
            for _ in 0..<2 {
                $0.key("a")
                $0.null()
            }
            $0.end()
        }
        #expect(error?.code == .duplicateKey)
    }

    @Test("nesting beyond the limit is refused", arguments: [512, 513])
    func depth(_ depth: Int) {
        let error = misuse {
            for _ in 0..<depth { $0.beginArray() }
            for _ in 0..<depth { $0.end() }
        }
        #expect(error?.code == (depth > 512 ? .depthLimitExceeded : nil))
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import TestSupport
import Testing

@Suite("Values added several times")
struct SharedValueTests {
    private func failure(
        _ limits: ParsingLimits = .default, _ build: (inout DocumentBuilder) -> Void
    ) -> PropertyListError? {
        var builder = DocumentBuilder(limits: limits)
        build(&builder)
        do throws(PropertyListError) { _ = try builder.finish() } catch { return error }
        return nil
    }

    @Test("a list that occurs a thousand times is written once in the binary format")
    func thousand() throws {
        let inner = PropertyListValue.array(PropertyListArray((0..<1000).map { .init($0) }))
        let outer = PropertyListValue.array(
            PropertyListArray([PropertyListValue](repeating: inner, count: 1000)))
        let shared = try PropertyListDocument(outer, sharesCopies: true)
        let bytes = try BinaryPropertyList.serialize(shared)
        #expect(bytes.count < 10_000)
        #expect(try PropertyListDocument(parsing: bytes).root.value() == outer)
        #expect(try shared.root.value() == outer)
        // Without sharing, as in Apple's software, the file has a thousand copies of the list.
        #expect(try BinaryPropertyList.serialize(PropertyListDocument(outer)).count > 1_000_000)
    }

    @Test("text formats write out a shared value for each reference")
    func text() throws {
        let inner: PropertyListValue = ["a": ["b"]]
        let outer: PropertyListValue = [inner, ["x": inner], inner]
        for format in [PropertyListFormat.xml, .json, .openStep] {
            #expect(
                try PropertyListDocument(outer, sharesCopies: true).serialized(as: format)
                    == PropertyListDocument(outer).serialized(as: format))
        }
    }

    @Test("an array and a set of the same elements are not shared as one value")
    func kinds() throws {
        let elements = PropertyListArray([1, [2]])
        let value: PropertyListValue = [.array(elements), .set(elements), .array(elements)]
        let document = try PropertyListDocument(value, sharesCopies: true)
        #expect(try document.root.value() == value)
    }

    @Test("a builder can add leaves and containers again")
    func builder() throws {
        var builder = DocumentBuilder()
        builder.beginDictionary()
        builder.key("first")
        builder.beginArray()
        let isEmptyAValue = builder.lastValue != nil
        builder.string("text")
        let text = builder.lastValue
        builder.end()
        let list = builder.lastValue
        builder.key("second")
        let isKeyAValue = builder.lastValue != nil
        builder.reference(to: try #require(list))
        builder.key("third")
        builder.reference(to: try #require(text))
        builder.end()
        let isRootAValue = builder.lastValue != nil
        #expect(!isEmptyAValue && !isKeyAValue && !isRootAValue)
        let document = try builder.finish()
        #expect(
            try document.root.value() == ["first": ["text"], "second": ["text"], "third": "text"])
        #expect(document.nodeCount == 6)
    }

    @Test("a value of another builder, or one that is not allowed at its position, is refused")
    func refused() {
        var other = DocumentBuilder()
        other.beginArray()
        other.beginArray()
        other.end()
        guard let foreign = other.lastValue else {
            Issue.record("expected the empty list as the last value, found none")
            return
        }
        #expect(
            failure {
                $0.beginArray()
                $0.reference(to: foreign)
                $0.end()
            }?.code == .unexpectedElement)
        #expect(
            failure {
                $0.beginArray()
                $0.beginDictionary()
                $0.end()
                guard let value = $0.lastValue else { return }
                $0.beginDictionary()
                $0.reference(to: value)
                $0.end()
                $0.end()
            }?.what == "expected a key, found a value")
        // In this builder, the foreign value's number belongs to a complete or an open value.
        for isOpen in [false, true] {
            let error = failure {
                $0.beginArray()
                $0.beginArray()
                if !isOpen { $0.end() }
                $0.reference(to: foreign)
                if isOpen { $0.end() }
                $0.end()
            }
            #expect(error?.code == .unexpectedElement)
            #expect(error?.what.contains("another builder") == true)
        }
    }

    @Test("adding a value again takes constant time, however deeply nested the position")
    func deep() throws {
        let seconds = try ProcessorTime.seconds {
            let (depth, count) = (100_000, 200_000)
            var builder = DocumentBuilder(limits: .trusted)
            builder.beginArray()
            builder.beginArray()
            builder.end()
            let last = builder.lastValue
            let value = try #require(last)
            for _ in 1..<depth { builder.beginArray() }
            for _ in 0..<count { builder.reference(to: value) }
            for _ in 0..<depth { builder.end() }
            let document = try builder.finish()
            #expect(document.nodeCount == depth + 1)
        }
        #expect(seconds < 60)
    }

    @Test("the limit on nesting includes the levels of a shared value")
    func depth() {
        var limits = ParsingLimits.default
        limits.depth = 4
        func build(_ levels: Int) -> PropertyListError? {
            failure(limits) {
                $0.beginArray()
                for _ in 0..<2 { $0.beginArray() }
                $0.string("x")
                for _ in 0..<2 { $0.end() }
                guard let value = $0.lastValue else { return }
                for _ in 0..<levels { $0.beginArray() }
                $0.reference(to: value)
                for _ in 0..<levels { $0.end() }
                $0.end()
            }
        }
        #expect(build(0) == nil)
        #expect(build(1) == nil)
        #expect(build(2)?.code == .depthLimitExceeded)
    }

    @Test("values that double on each level are built quickly, and refused when they are expanded")
    func bomb() throws {
        var value: PropertyListValue = ["x"]
        for _ in 0..<200 { value = [value, value] }
        let document = try PropertyListDocument(value, sharesCopies: true)
        #expect(document.nodeCount < 500)
        #expect(try BinaryPropertyList.serialize(document).count < 2000)
        let error = #expect(throws: PropertyListError.self) { try document.serialized(as: .xml) }
        #expect(error?.isLimit == true)
    }

    @Test("copies that expand to too many values are refused quickly")
    func tooManyCopies() throws {
        let seconds = try ProcessorTime.seconds {
            var value: PropertyListValue = ["x"]
            for _ in 0..<200 { value = [value, value] }
            let error = #expect(throws: PropertyListError.self) { try PropertyListDocument(value) }
            #expect(error?.code == .sizeLimitExceeded)
            #expect(error?.what.hasSuffix("found more") == true)
            #expect(error?.recovery?.contains("sharesCopies") == true)
            var budget = OperationBudget(limits: .trusted)
            var known: Set<ContentIdentity> = []
            let other = #expect(throws: PropertyListError.self) {
                try budget.admit(value, &known)
            }
            #expect(other?.code == .sizeLimitExceeded && other?.recovery == nil)
            // The tree is measured only after 2²⁰ values have been added. These copies exceed that
            // number, but not the limit.
            let row = PropertyListValue.array(
                PropertyListArray([PropertyListValue](repeating: 0, count: 1100)))
            let matrix = PropertyListValue.array(
                PropertyListArray([PropertyListValue](repeating: row, count: 1100)))
            let document = try PropertyListDocument([["a": matrix]])
            #expect(document.nodeCount == 1100 * 1101 + 4)
            #expect(try document.root[0]?["a"]?.value() == matrix)
        }
        #expect(seconds < 60)
    }

    @Test("random trees with copies round-trip", arguments: [1, 2, 0x5EED] as [UInt64])
    func random(_ seed: UInt64) throws {
        var source = RandomPropertyList(seed: seed)
        for round in 0..<100 {
            let parts = (0..<3).map { _ in source.value() }
            let inner = PropertyListValue.array(PropertyListArray(parts + parts))
            let value: PropertyListValue = [inner, parts[0], ["k": inner, "l": parts[1]], inner]
            let document = try PropertyListDocument(value, sharesCopies: true)
            let bytes = try BinaryPropertyList.serialize(document)
            let found = try PropertyListDocument(
                parsing: bytes, options: .nonStringKeys)
            #expect(try found.root.value() == value, "round \(round)")
        }
    }
}

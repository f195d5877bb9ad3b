// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import PropertyListCodable
import TestSupport
import Testing

@Suite("The value types of PropertyList as Codable types")
struct PropertyListTypesTests {
    private struct Holder: Codable, Equatable {
        var before = 1
        var value: PropertyListValue
        var uid: PropertyListUID?
    }

    @Test("a tree passes through this library's coders without loss")
    func lossless() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var source = RandomPropertyList(seed: seed)
        for _ in 0..<200 {
            let holder = Holder(value: source.value(), uid: 7)
            let data = try PlistEncoder().encode(holder)
            #expect(try PlistDecoder().decode(Holder.self, from: data) == holder)
            let tree = try PlistEncoder().encodeValue(holder)
            #expect(tree["value"] == holder.value && tree["uid"] == .uid(7))
            #expect(try PlistDecoder().decode(PropertyListValue.self, from: tree) == tree)
        }
    }

    @Test("a tree passes through another coder as far as that coder can represent it")
    func otherCoders() throws {
        let least = try #require(PropertyListInteger(exactly: Int64.min))
        let value: PropertyListValue = [
            "text": "é", "list": [1, 2.5, true, .null, -7, .init("")], "none": [:],
            "large": .integer(PropertyListInteger(UInt64.max)),
            "small": .integer(least),
        ]
        let json = try JSONEncoder().encode(value)
        let back = try JSONDecoder().decode(PropertyListValue.self, from: json)
        #expect(back == value)
        // JSON represents these values in another form.
        let date = PropertyListValue.date(PropertyListDate(secondsSince2001: 1.5))
        let others: PropertyListValue = [.data([1]), date, .real(PropertyListReal(Float(0.5)))]
        let text = try String(decoding: JSONEncoder().encode(others), as: UTF8.self)
        #expect(text == "[\"AQ==\",1.5,0.5]")
        #expect(try JSONEncoder().encode(PropertyListValue.set([1])) == Data("[1]".utf8))
    }

    @Test("a UID is refused by other coders with a message, and only a UID decodes as one")
    func foreignUID() throws {
        let uid = #expect(throws: EncodingError.self) {
            try JSONEncoder().encode([PropertyListUID(1)])
        }
        let value = #expect(throws: EncodingError.self) {
            try JSONEncoder().encode([PropertyListValue.uid(1)])
        }
        for error in [uid, value] {
            guard case .invalidValue(_, let context) = error else { throw Broken() }
            #expect(
                context.debugDescription.hasPrefix("Expected PlistEncoder to encode a UID, found"))
        }
        let read = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([PropertyListUID].self, from: Data("[1]".utf8))
        }
        guard case .typeMismatch(_, let context) = read else { throw Broken() }
        #expect(context.debugDescription.hasPrefix("Expected PlistDecoder to decode a UID, found"))
        #expect(throws: DecodingError.self) {
            try PlistDecoder().decode([PropertyListUID].self, from: [1])
        }
    }

    @Test("values that are nested too deeply are refused, even with other encoders")
    func deepForeign() throws {
        let deep = (0..<600).reduce(PropertyListValue.array([])) { inner, _ in [inner] }
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(deep) }
        #expect(throws: EncodingError.self) { try PlistEncoder().encode(deep) }
        #expect(throws: DecodingError.self) {
            try PlistDecoder().decode(PropertyListValue.self, from: deep)
        }
    }

    @Test("both decoders read random files alike into a type that accepts any value")
    func agreement() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var source = RandomPropertyList(seed: seed, kinds: RandomPropertyList.xmlKinds)
        for _ in 0..<300 {
            let value = source.value()
            // Foundation is not consistent about which of two equivalent keys counts.
            if hasEquivalentKeys(value) { continue }
            for bytes in try ParityCase.files(of: [value]) {
                let ours = Outcome { try PlistDecoder().decode(Anything.self, from: bytes) }
                let theirs = Outcome {
                    try PropertyListDecoder().decode(Anything.self, from: Data(bytes))
                }
                #expect(ours == theirs)
            }
        }
    }

    private func hasEquivalentKeys(_ value: PropertyListValue) -> Bool {
        switch value {
        case .array(let elements): elements.contains(where: hasEquivalentKeys)
        case .dictionary(let entries):
            Set(entries.keys).count < entries.count
                || entries.values.contains(where: hasEquivalentKeys)
        default: false
        }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import PropertyListCodable
import TestSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Decodes the input as recursive types.
public func fuzzDecode(_ bytes: [UInt8]) throws {
    let setup = FuzzSetup(bytes)
    let decoder = PlistDecoder(options: setup.options, limits: setup.limits)
    let parsed = try? PropertyListValue(
        parsing: setup.input, options: setup.options, limits: setup.limits)
    let tree = try? decoder.decode(PropertyListValue.self, from: setup.input)
    try BrokenProperty.check(parsed == tree, "decoding and parsing give different trees")
    _ = try? decoder.decode(Branch.self, from: setup.input)
    _ = try? decoder.decode([String: [Branch?]].self, from: setup.input)
    _ = try? decoder.decode(Numbers.self, from: setup.input)
    guard let value = try? decoder.decode(Anything.self, from: setup.input) else { return }
    try checkRoundTrip(value)
}

/// Checks that a decoded value survives encoding and decoding.
private func checkRoundTrip(_ value: Anything) throws {
    for format in [PropertyListFormat.binary, .xml] {
        let encoder = PlistEncoder(format: format)
        encoder.allowsFragments = true
        let first: [UInt8]
        do { first = try encoder.encodeBytes(value) } catch {
            // XML cannot represent null, some characters and some dates.
            try BrokenProperty.check(
                format == .xml && isUnrepresentable(error),
                "what was decoded cannot be encoded: \(error)")
            continue
        }
        let decoder = PlistDecoder()
        let back = try BrokenProperty.require("what was encoded cannot be decoded") {
            try decoder.decode(Anything.self, from: first)
        }
        let second = try BrokenProperty.require("a value cannot be encoded a second time") {
            try encoder.encodeBytes(back)
        }
        try BrokenProperty.check(first == second, "what was encoded decodes as a different value")
    }
}

/// Returns whether a value was not encoded because the format cannot represent it.
private func isUnrepresentable(_ error: any Error) -> Bool {
    guard case EncodingError.invalidValue(_, let context) = error else { return false }
    return (context.underlyingError as? PropertyListError)?.code == .unrepresentableValue
}

/// Encodes with valid and invalid calls from the input.
public func fuzzEncode(_ bytes: [UInt8]) throws {
    var setup = ByteScript(bytes)
    let encoder = PlistEncoder()
    let choice = setup.byte()
    encoder.allowsFragments = choice & 1 != 0
    encoder.keyOrder = choice & 2 != 0 ? .sorted : .asEncoded
    encoder.limits.depth = choice & 4 != 0 ? 4 : 512
    let value = Scripted(bytes.dropFirst())
    let tree = try? encoder.encodeValue(value)
    encoder.outputFormat = .binary
    if let file = try? encoder.encodeBytes(value) {
        let back = try BrokenProperty.require("what was encoded does not parse") {
            try PropertyListValue(parsing: file)
        }
        try BrokenProperty.check(back == tree, "a file and a tree of one value differ")
    }
    encoder.outputFormat = .xml
    if let file = try? encoder.encodeBytes(value) {
        let back = try BrokenProperty.require("what was encoded as XML does not parse") {
            try PropertyListDocument(parsing: file)
        }
        let again = try BrokenProperty.require("what was encoded as XML cannot be written") {
            try XMLPropertyList.serialize(back).bytes
        }
        try BrokenProperty.check(
            file == again, "what was encoded as XML parses as a different value")
    }
}

// MARK: - Types

/// A recursive type whose initializer uses every kind of decoding container.
private final class Branch: Decodable {
    private enum Key: String, CodingKey { case name = "a", child = "key", list = "NS.objects" }

    let name: String?
    let child: Branch?
    let list: [Branch]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        _ = (container.allKeys, container.contains(.list), decoder.codingPath)
        name = try container.decodeIfPresent(String.self, forKey: .name)
        child = try? container.superDecoder(forKey: .child).singleValueContainer().decode(
            Branch.self)
        var list: [Branch] = []
        var elements = try? container.nestedUnkeyedContainer(forKey: .list)
        while elements?.isAtEnd == false {
            guard let branch = try elements?.decode(Branch.self) else { break }
            list.append(branch)
        }
        _ = try? elements?.decodeNil()
        _ = try? elements?.nestedContainer(keyedBy: Key.self)
        self.list = list
    }
}

/// Tries several types in turn on the elements. Each success advances to the next element.
private struct Numbers: Decodable {
    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd {
            let place = container.currentIndex
            _ = try? container.decode(Int8.self)
            _ = try? container.decode(UInt16.self)
            _ = try? container.decode(Int32.self)
            _ = try? container.decode(UInt.self)
            _ = try? container.decode(Float.self)
            _ = try? container.decode(Decimal.self)
            _ = try? container.decode(URL.self)
            _ = try? container.decode(UUID.self)
            _ = try? container.decode(Numbers.self)
            if container.currentIndex == place { _ = try container.decode(Anything.self) }
        }
    }
}

/// Makes the encoder calls that the bytes of an input describe.
private struct Scripted: Encodable {
    private final class State {
        var script: ByteScript
        /// The number of calls that are left.
        var budget = 400
        init(_ bytes: some Sequence<UInt8>) { script = ByteScript(bytes) }
    }

    private struct Failure: Error {}

    private let bytes: [UInt8]

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    func encode(to encoder: any Encoder) throws {
        try Part(state: State(bytes)).encode(to: encoder)
    }

    /// The next value of the script. The meaning of a byte never changes, because inputs are kept.
    private struct Part: Encodable {
        let state: State

        func encode(to encoder: any Encoder) throws {
            state.budget -= 1
            if state.budget < 0 { return }
            switch state.script.byte() % 8 {
            case 0: break
            case 1: throw Failure()
            case 2, 3:
                var container = encoder.container(keyedBy: AnyKey.self)
                try entries(&container)
            case 4, 5:
                var container = encoder.unkeyedContainer()
                try elements(&container)
            case 6:
                var container = encoder.singleValueContainer()
                try leaf { try container.encode($0) }
            default:
                // A second container of another kind.
                var container = encoder.unkeyedContainer()
                try container.encode(1)
                var other = encoder.container(keyedBy: AnyKey.self)
                try entries(&other)
            }
        }

        private func entries(_ container: inout KeyedEncodingContainer<AnyKey>) throws {
            for _ in 0..<(state.script.byte() % 5) {
                let name = state.script.text()
                let key = Int(name).map(AnyKey.init(intValue:)) ?? AnyKey(stringValue: name)
                switch state.script.byte() % 7 {
                case 0: try container.encodeNil(forKey: key)
                case 1: try container.encode(self, forKey: key)
                case 2: try self.encode(to: container.superEncoder(forKey: key))
                case 3:
                    var nested = container.nestedContainer(keyedBy: AnyKey.self, forKey: key)
                    if state.budget > 0 { try entries(&nested) }
                case 4:
                    var nested = container.nestedUnkeyedContainer(forKey: key)
                    if state.budget > 0 { try elements(&nested) }
                case 5: try? container.encode(self, forKey: key)
                default: try leaf { try container.encode($0, forKey: key) }
                }
                state.budget -= 1
            }
        }

        private func elements(_ container: inout any UnkeyedEncodingContainer) throws {
            for _ in 0..<(state.script.byte() % 5) {
                switch state.script.byte() % 7 {
                case 0: try container.encodeNil()
                case 1: try container.encode(self)
                case 2: try self.encode(to: container.superEncoder())
                case 3:
                    var nested = container.nestedContainer(keyedBy: AnyKey.self)
                    if state.budget > 0 { try entries(&nested) }
                case 4:
                    var nested = container.nestedUnkeyedContainer()
                    if state.budget > 0 { try elements(&nested) }
                case 5: try? container.encode(self)
                default: try leaf { try container.encode($0) }
                }
                state.budget -= 1
            }
        }

        private func leaf(_ encode: (any Encodable) throws -> Void) throws {
            let seconds = Double(bitPattern: state.script.word())
            let choices: [any Encodable] = [
                state.script.text(), Int(state.script.byte()), seconds, Float(seconds), true,
                UInt64.max, Date(timeIntervalSinceReferenceDate: seconds),
                Data(state.script.bytes(3)), PropertyListUID(7), PropertyListValue.null,
                PropertyListValue.set([1, "a"]), ["k": [1, 2]], Int?.none,
            ]
            try encode(choices[Int(state.script.byte()) % choices.count])
        }
    }
}

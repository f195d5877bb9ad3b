// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList

// Types that use every method of the coders.

struct Empty: Codable, Equatable, Sendable {}

/// Encodes nothing at all.
struct Silent: Encodable, Sendable {
    func encode(to encoder: any Encoder) throws {}
}

struct Person: Codable, Equatable, Sendable {
    var name: String
    var age: Int
    var email: String?
    var height: Double?
    var isMember = false
}

struct Nest: Codable, Equatable, Sendable {
    var label: String
    var children: [Nest] = []
}

enum Payload: Codable, Equatable, Sendable {
    case empty
    case one(Int)
    case two(x: Int, y: String?)
}

enum Suit: String, Codable, CodingKeyRepresentable, Equatable, Sendable { case hearts, spades }

enum Level: Int, Codable, CodingKeyRepresentable, Equatable, Sendable { case low = 1, high = 10 }

/// A key that is neither a string nor an integer, but can be represented as a string.
struct Tag: Codable, Hashable, CodingKeyRepresentable, Sendable {
    let text: String
    struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
    var codingKey: any CodingKey { Key(stringValue: text) }
    init(_ text: String) { self.text = text }
    init?<T: CodingKey>(codingKey: T) { text = codingKey.stringValue }
}

/// A key type that makes a dictionary encode as an array of keys and values.
struct Point: Codable, Hashable, Sendable { var x: Int, y: Int }

class Animal: Codable {
    var name: String
    private enum CodingKeys: CodingKey { case name }

    init(name: String) { self.name = name }

    required init(from decoder: any Decoder) throws {
        name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
    }
}

/// Encodes its superclass under `super`, under another key, and in the same container.
final class Dog: Animal, Equatable, @unchecked Sendable {
    var tricks: [String]
    private enum CodingKeys: CodingKey { case tricks, base }

    init(name: String, tricks: [String]) {
        self.tricks = tricks
        super.init(name: name)
    }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        tricks = try container.decode([String].self, forKey: .tricks)
        _ = try Animal(from: container.superDecoder(forKey: .base))
        _ = try Animal(from: decoder)
        try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(tricks, forKey: .tricks)
        try super.encode(to: container.superEncoder())
        try super.encode(to: container.superEncoder(forKey: .base))
        try super.encode(to: encoder)
    }

    static func == (left: Dog, right: Dog) -> Bool {
        left.name == right.name && left.tricks == right.tricks
    }
}

/// Containers of each kind, nested in each kind, with interleaved calls.
struct Interleaved: Codable, Equatable, Sendable {
    enum Keys: CodingKey { case list, table, same }

    init() {}

    func encode(to encoder: any Encoder) throws {
        var root = encoder.container(keyedBy: Keys.self)
        var list = root.nestedUnkeyedContainer(forKey: .list)
        var table = root.nestedContainer(keyedBy: Keys.self, forKey: .table)
        try list.encode(1)
        try table.encode("a", forKey: .list)
        var inner = list.nestedContainer(keyedBy: Keys.self)
        try list.encode(2)
        try inner.encode(true, forKey: .same)
        var deep = list.nestedUnkeyedContainer()
        try deep.encode(Data([1, 2]))
        try table.encode("b", forKey: .table)
        var same = root.nestedContainer(keyedBy: Keys.self, forKey: .same)
        try same.encode(1, forKey: .list)
        var again = root.nestedContainer(keyedBy: Keys.self, forKey: .same)
        try again.encode(2, forKey: .table)
        try same.encode(3, forKey: .list)
        try list.encodeNil()
    }

    init(from decoder: any Decoder) throws {
        let root = try decoder.container(keyedBy: Keys.self)
        var list = try root.nestedUnkeyedContainer(forKey: .list)
        _ = try list.decode(Int.self)
        let inner = try list.nestedContainer(keyedBy: Keys.self)
        _ = try list.decode(Int.self)
        var deep = try list.nestedUnkeyedContainer()
        let table = try root.nestedContainer(keyedBy: Keys.self, forKey: .table)
        guard try deep.decode(Data.self) == Data([1, 2]), deep.isAtEnd, try list.decodeNil(),
            list.isAtEnd, list.currentIndex == 5, list.count == 5,
            try inner.decode(Bool.self, forKey: .same), inner.allKeys == [.same],
            try table.decode(String.self, forKey: .table) == "b", !table.contains(.same)
        else { throw Broken() }
    }
}

struct Broken: Error {}

/// Super encoders that stay empty, and one that encodes a number.
struct Supers: Encodable, Sendable {
    enum Keys: CodingKey { case first, table, list, number }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        _ = container.superEncoder()
        _ = container.superEncoder(forKey: .first)
        _ = container.nestedContainer(keyedBy: Keys.self, forKey: .table)
        _ = container.nestedUnkeyedContainer(forKey: .list)
        try 5.encode(to: container.superEncoder(forKey: .number))
    }
}

struct UnkeyedSupers: Encodable, Sendable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        _ = container.superEncoder()
        try container.encode(container.count)
        _ = container.nestedUnkeyedContainer()
        try "x".encode(to: container.superEncoder())
        try container.encode(container.count)
    }
}

/// Encodes a key twice, in a small container or among many keys.
struct Repeated: Encodable, Sendable {
    var others = 0
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Tag.Key.self)
        try container.encode(1, forKey: .init(stringValue: "b"))
        try container.encode(1, forKey: .init(stringValue: "a"))
        for number in 0..<others {
            try container.encode(number, forKey: .init(stringValue: "key \(number)"))
        }
        try container.encode(2, forKey: .init(stringValue: "b"))
        for number in 0..<others {
            try container.encode(-number, forKey: .init(stringValue: "key \(number)"))
        }
    }
}

/// Requests two containers of the same kind with different keys.
struct TwoContainers: Codable, Equatable, Sendable {
    var first = 1, second = 2, third = 3
    enum Keys: CodingKey { case first, third }
    enum OtherKeys: CodingKey { case second }

    init() {}
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(first, forKey: .first)
        var other = encoder.container(keyedBy: OtherKeys.self)
        try other.encode(second, forKey: .second)
        try container.encode(third, forKey: .third)
    }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        let other = try decoder.container(keyedBy: OtherKeys.self)
        first = try container.decode(Int.self, forKey: .first)
        second = try other.decode(Int.self, forKey: .second)
        third = try container.decode(Int.self, forKey: .third)
    }
}

/// Encodes a value that fails two levels down.
struct Failing: Encodable, Sendable {
    struct Inner: Encodable {
        func encode(to encoder: any Encoder) throws {
            let context = EncodingError.Context(
                codingPath: encoder.codingPath, debugDescription: "no")
            throw EncodingError.invalidValue(3, context)
        }
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(1)
        try container.encode(["inner": Inner()])
    }
}

/// The results of every method of a keyed container for an existing and a missing key.
struct Questions: Decodable, Equatable, Sendable {
    enum Keys: CodingKey { case there, missing }
    var answers: [String] = []

    private mutating func ask<T>(_ body: () throws -> T) {
        do {
            answers.append("\(try body())")
        } catch {
            answers.append("\(Outcome<Int>.failure(error))")
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        answers.append("\(container.allKeys.map(\.stringValue))")
        for key in [Keys.there, .missing] {
            ask { container.contains(key) }
            ask { try container.decodeNil(forKey: key) }
            ask { try container.decode(Int.self, forKey: key) }
            ask { try container.decode(Int8.self, forKey: key) }
            ask { try container.decode(String.self, forKey: key) }
            ask { try container.decode(Bool.self, forKey: key) }
            ask { try container.decode(Float.self, forKey: key) }
            ask { try container.decode(Date.self, forKey: key) }
            ask { try container.decode([Int].self, forKey: key) }
            ask { try container.decode(Int?.self, forKey: key) }
            ask { try container.decodeIfPresent(Int.self, forKey: key) }
            ask { try container.decodeIfPresent(UInt16.self, forKey: key) }
            ask { try container.decodeIfPresent(String.self, forKey: key) }
            ask { try container.decodeIfPresent(Bool.self, forKey: key) }
            ask { try container.decodeIfPresent(Double.self, forKey: key) }
            ask { try container.decodeIfPresent([String: Int].self, forKey: key) }
            ask { try container.nestedContainer(keyedBy: Keys.self, forKey: key).allKeys }
            ask { try container.nestedUnkeyedContainer(forKey: key).count }
            ask { try container.superDecoder(forKey: key).codingPath.map(\.stringValue) }
            ask { try container.superDecoder(forKey: key).singleValueContainer().decodeNil() }
        }
        ask { try container.superDecoder().codingPath.map(\.stringValue) }
    }
}

/// The results of every method of an unkeyed container at each index, and at the end.
struct UnkeyedQuestions: Decodable, Equatable, Sendable {
    var answers: [String] = []

    private mutating func ask<T>(
        _ container: inout any UnkeyedDecodingContainer,
        _ body: (inout any UnkeyedDecodingContainer) throws -> T
    ) {
        do {
            answers.append("\(try body(&container)) \(container.currentIndex)")
        } catch {
            answers.append("\(Outcome<Int>.failure(error)) \(container.currentIndex)")
        }
    }

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        for _ in 0..<5 {
            answers.append("\(container.isAtEnd) \(container.count ?? -1)")
            ask(&container) { try $0.decode(Data.self) }
            ask(&container) { try $0.decode(UInt8.self) }
            ask(&container) { try $0.decode(String.self) }
            ask(&container) { try $0.decodeNil() }
            ask(&container) { try $0.decodeIfPresent(Bool.self) }
            ask(&container) { try $0.decode([Int].self) }
            ask(&container) { try $0.nestedContainer(keyedBy: Questions.Keys.self).allKeys }
            ask(&container) { try $0.nestedUnkeyedContainer().count }
        }
        ask(&container) { try $0.superDecoder().codingPath.map(\.stringValue) }
        ask(&container) { try $0.superDecoder().codingPath.map(\.stringValue) }
    }
}

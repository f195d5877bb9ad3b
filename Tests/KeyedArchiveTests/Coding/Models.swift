// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive
import TestSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A class of an iOS program, ported by renaming the coders.
final class Save: KeyedCodable, Equatable {
    static let archivedClass: ArchivedClass = "DWSave"
    var name: String
    var age: Int
    var sex: Bool

    init(name: String, age: Int, sex: Bool) {
        self.name = name
        self.age = age
        self.sex = sex
    }

    func encode(with coder: KeyedEncoder) {
        coder.encode(name, forKey: "name")
        coder.encode(age, forKey: "age")
        coder.encode(sex, forKey: "sex")
    }

    init(coder: KeyedDecoder) throws {
        name = try coder.decode(String.self, forKey: "name")
        age = try coder.decodeInteger(forKey: "age")
        sex = try coder.decodeBool(forKey: "sex")
    }

    static func == (left: Save, right: Save) -> Bool {
        left.name == right.name && left.age == right.age && left.sex == right.sex
    }
}

/// A class with subclasses.
class Pet: KeyedCodable {
    class var archivedClass: ArchivedClass { "Pet" }
    let name: String

    init(name: String) { self.name = name }

    func encode(with coder: KeyedEncoder) { coder.encode(name, forKey: "name") }

    required init(coder: KeyedDecoder) throws { name = try coder.decode(forKey: "name") }
}

final class Dog: Pet {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("Dog") }
    let tricks: [String]

    init(name: String, tricks: [String]) {
        self.tricks = tricks
        super.init(name: name)
    }

    override func encode(with coder: KeyedEncoder) {
        super.encode(with: coder)
        coder.encode(tricks, forKey: "tricks")
    }

    required init(coder: KeyedDecoder) throws {
        tricks = try coder.decode(forKey: "tricks")
        try super.init(coder: coder)
    }
}

/// A subclass without an archived class name.
final class Cat: Pet {}

/// A node of a tree and of a list. It refers weakly to its parent.
final class Node: KeyedCodable {
    static let archivedClass: ArchivedClass = "Node"
    var value: Int
    var children: [Node] = []
    weak var parent: Node?
    var next: Node?

    init(_ value: Int) { self.value = value }

    func encode(with coder: KeyedEncoder) {
        coder.encode(value, forKey: "value")
        coder.encode(children, forKey: "children")
        coder.encodeConditionalObject(parent, forKey: "parent")
        coder.encode(next, forKey: "next")
    }

    init(coder: KeyedDecoder) throws {
        value = try coder.decode(forKey: "value")
        children = try coder.decode(forKey: "children")
        try coder.decodeReference(to: Node.self, forKey: "parent") { [weak self] in
            self?.parent = $0
        }
        try coder.decodeReference(to: Node.self, forKey: "next") { [weak self] in self?.next = $0 }
    }

    func adopt(_ child: Node) {
        children.append(child)
        child.parent = self
    }
}

/// A link of a list. Nested calls encode and decode the links, and a ``ThreadLog`` records the
/// thread of each call.
final class Link: KeyedCodable {
    static let archivedClass: ArchivedClass = "Link"
    let value: Int
    var next: Link?

    init(_ value: Int, next: Link?) {
        self.value = value
        self.next = next
    }

    func encode(with coder: KeyedEncoder) throws {
        try ThreadLog.visit()
        coder.encode(value, forKey: "value")
        coder.encode(next, forKey: "next")
    }

    init(coder: KeyedDecoder) throws {
        try ThreadLog.visit()
        value = try coder.decode(forKey: "value")
        next = try coder.decode(forKey: "next")
    }

    deinit {
        // Releases a long list link by link, without recursion.
        var rest = next
        next = nil
        while isKnownUniquelyReferenced(&rest) {
            let following = rest?.next
            rest?.next = nil
            rest = following
        }
    }

    static func list(_ count: Int) -> Link {
        var list: Link?
        for value in (0..<count).reversed() { list = Link(value, next: list) }
        return list ?? Link(0, next: nil)
    }

    /// The values of this link and of all following links.
    var values: [Int] {
        var values: [Int] = []
        var link: Link? = self
        while let this = link {
            values.append(this.value)
            link = this.next
        }
        return values
    }
}

/// A structure.
struct Reading: KeyedCodable, Equatable {
    static let archivedClass: ArchivedClass = "App.Reading"
    var when: Date
    var celsius: Double?
    var tags: [String: [Int]]

    init(when: Date, celsius: Double?, tags: [String: [Int]]) {
        self.when = when
        self.celsius = celsius
        self.tags = tags
    }

    func encode(with coder: KeyedEncoder) {
        coder.encode(when, forKey: "when")
        coder.encode(celsius, forKey: "celsius")
        coder.encode(tags, forKey: "tags")
    }

    init(coder: KeyedDecoder) throws {
        when = try coder.decode(forKey: "when")
        celsius = try coder.decode(forKey: "celsius")
        tags = try coder.decode(forKey: "tags")
    }
}

/// An enumeration with associated values.
enum Shape: KeyedCodable, Equatable {
    case circle(radius: Double)
    case square(side: Double)

    static let archivedClass: ArchivedClass = "Shape"

    func encode(with coder: KeyedEncoder) {
        switch self {
        case .circle(let radius): coder.encode(radius, forKey: "radius")
        case .square(let side): coder.encode(side, forKey: "side")
        }
    }

    init(coder: KeyedDecoder) throws {
        if coder.containsValue(forKey: "radius") {
            self = .circle(radius: try coder.decode(forKey: "radius"))
        } else {
            self = .square(side: try coder.decode(forKey: "side"))
        }
    }
}

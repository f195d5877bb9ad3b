// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import PropertyList
import TestSupport
import Testing

@testable import KeyedArchive

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Archiving and unarchiving")
struct RoundTripTests {
    @Test("a class round-trips", arguments: [PropertyListFormat.binary, .xml])
    func save(format: PropertyListFormat) throws {
        let save = Save(name: "Anna", age: 36, sex: true)
        let bytes = try KeyedArchiver.archive(save, as: format)
        #expect(try KeyedUnarchiver.unarchive(Save.self, from: bytes) == save)
    }

    @Test("objects are numbered in the order of Apple's archiver: object, children, class")
    func numbering() throws {
        let bytes = try KeyedArchiver.archive(ArchivedSet([3, 2]))
        let graph = try ArchiveGraph(parsing: bytes)
        #expect(graph.objects.count == 5)
        #expect(graph[2] == .leaf(3))
        #expect(graph[3] == .leaf(2))
        #expect(graph.archivedClass(of: 1) == ArchivedClass("NSSet"))
        #expect(graph[4] == .classDescription(ArchivedClass("NSSet")))
        #expect(graph.roots["root"] == .uid(1))
    }

    @Test("a structure round-trips with optionals, dates and dictionaries of arrays")
    func reading() throws {
        for celsius in [nil, 21.5] {
            let reading = Reading(
                when: Date(timeIntervalSinceReferenceDate: 0.25), celsius: celsius,
                tags: ["a": [1, -2], "": [], "é": [.max, .min]])
            let bytes = try KeyedArchiver.archive(reading)
            #expect(try KeyedUnarchiver.unarchive(Reading.self, from: bytes) == reading)
        }
    }

    @Test("enumerations round-trip")
    func shapes() throws {
        let shapes: [Shape] = [.circle(radius: 1), .square(side: 2)]
        let bytes = try KeyedArchiver.archive(shapes)
        #expect(try KeyedUnarchiver.unarchive([Shape].self, from: bytes) == shapes)
    }

    @Test("an instance is written once and decoded as one instance")
    func identity() throws {
        let save = Save(name: "x", age: 1, sex: false)
        let bytes = try KeyedArchiver.archive([save, save, Save(name: "x", age: 1, sex: false)])
        let back = try KeyedUnarchiver.unarchive([Save].self, from: bytes)
        #expect(back.count == 3 && back[0] === back[1] && back[1] !== back[2])
        #expect(try ArchiveGraph(parsing: bytes).objects.count == 7)
    }

    @Test("an object of a subclass is decoded as that subclass")
    func subclasses() throws {
        let allowed = ClassRegistry.foundation.adding(Dog.self, Pet.self)
        let pets = [Pet(name: "Rex"), Dog(name: "Fido", tricks: ["sit"])]
        let bytes = try KeyedArchiver.archive(pets, allowing: allowed)
        let back = try KeyedUnarchiver.unarchive([Pet].self, from: bytes, allowing: allowed)
        #expect(back.map(\.name) == ["Rex", "Fido"])
        #expect((back[1] as? Dog)?.tricks == ["sit"])
        let classes = try ArchiveGraph(parsing: bytes).objects.compactMap { entry in
            if case .classDescription(let description) = entry { description.chain } else { nil }
        }
        #expect(classes.contains(["Dog", "Pet", "NSObject"]))
    }

    @Test("a shared object is one instance, requested as its class or as its superclass")
    func sharedSubclass() throws {
        let allowed = ClassRegistry.foundation.adding(Dog.self, Pet.self)
        let archiver = KeyedArchiver(allowing: allowed)
        let dog = Dog(name: "Fido", tricks: ["sit"])
        let pets = [dog, Pet(name: "Rex"), Dog(name: "Max", tricks: []), dog]
        archiver.roots.encode(pets, forKey: "pets")
        archiver.roots.encode(dog, forKey: "dog")
        archiver.roots.encode(pets[1], forKey: "rex")
        let archive = try KeyedUnarchiver(parsing: archiver.finish(), allowing: allowed)
        let back = try archive.unarchive([Pet].self, forKey: "pets")
        #expect(back.map { $0 is Dog } == [true, false, true, true])
        #expect(back[0] === back[3])
        #expect(try archive.unarchive(Dog.self, forKey: "dog") === back[0])
        #expect(try archive.unarchive(Pet.self, forKey: "dog") === back[0])
        #expect(try archive.unarchive(Pet.self, forKey: "rex") === back[1])
        #expect(
            archiveError { try archive.unarchive(Dog.self, forKey: "rex") }?.code == .wrongType)
    }

    @Test("a request with `Dog.self` typed as `Pet.Type` does not affect later requests")
    func dynamicMetatype() throws {
        let allowed = ClassRegistry.foundation.adding(Dog.self, Pet.self)
        let archiver = KeyedArchiver(allowing: allowed)
        for key in ["a", "b"] { archiver.roots.encode(Pet(name: key), forKey: key) }
        let archive = try KeyedUnarchiver(parsing: archiver.finish(), allowing: allowed)
        let type: Pet.Type = Dog.self
        let reference = try #require(archive.roots.reference(forKey: "a"))
        // Only the static type of the request counts: the object is of the class Pet.
        #expect(try !(reference.object(as: type) is Dog))
        #expect(archiveError { try archive.unarchive(Dog.self, forKey: "b") }?.code == .wrongType)
        #expect(try archive.unarchive(Pet.self, forKey: "b").name == "b")
    }

    @Test("a subclass that would be archived under its superclass's name is refused")
    func undeclaredSubclass() throws {
        #expect(
            archiveError { try KeyedArchiver.archive([Cat(name: "Tom")] as [Pet]) }?.code
                == .undeclaredSubclass)
    }

    @Test("several roots round-trip, including plain values")
    func roots() throws {
        let archiver = KeyedArchiver(allowing: .foundation.adding(Save.self))
        let save = Save(name: "x", age: 1, sex: false)
        archiver.roots.encode(save, forKey: "a")
        archiver.roots.encode([save], forKey: "b")
        archiver.roots.encode(7, forKey: "n")
        archiver.roots.encode(Float(0.5), forKey: "$f")
        let archive = try KeyedUnarchiver(
            parsing: archiver.finish(), allowing: .foundation.adding(Save.self))
        let first = try archive.unarchive(Save.self, forKey: "a")
        #expect(try archive.unarchive([Save].self, forKey: "b").first === first)
        #expect(try archive.roots.decodeInteger(forKey: "n") == 7)
        #expect(try archive.roots.decodeFloat(forKey: "$f") == 0.5)
        #expect(archive.roots.keys == ["a", "b", "n", "$f"])
    }

    @Test("the text `$null` is distinguished from nil")
    func nullText() throws {
        let texts = ["$null", "a", "$null"]
        let bytes = try KeyedArchiver.archive(texts)
        #expect(try KeyedUnarchiver.unarchive([String].self, from: bytes) == texts)
        let nils: [String?] = [nil, "$null", nil]
        let again = try KeyedUnarchiver.unarchive(
            [String?].self, from: KeyedArchiver.archive(nils))
        #expect(again == nils)
    }

    @Test("the text `$null` in a property list is kept")
    func nullInTree() throws {
        let tree: PropertyListValue = ["$null": ["$null", "a"], "b": "$null"]
        let back = try KeyedUnarchiver.unarchive(
            PropertyListValue.self, from: KeyedArchiver.archive(tree))
        #expect(back == tree)
    }

    @Test("canonically equivalent keys and texts stay different")
    func canonicalEquivalents() throws {
        let forms = ["\u{E9}", "e\u{301}"]
        func scalars(_ texts: [String]) -> [Int] { texts.map(\.unicodeScalars.count) }
        let archiver = KeyedArchiver(allowing: .foundation.adding(KeyField.self))
        archiver.roots.encode(forms.map(KeyField.init), forKey: "root")
        let bytes = try archiver.finish()
        let back = try KeyedUnarchiver.unarchive([KeyField].self, from: bytes)
        #expect(scalars(back.map(\.key)) == [1, 2])
        let texts = try KeyedUnarchiver.unarchive(
            [String].self, from: KeyedArchiver.archive(forms))
        #expect(scalars(texts) == [1, 2])
    }

    @Test("equal sets and dictionaries have the same bytes, whatever the order of insertion")
    func stableOrder() throws {
        let data = (0..<50).map { Data([UInt8($0), 1]) }
        let dates = (0..<50).map { Date(timeIntervalSinceReferenceDate: Double($0) / 100) }
        #expect(try KeyedArchiver.archive(set(data)) == KeyedArchiver.archive(set(data.reversed())))
        #expect(
            try KeyedArchiver.archive(set(dates)) == KeyedArchiver.archive(set(dates.reversed())))
        #expect(
            try KeyedArchiver.archive(dictionary(data))
                == KeyedArchiver.archive(dictionary(data.reversed())))
        #expect(
            try KeyedArchiver.archive(dictionary(dates))
                == KeyedArchiver.archive(dictionary(dates.reversed())))
    }

    private func set<T: Hashable>(_ elements: [T]) -> Set<T> {
        var set = Set<T>(minimumCapacity: Int.random(in: 1...5000))
        for element in elements { set.insert(element) }
        return set
    }

    /// Returns a dictionary of the keys, each with itself as the value.
    private func dictionary<Key: Hashable>(_ keys: [Key]) -> [Key: Key] {
        var dictionary = [Key: Key](minimumCapacity: Int.random(in: 1...5000))
        for key in keys { dictionary[key] = key }
        return dictionary
    }

    @Test("numbers are kept exactly, up to the ends of their ranges")
    func numbers() throws {
        let values: [ArchivedNumber] = [
            true, false, 0, -1, .integer(PropertyListInteger(UInt64.max)),
            .integer(PropertyListInteger(Int.min)), 0.0, -0.0, .real(PropertyListReal(Float(0.1))),
            .real(PropertyListReal(Double.nan)), .real(PropertyListReal(Double.infinity)), 1.0,
        ]
        let bytes = try KeyedArchiver.archive(values)
        #expect(try KeyedUnarchiver.unarchive([ArchivedNumber].self, from: bytes) == values)
    }

    @Test("mixed values and property lists round-trip")
    func trees() throws {
        let tree: PropertyListValue = [
            "a": [1, 2.5, true, "text", ["x": [:]]], "d": .data([1, 2]),
            "t": .date(PropertyListDate(secondsSince2001: 1.5)),
        ]
        let bytes = try KeyedArchiver.archive(tree)
        #expect(try KeyedUnarchiver.unarchive(PropertyListValue.self, from: bytes) == tree)
        let mixed = try KeyedUnarchiver.unarchive([String: AnyArchived].self, from: bytes)
        #expect(mixed["a"]?.value(as: ArchivedPairs<AnyArchived, AnyArchived>.self) == nil)
        #expect(mixed["a"]?.value(as: [AnyArchived].self)?[0].value(as: Int.self) == 1)
        #expect(mixed["d"]?.value(as: Data.self) == Data([1, 2]))
        #expect(try KeyedArchiver.archive(mixed).count == bytes.count)
    }

    @Test("`Mutable` values are archived as mutable classes and decoded as `Mutable`")
    func mutables() throws {
        let value: [AnyArchived] = [
            AnyArchived(Mutable("m")), AnyArchived("i"), AnyArchived(Mutable(Data([1]))),
            AnyArchived(Mutable([Mutable("deep")])),
        ]
        let bytes = try KeyedArchiver.archive(value)
        let back = try KeyedUnarchiver.unarchive([AnyArchived].self, from: bytes)
        #expect(back[0].value is Mutable<String>)
        #expect(back[0].value(as: String.self) == "m")
        #expect(back[1].value is String)
        #expect(back[2].value is Mutable<Data>)
        #expect(try KeyedArchiver.archive(back) == bytes)
    }

    @Test("parents, children and cycles are restored through deferred references")
    func cycles() throws {
        let root = Node(1)
        for value in 2...4 { root.adopt(Node(value)) }
        root.children[0].next = root.children[1]
        root.children[1].next = root.children[0]
        root.next = root
        let allowed = ClassRegistry.foundation.adding(Node.self)
        let bytes = try KeyedArchiver.archive(root, allowing: allowed)
        let back = try KeyedUnarchiver.unarchive(Node.self, from: bytes, allowing: allowed)
        #expect(back.next === back)
        #expect(back.children.map(\.value) == [2, 3, 4])
        #expect(back.children.allSatisfy { $0.parent === back })
        #expect(back.children[0].next === back.children[1])
        #expect(back.children[1].next === back.children[0])
        for node in [root, back] { (node.next, node.children[0].next) = (nil, nil) }
    }

    @Test("a conditional reference to an object that is not otherwise written decodes as nil")
    func conditional() throws {
        let parent = Node(1)
        parent.adopt(Node(2))
        let allowed = ClassRegistry.foundation.adding(Node.self)
        let bytes = try KeyedArchiver.archive(parent.children[0], allowing: allowed)
        let graph = try ArchiveGraph(parsing: bytes)
        guard case .object(let child) = graph[1], case .uid(let slot) = child["parent"] else {
            Issue.record("no child")
            return
        }
        #expect(slot.value != 0 && graph[slot] == .null)
        let back = try KeyedUnarchiver.unarchive(Node.self, from: bytes, allowing: allowed)
        #expect(back.parent == nil)
    }

    @Test("a very long chain of objects is written and read within the trusted limits")
    func deepChain() throws {
        let length = Exhaustive.size(100_000, inDebug: 20_000)
        let allowed = ClassRegistry.foundation.adding(Link.self)
        let bytes = try KeyedArchiver.archive(
            Link.list(length), allowing: allowed, limits: .trusted)
        let back = try KeyedUnarchiver.unarchive(
            Link.self, from: bytes, allowing: allowed, limits: .trusted)
        var count = 0
        var link: Link? = back
        while let this = link {
            #expect(this.value == count)
            count += 1
            link = this.next
        }
        #expect(count == length)
        #expect(
            archiveError {
                try KeyedUnarchiver.unarchive(
                    Link.self, from: bytes, allowing: allowed)
            }?.code == .depthLimitExceeded)
        #expect(
            archiveError {
                try KeyedArchiver.archive(
                    Link.list(1000), allowing: allowed)
            }?.code == .depthLimitExceeded)
    }
}

/// An object with one field. Only its key matters; its value is always 1.
struct KeyField: KeyedCodable {
    static let archivedClass: ArchivedClass = "KeyField"
    let key: String

    init(_ key: String) { self.key = key }

    func encode(with coder: KeyedEncoder) { coder.encode(1, forKey: key) }
    init(coder: KeyedDecoder) throws { key = coder.keys.first ?? "" }
}

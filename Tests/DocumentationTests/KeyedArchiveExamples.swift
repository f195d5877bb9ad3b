// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyedArchive
import PropertyList
import Testing

final class Save: KeyedCodable {
    static let archivedClass: ArchivedClass = "DWSave"
    let name: String, age: Int, sex: Bool

    init(name: String) { (self.name, age, sex) = (name, 36, true) }

    func encode(with coder: KeyedEncoder) {
        coder.encode(name, forKey: "name")
        coder.encode(age, forKey: "age")
        coder.encode(sex, forKey: "sex")
    }
    init(coder: KeyedDecoder) throws {
        name = try coder.decode(forKey: "name")
        age = try coder.decode(forKey: "age")
        sex = try coder.decode(forKey: "sex")
    }
}

class Pet: KeyedCodable {
    class var archivedClass: ArchivedClass { "Pet" }

    init() {}

    func encode(with coder: KeyedEncoder) {}
    required init(coder: KeyedDecoder) throws {}
}

final class Dog: Pet {
    override class var archivedClass: ArchivedClass {
        super.archivedClass.subclass("Dog")
    }
    var tricks: [String] = []

    override init() { super.init() }

    override func encode(with coder: KeyedEncoder) {
        super.encode(with: coder)
        coder.encode(tricks, forKey: "tricks")
    }
    required init(coder: KeyedDecoder) throws {
        tricks = try coder.decode(forKey: "tricks")
        try super.init(coder: coder)
    }
}

private final class Node: KeyedCodable {
    static let archivedClass: ArchivedClass = "Node"
    var children: [Node] = []
    weak var parent: Node?

    init() {}

    func encode(with coder: KeyedEncoder) {
        coder.encode(children, forKey: "children")
        coder.encodeConditionalObject(parent, forKey: "parent")
    }

    init(coder: KeyedDecoder) throws {
        children = try coder.decode([Node].self, forKey: "children")
        try coder.decodeReference(to: Node.self, forKey: "parent") { [weak self] in
            self?.parent = $0
        }
    }
}

/// Decodes one field of a save, and keeps the others.
private struct Older: KeyedCodable {
    static let archivedClass: ArchivedClass = "DWSave"
    let name: String
    let unknown: OpaqueFields

    init(coder: KeyedDecoder) throws {
        name = try coder.decode(String.self, forKey: "name")
        unknown = try coder.unknownFields(except: ["name"])
    }
    func encode(with coder: KeyedEncoder) {
        coder.encode(name, forKey: "name")
        coder.encode(unknown)
    }
}

private struct Mixer: KeyedCodable {
    static let archivedClass: ArchivedClass = "Mixer"
    var volume: Double?

    init(volume: Double) { self.volume = volume }

    func encode(with coder: KeyedEncoder) {
        coder.encode(["volume": AnyArchived(volume ?? 0)], forKey: "settings")
    }

    init(coder: KeyedDecoder) throws {
        let settings = try coder.decode([String: AnyArchived].self, forKey: "settings")
        let volume = settings["volume"]?.value(as: Double.self)
        self.volume = volume
    }
}

private struct Tag: KeyedCodable {
    static let archivedClass: ArchivedClass = "Tag"

    init() {}
    func encode(with coder: KeyedEncoder) {}
    init(coder: KeyedDecoder) throws {}
}

private struct Cat: KeyedCodable {
    static let archivedClass: ArchivedClass = "Cat"

    init() {}
    func encode(with coder: KeyedEncoder) {}
    init(coder: KeyedDecoder) throws {}
}

/// A type that registers the types of its fields.
private struct Card: KeyedCodable {
    static let archivedClass: ArchivedClass = "Card"
    var title: String, tag: Tag, cat: Cat?

    static func register(in registry: inout ClassRegistry) {
        registry.add(Self.self, fields: String.self, Tag.self, Cat.self)
    }

    init(title: String) { (self.title, tag, cat) = (title, Tag(), Cat()) }

    func encode(with coder: KeyedEncoder) {
        coder.encode(title, forKey: "title")
        coder.encode(tag, forKey: "tag")
        coder.encode(cat, forKey: "cat")
    }

    init(coder: KeyedDecoder) throws {
        title = try coder.decode(forKey: "title")
        tag = try coder.decode(forKey: "tag")
        cat = try coder.decode(forKey: "cat")
    }
}

/// A base class that lists its subclasses.
private class Outline: KeyedCodable {
    class var archivedClass: ArchivedClass { "Outline" }
    let name: String

    class func register(in registry: inout ClassRegistry) {
        registry.add(Self.self, fields: String.self, Circle.self, Square.self)
    }

    init(name: String) { self.name = name }
    func encode(with coder: KeyedEncoder) { coder.encode(name, forKey: "name") }
    required init(coder: KeyedDecoder) throws { name = try coder.decode(forKey: "name") }
}

private final class Circle: Outline {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("Circle") }
}

private final class Square: Outline {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("Square") }
}

@Suite("Examples of KeyedArchive")
struct KeyedArchiveExamples {
    private let save = Save(name: "Anna")

    @Test("archive objects and read them")
    func typed() throws {
        func print(_ key: String, _ root: some Any) { #expect(key == "root") }
        let bytes = try KeyedArchiver.archive([save])
        let saves = try KeyedUnarchiver.unarchive([Save].self, from: bytes)

        var graph = try ArchiveGraph(parsing: bytes)
        for (key, root) in graph.roots { print(key, root) }

        #expect(saves.map(\.name) == ["Anna"])
        graph.roots["other"] = 3
        #expect(graph.roots.count == 2)
    }

    @Test("use several roots")
    func roots() throws {
        let archiver = KeyedArchiver(allowing: .commonClasses.adding(Save.self))
        archiver.roots.encode(save, forKey: "first")
        archiver.roots.encode(3, forKey: "level")
        let bytes = try archiver.finish()

        let archive = try KeyedUnarchiver(
            parsing: bytes, allowing: .commonClasses.adding(Save.self))
        let first = try archive.roots.decode(Save.self, forKey: "first")
        let level = try archive.roots.decodeInteger(forKey: "level")
        #expect(first.name == "Anna" && level == 3)
    }

    @Test("allow classes, and read and write them under other names")
    func registries() throws {
        let bytes = try archived()
        try unarchived(bytes)
        let allowed = ClassRegistry.foundation
            .adding(Save.self, as: "OldSave")
            .adding(Pet.self, writtenAs: "App.Pet")
        #expect(allowed.allows("OldSave") && allowed.allows("App.Pet") && allowed.allows("Pet"))
    }

    private func archived() throws -> [UInt8] {
        let allowed = ClassRegistry.commonClasses.adding(Save.self)
        let bytes = try KeyedArchiver.archive(save, allowing: allowed)
        let again = try KeyedUnarchiver.unarchive(Save.self, from: bytes, allowing: allowed)
        #expect(again.age == 36)
        return bytes
    }

    private func unarchived(_ bytes: [UInt8]) throws {
        let allowed = ClassRegistry.commonClasses.adding(Save.self)
        let save = try KeyedUnarchiver.unarchive(Save.self, from: bytes, allowing: allowed)
        #expect(save.sex)
    }

    @Test("register the types of fields, and subclasses")
    func registered() throws {
        let allowed = ClassRegistry(Card.self)
        let bytes = try KeyedArchiver.archive(Card(title: "Mia"), allowing: allowed)
        let card = try KeyedUnarchiver.unarchive(Card.self, from: bytes, allowing: allowed)
        #expect(card.title == "Mia" && card.cat != nil)
        #expect(allowed.names.contains("Tag") && !allowed.allows("Outline"))

        let outlines = ClassRegistry(Outline.self)
        #expect(outlines.allows("Outline") && outlines.allows("Circle"))
        let square = try KeyedArchiver.archive(
            Square(name: "a") as Outline, allowing: outlines)
        let again = try KeyedUnarchiver.unarchive(Outline.self, from: square, allowing: outlines)
        #expect(again is Square && again.name == "a")
    }

    @Test("archive subclasses")
    func subclasses() throws {
        let dog = Dog()
        dog.tricks = ["sit"]
        let bytes = try KeyedArchiver.archive(
            [dog, Pet()], allowing: .foundation.adding(Dog.self, Pet.self))
        let pets = try KeyedUnarchiver.unarchive(
            [Pet].self, from: bytes, allowing: .foundation.adding(Dog.self))
        #expect(pets.map { ($0 as? Dog)?.tricks } == [["sit"], nil])
        let classes = try ArchiveGraph(parsing: bytes).objects.compactMap { entry in
            if case .classDescription(let description) = entry { description.chain } else { nil }
        }
        #expect(classes.contains(["Dog", "Pet", "NSObject"]))
    }

    @Test("follow references after all objects are complete")
    func cycles() throws {
        let (parent, child) = (Node(), Node())
        parent.children = [child]
        child.parent = parent
        let again = try KeyedUnarchiver.unarchive(Node.self, from: KeyedArchiver.archive(parent))
        #expect(again.children.first?.parent === again)
    }

    @Test("keep fields that are unknown to a type")
    func unknownFields() throws {
        let allowed = ClassRegistry.foundation.keepingUnknownClasses()
        let older = try KeyedUnarchiver.unarchive(
            Older.self, from: KeyedArchiver.archive(save), allowing: allowed)
        let bytes = try KeyedArchiver.archive(older, allowing: allowed.adding(Older.self))
        #expect(try KeyedUnarchiver.unarchive(Save.self, from: bytes).age == 36)
    }

    @Test("read values of common classes")
    func common() throws {
        let bytes = try KeyedArchiver.archive(Mixer(volume: 0.5))
        #expect(try KeyedUnarchiver.unarchive(Mixer.self, from: bytes).volume == 0.5)
    }

    @Test("change a graph")
    func graph() throws {
        let bytes = try KeyedArchiver.archive(save)
        var graph = try ArchiveGraph(parsing: bytes)
        if let root = graph.roots["root"]?.uid, case .object(var save) = graph[root] {
            save["age"] = 8
            graph[root] = .object(save)
        }
        let changed = try graph.serialized(as: .binary)
        #expect(try KeyedUnarchiver.unarchive(Save.self, from: changed).age == 8)
    }

    @Test("decode an object of an unknown class")
    func opaque() throws {
        struct Save: Decodable { let name: String, friends: [Save]?, born: Date }
        let archiver = KeyedArchiver(allowing: .foundation.allowing("Born"))
        archiver.roots.encode(Born(), forKey: "root")
        let opaque = try KeyedUnarchiver.unarchive(
            OpaqueObject.self, from: archiver.finish(),
            allowing: .foundation.keepingUnknownClasses())
        let save = try opaque.decode(Save.self)
        #expect(save.name == "Anna" && save.friends == nil)
        #expect(save.born.timeIntervalSinceReferenceDate == 5)
    }

    private struct Born: KeyedEncodable {
        static let archivedClass: ArchivedClass = "Born"
        func encode(with coder: KeyedEncoder) {
            coder.encode("Anna", forKey: "name")
            coder.encode(Date(timeIntervalSinceReferenceDate: 5), forKey: "born")
        }
    }

    @Test("write a file and read it")
    func files() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "save-\(UUID()).plist")
        defer { try? FileManager.default.removeItem(at: file) }
        try KeyedArchiver.archivedData(withRootObject: save).write(to: file, options: .atomic)
        let again = try KeyedUnarchiver.unarchive(Save.self, from: Data(contentsOf: file))
        #expect(again.name == "Anna")
    }
}

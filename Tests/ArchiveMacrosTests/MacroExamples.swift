// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Macros
import ArchiveMacros
import KeyedArchive
import Testing

/// The examples of the documentation, in their own namespace.
private enum Examples {
    @Archived("DWSave")
    final class Save {
        var name: String
        @ArchivedKey("NS.age") var age: Int
        @ArchivedKey(default: 1) var level: Int
        @NotArchived var isOpen = false
    }

    @Archived("Pet")
    class Pet {
        var name: String

        init(name: String) { self.name = name }
    }

    @Archived("Dog")
    final class Dog: Pet {
        var tricks: [String]

        init(name: String, tricks: [String]) {
            self.tricks = tricks
            super.init(name: name)
        }
    }

    @Archived("Node")
    final class Node {
        var children: [Node] = []
        @ArchivedReference weak var parent: Node?

        init() {}
    }

    @Archived
    enum Mood: Int {
        case calm, merry
    }

    @Archived("Shape")
    enum Shape {
        case point
        @ArchivedKey("disc") case circle(radius: Double)
        case line(Int, to: String?)
    }
}

/// The generated code that the documentation shows, in a class without the macro.
private final class ExpandedSave: KeyedCodable {
    static let archivedClass: ArchivedClass = "DWSave"

    static func register(in registry: inout ClassRegistry) {
        registry.add(Self.self, fields: String.self)
    }

    func encode(with coder: KeyedEncoder) {
        coder.encode(name, forKey: "name")
        coder.encode(age, forKey: "NS.age")
        coder.encode(level, forKey: "level")
    }

    init(coder: KeyedDecoder) throws {
        name = try coder.decode(forKey: "name")
        age = try coder.decode(forKey: "NS.age")
        level = try coder.decode(forKey: "level", default: 1)
    }

    let name: String, age: Int, level: Int

    init(name: String, age: Int, level: Int) {
        (self.name, self.age, self.level) = (name, age, level)
    }
}

@Suite("Examples of ArchiveMacros")
struct MacroExamples {
    @Test("the example types round-trip through an archive")
    func roundTrip() throws {
        let dog = Examples.Dog(name: "Rex", tricks: ["roll"])
        let copy = try KeyedUnarchiver.unarchive(
            Examples.Dog.self, from: KeyedArchiver.archive(dog))
        #expect(copy.name == "Rex" && copy.tricks == ["roll"])
        let parent = Examples.Node()
        parent.children = [Examples.Node()]
        parent.children[0].parent = parent
        let root = try KeyedUnarchiver.unarchive(
            Examples.Node.self, from: KeyedArchiver.archive(parent))
        #expect(root.children[0].parent === root)
        for shape in [Examples.Shape.point, .circle(radius: 1), .line(1, to: nil)] {
            let again = try KeyedUnarchiver.unarchive(
                Examples.Shape.self, from: KeyedArchiver.archive(shape))
            #expect("\(again)" == "\(shape)")
        }
        let moods = try KeyedUnarchiver.unarchive(
            [Examples.Mood].self, from: KeyedArchiver.archive([Examples.Mood.merry]))
        #expect(moods == [.merry])
    }

    @Test("the macro and the code shown in the documentation write the same archive")
    func sameBytes() throws {
        let bytes = try KeyedArchiver.archive(ExpandedSave(name: "Anna", age: 36, level: 2))
        let save = try KeyedUnarchiver.unarchive(Examples.Save.self, from: bytes)
        #expect(save.name == "Anna" && save.age == 36 && save.level == 2 && !save.isOpen)
        #expect(try KeyedArchiver.archive(save) == bytes)
    }
}
#endif

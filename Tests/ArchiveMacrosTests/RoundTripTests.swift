// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Macros
import ArchiveMacros
import Foundation
import KeyedArchive
import PropertyList
import Testing

/// Archives a value and decodes it, allowing only the classes that its type registers. `limits`
/// applies to decoding.
private func again<T: KeyedCodable>(
    _ value: T, limits: ParsingLimits = .default
) throws -> T {
    let bytes = try KeyedArchiver.archive(value, allowing: ClassRegistry())
    return try KeyedUnarchiver.unarchive(
        from: bytes, allowing: ClassRegistry(), limits: limits)
}

private func error(_ body: () throws -> Void) -> KeyedArchiveError? {
    do {
        try body()
        return nil
    } catch { return error as? KeyedArchiveError }
}

@Suite("Types archived by the macro")
struct RoundTripTests {
    @Test("all fields round-trip, except those that are not archived")
    func fields() throws {
        let save = Save(name: "Anna", age: 36, nickname: "An")
        save.mood = 5
        save.isOpen = true
        let copy = try again(save)
        #expect(copy.name == "Anna" && copy.age == 36 && copy.level == 2)
        #expect(copy.toys == ["ball"] && copy.scores == ["chess": 1.5])
        #expect(copy.nickname == "An" && copy.lives == nil)
        #expect(copy.mood == 5 && copy.ratio == -0.5 && !copy.isPaused)
        #expect(!copy.isOpen && copy.cache == nil && copy.changes == 0)
        #expect(copy.upper == "ANNA" && copy.isAdult)
        #expect(try again(Save(name: "", age: 1, lives: 9)).lives == 9)
    }

    @Test("the macro and handwritten code write the same bytes")
    func sameBytes() throws {
        let save = Save(name: "Anna", age: 36, nickname: "An", lives: 4)
        let bytes = try KeyedArchiver.archive(save)
        #expect(try bytes == KeyedArchiver.archive(HandSave(save)))
        let keys = try KeyedUnarchiver.unarchive(OldSave.self, from: bytes).keys
        #expect(
            keys == [
                "name", "NS.age", "level", "$toys", "scores", "nickname", "lives", "mood",
                "isPaused", "ratio",
            ])
    }

    @Test("a missing key gives the default value, and nil for an optional")
    func missing() throws {
        let old = OldSave(keys: ["NS.age", "mood"])
        let save = try KeyedUnarchiver.unarchive(
            Save.self, from: KeyedArchiver.archive(old, allowing: .foundation))
        #expect(save.age == 7 && save.mood == 7)
        #expect(save.level == 1 && save.toys.isEmpty && save.scores.isEmpty)
        #expect(save.nickname == nil && save.lives == nil)
    }

    @Test("a missing key without a default value is an error")
    func missingWithoutDefault() throws {
        let bytes = try KeyedArchiver.archive(OldSave(keys: ["mood"]))
        let error = error { _ = try KeyedUnarchiver.unarchive(Save.self, from: bytes) }
        #expect(error?.code == .missingValue)
        #expect("\(try #require(error))".contains("NS.age"))
    }

    @Test("a type may implement one member itself and have the other generated")
    func ownMember() throws {
        #expect(try again(Half(3)).value == 3)
        #expect(error { _ = try again(Half(300)) }?.code == .valueOutOfRange)
    }

    @Test("private fields round-trip, and an optional that is nil decodes as its default")
    func privateFields() throws {
        #expect(
            try again(Safe(secret: 7, title: "x")).contents == Safe(secret: 7, title: "x").contents)
        #expect(try again(Safe(secret: 7, title: nil)).title == "none")
    }

    @Test("nested types round-trip, with fields of Foundation's value types")
    func types() throws {
        let inner = Outer.Inner(
            id: UUID(), date: Date(timeIntervalSinceReferenceDate: 5), data: Data([1, 2]),
            tags: ["a", "b"], link: URL(string: "https://example.org"), big: .max, small: 0.5,
            interval: 2.5)
        #expect(try again(inner) == inner)
        #expect(Outer.Inner.archivedClass.name == "Outer.Inner")
    }
}

@Suite("Classes archived by the macro")
struct ClassTests {
    @Test("subclasses call their superclass, and are decoded as the same class")
    func subclasses() throws {
        let dog = Dog(name: "Rex", tricks: [Trick(title: "roll", difficulty: .hard, minutes: 2)])
        dog.coder = 9
        let copy = try again(dog)
        #expect(copy.name == "Rex" && copy.tricks == dog.tricks && copy.coder == 9)
        #expect(Dog.archivedClass == ArchivedClass("Dog", "Pet"))
        #expect(Pet.archivedClass == "Pet")
        let cat = Cat(name: "Tom")
        cat.default = false
        let pets = try KeyedUnarchiver.unarchive(
            [Pet].self, from: KeyedArchiver.archive([dog, cat] as [Pet], allowing: Self.pets),
            allowing: Self.pets)
        #expect(pets.map { "\(type(of: $0))" } == ["Dog", "Cat"])
        #expect((pets[1] as? Cat)?.default == false)
    }

    private static let pets = ClassRegistry.foundation.adding(Dog.self, Cat.self)

    @Test(
        "a class registers the classes of its own and inherited fields, even if types contain each other"
    )
    func registration() {
        #expect(
            ClassRegistry(Dog.self).names
                == [
                    "Dog", "NSArray", "NSMutableArray", "NSMutableString", "NSNumber", "NSString",
                    "Owner", "Pet", "Shape", "Trick",
                ])
        #expect(!ClassRegistry(Owner.self).allows("Dog"))
        #expect(
            ClassRegistry.foundation.adding(Dog.self).typeName(of: "NSArray")
                == "Array<AnyArchived>")
    }

    @Test("a subclass that the registry does not name is refused")
    func subclassesNotAllowed() throws {
        let owner = Owner()
        owner.pets = [Dog(name: "Rex", tricks: [])]
        let error = error { _ = try KeyedArchiver.archive(owner) }
        #expect(error?.code == .classNotAllowed)
    }

    @Test("a subclass that would be archived under its superclass's name is refused")
    func undeclared() throws {
        class Wolf: Pet {}
        let error = error { _ = try KeyedArchiver.archive(Wolf(name: "")) }
        #expect(error?.code == .undeclaredSubclass)
    }

    @Test("a class may inherit from a handwritten class, and from one that is not archived")
    func superclassesByHand() throws {
        let car = try again(Car(plate: "B 1"))
        #expect(car.wheels == 4 && car.plate == "B 1")
        #expect(Car.archivedClass == ArchivedClass("Car", "Vehicle"))
        let ferry = try again(Ferry(length: 9, cars: 4))
        #expect(ferry.length == 9 && ferry.cars == 4)
        #expect(throws: Boat.WrongLength.self) { try again(Ferry(length: 0, cars: 4)) }
        let radio = Radio()
        radio.isOn = false
        radio.station = 101
        let copy = try again(radio)
        #expect(copy.station == 101 && copy.isOn)
        #expect(Radio.archivedClass == "Radio")
    }

    @Test("weak references to parents are restored, in cycles and across subclasses")
    func parents() throws {
        let owner = Owner()
        owner.pets = [Dog(name: "Rex", tricks: []), Cat(name: "Tom")]
        owner.favorite = owner.pets[1]
        for pet in owner.pets { pet.owner = owner }
        let registry = ClassRegistry.foundation.adding(Dog.self, Cat.self)
        let bytes = try KeyedArchiver.archive(owner, allowing: registry)
        let copy = try KeyedUnarchiver.unarchive(Owner.self, from: bytes, allowing: registry)
        #expect(copy.pets.map(\.name) == ["Rex", "Tom"])
        #expect(copy.pets.allSatisfy { $0.owner === copy } && copy.favorite === copy.pets[1])
        // The pet's owner is not elsewhere in this archive, so the reference is nil.
        let alone = try KeyedUnarchiver.unarchive(
            Pet.self, from: KeyedArchiver.archive(owner.pets[1], allowing: registry),
            allowing: registry)
        #expect(alone.owner == nil)
    }

    @Test("a deferred reference of an object that was released during decoding is skipped")
    func letGo() throws {
        let owner = Owner()
        owner.pets = [Pet(name: "Rex")]
        owner.pets[0].owner = owner
        let bytes = try KeyedArchiver.archive(owner)
        let reader = try KeyedUnarchiver.unarchive(
            Forgetful.self, from: bytes,
            allowing: .foundation.adding(Pet.self).adding(Forgetful.self, as: "Owner"))
        #expect(reader.count == 1)
    }

    @Test("a linked list is decoded without nested calls")
    func list() throws {
        var first = Link(0)
        for number in 1..<100 { first = Link(number, next: first) }
        // Nested calls would exceed this limit.
        var limits = ParsingLimits.default
        limits.depth = 10
        var numbers: [Int] = []
        var link: Link? = try again(first, limits: limits)
        while let next = link {
            numbers.append(next.number)
            link = next.next
        }
        #expect(numbers == (0..<100).reversed())
        let ring = Link(1)
        ring.next = ring
        let copy = try again(ring)
        #expect(copy.next === copy)
        ring.next = nil
        copy.next = nil
    }
}

/// Decodes objects of the class `Owner`, and retains none of the pets.
private final class Forgetful: KeyedDecodable {
    static let archivedClass: ArchivedClass = "Forgetful"
    let count: Int

    init(coder: KeyedDecoder) throws { count = try coder.decode([Pet].self, forKey: "pets").count }
}

@Suite("Enumerations and structures archived by the macro")
struct ValueTests {
    @Test("associated values round-trip", arguments: shapes)
    func values(_ shape: Shape) throws { #expect(try again(shape) == shape) }

    private static let shapes: [Shape] = [
        .point, .circle(radius: 2.5), .line(1, 2), .default(in: 3),
        .group([.point, .group([], named: nil, coder: false)], named: "both", coder: true),
    ]

    @Test("cases and associated values are archived under their names and labels")
    func keys() throws {
        let line = try KeyedUnarchiver.unarchive(
            Line.self, from: KeyedArchiver.archive(Shape.line(4, 5)),
            allowing: .foundation.adding(Line.self, as: "Shape"))
        #expect(line.keys == ["case", "_0", "_1"] && line.name == "line")
        let disc = try KeyedUnarchiver.unarchive(
            Line.self, from: KeyedArchiver.archive(Shape.circle(radius: 1)),
            allowing: .foundation.adding(Line.self, as: "Shape"))
        #expect(disc.keys == ["case", "radius"] && disc.name == "disc")
    }

    @Test("an unknown case in an archive is refused")
    func unknownCase() throws {
        let bytes = try KeyedArchiver.archive(OddShape())
        let error = error { _ = try KeyedUnarchiver.unarchive(Shape.self, from: bytes) }
        #expect(error?.code == .valueOutOfRange)
        #expect("\(try #require(error))".contains("expected a case of Shape, found another name"))
    }

    @Test("types with raw values round-trip, alone, in collections and in fields")
    func rawValues() throws {
        #expect(try again(Difficulty.hard) == .hard)
        #expect(try again([Level.high, .low]) == [.high, .low])
        #expect(try again(["a": Level.high]) == ["a": .high])
        #expect(try again(Sides.right) == .right)
        for spare in [nil, Level.high] {
            let setup = Setup(
                level: .high, difficulty: .easy, spare: spare, levels: [.low, .high],
                sides: [.left, .right], fallback: .high)
            #expect(try again(setup) == setup)
        }
    }

    @Test("a structure keeps its memberwise initializer")
    func memberwise() throws {
        let trick = Trick(title: "sit", difficulty: .hard, minutes: nil, shape: .line(1, 2))
        #expect(try again(trick) == trick)
    }

    /// Decodes the keys and the case name of a shape.
    private struct Line: KeyedDecodable {
        static let archivedClass: ArchivedClass = "Line"
        let keys: [String]
        let name: String

        init(coder: KeyedDecoder) throws {
            keys = coder.keys
            name = try coder.decode(forKey: "case")
        }
    }

    /// A shape with an unknown case.
    private struct OddShape: KeyedCodable {
        static let archivedClass: ArchivedClass = "Shape"

        init() {}
        init(coder: KeyedDecoder) throws {}
        func encode(with coder: KeyedEncoder) { coder.encode("star", forKey: "case") }
    }
}
#endif

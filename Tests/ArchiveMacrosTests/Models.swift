// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Macros
import ArchiveMacros
import Foundation
public import KeyedArchive

/// A class with the macro, with each kind of key.
@Archived("DWSave")
final class Save {
    var name: String
    @ArchivedKey("NS.age") var age: Int
    @ArchivedKey(default: 1) var level: Int
    @ArchivedKey("$toys", default: []) var toys: [String]
    @ArchivedKey(default: [:]) var scores: [String: Double]
    @NotArchived var isOpen = false
    @NotArchived let cache: [UInt8]?
    let nickname: String?, lives: Int?
    var mood = 0, isPaused = false
    var ratio = -0.5 { didSet { changes += 1 } }
    @NotArchived var changes = 0
    lazy var upper = name.uppercased()
    static let maximum = 3
    var isAdult: Bool { age > 17 }

    init(name: String, age: Int, nickname: String? = nil, lives: Int? = nil) {
        self.name = name
        self.age = age
        level = 2
        toys = ["ball"]
        scores = ["chess": 1.5]
        cache = [1]
        self.nickname = nickname
        self.lives = lives
    }
}

/// The same class, written without the macro.
final class HandSave: KeyedCodable {
    static let archivedClass: ArchivedClass = "DWSave"
    let save: Save

    init(_ save: Save) { self.save = save }

    func encode(with coder: KeyedEncoder) {
        coder.encode(save.name, forKey: "name")
        coder.encode(save.age, forKey: "NS.age")
        coder.encode(save.level, forKey: "level")
        coder.encode(save.toys, forKey: "$toys")
        coder.encode(save.scores, forKey: "scores")
        coder.encode(save.nickname, forKey: "nickname")
        coder.encode(save.lives, forKey: "lives")
        coder.encode(save.mood, forKey: "mood")
        coder.encode(save.isPaused, forKey: "isPaused")
        coder.encode(save.ratio, forKey: "ratio")
    }

    init(coder: KeyedDecoder) throws { save = try Save(coder: coder) }
}

/// Encodes a `Save` with only some of its fields, and decodes the keys of one.
final class OldSave: KeyedCodable {
    static let archivedClass: ArchivedClass = "DWSave"
    var keys: [String]

    init(keys: [String]) { self.keys = keys }

    func encode(with coder: KeyedEncoder) {
        for key in keys { coder.encode(7, forKey: key) }
        coder.encode("Anna", forKey: "name")
        coder.encode(0.5, forKey: "ratio")
        coder.encode(false, forKey: "isPaused")
    }

    init(coder: KeyedDecoder) throws { keys = coder.keys }
}

// The subclass is declared before its superclass, as Swift allows.

@Archived("Dog")
final class Dog: Pet {
    var tricks: [Trick] = []
    var friends: [Dog] = []
    var coder = 3

    init(name: String, tricks: [Trick]) {
        self.tricks = tricks
        super.init(name: name)
    }
}

@Archived("Pet")
class Pet {
    let name: String
    @ArchivedReference weak var owner: Owner?

    init(name: String) { self.name = name }
}

@Archived("Cat")
class Cat: Pet {
    @ArchivedKey("default") var `default`: Bool = true

    override init(name: String) { super.init(name: name) }
}

/// Owns pets that refer back to their owner.
@Archived("Owner")
final class Owner {
    var pets: [Pet] = []
    var favorite: Pet?

    init() {}
}

/// A superclass without the macro, in the form that a subclass with the macro needs.
class Vehicle: KeyedCodable {
    class var archivedClass: ArchivedClass { "Vehicle" }
    class func register(in registry: inout ClassRegistry) { registry.add(Self.self) }
    var wheels: Int

    init(wheels: Int) { self.wheels = wheels }

    func encode(with coder: KeyedEncoder) { coder.encode(wheels, forKey: "wheels") }

    required init(coder: KeyedDecoder) throws { wheels = try coder.decode(forKey: "wheels") }
}

@Archived("Car", super: true)
final class Car: Vehicle {
    var plate: String

    init(plate: String) {
        self.plate = plate
        super.init(wheels: 4)
    }
}

/// A superclass whose encoding method throws.
class Boat: KeyedCodable {
    class var archivedClass: ArchivedClass { "Boat" }
    class func register(in registry: inout ClassRegistry) { registry.add(Self.self) }
    var length: Int

    init(length: Int) { self.length = length }

    func encode(with coder: KeyedEncoder) throws {
        guard length > 0 else { throw WrongLength() }
        coder.encode(length, forKey: "length")
    }

    required init(coder: KeyedDecoder) throws { length = try coder.decode(forKey: "length") }

    struct WrongLength: Error {}
}

/// A subclass with a handwritten encoding method. The macro generates the rest.
@Archived("Ferry", super: true)
final class Ferry: Boat {
    var cars: Int

    init(length: Int, cars: Int) {
        self.cars = cars
        super.init(length: length)
    }

    override func encode(with coder: KeyedEncoder) throws {
        try super.encode(with: coder)
        coder.encode(cars, forKey: "cars")
    }
}

/// A superclass that is not archived.
class Device {
    var isOn = true

    init() {}
}

@Archived("Radio")
final class Radio: Device, CustomStringConvertible {
    var station = 98.5

    override init() {}

    var description: String { "radio at \(station)" }
}

/// A linked list. `next` is a deferred reference, so that decoding makes no nested calls.
@Archived("Link")
final class Link {
    let number: Int
    @ArchivedReference var next: Link?

    init(_ number: Int, next: Link? = nil) {
        self.number = number
        self.next = next
    }
}

/// Uses the public import in handwritten code. The compiler ignores uses in code that a macro
/// generates, and would warn that nothing uses the import.
public typealias TrickCoding = KeyedCodable

@Archived("Trick")
public struct Trick: Hashable {
    public var title: String
    var difficulty: Difficulty = .easy, minutes: Double?
    var shape: Shape = .point
}

@Archived
enum Difficulty: String, CaseIterable {
    case easy, hard
}

@Archived
enum Level: Int {
    case low = 1, high = 10
}

@Archived
struct Sides: OptionSet {
    let rawValue: UInt8
    static let left = Sides(rawValue: 1)
    static let right = Sides(rawValue: 2)
}

@Archived("Shape")
indirect enum Shape: Hashable {
    case point
    @ArchivedKey("disc") case circle(radius: Double)
    case line(Int, Int)
    case group([Shape], named: String?, coder: Bool)
    case `default`(in: Int)
}

/// Fields whose types have raw values: alone, optional and in collections.
@Archived("Setup")
struct Setup: Equatable {
    var level: Level
    var difficulty: Difficulty
    var spare: Level?
    var levels: [Level] = []
    var sides: Sides = .left
    @ArchivedKey(default: Level.low) var fallback: Level
}

/// A class with a handwritten decoding initializer. The macro generates the rest.
@Archived("Half")
final class Half {
    var value: Int

    init(_ value: Int) { self.value = value }

    init(coder: KeyedDecoder) throws {
        value = try coder.decode(forKey: "value")
        guard value < 100 else { throw coder.error("expected less than 100", forKey: "value") }
    }
}

/// An alias that hides a number type from the macro.
typealias Count = Int

/// Private fields, and one field for each rare spelling of a type.
@Archived("Safe")
struct Safe {
    private var secret: Swift.Int
    private let count: Count
    @ArchivedKey(default: "none") private(set) var title: String?
    fileprivate let codes: Array<Swift.UInt8>, table: Dictionary<String, Set<Int>>

    init(secret: Int, title: String?) {
        self.secret = secret
        self.title = title
        count = 3
        codes = [1, 2]
        table = ["a": [3]]
    }

    var contents: String { "\(secret) \(count) \(title ?? "nil") \(codes) \(table)" }
}

/// A namespace for a nested type, which has fields of further types.
enum Outer {
    @Archived("Outer.Inner")
    struct Inner: Equatable {
        var id: UUID
        var date: Date
        var data: Data
        var tags: Set<String>
        var link: URL?
        var big: UInt64
        var small: Float
        var interval: TimeInterval
    }
}
#endif

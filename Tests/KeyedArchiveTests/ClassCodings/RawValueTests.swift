// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive
import PropertyList
import Testing

private enum Level: Int, KeyedCodable {
    case low = 1, high
}

private enum Ending: String, KeyedCodable {
    case open, shut
}

private struct Flags: OptionSet, KeyedCodable, Hashable {
    let rawValue: UInt32
    static let wide = Flags(rawValue: 1)
    static let tall = Flags(rawValue: 2)
}

private struct Gate: KeyedCodable, Equatable {
    static let archivedClass: ArchivedClass = "Gate"
    var level: Level
    var ending: Ending
    var flags: Flags
    var spare: Level?
    var levels: [Level]

    init(level: Level, ending: Ending, flags: Flags, spare: Level? = nil, levels: [Level] = []) {
        self.level = level
        self.ending = ending
        self.flags = flags
        self.spare = spare
        self.levels = levels
    }

    func encode(with coder: KeyedEncoder) {
        coder.encode(level, forKey: "level")
        coder.encode(ending, forKey: "ending")
        coder.encode(flags, forKey: "flags")
        coder.encode(spare, forKey: "spare")
        coder.encode(levels, forKey: "levels")
    }

    init(coder: KeyedDecoder) throws {
        level = try coder.decode(forKey: "level")
        ending = try coder.decode(forKey: "ending")
        flags = try coder.decode(forKey: "flags")
        spare = try coder.decode(forKey: "spare")
        levels = try coder.decode(forKey: "levels")
    }
}

/// The same object as `Gate`, encoded with the raw values.
private struct RawGate: KeyedCodable {
    static let archivedClass: ArchivedClass = "Gate"
    var level: Int

    init(level: Int) { self.level = level }

    func encode(with coder: KeyedEncoder) {
        coder.encode(level, forKey: "level")
        coder.encode("shut", forKey: "ending")
        coder.encode(3, forKey: "flags")
        coder.encode(Level?.none, forKey: "spare")
        coder.encode([Int](), forKey: "levels")
    }

    init(coder: KeyedDecoder) throws { level = try coder.decodeInteger(forKey: "level") }
}

@Suite("Raw values")
struct RawValueTests {
    @Test("enumerations and option sets round-trip as roots, as optionals and in collections")
    func roundTrip() throws {
        let gate = Gate(
            level: .high, ending: .open, flags: [.wide, .tall], spare: .low, levels: [.high])
        #expect(try KeyedUnarchiver.unarchive(from: KeyedArchiver.archive(gate)) == gate)
        let registry = ClassRegistry()
        let bytes = try KeyedArchiver.archive(["a": Flags.tall], allowing: registry)
        #expect(try KeyedUnarchiver.unarchive(from: bytes, allowing: registry) == ["a": Flags.tall])
        let root = try KeyedArchiver.archive(Ending.shut, allowing: registry)
        #expect(try KeyedUnarchiver.unarchive(from: root, allowing: registry) == Ending.shut)
    }

    @Test("types with raw values are archived as the same bytes as the raw values")
    func sameBytes() throws {
        let gate = Gate(level: .high, ending: .shut, flags: [.wide, .tall])
        #expect(try KeyedArchiver.archive(gate) == KeyedArchiver.archive(RawGate(level: 2)))
    }
}

// MARK: - Fields

private final class Tree: KeyedCodable {
    static let archivedClass: ArchivedClass = "Tree"
    var leaf: Leaf?

    static func register(in registry: inout ClassRegistry) {
        registry.add(Self.self, fields: Leaf.self, [AnyArchived].self)
    }

    init() {}
    func encode(with coder: KeyedEncoder) { coder.encode(leaf, forKey: "leaf") }
    init(coder: KeyedDecoder) throws { leaf = try coder.decode(forKey: "leaf") }
}

private final class Leaf: KeyedCodable {
    static let archivedClass: ArchivedClass = "Leaf"

    static func register(in registry: inout ClassRegistry) {
        registry.add(Self.self, fields: Tree.self, String.self, Leaf.self)
    }

    init() {}
    func encode(with coder: KeyedEncoder) {}
    init(coder: KeyedDecoder) throws {}
}

@Suite("Types that register the types of their fields")
struct FieldRegistrationTests {
    @Test("types that contain each other can register each other")
    func cycle() throws {
        let names = ["Leaf", "NSArray", "NSMutableArray", "NSMutableString", "NSString", "Tree"]
        #expect(ClassRegistry(Tree.self).names == names)
        #expect(ClassRegistry(Leaf.self).names == names)
    }

    @Test("types are registered again for each registry")
    func again() throws {
        let registry = ClassRegistry(Tree.self).removing("NSString", "Leaf")
        #expect(!registry.allows("Leaf"))
        #expect(registry.adding(Tree.self).names == ClassRegistry(Tree.self).names)
    }

    @Test("types that register their fields round-trip without another allow-list")
    func alone() throws {
        let tree = Tree()
        tree.leaf = Leaf()
        let bytes = try KeyedArchiver.archive(tree, allowing: ClassRegistry())
        #expect(
            try KeyedUnarchiver.unarchive(Tree.self, from: bytes, allowing: ClassRegistry()).leaf
                != nil)
    }
}

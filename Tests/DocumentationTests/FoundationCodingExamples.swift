// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationCoding
import KeyedArchive
import PropertyList
import Testing

final class Hero: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let name: String
    let friend: Hero?

    init(name: String, friend: Hero? = nil) {
        self.name = name
        self.friend = friend
    }

    func encode(with coder: NSCoder) {
        coder.encode(name, forKey: "name")
        coder.encode(friend, forKey: "friend")
    }

    init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
        self.name = name as String
        friend = coder.decodeObject(of: Hero.self, forKey: "friend")
    }
}

final class Monster: NSObject, NSCoding {
    override init() {}
    func encode(with coder: NSCoder) {}
    init?(coder: NSCoder) {}
}

private struct Level: KeyedCodable {
    static let archivedClass: ArchivedClass = "Level"
    var hero: CodedObject<Hero>

    func encode(with coder: KeyedEncoder) { coder.encode(hero, forKey: "hero") }
    init(coder: KeyedDecoder) throws { hero = try coder.decode(forKey: "hero") }
}

extension Level {
    fileprivate init(hero: CodedObject<Hero>) { self.hero = hero }
}

@Suite("Examples of FoundationCoding")
struct FoundationCodingExamples {
    private let hero = Hero(name: "Ann", friend: Hero(name: "Bob"))

    @Test("archive with the coders in place of Foundation's")
    func twoNames() throws {
        let data = try KeyedArchiverCoder.archivedData(
            withRootObject: hero, requiringSecureCoding: true)
        let again = try KeyedUnarchiverCoder.unarchivedObject(ofClass: Hero.self, from: data)
        #expect(again?.friend?.name == "Bob")
    }

    @Test("read one root")
    func oneRoot() throws {
        let data = try KeyedArchiverCoder.archivedData(
            withRootObject: hero, requiringSecureCoding: true)
        let hero = try KeyedUnarchiverCoder.unarchivedObject(ofClass: Hero.self, from: data)
        #expect(hero?.name == "Ann")
    }

    @Test("read with an allow-list")
    func listedClasses() throws {
        let data = try KeyedArchiverCoder.archivedData(
            withRootObject: [hero, Monster()], requiringSecureCoding: false)
        let allowed = ClassRegistry.foundationObjects.adding(classes: [Hero.self, Monster.self])
        let coder = try KeyedUnarchiverCoder(forReadingFrom: data, allowing: allowed)
        let game = coder.decodeObject(forKey: NSKeyedArchiveRootObjectKey) as? [NSObject]
        try coder.finishDecoding()
        #expect(game?.count == 2)
    }

    @Test("read a root of an allowed class")
    func rootOfListedClasses() throws {
        let data = try KeyedArchiverCoder.archivedData(
            withRootObject: hero, requiringSecureCoding: false)
        let allowed = ClassRegistry.foundationObjects.adding(classes: [Hero.self])
        let root = try KeyedUnarchiverCoder.unarchiveTopLevelObjectWithData(data, allowing: allowed)
        #expect((root as? Hero)?.name == "Ann")
    }

    @Test("write several roots")
    func severalRoots() throws {
        let coder = KeyedArchiverCoder(requiringSecureCoding: false)
        coder.encode(hero, forKey: "hero")
        coder.encode(3, forKey: "level")
        let data = try coder.encodedData
        #expect(!data.isEmpty)
    }

    /// Returns the archive of a hero who is his own friend.
    private func cycle() throws -> Data {
        var graph = try ArchiveGraph(
            parsing: KeyedArchiverCoder.archivedData(
                withRootObject: hero, requiringSecureCoding: true))
        let root = try #require(graph.roots[NSKeyedArchiveRootObjectKey]?.uid)
        guard case .object(var object) = graph[root] else { throw CocoaError(.coderReadCorrupt) }
        object["friend"] = .uid(root)
        graph[root] = .object(object)
        return try Data(graph.serialized())
    }

    @Test("break cycles")
    func cycles() throws {
        let data = try cycle()
        func print(_ count: Int) { #expect(count == 1) }
        let coder = try KeyedUnarchiverCoder(forReadingFrom: data)
        coder.cyclePolicy = .cut
        let hero = coder.decodeObject(of: Hero.self, forKey: NSKeyedArchiveRootObjectKey)
        try coder.finishDecoding()
        print(coder.cutReferenceCount)
        #expect(hero?.name == "Ann" && hero?.friend == nil)
    }

    @Test("store objects in values")
    func values() throws {
        let registry = ClassRegistry.foundation.adding(Level.self, CodedObject<Hero>.self)
        let bytes = try KeyedArchiver.archive(Level(hero: CodedObject(hero)), allowing: registry)
        let level = try KeyedUnarchiver.unarchive(Level.self, from: bytes, allowing: registry)
        #expect(level.hero.object.friend?.name == "Bob")
    }
}

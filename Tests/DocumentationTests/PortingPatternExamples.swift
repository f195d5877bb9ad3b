// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveStore
import Foundation
import KeyedArchive
import PropertyList
import Testing

// Persistence patterns from articles about iOS, ported to this library.

final class Person: KeyedCodable {
    static let archivedClass: ArchivedClass = "Contacts.Person"
    var name: String, age: Int, photo: Data?, birthday: Date?

    init(name: String, age: Int) {
        self.name = name
        self.age = age
    }

    func encode(with coder: KeyedEncoder) {
        coder.encode(name, forKey: "name")
        coder.encode(age, forKey: "age")
        coder.encode(photo, forKey: "photo")
        coder.encode(birthday, forKey: "birthday")
    }

    init(coder: KeyedDecoder) throws {
        name = try coder.decode(forKey: "name")
        age = try coder.decode(forKey: "age")
        photo = try coder.decode(forKey: "photo")
        birthday = try coder.decode(forKey: "birthday")
    }
}

final class Trip: KeyedCodable {
    static let archivedClass: ArchivedClass = "Travel.Trip"
    var title: String, stops: [Stop], kind: Kind, route: Route?

    enum Kind: Int, KeyedCodable { case work, holiday }

    init(title: String, stops: [Stop], kind: Kind) {
        self.title = title
        self.stops = stops
        self.kind = kind
    }

    func encode(with coder: KeyedEncoder) {
        coder.encode(2, forKey: "version")
        coder.encode(title, forKey: "title")
        coder.encode(stops, forKey: "stops")
        coder.encode(kind, forKey: "kind")
        coder.encodeEncodable(route, forKey: "route")
    }

    init(coder: KeyedDecoder) throws {
        title = try coder.decode(forKey: "title")
        if try coder.decode(Int.self, forKey: "version", default: 1) == 1 {
            stops = [Stop(city: try coder.decode(forKey: "city"))]
        } else {
            stops = try coder.decode(forKey: "stops")
        }
        kind = try coder.decode(forKey: "kind", default: .holiday)
        route = try coder.decodeDecodable(forKey: "route")
    }
}

final class Stop: KeyedCodable {
    static let archivedClass: ArchivedClass = "Travel.Stop"
    let city: String

    init(city: String) { self.city = city }
    func encode(with coder: KeyedEncoder) { coder.encode(city, forKey: "city") }
    init(coder: KeyedDecoder) throws { city = try coder.decode(forKey: "city") }
}

struct Route: Codable, Equatable { var distances: [Double] }

extension ClassRegistry {
    static let travel = foundation.adding(Trip.self, Stop.self)
        .adding(Stop.self, as: "TRPlace")
        .adding(Trip.self, as: "TRTrip")
}

/// A view whose fields have types of Apple's frameworks.
private struct View: KeyedCodable {
    static let archivedClass: ArchivedClass = "View"
    let frame: CGRect, selection: NSRange, zone: TimeZone, rows: IndexSet

    init(frame: CGRect, selection: NSRange, zone: TimeZone, rows: IndexSet) {
        self.frame = frame
        self.selection = selection
        self.zone = zone
        self.rows = rows
    }

    func encode(with coder: KeyedEncoder) {
        let (origin, size) = (frame.origin, frame.size)
        coder.encode(
            ArchivedRect(x: origin.x, y: origin.y, width: size.width, height: size.height),
            forKey: "frame")
        coder.encode(
            ArchivedRange(location: selection.location, length: selection.length),
            forKey: "selection")
        coder.encode(ArchivedTimeZone(name: zone.identifier), forKey: "zone")
        coder.encode(ArchivedIndexSet(rows), forKey: "rows")
    }
    init(coder: KeyedDecoder) throws {
        let rect = try coder.decode(ArchivedRect.self, forKey: "frame")
        frame = CGRect(
            x: rect.origin.x, y: rect.origin.y, width: rect.size.width, height: rect.size.height)
        let range = try coder.decode(ArchivedRange.self, forKey: "selection")
        selection = NSRange(location: range.location, length: range.length)
        let name = try coder.decode(ArchivedTimeZone.self, forKey: "zone").name
        guard let zone = TimeZone(identifier: name) else {
            throw coder.error("expected a known time zone, found another", forKey: "zone")
        }
        self.zone = zone
        let ranges = try coder.decode(ArchivedIndexSet.self, forKey: "rows").ranges
        rows = ranges.reduce(into: IndexSet()) { $0.insert(integersIn: $1) }
    }
}

@Suite("Patterns of persistence, ported")
struct PortingPatternExamples {
    /// Calls `body` with a folder that is removed afterwards.
    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "porting-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    @Test("store an object in a file")
    func file() throws {
        try inFolder { folder in
            let person = Person(name: "Anna", age: 36)
            let file = folder.appending(path: "person.archive")
            try KeyedArchiver.archivedData(withRootObject: person).write(to: file, options: .atomic)
            let again = try KeyedUnarchiver.unarchive(Person.self, from: Data(contentsOf: file))
            #expect(again.name == "Anna" && again.photo == nil)

            let store = try ObjectStore(
                folder: folder.path, naming: .plain(extension: "archive"),
                allowing: .foundation.adding(Person.self))
            let saved = try store.object(Person.self, forKey: "person")
            #expect(saved?.age == 36)
            #expect(try store.object(Person.self, forKey: "nobody") == nil)
        }
    }

    @Test("store an array of objects in preferences")
    func preferences() throws {
        try inFolder { folder in
            let preferences = try Preferences(domain: "com.example.contacts", folder: folder.path)
            let people = [Person(name: "Anna", age: 36), Person(name: "Ben", age: 7)]
            preferences.set(
                try KeyedArchiver.archivedData(withRootObject: people), forKey: "people")

            let data = preferences.data(forKey: "people")
            let again =
                try data.map { try KeyedUnarchiver.unarchive([Person].self, from: $0) } ?? []
            #expect(again.map(\.name) == ["Anna", "Ben"])
            // Writes pending changes before the folder is removed.
            try preferences.synchronize()
        }
    }

    @Test("store a dictionary of common classes in an item")
    func item() throws {
        let store = ItemStore(MemoryItemDatabase(accessGroup: "group"))
        let values = ArchivedDictionary(
            in: store, service: "com.example.contacts", account: "session",
            allowing: .commonClasses.merging(.identifierClasses))
        try values.update {
            $0["token"] = "secret"
            $0["device"] = UUID()
            $0["expires"] = Date(timeIntervalSinceNow: 3600)
        }
        let token = try values.value(String.self, forKey: "token")
        #expect(token == "secret")
        #expect(try values.value(UUID.self, forKey: "device") != nil)
        let error = #expect(throws: KeyedArchiveError.self) {
            try values.set(Person(name: "Anna", age: 36), forKey: "person")
        }
        #expect(error?.code == .classNotAllowed)
    }

    @Test("store nested objects, and read those of older versions")
    func versions() throws {
        let trip = Trip(title: "North", stops: [Stop(city: "Oslo")], kind: .work)
        trip.route = Route(distances: [1.5])
        let data = try KeyedArchiver.archivedData(withRootObject: trip, allowing: .travel)
        let again = try KeyedUnarchiver.unarchive(Trip.self, from: data, allowing: .travel)
        #expect(again.stops[0].city == "Oslo" && again.kind == .work)
        #expect(again.route == trip.route)
        let old = try KeyedArchiver.archive(
            OldTrip(), allowing: .foundation.allowing("TRTrip"))
        let migrated = try KeyedUnarchiver.unarchive(Trip.self, from: old, allowing: .travel)
        #expect(migrated.stops[0].city == "Bergen" && migrated.kind == .holiday)
    }

    @Test("compare with an archive of an earlier version")
    func fixture() throws {
        func keys(in archive: Data) throws -> [String: Set<String>] {
            let graph = try ArchiveGraph(parsing: archive)
            var keys: [String: Set<String>] = [:]
            for case .object(let object) in graph.objects {
                guard case .classDescription(let type) = graph[object.classReference] else {
                    continue
                }
                keys[type.name, default: []].formUnion(object.fields.keys)
            }
            return keys
        }

        try inFolder { fixtures in
            let written = try KeyedArchiver.archivedData(
                withRootObject: OldPerson(), allowing: .foundation.allowing("Contacts.Person"))
            try written.write(to: fixtures.appending(path: "person-1.archive"))

            let old = try Data(contentsOf: fixtures.appending(path: "person-1.archive"))
            let person = try KeyedUnarchiver.unarchive(Person.self, from: old)
            #expect(person.name == "Anna" && person.age == 36 && person.birthday == nil)
            let new = try KeyedArchiver.archivedData(withRootObject: person)
            #expect(try keys(in: new) == keys(in: old))
        }
    }

    @Test("convert types of Apple's frameworks")
    func frameworkTypes() throws {
        let zone = try #require(TimeZone(identifier: "UTC"))
        let view = View(
            frame: CGRect(x: 1, y: 2, width: 30, height: 40.5),
            selection: NSRange(location: 3, length: 4), zone: zone, rows: [1, 2, 5])
        let again = try KeyedUnarchiver.unarchive(View.self, from: KeyedArchiver.archive(view))
        #expect(again.frame == view.frame && again.selection == view.selection)
        #expect(again.zone.identifier == view.zone.identifier && again.rows == view.rows)
    }

    @Test("cache objects on disk and in memory")
    func cache() throws {
        try inFolder { folder in
            let files = try ObjectStore(folder: folder.path, allowing: .travel)
            let cache = ObjectCache<String, Data>(costLimit: 1 << 20)
            let address = "https://example.com/trips/1.json"
            func look() throws -> Data? {
                let cached = try cache[address] ?? files.object(Data.self, forKey: address)
                return cached
            }
            let (stored, kept) = (Data("{}".utf8), Data("[]".utf8))
            try files.set(stored, forKey: address)
            #expect(try look() == stored)
            cache.set(kept, forKey: address, cost: kept.count)
            #expect(try look() == kept)
        }
    }
}

/// A person as version 1 wrote it.
private struct OldPerson: KeyedEncodable {
    static let archivedClass: ArchivedClass = "Contacts.Person"

    func encode(with coder: KeyedEncoder) {
        coder.encode("Anna", forKey: "name")
        coder.encode(36, forKey: "age")
        coder.encode(nil as Data?, forKey: "photo")
        coder.encode(nil as Date?, forKey: "birthday")
    }
}

/// A trip as version 1 wrote it.
private struct OldTrip: KeyedEncodable {
    static let archivedClass: ArchivedClass = "TRTrip"

    func encode(with coder: KeyedEncoder) {
        coder.encode("West", forKey: "title")
        coder.encode("Bergen", forKey: "city")
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyedArchive
import PropertyList
import Testing

private struct Settings: Codable, KeyedCodable {
    static let archivedClass: ArchivedClass = "App.Settings"
    var volume = 0.5, names: [String] = []

    init() {}

    func encode(with coder: KeyedEncoder) { coder.encodeFields(of: self) }
    init(coder: KeyedDecoder) throws { self = try coder.decodeFields() }
}

private final class Shape: KeyedCodable {
    static let archivedClass: ArchivedClass = "Shape"
    let sides: Int

    init(sides: Int) { self.sides = sides }
    convenience init(_ stored: StoredShape) throws { self.init(sides: stored.sides) }
    init(coder: KeyedDecoder) throws { sides = try coder.decode(forKey: "sides") }

    static func register(in registry: inout ClassRegistry) { registry.add(StoredShape.self) }
    func encode(with coder: KeyedEncoder) {}

    func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        try writer.writeInstance(self) { StoredShape(of: self) }
    }
    static func unarchive(_ reference: KeyedReference) throws -> Shape {
        try reference.object(as: StoredShape.self) { try Shape($0) }
    }
}

private struct StoredShape: KeyedCodable {
    static let archivedClass: ArchivedClass = "StoredShape"
    let sides: Int

    init(of shape: Shape) { sides = shape.sides }
    func encode(with coder: KeyedEncoder) { coder.encode(sides, forKey: "sides") }
    init(coder: KeyedDecoder) throws { sides = try coder.decode(forKey: "sides") }
}

private struct Shelter: KeyedCodable {
    static let archivedClass: ArchivedClass = "Shelter"
    let pets: [Pet]
    let failures: Int

    init() { (pets, failures) = ([Pet()], 0) }

    /// Writes a string, which cannot be decoded as a `Pet`, before the pets.
    func encode(with coder: KeyedEncoder) {
        coder.encode([AnyArchived("no pet")] + pets.map { AnyArchived($0) }, forKey: "pets")
    }

    init(coder: KeyedDecoder) throws {
        var report: [any Error] = []
        let pets = try coder.decodeArray(of: Pet.self, forKey: "pets") { _, error in
            report.append(error)
            return nil
        }
        (self.pets, failures) = (pets, report.count)
    }
}

@Suite("Examples of porting")
struct PortingExamples {
    @Test("write values of any type")
    func anyValues() throws {
        let archiver = KeyedArchiver()
        let coder = archiver.roots
        coder.encodeAny(["name": "Anna", "levels": [1, 2]] as [String: Any], forKey: "settings")
        let decoder = try KeyedUnarchiver(parsing: archiver.finish()).roots
        let settings = try decoder.decode([String: Any].self, forKey: "settings")
        #expect(settings["name"] as? String == "Anna")
    }

    @Test("convert a dictionary of any values")
    func converting() throws {
        let settings: [String: Any] = ["name": "Anna", "levels": [1, 2], "window": ["open": true]]
        let bytes = try KeyedArchiver.archive(AnyArchived(converting: settings))
        #expect(bytes.count > 100)
    }

    @Test("store replacement objects, and `Codable` values as objects")
    func storedAsOthers() throws {
        let shape = Shape(sides: 3)
        let bytes = try KeyedArchiver.archive([shape, shape])
        let shapes = try KeyedUnarchiver.unarchive([Shape].self, from: bytes)
        #expect(shapes[0] === shapes[1] && shapes[0].sides == 3)
        let settings = try KeyedUnarchiver.unarchive(
            Settings.self, from: KeyedArchiver.archive(Settings()))
        #expect(settings.volume == 0.5)
    }

    @Test("continue after an element that cannot be decoded")
    func badElements() throws {
        let allowed = ClassRegistry.foundation.adding(Pet.self)
        let bytes = try KeyedArchiver.archive(Shelter(), allowing: allowed)
        let shelter = try KeyedUnarchiver.unarchive(Shelter.self, from: bytes, allowing: allowed)
        #expect(shelter.pets.count == 1 && shelter.failures == 1)
    }
}

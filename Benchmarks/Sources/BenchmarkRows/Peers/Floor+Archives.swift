// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyedArchive

/// The minimal cost of archives. The reader reads the bytes once, allocates the objects and creates
/// their texts. The writer visits the objects, copies their texts and writes as many bytes as the
/// file has. Neither checks anything, and the contents of each object are known in advance.
extension Floor {
    @Sendable static func unarchiveSaves(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try input.bytes(scale: scale)
        var texts = Texts()
        let known = try saves(bytes).map { (name: texts.add($0.name), age: $0.age, sex: $0.sex) }
        return Work(size: bytes.count) { [texts] in
            let saves = known.map { Save(name: texts[$0.name], age: $0.age, sex: $0.sex) }
            return .checksum(
                saves.reduce(sum(of: bytes)) { Checksum.appending($1.checksum, to: $0) })
        }
    }

    @Sendable static func archiveSaves(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try input.bytes(scale: scale)
        let objects = try saves(bytes)
        return Work(size: bytes.count) {
            var output = Output(size: bytes.count)
            for save in objects {
                output.append(save.name)
                output.append(UInt64(bitPattern: Int64(save.age)))
                output.append(save.sex ? 1 : 0)
            }
            return .checksum(output.finish())
        }
    }

    @Sendable static func unarchiveClasses(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try input.bytes(scale: scale)
        var tables = PartTables(try assemblies(bytes))
        let known = tables.assemblies
        tables.assemblies = []
        return Work(size: bytes.count) { [tables] in
            let parts = tables.parts.map {
                $0.type.init(title: tables.texts[$0.title], weight: $0.weight, count: $0.count)
            }
            let assemblies = known.map {
                Assembly(number: $0.number, parts[$0.first], parts[$0.second], parts[$0.third])
            }
            return .checksum(
                assemblies.reduce(sum(of: bytes)) { Checksum.appending($1.checksum, to: $0) })
        }
    }

    @Sendable static func archiveClasses(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try input.bytes(scale: scale)
        let objects = try assemblies(bytes)
        return Work(size: bytes.count) {
            var output = Output(size: bytes.count)
            var seen = Set<ObjectIdentifier>()
            for assembly in objects {
                output.append(UInt64(bitPattern: Int64(assembly.number)))
                for part in [assembly.first, assembly.second, assembly.third]
                where seen.insert(ObjectIdentifier(part)).inserted {
                    output.append(part.title)
                    output.append(part.weight.bitPattern)
                    output.append(UInt64(bitPattern: Int64(part.count)))
                }
            }
            return .checksum(output.finish())
        }
    }

    @Sendable static func unarchiveSmall(_ input: Input, _ scale: Double) throws -> Work {
        let files = try FileList.bytes(input, scale)
        let known = try files.map { try KnownProfile(KeyedUnarchiver.unarchive(from: $0)) }
        return Work(size: FileList.size(files)) {
            var total: UInt64 = 0
            for (file, known) in zip(files, known) {
                total = Checksum.appending(known.profile().checksum &+ sum(of: file), to: total)
            }
            return .checksum(total)
        }
    }

    @Sendable static func archiveSmall(_ input: Input, _ scale: Double) throws -> Work {
        let files = try FileList.bytes(input, scale)
        let profiles: [Profile] = try files.map { try KeyedUnarchiver.unarchive(from: $0) }
        return Work(size: FileList.size(files)) {
            var total: UInt64 = 0
            for (file, profile) in zip(files, profiles) {
                var output = Output(size: file.count)
                output.append(profile)
                total = Checksum.appending(output.finish(), to: total)
            }
            return .checksum(total)
        }
    }

    private static func saves(_ bytes: [UInt8]) throws -> [Save] {
        try KeyedUnarchiver.unarchive([Save].self, from: bytes, limits: Ours.limits)
    }

    private static func assemblies(_ bytes: [UInt8]) throws -> [Assembly] {
        try KeyedUnarchiver.unarchive(
            [Assembly].self, from: bytes, allowing: Part.registry, limits: Ours.limits)
    }

    private static func sum(of bytes: [UInt8]) -> UInt64 {
        bytes.withUnsafeBytes { Checksum.data($0) }
    }
}

// MARK: - Contents known in advance

/// Texts as consecutive UTF-8.
private struct Texts {
    private var bytes: [UInt8] = []

    mutating func add(_ text: String) -> Range<Int> {
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        return start..<bytes.count
    }

    subscript(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

/// The distinct parts, and the indexes of the parts in each assembly.
private struct PartTables {
    var parts: [(type: Part.Type, title: Range<Int>, weight: Double, count: Int)] = []
    var assemblies: [(number: Int, first: Int, second: Int, third: Int)] = []
    var texts = Texts()

    init(_ objects: [Assembly]) {
        var places: [ObjectIdentifier: Int] = [:]
        for object in objects {
            let found = [object.first, object.second, object.third].map { part in
                if let place = places[ObjectIdentifier(part)] { return place }
                places[ObjectIdentifier(part)] = parts.count
                parts.append((type(of: part), texts.add(part.title), part.weight, part.count))
                return parts.count - 1
            }
            assemblies.append((object.number, found[0], found[1], found[2]))
        }
    }
}

/// The fields of a profile, decoded before the measurement.
private struct KnownProfile {
    private var texts = Texts()
    private let identifier: Range<Int>, name: Range<Int>, mail: Range<Int>, tags: [Range<Int>]
    private let born: Date, level: Int, score: Double, token: [UInt8]

    init(_ profile: Profile) {
        identifier = texts.add(profile.identifier)
        name = texts.add(profile.name)
        mail = texts.add(profile.mail)
        var texts = texts
        tags = profile.tags.map { texts.add($0) }
        self.texts = texts
        born = profile.born
        level = profile.level
        score = profile.score
        token = Array(profile.token)
    }

    func profile() -> Profile {
        Profile(
            identifier: texts[identifier], name: texts[name], mail: texts[mail], born: born,
            level: level, score: score, tags: tags.map { texts[$0] }, token: Data(token))
    }
}

// MARK: - Output

/// A buffer of a file's size. It begins with the texts and numbers of the objects.
private struct Output {
    private var bytes: [UInt8] = []
    private let size: Int

    init(size: Int) {
        self.size = size
        bytes.reserveCapacity(size)
    }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ number: UInt64) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ profile: Profile) {
        for text in [profile.identifier, profile.name, profile.mail] { append(text) }
        for text in profile.tags { append(text) }
        append(profile.born.timeIntervalSinceReferenceDate.bitPattern)
        append(UInt64(bitPattern: Int64(profile.level)))
        append(profile.score.bitPattern)
        profile.token.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// Fills the rest of the buffer. Returns one byte of it, so that the optimizer cannot remove
    /// the work.
    mutating func finish() -> UInt64 {
        bytes.append(contentsOf: repeatElement(0x2D, count: max(0, size - bytes.count)))
        return UInt64(bytes[bytes.count / 2])
    }
}

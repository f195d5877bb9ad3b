// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyedArchive
import PropertyList
import PropertyListCodable

/// The work of the rows, done by this library.
enum Ours {
    /// The trusted limits, because inputs of 200 MB are legitimate here.
    static let limits = ParsingLimits.trusted

    @Sendable static func parse(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try input.bytes(scale: scale)
        return Work(size: bytes.count) {
            let document = try PropertyListDocument(parsing: bytes, limits: limits)
            return .checksum(try document.root.checksum())
        }
    }

    @Sendable static func parseTree(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try input.bytes(scale: scale)
        return Work(size: bytes.count) {
            .checksum(try PropertyListValue(parsing: bytes, limits: limits).checksum)
        }
    }

    /// Serializes a document. It was parsed from the other format, so the writer cannot copy parts
    /// of it.
    @Sendable static func write(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try input.inOtherFormat.bytes(scale: scale)
        let document = try PropertyListDocument(parsing: bytes, limits: limits)
        return Work(size: try input.size(scale: scale)) {
            file(try document.serialized(as: input.format))
        }
    }

    @Sendable static func writeTree(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try input.inOtherFormat.bytes(scale: scale)
        let value = try PropertyListValue(parsing: bytes, limits: limits)
        return Work(size: try input.size(scale: scale)) {
            let document = try PropertyListDocument(value, limits: limits)
            return file(try document.serialized(as: input.format))
        }
    }

    /// Returns the outcome of writing a file. Its checksum is that of the values in the file.
    static func file(_ bytes: [UInt8]) -> Outcome {
        .file { try PropertyListDocument(parsing: bytes, limits: limits).root.checksum() }
    }
}

// MARK: - One value, and some values

extension Ours {
    @Sendable static func touch(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try input.bytes(scale: scale)
        return Work(size: bytes.count) {
            let root = try PropertyListDocument(parsing: bytes, limits: limits).root
            return .checksum(try touched(root).checksum())
        }
    }

    /// Returns the value at a path of keys that suits the shape of the file.
    private static func touched(_ root: PropertyListNode) throws -> PropertyListNode {
        let found = root["Tracks"]?["100"]?["Name"] ?? root["$objects"]?[2] ?? root[1_000]
        guard let found else {
            throw BenchmarkError(
                "expected Tracks/100/Name, $objects[2] or element 1,000, found none of them")
        }
        return found
    }

    @Sendable static func lookUp(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try input.bytes(scale: scale)
        let keys = Lookup.keys(scale)
        return Work(size: bytes.count) {
            let root = try PropertyListDocument(parsing: bytes, limits: limits).root
            return .checksum(try Lookup.checksum(keys) { root[$0]?.integer?.value() })
        }
    }
}

// MARK: - Types

extension Ours {
    @Sendable static func decodeLibrary(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try input.bytes(scale: scale)
        return Work(size: bytes.count) {
            .checksum(try decoder.decode(Library.self, from: bytes).checksum)
        }
    }

    @Sendable static func encodeLibrary(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try input.bytes(scale: scale)
        let library = try decoder.decode(Library.self, from: bytes)
        let encoder = PlistEncoder(format: input.format)
        encoder.limits = limits
        return Work(size: bytes.count) { [encoder] in file(try encoder.encodeBytes(library)) }
    }

    private static let decoder = {
        let decoder = PlistDecoder()
        decoder.limits = limits
        return decoder
    }()

    @Sendable static func unarchiveSaves(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try input.bytes(scale: scale)
        return Work(size: bytes.count) { .checksum(try saves(bytes)) }
    }

    static func saves(
        _ bytes: [UInt8], allowing registry: ClassRegistry = .foundation
    ) throws -> UInt64 {
        let saves = try KeyedUnarchiver.unarchive(
            [Save].self, from: bytes, allowing: registry, limits: limits)
        return saves.reduce(0) { Checksum.appending($1.checksum, to: $0) }
    }

    @Sendable static func archiveSaves(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try input.bytes(scale: scale)
        let objects = try KeyedUnarchiver.unarchive([Save].self, from: bytes, limits: limits)
        return Work(size: bytes.count) {
            let output = try KeyedArchiver.archive(objects, as: input.format, limits: limits)
            return .file { try saves(output) }
        }
    }

    @Sendable static func unarchiveClasses(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try input.bytes(scale: scale)
        return Work(size: bytes.count) { .checksum(try assemblies(bytes)) }
    }

    static func assemblies(
        _ bytes: [UInt8], allowing registry: ClassRegistry = Part.registry
    ) throws -> UInt64 {
        let assemblies = try KeyedUnarchiver.unarchive(
            [Assembly].self, from: bytes, allowing: registry, limits: limits)
        return assemblies.reduce(0) { Checksum.appending($1.checksum, to: $0) }
    }

    @Sendable static func archiveClasses(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try input.bytes(scale: scale)
        let objects = try KeyedUnarchiver.unarchive(
            [Assembly].self, from: bytes, allowing: Part.registry, limits: limits)
        return Work(size: bytes.count) {
            let output = try KeyedArchiver.archive(
                objects, allowing: Part.registry, as: input.format, limits: limits)
            return .file { try assemblies(output) }
        }
    }

    @Sendable static func unarchiveSmall(_ input: Input, _ scale: Double) throws -> Work {
        let files = try FileList.bytes(input, scale)
        return Work(size: FileList.size(files)) { .checksum(try profiles(files)) }
    }

    static func profiles(
        _ files: [[UInt8]], allowing registry: ClassRegistry = .foundation
    ) throws -> UInt64 {
        var sum: UInt64 = 0
        for file in files {
            let profile = try KeyedUnarchiver.unarchive(
                Profile.self, from: file, allowing: registry)
            sum = Checksum.appending(profile.checksum, to: sum)
        }
        return sum
    }

    @Sendable static func archiveSmall(_ input: Input, _ scale: Double) throws -> Work {
        let files = try FileList.bytes(input, scale)
        let profiles = try files.map { try KeyedUnarchiver.unarchive(Profile.self, from: $0) }
        return Work(size: FileList.size(files)) {
            let output = try profiles.map { try KeyedArchiver.archive($0) }
            return .file { try Ours.profiles(output) }
        }
    }
}

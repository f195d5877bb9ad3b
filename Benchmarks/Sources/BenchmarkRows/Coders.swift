// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationCoding
import KeyedArchive
import PropertyList

/// The library's subclasses of `NSCoder`, applied to the classes that Foundation's archivers are
/// measured with.
enum Coders {
    @Sendable static func unarchiveSaves(_ input: Input, _ scale: Double) throws -> Work {
        let data = try input.data(scale: scale)
        return Work(size: data.count) {
            let saves: [FoundationSave] = try unarchive(
                data, [NSArray.self, FoundationSave.self, NSString.self]
            ) { $0.setClass(FoundationSave.self, forClassName: Save.archivedClass.name) }
            return .checksum(saves.reduce(0) { Checksum.appending($1.checksum, to: $0) })
        }
    }

    @Sendable static func archiveSaves(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try input.bytes(scale: scale)
        let saves = try KeyedUnarchiver.unarchive([Save].self, from: bytes, limits: Ours.limits)
        let objects = saves.map(FoundationSave.init) as NSArray
        return Work(size: bytes.count) {
            let output = try archive(objects, input.format)
            return .file { try Ours.saves([UInt8](output), allowing: FoundationPeer.registry) }
        }
    }

    @Sendable static func unarchiveClasses(_ input: Input, _ scale: Double) throws -> Work {
        let data = try input.data(scale: scale)
        let classes =
            [NSArray.self, FoundationAssembly.self, NSString.self] + FoundationPart.classes
        return Work(size: data.count) {
            let objects: [FoundationAssembly] = try unarchive(data, classes) { unarchiver in
                for part in FoundationPeer.partNames {
                    unarchiver.setClass(part.type, forClassName: part.name)
                }
            }
            return .checksum(objects.reduce(0) { Checksum.appending($1.checksum, to: $0) })
        }
    }

    @Sendable static func archiveClasses(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try input.bytes(scale: scale)
        let assemblies = try KeyedUnarchiver.unarchive(
            [Assembly].self, from: bytes, allowing: Part.registry, limits: Ours.limits)
        let objects = FoundationAssembly.twins(of: assemblies) as NSArray
        return Work(size: bytes.count) {
            let output = try archive(objects, input.format)
            return .file { try Ours.assemblies([UInt8](output), allowing: FoundationPeer.registry) }
        }
    }

    @Sendable static func unarchiveSmall(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try SmallFiles.bytes(input, scale)
        let files = bytes.map { Data($0) }
        return Work(size: SmallFiles.size(bytes)) {
            var sum: UInt64 = 0
            for file in files { sum = Checksum.appending(try profile(file).checksum, to: sum) }
            return .checksum(sum)
        }
    }

    private static func profile(_ data: Data) throws -> FoundationProfile {
        let unarchiver = try KeyedUnarchiverCoder(forReadingFrom: data)
        unarchiver.setClass(FoundationProfile.self, forClassName: Profile.archivedClass.name)
        let profile = unarchiver.decodeObject(
            of: FoundationProfile.self, forKey: NSKeyedArchiveRootObjectKey)
        try unarchiver.finishDecoding()
        guard let profile else { throw BenchmarkError("no profile") }
        return profile
    }

    @Sendable static func archiveSmall(_ input: Input, _ scale: Double) throws -> Work {
        let files = try SmallFiles.bytes(input, scale)
        let profiles = try files.map {
            FoundationProfile(try KeyedUnarchiver.unarchive(Profile.self, from: $0))
        }
        return Work(size: SmallFiles.size(files)) {
            let output = try profiles.map { try archive($0, .binary) }
            return .file {
                try Ours.profiles(output.map { [UInt8]($0) }, allowing: FoundationPeer.registry)
            }
        }
    }

    private static func unarchive<Element>(
        _ data: Data, _ classes: [AnyClass], prepare: (KeyedUnarchiverCoder) -> Void
    ) throws -> [Element] {
        let unarchiver = try KeyedUnarchiverCoder(forReadingFrom: data, limits: Ours.limits)
        unarchiver.requiresSecureCoding = true
        prepare(unarchiver)
        let root = unarchiver.decodeObject(of: classes, forKey: NSKeyedArchiveRootObjectKey)
        try unarchiver.finishDecoding()
        guard let elements = root as? [Element] else {
            throw BenchmarkError("the root is no array of them")
        }
        return elements
    }

    private static func archive(_ root: Any, _ format: PropertyListFormat) throws -> Data {
        let archiver = KeyedArchiverCoder(requiringSecureCoding: true, limits: Ours.limits)
        archiver.outputFormat = format == .binary ? .binary : .xml
        archiver.encode(root, forKey: NSKeyedArchiveRootObjectKey)
        return try archiver.encodedData
    }
}

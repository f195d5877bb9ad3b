// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyedArchive
import PropertyList

extension FoundationPeer {
    @Sendable static func decodeLibrary(_ input: Input, _ scale: Double) throws -> Work {
        let data = try input.data(scale: scale)
        return Work(size: data.count) {
            .checksum(try PropertyListDecoder().decode(Library.self, from: data).checksum)
        }
    }

    @Sendable static func encodeLibrary(_ input: Input, _ scale: Double) throws -> Work {
        let data = try input.data(scale: scale)
        let library = try PropertyListDecoder().decode(Library.self, from: data)
        let encoder = PropertyListEncoder()
        encoder.outputFormat = input.format == .binary ? .binary : .xml
        return Work(size: data.count) {
            let output = try encoder.encode(library)
            return .file { try Ours.file([UInt8](output)).checksum() }
        }
    }
}

// MARK: - Archives

extension FoundationPeer {
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
            let output = archive(objects, input.format)
            return .file { try Ours.saves([UInt8](output), allowing: registry) }
        }
    }

    @Sendable static func unarchiveClasses(_ input: Input, _ scale: Double) throws -> Work {
        let data = try input.data(scale: scale)
        let classes =
            [NSArray.self, FoundationAssembly.self, NSString.self] + FoundationPart.classes
        return Work(size: data.count) {
            let objects: [FoundationAssembly] = try unarchive(data, classes) { unarchiver in
                for part in partNames { unarchiver.setClass(part.type, forClassName: part.name) }
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
            let output = archive(objects, input.format)
            return .file { try Ours.assemblies([UInt8](output), allowing: registry) }
        }
    }

    /// The classes for Foundation under the names that Foundation archives them with, to read its
    /// output. On Linux, `setClassName(_:for:)` has no effect.
    static let registry = {
        var registry = Part.registry
            .adding(Save.self, as: NSStringFromClass(FoundationSave.self))
            .adding(Profile.self, as: NSStringFromClass(FoundationProfile.self))
            .adding(Assembly.self, as: NSStringFromClass(FoundationAssembly.self))
        for (ours, theirs) in zip(Part.classes, FoundationPart.classes) {
            registry = registry.adding(ours, as: NSStringFromClass(theirs))
        }
        return registry
    }()

    static var partNames: [(type: AnyClass, name: String)] {
        [(FoundationAssembly.self, Assembly.archivedClass.name)]
            + zip(FoundationPart.classes, Part.classes).map { ($0, $1.archivedClass.name) }
    }
}

// MARK: - Small archives

extension FoundationPeer {
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
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = true
        unarchiver.setClass(FoundationProfile.self, forClassName: Profile.archivedClass.name)
        let profile = unarchiver.decodeObject(
            of: FoundationProfile.self, forKey: NSKeyedArchiveRootObjectKey)
        guard let profile else { throw unarchiver.error ?? BenchmarkError("no profile") }
        return profile
    }

    @Sendable static func archiveSmall(_ input: Input, _ scale: Double) throws -> Work {
        let files = try SmallFiles.bytes(input, scale)
        let profiles = try files.map {
            FoundationProfile(try KeyedUnarchiver.unarchive(Profile.self, from: $0))
        }
        return Work(size: SmallFiles.size(files)) {
            let output = profiles.map { archive($0, .binary) }
            return .file { try Ours.profiles(output.map { [UInt8]($0) }, allowing: registry) }
        }
    }

    private static func unarchive<Element>(
        _ data: Data, _ classes: [AnyClass], prepare: (NSKeyedUnarchiver) -> Void
    ) throws -> [Element] {
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = true
        prepare(unarchiver)
        let root = unarchiver.decodeObject(of: classes, forKey: NSKeyedArchiveRootObjectKey)
        guard let elements = root as? [Element] else {
            throw unarchiver.error ?? BenchmarkError("the root is no array of them")
        }
        return elements
    }

    private static func archive(_ root: Any, _ format: PropertyListFormat) -> Data {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.outputFormat = format == .binary ? .binary : .xml
        archiver.encode(root, forKey: NSKeyedArchiveRootObjectKey)
        archiver.finishEncoding()
        return archiver.encodedData
    }
}

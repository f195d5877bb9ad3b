// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationCoding
import KeyedArchive
import PropertyList

/// An archiver and an unarchiver for classes that adopt `NSSecureCoding`. Extensions implement the
/// rows for any such pair.
protocol CoderPair: SendableMetatype {
    associatedtype Unarchiver: NSCoder

    /// Opens an archive, with secure coding required.
    static func unarchiver(_ data: Data) throws -> Unarchiver

    /// Maps a class name in the archive to a class.
    static func setClass(_ type: AnyClass, for name: String, in unarchiver: Unarchiver)

    /// Archives a root, with secure coding required.
    static func archive(_ root: Any, _ format: PropertyListFormat) throws -> Data
}

/// This library's subclasses of `NSCoder`.
enum Coders: CoderPair {
    static func unarchiver(_ data: Data) throws -> KeyedUnarchiverCoder {
        let unarchiver = try KeyedUnarchiverCoder(forReadingFrom: data, limits: Ours.limits)
        unarchiver.requiresSecureCoding = true
        return unarchiver
    }

    static func setClass(_ type: AnyClass, for name: String, in unarchiver: KeyedUnarchiverCoder) {
        unarchiver.setClass(type, forClassName: name)
    }

    static func archive(_ root: Any, _ format: PropertyListFormat) throws -> Data {
        let archiver = KeyedArchiverCoder(requiringSecureCoding: true, limits: Ours.limits)
        archiver.outputFormat = format == .binary ? .binary : .xml
        archiver.encode(root, forKey: NSKeyedArchiveRootObjectKey)
        return try archiver.encodedData
    }
}

extension FoundationPeer: CoderPair {
    static func unarchiver(_ data: Data) throws -> NSKeyedUnarchiver {
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = true
        return unarchiver
    }

    static func setClass(_ type: AnyClass, for name: String, in unarchiver: NSKeyedUnarchiver) {
        unarchiver.setClass(type, forClassName: name)
    }

    static func archive(_ root: Any, _ format: PropertyListFormat) throws -> Data {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.outputFormat = format == .binary ? .binary : .xml
        archiver.encode(root, forKey: NSKeyedArchiveRootObjectKey)
        archiver.finishEncoding()
        return archiver.encodedData
    }
}

// MARK: - Objects of one class

extension CoderPair {
    @Sendable static func unarchiveSaves(_ input: Input, _ scale: Double) throws -> Work {
        let data = try input.data(scale: scale)
        return Work(size: data.count) {
            let unarchiver = try unarchiver(data)
            setClass(FoundationSave.self, for: Save.archivedClass.name, in: unarchiver)
            let saves: [FoundationSave] = try root(
                of: unarchiver, [NSArray.self, FoundationSave.self, NSString.self])
            return .checksum(saves.reduce(0) { Checksum.appending($1.checksum, to: $0) })
        }
    }

    @Sendable static func archiveSaves(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try input.bytes(scale: scale)
        let saves = try KeyedUnarchiver.unarchive([Save].self, from: bytes, limits: Ours.limits)
        let objects = saves.map(FoundationSave.init) as NSArray
        return Work(size: bytes.count) {
            let output = try archive(objects, input.format)
            return .file { try Ours.saves([UInt8](output), allowing: FoundationNames.registry) }
        }
    }

    private static func root<Root>(
        of unarchiver: Unarchiver, _ classes: [AnyClass]
    ) throws -> Root {
        let found = unarchiver.decodeObject(of: classes, forKey: NSKeyedArchiveRootObjectKey)
        if let error = unarchiver.error { throw error }
        guard let root = found as? Root else {
            throw BenchmarkError(expected: Root.self, found: found)
        }
        return root
    }
}

// MARK: - Objects of many classes

extension CoderPair {
    @Sendable static func unarchiveClasses(_ input: Input, _ scale: Double) throws -> Work {
        let data = try input.data(scale: scale)
        let classes =
            [NSArray.self, FoundationAssembly.self, NSString.self] + FoundationPart.classes
        return Work(size: data.count) {
            let unarchiver = try unarchiver(data)
            for part in FoundationNames.archivedParts {
                setClass(part.type, for: part.name, in: unarchiver)
            }
            let objects: [FoundationAssembly] = try root(of: unarchiver, classes)
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
            return .file {
                try Ours.assemblies([UInt8](output), allowing: FoundationNames.registry)
            }
        }
    }
}

// MARK: - Small archives

extension CoderPair {
    @Sendable static func unarchiveSmall(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try FileList.bytes(input, scale)
        let files = bytes.map { Data($0) }
        return Work(size: FileList.size(bytes)) {
            var sum: UInt64 = 0
            for file in files { sum = Checksum.appending(try profile(file).checksum, to: sum) }
            return .checksum(sum)
        }
    }

    private static func profile(_ data: Data) throws -> FoundationProfile {
        let unarchiver = try unarchiver(data)
        setClass(FoundationProfile.self, for: Profile.archivedClass.name, in: unarchiver)
        return try root(of: unarchiver, [FoundationProfile.self])
    }

    @Sendable static func archiveSmall(_ input: Input, _ scale: Double) throws -> Work {
        let files = try FileList.bytes(input, scale)
        let profiles = try files.map {
            FoundationProfile(try KeyedUnarchiver.unarchive(Profile.self, from: $0))
        }
        return Work(size: FileList.size(files)) {
            let output = try profiles.map { try archive($0, .binary) }
            return .file {
                try Ours.profiles(output.map { [UInt8]($0) }, allowing: FoundationNames.registry)
            }
        }
    }
}

/// The mappings between the classes for Foundation and those for this library.
enum FoundationNames {
    /// A registry that decodes Foundation's archives with this library's classes, to check them.
    /// These archives contain the names of the classes for Foundation, because
    /// `setClassName(_:for:)` has no effect on Linux.
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

    /// The classes of assemblies and parts for Foundation, with their class names in the generated
    /// archive.
    static var archivedParts: [(type: AnyClass, name: String)] {
        [(FoundationAssembly.self, Assembly.archivedClass.name)]
            + zip(FoundationPart.classes, Part.classes).map { ($0, $1.archivedClass.name) }
    }
}

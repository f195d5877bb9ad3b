// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import KeyedArchive
public import PropertyList
import TestSupport

/// Archives made by the tests, and those in `Fixtures/archives`.
public enum Archives {
    public static let folder = Corpus.fixtures.appending(path: "archives")

    public static func fixture(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appending(path: "\(name).plist")))
    }

    /// Returns the bytes of an archive with these objects after `$null`.
    public static func make(
        _ objects: [PropertyListValue], top: PropertyListDictionary = ["root": .uid(1)],
        changing key: String? = nil, to value: PropertyListValue? = nil
    ) throws -> [UInt8] {
        var root: PropertyListDictionary = [
            "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": .dictionary(top),
            "$objects": .array(PropertyListArray(["$null"] + objects)),
        ]
        if let key { root[key] = value }
        return try BinaryPropertyList.serialize(PropertyListDocument(.dictionary(root)))
    }

    public static func describe(_ name: String, _ chain: String...) -> PropertyListValue {
        .dictionary([
            "$classname": .string(name),
            "$classes": .array(
                PropertyListArray(([name] + chain + ["NSObject"]).map { .string($0) })),
        ])
    }
}

// MARK: - Helpers of the class coding tests

/// Decodes the root of an archive as `T`.
public func read<T: KeyedDecodable>(
    _ type: T.Type = T.self, _ objects: [PropertyListValue],
    allowing registry: ClassRegistry = .foundation
) throws -> T {
    try KeyedUnarchiver.unarchive(type, from: Archives.make(objects), allowing: registry)
}

/// Returns the error code of decoding an archive's root as `T`.
public func refusal<T: KeyedDecodable>(
    _ type: T.Type, _ objects: [PropertyListValue],
    allowing registry: ClassRegistry = .foundation
) -> KeyedArchiveError.Code? {
    archiveError { try read(type, objects, allowing: registry) }?.code
}

/// Returns the error code of decoding an archive's root as `T`.
///
/// The root has `fields`, with `changes` and without the key `missing`. Its class is object 2, the
/// first of `rest`.
public func refusal<T: KeyedDecodable>(
    _ type: T.Type, _ fields: PropertyListDictionary,
    changing changes: PropertyListDictionary = [:], without missing: String? = nil,
    _ rest: PropertyListValue...
) -> KeyedArchiveError.Code? {
    var object = fields
    for (key, value) in changes { object[key] = value }
    if let missing { object[missing] = nil }
    object["$class"] = .uid(2)
    return refusal(type, [.dictionary(object)] + rest)
}

/// Decodes an archive's root as `T`, and encodes it again.
///
/// - Throws: ``Mismatch`` if the object table of the new archive differs.
public func roundTrip<T: KeyedCodable>(
    _ type: T.Type, _ objects: [PropertyListValue], allowing registry: ClassRegistry = .foundation
) throws -> T {
    try roundTrip(type, Archives.make(objects), allowing: registry)
}

/// Decodes the root of an external archive as `T`, and encodes it again.
///
/// - Throws: ``Mismatch`` if the object table of the new archive differs.
public func roundTrip<T: KeyedCodable>(
    _ type: T.Type, genuine name: String, in folder: String = "foundation-tests"
) throws -> T {
    try roundTrip(type, Specimens.bytes(name, in: folder), allowing: .foundation)
}

private func roundTrip<T: KeyedCodable>(
    _ type: T.Type, _ bytes: [UInt8], allowing registry: ClassRegistry
) throws -> T {
    let value = try KeyedUnarchiver.unarchive(type, from: bytes, allowing: registry)
    let again = try Specimens.table(KeyedArchiver.archive(value, allowing: registry))
    let before = try Specimens.table(bytes)
    guard again == before else { throw Mismatch("\(before) is written as \(again)") }
    return value
}

/// The error for an archive that differs from the expected one.
public struct Mismatch: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

/// Returns the object table of an archive of `value`, without its first entry.
public func written(
    _ value: some KeyedEncodable, allowing registry: ClassRegistry = .foundation
) throws -> [PropertyListValue] {
    Array(try Specimens.table(KeyedArchiver.archive(value, allowing: registry)).dropFirst())
}

/// Returns the error that `body` throws, if it is a `KeyedArchiveError`.
public func archiveError<R>(_ body: () throws -> R) -> KeyedArchiveError? {
    do {
        _ = try body()
        return nil
    } catch { return error as? KeyedArchiveError }
}

extension PropertyListValue {
    /// Returns the dictionary with some entries changed. The value `.null` removes an entry.
    public func with(_ changes: PropertyListDictionary) -> PropertyListValue {
        guard case .dictionary(var fields) = self else { return self }
        for key in changes.keys { fields[key] = changes[key] == .null ? nil : changes[key] }
        return .dictionary(fields)
    }
}

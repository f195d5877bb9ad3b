// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import KeyedArchive
internal import PropertyList

extension KeyedUnarchiverCoder {
    /// The fields of the innermost object under construction, or the roots.
    var current: KeyedDecoder? { frames.last?.decoder ?? roots }

    /// Runs the body of one call, and keeps its error with the key.
    func attempt<Value>(_ key: String?, _ body: () throws -> Value?) -> Value? {
        if failure != nil { return nil }
        guard let current else { return nil }
        do { return try current.root(body) } catch {
            failure = key.map { KeyedArchiveError.located(error, .key($0)) } ?? error
            return nil
        }
    }

    /// Returns the object of a field; nil without such a field.
    func object(forKey key: String, of classes: [AnyClass]?) -> Any? {
        attempt(key) { () throws -> Any? in
            guard let reference = self.reference(key) else { return nil }
            return try self.object(reference, of: classes)
        }
    }

    /// Returns the reference of a field, also where a class inherits the field.
    private func reference(_ key: String) -> KeyedReference? {
        guard let current else { return nil }
        if let inherited = frames.last?.inherited,
            let reference = inherited.reference(key, current)
        {
            return reference
        }
        return current.reference(forKey: key)
    }

    /// Returns the plain value of a field; nil for other fields, and after an error.
    func plainValue(_ key: String) -> PlainValue? {
        failure == nil ? current?.plainValue(forKey: key) : nil
    }

    /// Returns the number of a field, converted to the type; nil without such a field.
    func number<Number: ArchivedNumberConvertible>(_ key: String) -> Number? {
        attempt(key) { () throws -> Number? in
            guard let reference = self.current?.reference(forKey: key), !reference.isNil else {
                return nil
            }
            return try Number.unarchive(reference)
        }
    }

    /// Returns the bytes of a field; nil without such a field.
    func bytes(forKey key: String) -> ArraySlice<UInt8>? {
        if let inherited = frames.last?.inherited, let current,
            let bytes = inherited.bytes(key, current)
        {
            return bytes
        }
        if case .data(let bytes) = plainValue(key) { return bytes }
        return attempt(key) { () throws -> ArraySlice<UInt8>? in
            guard let reference = self.current?.reference(forKey: key), !reference.isNil else {
                return nil
            }
            return try self.current?.decodeBytes(forKey: key)
        }
    }

    /// Returns the next plain value without a key; nil at the end.
    func nextPlainValue() -> PlainValue? {
        attempt(nil) { () throws -> PlainValue? in
            guard let reference = self.current?.nextUnkeyed() else { return nil }
            return try reference.plainValue()
        }
    }
}

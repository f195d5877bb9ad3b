// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import KeyedArchive
internal import PropertyList

extension KeyedUnarchiverCoder {
    /// The fields of the innermost object under construction, or the roots.
    var current: KeyedDecoder? { frame?.decoder }

    /// Runs the body of one call, and records its error with the key.
    @inline(__always)
    func attempt<Value>(_ key: String?, _ body: (Frame) throws -> Value?) -> Value? {
        guard failure == nil, let frame else { return nil }
        do {
            return frame.decoder.isRoots
                ? try frame.decoder.root { try body(frame) } : try body(frame)
        } catch {
            failure = key.map { KeyedArchiveError.located(error, .key($0)) } ?? error
            return nil
        }
    }

    /// Returns the object of a field; nil if there is no such field.
    func decoded(forKey key: String) -> Decoded? {
        attempt(key) { frame throws in
            try frame.reference(forKey: key).flatMap { try decoded($0) }
        }
    }

    /// Returns the object of a field for a call that names classes; nil if there is no such field.
    func decoded(forKey key: String, of classes: NamedClasses) -> Decoded? {
        attempt(key) { frame throws in
            try frame.reference(forKey: key).flatMap { try decoded($0, of: classes) }
        }
    }

    /// Returns the collection of a field for a call that names classes, and charges its expansion:
    /// when the caller converts it to a Swift collection, Foundation on Linux converts everything
    /// in it.
    func expanded(forKey key: String, of classes: NamedClasses) -> Any? {
        attempt(key) { frame throws in
            guard let reference = frame.reference(forKey: key),
                let value = try decoded(reference, of: classes)
            else { return nil }
            try frame.decoder.charge(expansion(of: reference).size)
            return value.any
        }
    }

    /// Returns the number of a field, converted to the type; nil if there is no such field.
    func number<Number: ArchivedNumberConvertible>(_ key: String) -> Number? {
        attempt(key) { frame throws in
            guard let reference = frame.decoder.reference(forKey: key), !reference.isNil else {
                return nil
            }
            return try Number.unarchive(reference)
        }
    }

    /// Returns the bytes of a field; nil if there is no such field.
    func bytes(forKey key: String) -> ArraySlice<UInt8>? {
        attempt(key) { frame throws in
            if let bytes = frame.inherited?.bytes(key, frame.decoder) { return bytes }
            guard let reference = frame.decoder.reference(forKey: key), !reference.isNil else {
                return nil
            }
            return try frame.decoder.decodeBytes(forKey: key)
        }
    }

    /// Returns the next plain value without a key; nil at the end.
    func nextPlainValue() -> PlainValue? {
        attempt(nil) { frame throws in try frame.decoder.nextUnkeyed()?.plainValue() }
    }
}

extension KeyedUnarchiverCoder.Frame {
    /// Returns the reference of a field, including a field that the class inherits.
    fileprivate func reference(forKey key: String) -> KeyedReference? {
        inherited?.reference(key, decoder) ?? decoder.reference(forKey: key)
    }
}

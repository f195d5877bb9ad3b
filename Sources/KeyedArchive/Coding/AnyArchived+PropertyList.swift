// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension AnyArchived {
    /// Returns the value as a property list: strings, numbers, data, dates, arrays, and
    /// dictionaries whose keys are strings.
    ///
    /// `otherwise` converts values that a property list cannot represent, such as a `UUID`, a set
    /// or `NSNull`:
    ///
    /// ```swift
    /// let tree = try settings.propertyListValue { other in
    ///     other.value(as: UUID.self).map { .string($0.uuidString) }
    /// }
    /// ```
    ///
    /// - Parameter otherwise: converts a value, or returns nil if it cannot. It is called once for
    ///   a shared object. The default returns nil.
    /// - Returns: The tree. Shared values are converted once, and share memory.
    /// - Throws: `wrongType` for a value that a property list cannot represent and for a key that
    ///   is not a string; `malformedObject` for a duplicate key; the errors of `otherwise`.
    /// - Complexity: Linear in the number of values and in the size of data, with shared objects
    ///   counted once. Not recursive.
    public func propertyListValue(
        otherwise: (AnyArchived) throws -> PropertyListValue? = { _ in nil }
    ) throws -> PropertyListValue {
        var conversion = TreeConversion()
        return try conversion.tree(of: self, otherwise)
    }
}

/// The conversion of a value to a property list.
private struct TreeConversion {
    /// A container whose elements are being converted.
    private struct Open {
        let identity: ObjectIdentity?
        /// The keys of a dictionary; nil for an array.
        let keys: [String]?
        let elements: [AnyArchived]
        var converted: [PropertyListValue] = []

        /// The path component of the next element.
        var step: PropertyListPath.Component {
            keys.map { .entry($0[converted.count]) } ?? .index(converted.count)
        }

        var tree: PropertyListValue {
            guard let keys else { return .array(PropertyListArray(converted)) }
            return .dictionary(
                PropertyListDictionary(zip(keys, converted).lazy.map { (key: $0, value: $1) }))
        }
    }

    private var open: [Open] = []
    private var shared: [ObjectIdentity: PropertyListValue] = [:]
    // Many objects may have the same long data.
    private var sharedData: [ContentIdentity: [UInt8]] = [:]

    mutating func tree(
        of root: AnyArchived, _ otherwise: (AnyArchived) throws -> PropertyListValue?
    ) throws -> PropertyListValue {
        var next = root
        while true {
            guard var done = try leafOrOpen(next, otherwise) else {
                next = open[open.count - 1].elements[0]
                continue
            }
            while let last = open.indices.last {
                open[last].converted.append(done)
                if open[last].converted.count < open[last].elements.count { break }
                let complete = open.removeLast()
                done = cached(complete.tree, complete.identity)
            }
            guard let last = open.last else { return done }
            next = last.elements[last.converted.count]
        }
    }

    /// Returns a tree, and keeps it for further references to the same object.
    private mutating func cached(
        _ tree: PropertyListValue, _ identity: ObjectIdentity?
    ) -> PropertyListValue {
        if let identity { shared[identity] = tree }
        return tree
    }

    /// Returns the tree of a value without elements. Otherwise opens the container and returns nil.
    private mutating func leafOrOpen(
        _ value: AnyArchived, _ otherwise: (AnyArchived) throws -> PropertyListValue?
    ) throws -> PropertyListValue? {
        if let identity = value.identity, let known = shared[identity] { return known }
        switch value.content {
        case let text as String: return .string(text)
        case let number as ArchivedNumber: return number.propertyListValue
        case let data as Data: return .data(bytes(of: data))
        case let date as Date:
            return .date(
                PropertyListDate(secondsSince2001: date.timeIntervalSinceReferenceDate))
        case let list as any ArchivedList where list.kind == .array:
            let elements = list.anyElements
            if elements.isEmpty { return .array([]) }
            open.append(Open(identity: value.identity, keys: nil, elements: elements))
            return nil
        case let pairs as any ArchivedEntries:
            let entries = pairs.anyEntries
            if entries.isEmpty { return .dictionary([:]) }
            let keys = try keys(of: entries)
            open.append(
                Open(identity: value.identity, keys: keys, elements: entries.map(\.value)))
            return nil
        default:
            if let tree = try otherwise(value) { return cached(tree, value.identity) }
            throw refused(value)
        }
    }

    private mutating func bytes(of data: Data) -> [UInt8] {
        guard let identity = ContentIdentity(data) else { return Array(data) }
        if let known = sharedData[identity] { return known }
        let bytes = Array(data)
        sharedData[identity] = bytes
        return bytes
    }

    private func keys(
        of entries: [(key: AnyArchived, value: AnyArchived)]
    ) throws(KeyedArchiveError) -> [String] {
        var keys: [String] = []
        var seen: Set<ExactText> = []
        for (key, _) in entries {
            guard let text = key.stringValue else {
                throw error(
                    .wrongType,
                    "a property list cannot represent a key of type \(type(of: key.value))")
            }
            guard seen.insert(ExactText(text)).inserted else {
                throw error(.malformedObject, "a key occurs twice in a dictionary")
            }
            keys.append(text)
        }
        return keys
    }

    private func refused(_ value: AnyArchived) -> KeyedArchiveError {
        error(
            .wrongType, "a property list cannot represent a value of type \(type(of: value.value))",
            recovery: "return a replacement from the closure of `propertyListValue(otherwise:)`")
    }

    private func error(
        _ code: KeyedArchiveError.Code, _ what: String, recovery: String? = nil
    ) -> KeyedArchiveError {
        KeyedArchiveError(
            code, what: what, path: PropertyListPath(open.map(\.step)), recovery: recovery)
    }
}

extension ArchivedNumber {
    fileprivate var propertyListValue: PropertyListValue {
        switch self {
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        }
    }
}

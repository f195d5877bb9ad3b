// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
internal import PropertyList

// Dictionaries and arrays of `Any`, as they occur in user defaults, JSON and old programs.

// MARK: - Writing

extension KeyedEncoder {
    /// Writes a value whose type is known only at run time: a ``KeyedCodable`` value, or a
    /// `[String: Any]` or `[Any]` of such values. For details, see
    /// ``AnyArchived/init(converting:)``.
    ///
    /// The archiver may record the errors of ``AnyArchived/init(converting:)``, with the path to
    /// the value, and those of `encode(_:forKey:)`.
    public func encodeAny(_ value: Any, forKey key: String) {
        attempt(key) { encodeObject(try AnyArchived(converting: value), forKey: key) }
    }
}

extension AnyArchived {
    /// Wraps a value whose type is known only at run time: a ``KeyedCodable`` value, or a
    /// `[String: Any]` or `[Any]` of such values.
    ///
    /// ```swift
    /// let settings: [String: Any] = ["name": "Anna", "levels": [1, 2], "window": ["open": true]]
    /// let bytes = try KeyedArchiver.archive(AnyArchived(converting: settings))
    /// ```
    ///
    /// Dictionaries need string keys if they are to be read as `[String: Any]`.
    ///
    /// - Throws: `wrongType` for a value of another type, with the path to it; `missingValue` for
    ///   nil, which arrays and dictionaries of `Any` cannot represent; `depthLimitExceeded` for
    ///   more than 512 nested dictionaries and arrays.
    /// - Complexity: Linear in the number of values, except for sorting keys.
    public init(converting value: Any) throws {
        self = try Self.converted(value, depth: 0)
    }

    private static let mostNested = 512

    private static func converted(_ value: Any, depth: Int) throws -> AnyArchived {
        if let known = value as? AnyArchived { return known }
        if let optional = value as? any OptionalValue, optional.isAbsent { throw noValue() }
        if let value = value as? any KeyedCodable { return wrapped(value) }
        if depth == mostNested { throw tooDeep() }
        if let values = value as? [String: Any] {
            return AnyArchived(try values.mapEntries { try converted($0, depth: depth + 1) })
        }
        guard let elements = value as? [Any] else { throw notConvertible(value) }
        return AnyArchived(try elements.mapElements { try converted($0, depth: depth + 1) })
    }

    private static func wrapped(_ value: some KeyedCodable) -> AnyArchived { AnyArchived(value) }

    private static func notConvertible(_ value: Any) -> KeyedArchiveError {
        KeyedArchiveError(
            .wrongType,
            what: "expected a `KeyedCodable` value, found one of type `\(type(of: value))`",
            recovery: "conform the type to `KeyedCodable`, or convert the value")
    }

    private static func noValue() -> KeyedArchiveError {
        KeyedArchiveError(
            .missingValue, what: "expected a value, found nil",
            recovery: "leave the entry out, or write `ArchivedNull()`")
    }

    private static func tooDeep() -> KeyedArchiveError {
        KeyedArchiveError(
            .depthLimitExceeded,
            what: "expected at most \(mostNested) nested dictionaries and arrays, found more")
    }
}

extension [String: Any] {
    fileprivate func mapEntries(
        _ convert: (Any) throws -> AnyArchived
    ) throws -> [String: AnyArchived] {
        var converted: [String: AnyArchived] = [:]
        converted.reserveCapacity(count)
        // In the order of the keys, so that every run reports the same error.
        for (key, value) in sorted(by: { $0.key < $1.key }) {
            do { converted[key] = try convert(value) } catch {
                throw KeyedArchiveError.located(error, .entry(key))
            }
        }
        return converted
    }
}

extension [Any] {
    fileprivate func mapElements(_ convert: (Any) throws -> AnyArchived) throws -> [AnyArchived] {
        var converted: [AnyArchived] = []
        converted.reserveCapacity(count)
        for element in self {
            do { converted.append(try convert(element)) } catch {
                throw KeyedArchiveError.located(error, .index(converted.count))
            }
        }
        return converted
    }
}

// MARK: - Reading

extension KeyedDecoder {
    /// Returns the dictionary of a field. Its values may be of any class that the registry allows.
    ///
    /// The types of the values are `String`, `Bool`, `Int` (`UInt64` for larger integers),
    /// `Double`, `Data`, `Date`, `[Any]`, `[String: Any]`, and the types that the registry binds to
    /// other classes.
    ///
    /// - Throws: the errors of `decode(_:forKey:)`; `wrongType` for a key that is not a string.
    public func decode(
        _ type: [String: Any].Type = [String: Any].self, forKey key: String
    ) throws -> [String: Any] {
        try decode([String: AnyContent].self, forKey: key) { $0.mapValues(\.value) }
    }

    /// Returns the array of a field, with elements like the values of a decoded `[String: Any]`.
    ///
    /// - Throws: the errors of `decode(_:forKey:)`.
    public func decode(_ type: [Any].Type = [Any].self, forKey key: String) throws -> [Any] {
        try decode([AnyContent].self, forKey: key) { $0.map(\.value) }
    }
}

/// A value of any class, without the identity that an ``AnyArchived`` preserves.
private struct AnyContent: KeyedDecodable {
    let value: Any

    static var archivedClass: ArchivedClass { AnyArchived.archivedClass }

    static func register(in registry: inout ClassRegistry) {}

    init(coder: KeyedDecoder) throws {
        self = try Self.unarchive(coder.objectReference())
    }

    static func unarchive(_ reference: KeyedReference) throws -> AnyContent {
        AnyContent(try reference.reader.any { try content(of: reference) })
    }

    private init(_ value: Any) { self.value = value }

    private static func content(of reference: KeyedReference) throws -> Any {
        let name = reference.archivedClass?.name
        switch name.map({ ExactText($0) }) {
        case ExactText(FoundationClass.array), "NSMutableArray":
            return try reference.object(as: [AnyContent].self) { $0.map(\.value) }
        case ExactText(FoundationClass.dictionary), "NSMutableDictionary":
            return try reference.object(as: [String: AnyContent].self) { $0.mapValues(\.value) }
        default: return plain(try AnyArchived.unarchive(reference).value)
        }
    }

    private static func plain(_ value: any KeyedDecodable) -> Any {
        switch value {
        case .boolean(let value) as ArchivedNumber: value
        case .integer(let value) as ArchivedNumber:
            integer(value)
        case .real(let value) as ArchivedNumber: value.value
        case let value as any MutableValue: value.wrapped
        default: value
        }
    }

    private static func integer(_ value: PropertyListInteger) -> Any {
        if let value = value.value(as: Int.self) { return value }
        if let value = value.value(as: UInt64.self) { return value }
        return value
    }
}

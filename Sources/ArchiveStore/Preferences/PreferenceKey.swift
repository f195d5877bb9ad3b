// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList
internal import PropertyListCodable

extension Preferences {
    /// A key with the type of its values and a default value.
    ///
    /// ```swift
    /// enum Settings {
    ///     static let site = Preferences.Key<URL>("site", default: URL(fileURLWithPath: "/"))
    ///     static let theme = Preferences.Key<Theme>("theme", default: .light)
    ///     static let windows = Preferences.Key<[Window]>("windows", default: [])
    ///     static let lastOpened = Preferences.Key<Date?>("lastOpened")
    /// }
    ///
    /// preferences[Settings.theme] = .dark
    /// let site = preferences[Settings.site]
    /// ```
    ///
    /// | type of the values | stored form |
    /// |---|---|
    /// | ``PropertyListConvertible``: strings, numbers, URLs, UUIDs, … | the property-list value |
    /// | `RawRepresentable` with such a raw value: enumerations, option sets | the raw value |
    /// | `PropertyListValue` | the value itself |
    /// | another `Codable` type | the value encoded by `PlistEncoder` |
    /// | an optional of these, without a default | the same; nil removes the stored value |
    ///
    /// If several rows apply to a type, the first one counts.
    public struct Key<Value: Sendable>: Sendable {
        /// The name under which values are stored.
        public let name: String
        /// The value if none is stored or registered as a default.
        public let defaultValue: Value
        let coding: PreferenceCoding<Value>

        init(_ name: String, _ defaultValue: Value, _ coding: PreferenceCoding<Value>) {
            self.name = name
            self.defaultValue = defaultValue
            self.coding = coding
        }
    }
}

/// The conversion between the values of a key and their stored form.
struct PreferenceCoding<Value: Sendable>: Sendable {
    /// Decodes a stored value. Returns nil for a value of another kind.
    let decode: @Sendable (PropertyListValue) throws -> Value?
    /// Encodes a value. Returns nil if the stored value should be removed.
    let encode: @Sendable (Value) throws -> PropertyListValue?

    var optional: PreferenceCoding<Value?> {
        PreferenceCoding<Value?>(
            decode: { [decode] in try decode($0).map { .some($0) } },
            encode: { [encode] in try $0.flatMap { try encode($0) } })
    }
}

extension PreferenceCoding where Value: PropertyListConvertible {
    static var plain: PreferenceCoding {
        PreferenceCoding(
            decode: { Value(propertyListValue: $0) }, encode: { $0.propertyListValue })
    }
}

extension PreferenceCoding
where Value: RawRepresentable, Value.RawValue: PropertyListConvertible {
    static var raw: PreferenceCoding {
        PreferenceCoding(
            decode: { Value.RawValue(propertyListValue: $0).flatMap { Value(rawValue: $0) } },
            encode: { $0.rawValue.propertyListValue })
    }
}

extension PreferenceCoding where Value: Codable {
    static var codable: PreferenceCoding {
        PreferenceCoding(
            decode: { try PlistDecoder().decode(Value.self, from: $0) },
            encode: { try PlistEncoder().encodeValue($0) })
    }
}

extension PreferenceCoding<PropertyListValue> {
    static var value: PreferenceCoding { PreferenceCoding(decode: { $0 }, encode: { $0 }) }
}

// MARK: - Keys with a default

extension Preferences.Key where Value: PropertyListConvertible {
    /// Creates a key for ``PropertyListConvertible`` values.
    public init(_ name: String, default value: Value) { self.init(name, value, .plain) }
}

extension Preferences.Key where Value: RawRepresentable, Value.RawValue: PropertyListConvertible {
    /// Creates a key for values that are stored as their raw values.
    public init(_ name: String, default value: Value) { self.init(name, value, .raw) }
}

extension Preferences.Key
where Value: PropertyListConvertible & RawRepresentable, Value.RawValue: PropertyListConvertible {
    /// Creates a key for ``PropertyListConvertible`` values.
    public init(_ name: String, default value: Value) { self.init(name, value, .plain) }
}

extension Preferences.Key where Value: Codable {
    /// Creates a key for values that `PlistEncoder` encodes.
    @_disfavoredOverload
    public init(_ name: String, default value: Value) { self.init(name, value, .codable) }
}

extension Preferences.Key<PropertyListValue> {
    /// Creates a key for values of any kind.
    public init(_ name: String, default value: Value) { self.init(name, value, .value) }
}

// MARK: - Keys of optionals

extension Preferences.Key {
    /// Creates a key for optional ``PropertyListConvertible`` values. The default is nil.
    public init<Wrapped: PropertyListConvertible>(_ name: String) where Value == Wrapped? {
        self.init(name, nil, PreferenceCoding<Wrapped>.plain.optional)
    }

    /// Creates a key for optional values that are stored as their raw values. The default is nil.
    public init<Wrapped: RawRepresentable>(
        _ name: String
    ) where Value == Wrapped?, Wrapped.RawValue: PropertyListConvertible {
        self.init(name, nil, PreferenceCoding<Wrapped>.raw.optional)
    }

    /// Creates a key for optional ``PropertyListConvertible`` values. The default is nil.
    public init<Wrapped: PropertyListConvertible & RawRepresentable>(
        _ name: String
    ) where Value == Wrapped?, Wrapped.RawValue: PropertyListConvertible {
        self.init(name, nil, PreferenceCoding<Wrapped>.plain.optional)
    }

    /// Creates a key for optional values that `PlistEncoder` encodes. The default is nil.
    @_disfavoredOverload
    public init<Wrapped: Codable>(_ name: String) where Value == Wrapped? {
        self.init(name, nil, PreferenceCoding<Wrapped>.codable.optional)
    }

    /// Creates a key for optional values of any kind. The default is nil.
    public init(_ name: String) where Value == PropertyListValue? {
        self.init(name, nil, PreferenceCoding<PropertyListValue>.value.optional)
    }

    /// Unavailable, because the default of an optional is always nil.
    @available(*, unavailable, message: "leave out the default: it is always nil for an optional")
    public init<Wrapped>(_ name: String, default value: Value) where Value == Wrapped? {
        self.init(
            name, value, PreferenceCoding(decode: { _ in nil }, encode: { _ in nil }))
    }
}

// MARK: - Values by keys

extension KeyValueStore {
    /// The value for a key, or its default if no value of its type is stored.
    ///
    /// ``value(for:)`` throws an error that says why a stored value does not have the type. A new
    /// value that cannot be stored is reported to ``onFailure``, and the old one stays;
    /// ``set(_:for:)`` throws the error instead.
    public subscript<Value>(key: Preferences.Key<Value>) -> Value {
        get { (try? value(for: key)) ?? key.defaultValue }
        nonmutating set { do { try set(newValue, for: key) } catch { onFailure(error) } }
    }

    /// Returns the value for a key, or its default if none is stored.
    ///
    /// - Throws: `unsupportedValue` if the stored value has another type.
    public func value<Value>(for key: Preferences.Key<Value>) throws(StoreError) -> Value {
        guard let stored = value(forKey: key.name) else { return key.defaultValue }
        let found: Value?
        do { found = try key.coding.decode(stored) } catch {
            throw StoreError(
                coding: error, "the stored value cannot be decoded as \(Value.self)", key.name)
        }
        if let found { return found }
        throw StoreError(
            .unsupportedValue,
            what: "expected \(Value.self), found a stored value of kind \(stored.kind)",
            path: PropertyListPath([.key(key.name)]),
            recovery: "read it with `value(forKey:)`, or remove it with `removeValue(for:)`")
    }

    /// Stores a value for a key. For a key of optionals, nil removes the stored value.
    ///
    /// - Throws: `unsupportedValue` for a value that cannot be encoded, or whose encoded form
    ///   contains null, UIDs, sets, or dates that are infinite or not a number. The old value
    ///   stays.
    public func set<Value>(
        _ value: Value, for key: Preferences.Key<Value>
    ) throws(StoreError) {
        let encoded: PropertyListValue?
        do { encoded = try key.coding.encode(value) } catch {
            throw StoreError(
                coding: error, "the value cannot be encoded as \(Value.self)", key.name)
        }
        do throws(StoreError) { try set(encoded, forKey: key.name) } catch {
            throw error.inside(key: key.name)
        }
    }

    /// Removes the stored value for a key, so that its default applies again.
    public func removeValue<Value>(for key: Preferences.Key<Value>) {
        removeValue(forKey: key.name)
    }
}

extension StoreError {
    /// Creates the error for a value that could not be encoded or decoded as a `Codable` type. The
    /// message of the underlying error is not used, because it may quote the value.
    fileprivate init(coding error: any Error, _ what: String, _ key: String) {
        let (details, path): (String, [any CodingKey]) =
            switch error {
            case DecodingError.keyNotFound(let missing, let context):
                (": a key is missing", context.codingPath + [missing])
            case DecodingError.typeMismatch(let type, let context),
                DecodingError.valueNotFound(let type, let context):
                (": expected \(type)", context.codingPath)
            case DecodingError.dataCorrupted(let context): ("", context.codingPath)
            case EncodingError.invalidValue(_, let context): ("", context.codingPath)
            default: (": \(type(of: error))", [])
            }
        let components = path.map { component -> PropertyListPath.Component in
            component.intValue.map { .index($0) } ?? .key(component.stringValue)
        }
        self.init(
            .unsupportedValue, what: what + details,
            path: PropertyListPath([.key(key)] + components), underlying: error)
    }

    /// Returns this error with its path prefixed by a key.
    fileprivate func inside(key: String) -> StoreError {
        StoreError(
            code, what: what, file: file,
            path: PropertyListPath([.key(key)] + (path?.components ?? [])), recovery: recovery,
            underlying: underlying)
    }
}

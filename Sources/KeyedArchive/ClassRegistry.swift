// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// The classes that an archive may contain: an allow-list of exact archived names, each with the
/// Swift type that its objects become.
///
/// Allowing a class allows none of its subclasses. The archiver checks the same registry: it
/// refuses to write what the unarchiver would refuse to read. A registry is a value. There is no
/// global one.
///
/// ```swift
/// let allowed = ClassRegistry.commonClasses.adding(Save.self)
/// let bytes = try KeyedArchiver.archive(save, allowing: allowed)
/// let again = try KeyedUnarchiver.unarchive(Save.self, from: bytes, allowing: allowed)
/// ```
public struct ClassRegistry: Sendable {
    /// The meaning of an allowed name.
    struct Binding: Sendable {
        /// The type of the objects; nil if there is none, so that objects stay opaque.
        var type: (any KeyedDecodable.Type)?
        /// A Boolean value that is false if the name is an alias of the type. An alias replaces
        /// only other aliases.
        var isPrimary: Bool
    }

    /// The result of looking up an archived class.
    struct Match: Sendable {
        /// The allowed name: the class's own, its other Swift form, or one of its hints.
        var name: String
        /// The type of the objects; nil if there is none, so that objects stay opaque.
        var type: (any KeyedDecodable.Type)?
    }

    private var bindings: [ExactText: Binding] = [:]
    // The mangled Swift names among the bindings, by their readable form.
    private var mangledNames: [ExactText: String] = [:]
    /// A Boolean value indicating whether objects of unlisted classes are kept as ``OpaqueObject``.
    /// Such objects can be inspected and written back, but not decoded as another type.
    public private(set) var keepsUnknownClasses = false
    // The archived names that replace the types' own, by type.
    private var writtenNames: [ObjectIdentifier: String] = [:]
    // The types of fields that the outermost call of `add(_:fields:)` has registered; nil outside
    // such a call.
    private var registeredFields: Set<ObjectIdentifier>?

    /// Creates a registry that allows nothing.
    public init() {}

    /// Creates a registry that allows the classes of `types`.
    public init(_ types: any KeyedDecodable.Type...) {
        for type in types { type.register(in: &self) }
    }

    /// The binding of exactly this name; nil if the name is not allowed.
    private(set) subscript(name: String) -> Binding? {
        get { bindings[ExactText(name)] }
        set {
            bindings[ExactText(name)] = newValue
            guard let qualified = SwiftClassName.qualified(name) else { return }
            mangledNames[ExactText(qualified)] = newValue == nil ? nil : name
        }
    }

    /// The allowed names, sorted.
    public var names: [String] { bindings.keys.map(\.text).sorted() }

    /// Returns whether objects of the class `name` are allowed.
    public func allows(_ name: String) -> Bool { self[name] != nil }

    /// Returns the name of the Swift type that objects of the class `name` become; nil if there is
    /// none.
    public func typeName(of name: String) -> String? {
        self[name]?.type.map { String(describing: $0) }
    }

    /// Returns whether objects of a class are allowed. The registry must list the name of the
    /// class, the other form of a Swift name, or one of the archive's hints for the class.
    public func allows(_ archivedClass: ArchivedClass) -> Bool {
        match(of: archivedClass) != nil
    }
}

// MARK: - Extending

extension ClassRegistry {
    /// Returns the registry with the classes of more types. The binding of a type's own name
    /// replaces an earlier binding of that name.
    public func adding(_ types: any KeyedDecodable.Type...) -> ClassRegistry {
        var registry = self
        for type in types { type.register(in: &registry) }
        return registry
    }

    /// Returns the registry with an additional name for reading objects of a type. Use it for a
    /// class that was renamed, or that has another name in another program.
    public func adding(_ type: any KeyedDecodable.Type, as name: String) -> ClassRegistry {
        var registry = self
        registry[name] = Binding(type: type, isPrimary: true)
        return registry
    }

    /// Returns the registry with another name for writing and reading objects of a type.
    ///
    /// The archiver then writes the description of the class without superclasses, as Apple's
    /// archiver does. The name replaces that of ``KeyedArchivable/archivedClass``. Values that a
    /// type writes under one of its ``KeyedArchivable/archivedAliases`` keep that name.
    public func adding(_ type: any KeyedCodable.Type, writtenAs name: String) -> ClassRegistry {
        var registry = adding(type).adding(type, as: name)
        registry.writtenNames[ObjectIdentifier(type)] = name
        return registry
    }

    /// Returns the registry with additional names that have no Swift type. Where the program
    /// requests an ``AnyArchived``, objects of these classes are kept as ``OpaqueObject``.
    public func allowing(_ names: String...) -> ClassRegistry {
        var registry = self
        registry.allow(names)
        return registry
    }

    /// Adds names that have no Swift type, as ``allowing(_:)`` does. Linear in their number.
    package mutating func allow(_ names: [String]) {
        for name in names where self[name] == nil {
            self[name] = Binding(type: nil, isPrimary: true)
        }
    }

    /// Returns a copy of the registry that keeps objects of unlisted classes as ``OpaqueObject``,
    /// wherever the program requests an ``OpaqueObject`` or an ``AnyArchived``.
    public func keepingUnknownClasses() -> ClassRegistry {
        var registry = self
        registry.keepsUnknownClasses = true
        return registry
    }

    /// Returns the registry without some names. A type that was to be written under one of them is
    /// written under its own name, if that is listed.
    public func removing(_ names: String...) -> ClassRegistry {
        var registry = self
        for name in names {
            registry[name] = nil
            registry.writtenNames = registry.writtenNames.filter { !$0.value.isLiterally(name) }
        }
        return registry
    }

    /// Returns the union of both registries. For a name in both, `other` takes precedence, unless
    /// the name is an alias in `other` but not in this registry.
    public func merging(_ other: ClassRegistry) -> ClassRegistry {
        var registry = self
        registry.bindings.merge(other.bindings) { mine, others in
            mine.isPrimary && !others.isPrimary ? mine : others
        }
        registry.mangledNames.merge(other.mangledNames) { $1 }
        registry.writtenNames.merge(other.writtenNames) { $1 }
        registry.keepsUnknownClasses = keepsUnknownClasses || other.keepsUnknownClasses
        return registry
    }

    /// Adds a type under its own name and its aliases. An alias does not replace a name that is not
    /// an alias itself.
    public mutating func add(_ type: any KeyedDecodable.Type) {
        self[type.archivedClass.name] = Binding(type: type, isPrimary: true)
        for name in type.archivedAliases where self[name]?.isPrimary != true {
            self[name] = Binding(type: type, isPrimary: false)
        }
    }

    /// Adds a type, and registers the types of its fields. Types may contain each other: each is
    /// registered once.
    ///
    /// ```swift
    /// static func register(in registry: inout ClassRegistry) {
    ///     registry.add(Self.self, fields: Leaf.self, [AnyArchived].self)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: the type to add.
    ///   - fields: the types of the objects in the fields of `type`.
    /// - Complexity: Linear in the number of types reachable through `fields`.
    public mutating func add(
        _ type: any KeyedDecodable.Type, fields: any KeyedArchivable.Type...
    ) {
        add(type)
        let isOutermost = registeredFields == nil
        if isOutermost { registeredFields = [] }
        for field in fields {
            if registeredFields?.insert(ObjectIdentifier(field)).inserted == true {
                field.register(in: &self)
            }
        }
        if isOutermost { registeredFields = nil }
    }

    /// Returns the name that replaces a type's own in archives; nil if none does.
    func writtenName(of type: Any.Type) -> String? { writtenNames[ObjectIdentifier(type)] }
}

// MARK: - Looking up

extension ClassRegistry {
    /// Looks an archived class up by its name, then by the other form of a Swift name, then by each
    /// hint in the archive. Returns nil if none of them is allowed.
    func match(of archivedClass: ArchivedClass) -> Match? {
        if let binding = self[archivedClass.name] {
            return Match(name: archivedClass.name, type: binding.type)
        }
        if let match = otherForm(of: archivedClass.name) { return match }
        for hint in archivedClass.hints ?? [] {
            if let binding = self[hint] { return Match(name: hint, type: binding.type) }
        }
        return nil
    }

    /// Looks up the readable form of a mangled Swift name, or the mangled form of a readable one.
    private func otherForm(of name: String) -> Match? {
        let qualified = SwiftClassName.qualified(name)
        if let qualified, let binding = self[qualified] {
            return Match(name: qualified, type: binding.type)
        }
        guard let mangled = mangledNames[ExactText(qualified ?? name)], let binding = self[mangled]
        else { return nil }
        return Match(name: mangled, type: binding.type)
    }
}

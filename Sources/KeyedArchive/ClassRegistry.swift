// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// The classes that an archive may hold: an allow-list of exact archived names, each with the Swift
/// type that its objects become.
///
/// A class is allowed because its name is in the registry, never because a superclass is. The same
/// registry serves both ways: what the archiver refuses to write is what the unarchiver would refuse
/// to read. It is a value, and nothing is allowed by anything but it.
///
/// ```swift
/// let allowed = ClassRegistry.commonClasses.adding(Save.self)
/// let bytes = try KeyedArchiver.archive(save, allowing: allowed)
/// let again = try KeyedUnarchiver.unarchive(Save.self, from: bytes, allowing: allowed)
/// ```
public struct ClassRegistry: Sendable {
    /// What an archived name stands for.
    struct Binding: Sendable {
        /// The type that objects of the class become; nil where they are not made into any.
        var type: (any KeyedDecodable.Type)?
        /// Whether the name is the type's own, not one of those it is read from as well.
        var isPrimary: Bool
    }

    /// What a class stands for, and the name among those of its description that says so.
    typealias Meaning = (name: String, binding: Binding)

    private var bindings: [LiteralKey: Binding] = [:]
    /// Whether objects of classes that are not in the registry may be kept as ``OpaqueObject``: inert,
    /// to be looked at and written back, never made into anything.
    public private(set) var keepsUnknownClasses = false
    // By type: the name it is archived under instead of its own.
    private var writtenNames: [ObjectIdentifier: String] = [:]

    /// Allows nothing.
    public init() {}

    /// Allows the classes of `types`.
    public init(_ types: any KeyedDecodable.Type...) {
        for type in types { type.register(in: &self) }
    }

    /// What exactly this name stands for.
    private(set) subscript(name: String) -> Binding? {
        get { bindings[LiteralKey(name)] }
        set { bindings[LiteralKey(name)] = newValue }
    }

    /// The allowed names, sorted.
    public var names: [String] { bindings.keys.map(\.text).sorted() }

    /// Whether objects of the class `name` are allowed.
    public func allows(_ name: String) -> Bool { self[name] != nil }

    /// The name of the Swift type that objects of the class `name` become; nil where there is none.
    public func typeName(of name: String) -> String? {
        self[name]?.type.map { String(describing: $0) }
    }

    /// Whether objects of a class are allowed: by its name, by that without mangling if it is one of
    /// Swift's, or by a hint that the archive gives.
    public func allows(_ archivedClass: ArchivedClass) -> Bool {
        binding(of: archivedClass) != nil
    }
}

// MARK: - Extending

extension ClassRegistry {
    /// The registry with the classes of more types; a type's own name replaces what it stood for.
    public func adding(_ types: any KeyedDecodable.Type...) -> ClassRegistry {
        var registry = self
        for type in types { type.register(in: &registry) }
        return registry
    }

    /// The registry with a further name for the objects of a type, to be read: a class that was
    /// renamed, or is called otherwise in another program.
    public func adding(_ type: any KeyedDecodable.Type, as name: String) -> ClassRegistry {
        var registry = self
        registry[name] = Binding(type: type, isPrimary: true)
        return registry
    }

    /// The registry with another name for the objects of a type, to be written and to be read.
    ///
    /// Objects are written without their superclasses then, as Apple's archiver does it.
    public func adding(_ type: any KeyedCodable.Type, writtenAs name: String) -> ClassRegistry {
        var registry = adding(type).adding(type, as: name)
        registry.writtenNames[ObjectIdentifier(type)] = name
        return registry
    }

    /// The registry with names for which there is no Swift type: their objects are kept, as
    /// ``OpaqueObject``, where any object is asked for.
    public func allowing(_ names: String...) -> ClassRegistry {
        var registry = self
        for name in names where registry[name] == nil {
            registry[name] = Binding(type: nil, isPrimary: true)
        }
        return registry
    }

    /// The registry, with objects of all other classes kept as ``OpaqueObject`` where one, or any
    /// object, is asked for.
    public func keepingUnknownClasses() -> ClassRegistry {
        var registry = self
        registry.keepsUnknownClasses = true
        return registry
    }

    /// The registry without some names.
    public func removing(_ names: String...) -> ClassRegistry {
        var registry = self
        for name in names { registry[name] = nil }
        return registry
    }

    /// Both registries; where both know a name, `other` prevails, unless the name is a type's own here
    /// and only one of those that a type is read from as well there.
    public func merging(_ other: ClassRegistry) -> ClassRegistry {
        var registry = self
        registry.bindings.merge(other.bindings) { mine, others in
            mine.isPrimary && !others.isPrimary ? mine : others
        }
        registry.writtenNames.merge(other.writtenNames) { $1 }
        registry.keepsUnknownClasses = keepsUnknownClasses || other.keepsUnknownClasses
        return registry
    }

    /// Adds a type under its own name, and under those it is read from where they are free.
    public mutating func add(_ type: any KeyedDecodable.Type) {
        self[type.archivedClass.name] = Binding(type: type, isPrimary: true)
        for name in type.archivedAliases where self[name]?.isPrimary != true {
            self[name] = Binding(type: type, isPrimary: false)
        }
    }

    /// The name that objects of a type are written under instead of its own.
    func writtenName(of type: Any.Type) -> String? { writtenNames[ObjectIdentifier(type)] }
}

// MARK: - Looking up

extension ClassRegistry {
    /// The binding of an archived class: by its name; then by the name that a mangled Swift name
    /// stands for; then by the hints in the archive.
    func binding(of archivedClass: ArchivedClass) -> Meaning? {
        if let binding = self[archivedClass.name] {
            return (archivedClass.name, binding)
        }
        if let name = SwiftClassName.qualified(archivedClass.name),
            let binding = self[name]
        {
            return (name, binding)
        }
        for hint in archivedClass.hints ?? [] {
            if let binding = self[hint] { return (hint, binding) }
        }
        return nil
    }
}

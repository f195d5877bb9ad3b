// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// An optional of any type, for code that does not know the type.
protocol OptionalValue {
    /// Nil.
    static var absent: Any { get }
    /// The type of the wrapped values.
    static var wrappedType: Any.Type { get }
    var isAbsent: Bool { get }
}

extension Optional: OptionalValue {
    static var absent: Any { Self.none as Any }
    static var wrappedType: Any.Type { Wrapped.self }
    var isAbsent: Bool { self == nil }
}

/// Nil is written as a reference to object 0. A reference to any `$null` entry is read as nil, and
/// so is an absent field.
extension Optional: KeyedArchivable where Wrapped: KeyedArchivable {
    public static var archivedClass: ArchivedClass { Wrapped.archivedClass }
    public static var archivedAliases: [String] { Wrapped.archivedAliases }

    public static func register(in registry: inout ClassRegistry) {
        Wrapped.register(in: &registry)
    }
}

extension Optional: KeyedEncodable where Wrapped: KeyedEncodable {
    public func encode(with coder: KeyedEncoder) throws { try self?.encode(with: coder) }

    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        try self?.archive(in: writer) ?? ArchiveWriter.null
    }
}

extension Optional: KeyedDecodable where Wrapped: KeyedDecodable {
    public init(coder: KeyedDecoder) throws { self = try Wrapped(coder: coder) }

    public static func unarchive(_ reference: KeyedReference) throws -> Wrapped? {
        reference.isNil ? nil : try Wrapped.unarchive(reference)
    }
}

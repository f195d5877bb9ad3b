// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import KeyedArchive

/// A value that must round-trip with a registry that lists only its type.
public struct LoneValue: Sendable, CustomStringConvertible {
    /// The name of the type, in the form of ``ClassRegistry/typeName(of:)``.
    public let description: String
    /// Whether the value round-trips with a registry that lists only its type. It is decoded as its
    /// type, and as the type that the class in the archive selects.
    public let isReadAlone: @Sendable () throws -> Bool

    /// Creates a value, which is evaluated anew for each test.
    public init<T: KeyedCodable>(_ value: @autoclosure @escaping @Sendable () -> T) {
        description = String(describing: T.self)
        isReadAlone = {
            let alone = ClassRegistry(T.self)
            let bytes = try KeyedArchiver.archive(AnyArchived(value()), allowing: alone)
            let again = try KeyedUnarchiver.unarchive(
                AnyArchived.self, from: bytes, allowing: alone)
            let typed = try KeyedUnarchiver.unarchive(T.self, from: bytes, allowing: alone)
            let written = [
                try KeyedArchiver.archive(again, allowing: alone),
                try KeyedArchiver.archive(typed, allowing: alone),
            ]
            return again.value is T && written.allSatisfy { $0 == bytes }
        }
    }

    /// Returns the types of a registry that have no value in `values`.
    public static func missing(_ registry: ClassRegistry, in values: [LoneValue]) -> Set<String> {
        // Names that begin with `_` belong to parts of other objects.
        let names = registry.names.filter { !$0.hasPrefix("_") }
        return Set(names.compactMap(registry.typeName)).subtracting(values.map(\.description))
    }
}

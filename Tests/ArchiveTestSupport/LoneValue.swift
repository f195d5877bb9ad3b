// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import KeyedArchive

/// A value whose type alone must allow all classes that the value needs.
public struct LoneValue: Sendable, CustomStringConvertible {
    /// The name of the type, in the form of ``ClassRegistry/typeName(of:)``.
    public let description: String
    /// Whether the value round-trips under a registry of its type alone, where the class in the
    /// archive selects the type.
    public let isReadAlone: @Sendable () throws -> Bool

    /// Creates a value that each test evaluates again.
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

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import KeyedArchive

/// A value whose type has to be enough to allow its classes.
public struct LoneValue: Sendable, CustomStringConvertible {
    /// The name of its type, as ``ClassRegistry/typeName(of:)`` has it.
    public let description: String
    /// Whether the value is the same after it was written and read under a registry of its type alone,
    /// where the archive decides on the class.
    public let isReadAlone: @Sendable () throws -> Bool

    /// A value that each test makes anew.
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

    /// The types of a registry that none of `values` is of.
    public static func missing(_ registry: ClassRegistry, in values: [LoneValue]) -> Set<String> {
        // Names that begin with `_` are of parts of other objects.
        let names = registry.names.filter { !$0.hasPrefix("_") }
        return Set(names.compactMap(registry.typeName)).subtracting(values.map(\.description))
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import KeyedArchive
import PropertyList

/// Archived objects with arbitrary field values.
public enum HostileFields {
    /// The values that each field gets. Object 1 is the decoded object, 2 its class, 3 a string, 4
    /// an array that contains itself, and 6 data.
    private static let values: [PropertyListValue] = [
        .null, .uid(0), .uid(1), .uid(2), .uid(3), .uid(4), .uid(6), 0, -1, 4,
        .integer(.init(Int.max)),
        .integer(.init(Int.min)), .integer(.init(UInt64.max)), 0.5, .real(.init(Double.nan)),
        .real(.init(Double.infinity)), true, false, "", "text", .data([]), .data([0xFF, 0x80]),
        [], [.uid(1)], ["x"], [:],
    ]

    /// Decodes objects of the class of `type` as `AnyArchived`, and encodes the results. Each field
    /// gets each value, combined with some values in a second field.
    ///
    /// - Returns: The outcomes: `value`, an error code, or `other` for an error of another type.
    public static func outcomes(
        _ type: any KeyedDecodable.Type, _ keys: [String], allowing registry: ClassRegistry
    ) throws -> Set<String> {
        let registry = registry.keepingUnknownClasses()
        var outcomes: Set<String> = []
        for first in keys {
            for second in keys {
                for value in values {
                    for other in [PropertyListValue.null, 4, .uid(3), .data([1])] {
                        let object: PropertyListValue = ["$class": .uid(2)]
                        let bytes = try Archives.make([
                            object.with([second: other]).with([first: value]),
                            describe(type), "text", ["NS.objects": [.uid(4)], "$class": .uid(5)],
                            Archives.describe("NSArray"), .data([0]),
                        ])
                        outcomes.insert(outcome(bytes, registry))
                    }
                }
            }
        }
        return outcomes
    }

    private static func describe(_ type: any KeyedDecodable.Type) -> PropertyListValue {
        let chain = type.archivedClass.chain ?? []
        return [
            "$classname": .string(type.archivedClass.name),
            "$classes": .array(PropertyListArray(chain.map { .string($0) })),
        ]
    }

    private static func outcome(_ bytes: [UInt8], _ registry: ClassRegistry) -> String {
        do {
            let value = try KeyedUnarchiver.unarchive(
                AnyArchived.self, from: bytes, allowing: registry)
            _ = try KeyedArchiver.archive(value, allowing: registry)
            return "value"
        } catch { return (error as? KeyedArchiveError)?.code.description ?? "other" }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import KeyedArchive
import PropertyList
import TestSupport
import Testing

/// Predicates and expressions are programs. No preset allows them. They can be kept unchanged, but
/// are never evaluated.
@Suite("Predicates, expressions, sort descriptors")
struct PredicateTests {
    private static let presets: [ClassRegistry] = [
        .foundation, .propertyList, .commonClasses, .identifierClasses,
    ]

    /// An expression that calls a function.
    private static let function: [PropertyListValue] = [
        [
            "NSExpressionType": 4, "NSSelectorName": .uid(2), "NSOperand": .uid(3),
            "NSArguments": .uid(6), "$class": .uid(8),
        ],
        "valueForKeyPath:",
        ["NSExpressionType": 0, "NSConstantValue": .uid(4), "$class": .uid(5)], "NSTask",
        Archives.describe("NSConstantValueExpression", "NSExpression"),
        ["NS.objects": [.uid(3), .uid(1)], "$class": .uid(7)], Archives.describe("NSArray"),
        Archives.describe("NSFunctionExpression", "NSExpression"),
    ]

    @Test("no preset of KeyedArchive allows predicates, expressions or sort descriptors")
    func presets() {
        for registry in Self.presets {
            let names = registry.names.filter {
                $0.contains("Predicate") || $0.hasSuffix("Expression")
                    || $0.contains("SortDescriptor")
            }
            #expect(names == ["NSRegularExpression"].filter(registry.allows))
        }
    }

    @Test("expressions are refused, whatever type is requested")
    func refused() throws {
        let types: [any KeyedDecodable.Type] = [
            AnyArchived.self, OpaqueObject.self, ArchivedRegularExpression.self,
            [AnyArchived].self, [String: AnyArchived].self, ArchivedSet<AnyArchived>.self,
            ArchivedValue.self, String.self, Save.self,
        ]
        for type in types {
            #expect(refusal(type, Self.function) == .classNotAllowed, "\(type)")
        }
        #expect(refusal(Int.self, Self.function) == .wrongType)
        #expect(refusal(PropertyListValue.self, Self.function) == .wrongType)
        // An expression is refused within an allowed object. In an unknown field, it is ignored.
        let array: [PropertyListValue] = [
            ["NS.objects": [.uid(2)], "$class": .uid(4)],
            ["NSExpressionType": 1, "$class": .uid(3)],
            Archives.describe("NSSelfExpression", "NSExpression"), Archives.describe("NSArray"),
        ]
        #expect(refusal([AnyArchived].self, array) == .classNotAllowed)
        let formatter: [PropertyListValue] = [
            [
                "NS.format": .uid(0), "NS.natural": false, "NSLater": .uid(2), "$class": .uid(4),
            ],
            ["NSExpressionType": 1, "$class": .uid(3)],
            Archives.describe("NSSelfExpression", "NSExpression"),
            Archives.describe("NSDateFormatter", "NSFormatter"),
        ]
        let read = try read(ArchivedDateFormatter.self, formatter)
        #expect(read.extraFields.ignoredKeys == ["NSLater"])
    }

    @Test("expressions, even with cycles, are kept unchanged if the registry keeps unknown classes")
    func kept() throws {
        let registry = ClassRegistry.foundation.keepingUnknownClasses()
        let value = try read(AnyArchived.self, Self.function, allowing: registry)
        let expression = try #require(value.value as? OpaqueObject)
        #expect(expression.archivedClass?.name == "NSFunctionExpression")
        #expect(expression["NSExpressionType"]?.integer == 4)
        #expect(
            expression.object(forKey: "NSOperand")?.archivedClass?.name
                == "NSConstantValueExpression")
        let again = try KeyedArchiver.archive(value, allowing: registry)
        #expect(try Specimens.graph(again) == Specimens.graph(Archives.make(Self.function)))
        #expect(refusal(String.self, Self.function, allowing: registry) != nil)
    }

    @Test(
        "predicates archived by Apple's software are refused, or kept unchanged",
        .enabled(if: Corpus.hasExternal))
    func apple() throws {
        var count = 0
        for archive in try Specimens.collected([
            "NSComparisonPredicate", "NSKeyPathExpression", "NSKeyPathSpecifierExpression",
            "NSSelfExpression", "NSConstantValueExpression", "NSEqualityPredicateOperator",
            "NSSortDescriptor",
        ]) {
            let unarchiver = try KeyedUnarchiver(parsing: archive.bytes)
            for key in archive.keys {
                let error = archiveError {
                    try unarchiver.unarchive(AnyArchived.self, forKey: key)
                }
                #expect(error?.code == .classNotAllowed)
                count += 1
            }
            let again = try Specimens.rewritten(archive) { #expect($0.value is OpaqueObject) }
            #expect(try Specimens.difference(again, archive) == nil)
        }
        #expect(count >= 30)
    }
}

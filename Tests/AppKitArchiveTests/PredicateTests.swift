// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import AppKitArchive
import ArchiveTestSupport
import KeyedArchive
import PropertyList
import Testing

/// Predicates and expressions are programs. Evaluating decoded ones would run code that the author
/// of the file chose.
@Suite("Predicates and expressions in objects of AppKit and UIKit")
struct PredicateTests {
    @Test(
        "no preset of AppKitArchive allows predicates, expressions or sort descriptors",
        arguments: [ClassRegistry.appKit.names, ClassRegistry.uiKit.names])
    func presets(names: [String]) {
        let programs = names.filter {
            $0.contains("Predicate") || $0.contains("Expression") || $0.contains("SortDescriptor")
        }
        #expect(programs.isEmpty)
    }

    @Test("an expression in an unknown field is ignored")
    func ignored() throws {
        let font: [PropertyListValue] = [
            ["NSName": .uid(0), "NSSize": 1.0, "NSLater": .uid(2), "$class": .uid(4)],
            ["NSExpressionType": 1, "$class": .uid(3)],
            Archives.describe("NSSelfExpression", "NSExpression"), Archives.describe("NSFont"),
        ]
        #expect(try read(ArchivedFont.self, font).extraFields.ignoredKeys == ["NSLater"])
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive
import PropertyList
import Testing

@testable import SaveEndpointExample

@Suite("The endpoint of Documentation/Examples")
struct SaveEndpointTests {
    private func archive(className: String, level: PropertyListValue) throws -> [UInt8] {
        let value: PropertyListValue = [
            "$archiver": "NSKeyedArchiver", "$version": 100_000,
            "$top": ["root": .uid(1)],
            "$objects": [
                "$null",
                ["$class": .uid(2), "NS.objects": [.uid(3)]],
                ["$classname": "NSArray", "$classes": ["NSArray", "NSObject"]],
                ["$class": .uid(4), "player": .uid(5), "level": level],
                ["$classname": .string(className), "$classes": [.string(className), "NSObject"]],
                "Anna",
            ],
        ]
        return try PropertyListDocument(value).serialized(as: .binary)
    }

    @Test("accepts saves")
    func accepted() throws {
        let response = try SaveEndpoint.response(to: archive(className: "Save", level: 7))
        #expect(response == (200, "Anna: level 7"))
    }

    @Test("refuses other classes, bad fields, damaged bytes and deep nesting, each with its status")
    func refused() throws {
        let foreign = try archive(className: "NSPredicate", level: 7)
        #expect(SaveEndpoint.response(to: foreign).status == 403)
        #expect(
            try SaveEndpoint.response(to: archive(className: "Save", level: 1000)).status == 422)
        #expect(SaveEndpoint.response(to: foreign.dropLast(9)).status == 422)
        let deep = Array(repeating: UInt8(ascii: "("), count: 1000)
        #expect(SaveEndpoint.response(to: deep).status == 413)
    }
}

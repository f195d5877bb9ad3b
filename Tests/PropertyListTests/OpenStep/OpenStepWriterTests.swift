// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import PropertyList

/// Returns the OpenStep text of a value.
private func openStep(
    _ value: PropertyListValue, _ layout: OpenStepPropertyList.Layout = .compact,
    _ change: (inout OpenStepPropertyList.Options) -> Void = { _ in }
) throws(PropertyListError) -> String {
    var options = OpenStepPropertyList.Options()
    options.layout = layout
    change(&options)
    let bytes = try OpenStepPropertyList.serialize(PropertyListDocument(value), options: options)
    return String(decoding: bytes, as: UTF8.self)
}

/// The kinds that OpenStep text can represent directly.
private let plainKinds: [PropertyListKind] = [.string, .data, .array, .dictionary]

@Suite("OpenStepWriter")
struct OpenStepWriterTests {
    private static let value: PropertyListValue = [
        "name": "Anna B.", "ages": ["7", "8"], "empty": [:], "none": [],
        "d": .data([1, 2, 3, 4, 0xFE]),
        "in": ["a": ["b"]],
    ]

    @Test("writes on one line")
    func compact() throws {
        #expect(
            try openStep(Self.value) == """
                {name = "Anna B."; ages = (7, 8); empty = {}; none = (); d = <01020304 fe>; \
                in = {a = (b);};}

                """)
    }

    @Test("writes indented text")
    func indented() throws {
        #expect(
            try openStep(Self.value, .indented) == """
                {
                    name = "Anna B.";
                    ages = (
                        7,
                        8
                    );
                    empty = {};
                    none = ();
                    d = <01020304 fe>;
                    in = {
                        a = (
                            b
                        );
                    };
                }

                """)
    }

    @Test("writes strings files")
    func strings() throws {
        #expect(
            try openStep(["a": "b\n", "é": "c\"d", "in": ["e": ["f"]]], .strings) == """
                "a" = "b\\n";
                "é" = "c\\"d";
                "in" = {
                    e = (
                        f
                    );
                };

                """)
        let error = #expect(throws: PropertyListError.self) { try openStep([], .strings) }
        #expect(error?.code == .unrepresentableValue)
    }

    @Test(
        "quotes and escapes text that would be read as something else",
        arguments: [
            ("a", "a"), ("", "\"\""), ("a b", "\"a b\""), ("a-b", "\"a-b\""), ("a:b", "\"a:b\""),
            ("/a/b", "/a/b"), ("a//b", "\"a//b\""), ("/*", "\"/*\""), ("__", "__"),
            ("___", "\"___\""),
            ("$(A)", "\"$(A)\""), ("\"\\'", "\"\\\"\\\\'\""),
            ("\n\r\t\u{7}\u{8}\u{B}\u{C}", "\"\\n\\r\\t\\a\\b\\v\\f\""),
            ("\0\u{1F}", "\"\\U0000\\U001f\""), ("é漢😀", "\"é漢😀\""),
        ])
    func quoting(_ text: String, _ expected: String) throws {
        #expect(try openStep(.string(text)) == expected + "\n")
        #expect(try openStep(.dictionary([text: "a"])) == "{\(expected) = a;}\n")
    }

    @Test("writes only ASCII on request")
    func ascii() throws {
        #expect(
            try openStep("é漢😀\u{7F}a") { $0.escapesNonASCII = true }
                == "\"\\U00e9\\U6f22\\Ud83d\\Ude00\\U007fa\"\n")
    }

    @Test("sorts keys on request only")
    func sorting() throws {
        #expect(try openStep(["b": "1", "a": "2"]) == "{b = 1; a = 2;}\n")
        #expect(try openStep(["b": "1", "a": "2"]) { $0.sortsKeys = true } == "{a = 2; b = 1;}\n")
    }

    @Test(
        "refuses values that the format cannot represent, with the path",
        arguments: [
            1, 0.5, true, .null, .uid(1), .set([]), .date(PropertyListDate(secondsSince2001: 0)),
        ] as [PropertyListValue])
    func refusals(_ value: PropertyListValue) {
        let error = #expect(throws: PropertyListError.self) { try openStep(["a": ["b", value]]) }
        #expect(error?.code == .unrepresentableValue)
        #expect(error?.path?.description == "a[1]")
    }

    @Test("writes typed values and Base64 on request, and reads them back")
    func typed() throws {
        let value: PropertyListValue = [
            5, .integer(PropertyListInteger(.max as UInt64)), 1.5, 2.0, true, false,
            .date(PropertyListDate(secondsSince2001: -1)), .data([1, 2]), "a",
        ]
        let text = try openStep(value) {
            $0.scalars = .typed
            $0.dataForm = .base64
        }
        #expect(
            text == """
                (<*I5>, <*I18446744073709551615>, <*R1.5>, <*R2>, <*BY>, <*BN>, \
                <*D2000-12-31 23:59:59 +0000>, <[AQI=]>, a)

                """)
        #expect(try PropertyListValue(parsing: Array(text.utf8)) == value)
        for value in [
            .real(PropertyListReal(Float(1))), .uid(1), .null, .set([]),
            .date(PropertyListDate(secondsSince2001: 0.5)),
            .date(PropertyListDate(secondsSince2001: -0.0)),
            .real(PropertyListReal(Double(nan: 1, signaling: false))),
        ] as [PropertyListValue] {
            #expect(throws: PropertyListError.self) { try openStep(value) { $0.scalars = .typed } }
        }
    }

    @Test("writes values of every kind except null as plain text on request")
    func text() throws {
        let value: PropertyListValue = [
            -5, 1.5, true, false, .uid(3), .set(["a"]),
            .date(PropertyListDate(secondsSince2001: 0.5)),
        ]
        #expect(
            try openStep(value) { $0.scalars = .text } == """
                ("-5", 1.5, YES, NO, {CF$UID = 3;}, (a), "2001-01-01T00:00:00.5Z")

                """)
        #expect(throws: PropertyListError.self) { try openStep(.null) { $0.scalars = .text } }
    }

    @Test(
        "text in every layout reads back as the same value",
        arguments: [1, 2, 3] as [UInt64])
    func roundTrips(_ seed: UInt64) throws {
        var random = RandomPropertyList(seed: seed, kinds: plainKinds)
        for round in 0..<200 {
            let root = random.value()
            for layout in [.compact, .indented, .strings, .projectFile(projectName: nil)]
                as [OpenStepPropertyList.Layout]
            {
                // The root of a strings file is a dictionary.
                let value: PropertyListValue = layout == .strings ? ["a": root] : root
                for escapes in [true, false] {
                    let text = try openStep(value, layout) { $0.escapesNonASCII = escapes }
                    let back = try PropertyListValue(parsing: Array(text.utf8), format: .openStep)
                    #expect(back == value, "seed \(seed), round \(round)")
                }
            }
        }
    }

    @Test("Foundation reads the same values", arguments: [4, 5] as [UInt64])
    func foundation(_ seed: UInt64) throws {
        var random = RandomPropertyList(seed: seed, kinds: plainKinds)
        for round in 0..<200 {
            let value = random.value(depth: 3)
            for layout in [.compact, .indented] as [OpenStepPropertyList.Layout] {
                let text = try openStep(value, layout)
                // Foundation considers canonically equivalent keys equal.
                if text.unicodeScalars.contains("\u{301}") { continue }
                let read = try unsafe PropertyListSerialization.propertyList(
                    from: Data(text.utf8), format: nil)
                let binary = try PropertyListSerialization.data(
                    fromPropertyList: read, format: .binary, options: 0)
                #expect(
                    try PropertyListValue(parsing: Array(binary)) == value,
                    "seed \(seed), round \(round)")
            }
        }
    }

    @Test("limits the expansion of shared containers")
    func bomb() throws {
        let document = try PropertyListDocument(parsing: PropertyListTests.bomb(levels: 12).bytes)
        var options = OpenStepPropertyList.Options()
        options.scalars = .text
        let error = #expect(throws: PropertyListError.self) {
            try OpenStepPropertyList.serialize(
                document, options: options, limits: Exhaustive.limits)
        }
        #expect(error?.isLimit == true)
    }
}

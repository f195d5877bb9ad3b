// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("Errors of the macros")
struct DiagnosticTests {
    @Test(
        "an error says why a declaration cannot be archived, and the attribute expands to nothing"
    )
    func kinds() {
        expectError(
            "a generic type has no single name in archives: conform to `KeyedCodable` by hand, or "
                + "archive a type that is not generic",
            in: """
                @Archived("Box")
                struct Box<Value> {
                    var value: Value
                }
                """,
            line: 2, column: 11, fixIts: ["remove `@Archived`"], applying: "remove `@Archived`",
            fixed: """
                struct Box<Value> {
                    var value: Value
                }
                """,
            without: """
                struct Box<Value> {
                    var value: Value
                }
                """)
        expectError(
            "a type within a generic type has no single name in archives: conform to `KeyedCodable` "
                + "by hand, or move the type out",
            in: """
                enum Outer<Value> {
                    @Archived("Box") class Box {}
                }
                """,
            line: 2, column: 5, fixIts: ["remove `@Archived`"],
            without: """
                enum Outer<Value> {
                    class Box {}
                }
                """)
        for kind in ["actor", "protocol"] {
            expectError(
                "expected a class, structure or enumeration for `@Archived`, found "
                    + (kind == "actor" ? "an actor" : "a protocol"),
                in: """
                    @Archived("Box") \(kind) Box {}
                    """,
                column: 1, fixIts: ["remove `@Archived`"], without: "\(kind) Box {}")
        }
    }

    @Test("a missing name is an error, which suggests the name of the type")
    func missingName() {
        expectError(
            "expected the name of the class in archives",
            in: """
                @Archived
                struct Save {
                }
                """,
            column: 1, fixIts: [#"use "Save""#], applying: #"use "Save""#,
            fixed: """
                @Archived("Save")
                struct Save {
                }
                """,
            without: """
                struct Save {
                }
                """)
    }

    @Test("the name must be a string literal that is not empty and has no interpolation")
    func nameLiteral() {
        for name in [#""\(x)""#, #""""#, "Names.save"] {
            expectError(
                "expected a name as a string literal that is not empty and has no interpolations",
                in: "@Archived(\(name)) struct Save {}", column: 11, without: "struct Save {}")
        }
    }

    @Test("an enumeration with raw values takes no name")
    func rawValueName() {
        expectError(
            "a type with raw values is archived as its raw value and needs no name",
            in: """
                @Archived("Mood") enum Mood: Int {
                    case calm
                }
                """,
            column: 11, fixIts: ["remove the name"], applying: "remove the name",
            fixed: """
                @Archived enum Mood: Int {
                    case calm
                }
                """,
            without: """
                enum Mood: Int {
                    case calm
                }
                """)
    }

    @Test("`super` is for classes only, and must be a literal")
    func superArgument() {
        expectError(
            "only a class has a superclass",
            in: #"@Archived("Save", super: true) struct Save {}"#, column: 19,
            without: "struct Save {}")
        expectError(
            "expected `true` or `false`",
            in: #"@Archived("Save", super: flag) class Save {}"#, column: 19,
            without: "class Save {}")
    }

    @Test("a property that is not archived needs an initial value")
    func notArchivedWithoutValue() {
        let message = "`cache` is not archived, so it needs an initial value or an optional type"
        let fixIts = ["add an initial value", "make it optional"]
        let fixed = ["var cache: any Cache = <#value#>", "var cache: (any Cache)?"]
        for (fixIt, line) in zip(fixIts, fixed) {
            expectError(
                message,
                in: """
                    @Archived("Save") struct Save {
                        @NotArchived var cache: any Cache
                    }
                    """,
                line: 2, column: 22, fixIts: fixIts, applying: fixIt,
                fixed: """
                    @Archived("Save") struct Save {
                        @NotArchived \(line)
                    }
                    """,
                without: """
                    struct Save {
                        var cache: any Cache
                    }
                    """)
        }
    }

    @Test("a constant with a value is an error, which suggests two ways to resolve it")
    func constants() {
        let fixIts = ["add `@NotArchived`", "make it `var`"]
        let fixed = ["@NotArchived let version = 1", "var version = 1"]
        for (fixIt, line) in zip(fixIts, fixed) {
            expectError(
                "`version` is a constant with a value, which `init(coder:)` cannot set",
                in: """
                    @Archived("Save") struct Save {
                        let version = 1
                    }
                    """,
                line: 2, column: 5, fixIts: fixIts, applying: fixIt,
                fixed: """
                    @Archived("Save") struct Save {
                        \(line)
                    }
                    """,
                without: """
                    struct Save {
                        let version = 1
                    }
                    """)
        }
    }

    @Test("a property without a written type is an error")
    func missingTypes() {
        let rows = [
            ("var date = Date()", "Date", "var date: Date = Date()"),
            ("var nodes = [Node]()", "[Node]", "var nodes: [Node] = [Node]()"),
            ("var id = make()", "<#Type#>", "var id: <#Type#> = make()"),
            ("var all = [1, 2]", "<#Type#>", "var all: <#Type#> = [1, 2]"),
        ]
        for (line, type, fixed) in rows {
            let name = line.split(separator: " ")[1]
            expectError(
                "expected a type for `\(name)`: a macro cannot see inferred types",
                in: """
                    @Archived("Save") struct Save {
                        \(line)
                    }
                    """,
                line: 2, column: 9, fixIts: ["add `: \(type)`"], applying: "add `: \(type)`",
                fixed: """
                    @Archived("Save") struct Save {
                        \(fixed)
                    }
                    """,
                without: """
                    struct Save {
                        \(line)
                    }
                    """)
        }
    }

    @Test("a property whose type no archive can hold is an error, which suggests `@NotArchived`")
    func obstacles() {
        let rows = [
            ("(() -> Void)?", "a function"), ("@Sendable () -> Int", "a function"),
            ("(Int, Int)", "a tuple"),
            ("any Named", "an opaque or existential type, which names no class"),
            ("Any?", "`Any`, which names no class"),
            ("A & B", "an opaque or existential type, which names no class"),
        ]
        for (type, kind) in rows {
            expectError(
                "`field` cannot be archived: its type is \(kind)",
                in: """
                    @Archived("Save") struct Save {
                        var field: \(type)
                    }
                    """,
                line: 2, column: 9, fixIts: ["add `@NotArchived`"],
                applying: "add `@NotArchived`",
                fixed: """
                    @Archived("Save") struct Save {
                        @NotArchived var field: \(type)
                    }
                    """,
                without: """
                    struct Save {
                        var field: \(type)
                    }
                    """)
        }
    }

    @Test("a weak property without an attribute is an error, which suggests a reference")
    func weak() {
        expectError(
            "`parent` does not retain its object: choose whether it is archived as a reference",
            in: """
                @Archived("Node") final class Node {
                    weak var parent: Node?
                }
                """,
            line: 2, column: 14, fixIts: ["add `@ArchivedReference`", "add `@NotArchived`"],
            applying: "add `@ArchivedReference`",
            fixed: """
                @Archived("Node") final class Node {
                    @ArchivedReference weak var parent: Node?
                }
                """,
            without: """
                final class Node {
                    weak var parent: Node?
                }
                """)
    }

    @Test("a reference that cannot be set later is an error")
    func references() {
        let copied =
            "`a` cannot be a reference: a structure is copied before decoding is complete"
        let early = "`a` is nil until decoding is complete: make it an optional `var`"
        let rows = [
            ("struct", "var a: Node?", copied), ("class", "var a: Node", early),
            ("class", "let a: Node?", early), ("class", "unowned var a: Node", early),
        ]
        for (kind, line, message) in rows {
            expectError(
                message,
                in: """
                    @Archived("Node") \(kind) Node {
                        @ArchivedReference \(line)
                    }
                    """,
                line: 2, column: 24 + line.count - (line.hasSuffix("?") ? 8 : 7),
                fixIts: ["remove `@ArchivedReference`"],
                without: """
                    \(kind) Node {
                        \(line)
                    }
                    """)
        }
        expectError(
            "a reference cannot have a default other than nil",
            in: """
                @Archived("Node") class Node {
                    @ArchivedReference @ArchivedKey(default: x) var a: Node?
                }
                """,
            line: 2, column: 46,
            without: """
                class Node {
                    var a: Node?
                }
                """)
    }

    @Test("two properties with the same key are an error that names both")
    func equalKeys() {
        expectError(
            #"`a` and `b` have the same key, "a""#,
            in: """
                @Archived("Save") struct Save {
                    var a: Int
                    @ArchivedKey("a") var b: Int
                }
                """,
            line: 3, column: 27,
            without: """
                struct Save {
                    var a: Int
                    var b: Int
                }
                """)
    }

    @Test("attributes that contradict each other or have no effect are errors")
    func attributes() {
        expectError(
            "a property that is not archived cannot have a key or be a reference",
            in: """
                @Archived("Save") struct Save {
                    @NotArchived @ArchivedKey("b") var a = 1
                }
                """,
            line: 2, column: 5, fixIts: ["remove `@NotArchived`"],
            applying: "remove `@NotArchived`",
            fixed: """
                @Archived("Save") struct Save {
                    @ArchivedKey("b") var a = 1
                }
                """,
            without: """
                struct Save {
                    var a = 1
                }
                """)
        let rows = [
            ("static var a = 1", "a static property"), ("lazy var a = 1", "a lazy property"),
            ("var a: Int { 1 }", "a computed property"),
        ]
        for (line, kind) in rows {
            expectError(
                "`@ArchivedKey` has no effect here: \(kind) is not archived",
                in: """
                    @Archived("Save") class Save {
                        @ArchivedKey("b") \(line)
                    }
                    """,
                line: 2, column: 5, fixIts: ["remove `@ArchivedKey`"],
                applying: "remove `@ArchivedKey`",
                fixed: """
                    @Archived("Save") class Save {
                        \(line)
                    }
                    """,
                without: """
                    class Save {
                        \(line)
                    }
                    """)
        }
        expectError(
            "`@NotArchived` has no effect: the declaration is not in an `@Archived` type",
            in: """
                struct Save {
                    @NotArchived var a = 1
                }
                """,
            line: 2, column: 5, fixIts: ["remove `@NotArchived`"],
            applying: "remove `@NotArchived`",
            fixed: """
                struct Save {
                    var a = 1
                }
                """,
            without: """
                struct Save {
                    var a = 1
                }
                """)
    }

    @Test("patterns, keys that are not literals, and properties in #if are errors")
    func declarations() {
        let rows = [
            (
                "var (a, b) = (1, 2)",
                "expected one name for each stored property, found a pattern", 9
            ),
            (
                "@ArchivedKey(name) var a: Int",
                "expected a key as a string literal without interpolations", 18
            ),
        ]
        for (line, message, column) in rows {
            expectError(
                message,
                in: """
                    @Archived("Save") struct Save {
                        \(line)
                    }
                    """,
                line: 2, column: column,
                without: """
                    struct Save {
                        \(line.replacing("@ArchivedKey(name) ", with: ""))
                    }
                    """)
        }
        expectError(
            "a macro cannot evaluate the `#if` around a stored property",
            in: """
                @Archived("Save") struct Save {
                    #if DEBUG
                    var a = 1
                    @NotArchived var b = 2
                    var c: Int { 3 }
                    #endif
                }
                """,
            line: 3, column: 5, fixIts: ["add `@NotArchived`"],
            without: """
                struct Save {
                    #if DEBUG
                    var a = 1
                    var b = 2
                    var c: Int { 3 }
                    #endif
                }
                """)
    }

    @Test("invalid cases, keys and attributes in enumerations are errors")
    func enumerations() {
        let rows = [
            ("", 1, 19, "expected at least one case, found none"),
            ("case a(case: Int)", 2, 12, #"the key "case" is reserved for the name of the case"#),
            ("case a(b: Int, b: Int)", 2, 20, #"two fields have the same key, "b""#),
            (
                "case a(b: () -> Int)", 2, 15,
                "the case cannot be archived: the type of a value is a function"
            ),
            (
                "@NotArchived case a", 2, 5,
                "expected a stored property for `@NotArchived`, found a case"
            ),
            (
                #"@ArchivedKey("x") case a, b"#, 2, 5,
                "expected one case after `@ArchivedKey`, found 2"
            ),
            (
                "@ArchivedKey(default: 1) case a", 2, 5,
                "expected the name of the case in archives as a string literal"
            ),
            (
                #"@ArchivedKey("x", default: 1) case a"#, 2, 32,
                "expected a stored property for `default:`, found a case"
            ),
        ]
        for (line, row, column, message) in rows {
            let fixIt =
                row == 1
                ? ["remove `@Archived`"]
                : line.contains("@Not") ? ["remove `@NotArchived`"] : []
            let bare = line.replacing(#/@\w+(\([^)]*\))? /#, with: "")
            expectError(
                message,
                in: """
                    @Archived("Shape") enum Shape {
                        \(line)
                    }
                    """,
                line: row, column: row == 1 ? 1 : column, fixIts: fixIt,
                without: """
                    enum Shape {
                        \(bare)
                    }
                    """)
        }
        for key in [#""a""#, #""\u{61}""#] {
            expectError(
                "two cases have the same name in archives, \(key)",
                in: """
                    @Archived("Shape") enum Shape {
                        case a
                        @ArchivedKey(\(key)) case b
                    }
                    """,
                column: 20,
                without: """
                    enum Shape {
                        case a
                        case b
                    }
                    """)
        }
        expectError(
            "a macro cannot evaluate the `#if` around a case",
            in: """
                @Archived("Shape") enum Shape {
                    case a
                    #if DEBUG
                    func f() { switch 1 { case 1: () default: () } }
                    #else
                    case b
                    #endif
                }
                """,
            line: 6, column: 5,
            without: """
                enum Shape {
                    case a
                    #if DEBUG
                    func f() { switch 1 { case 1: () default: () } }
                    #else
                    case b
                    #endif
                }
                """)
        expectError(
            "`@ArchivedKey` has no effect: the type is archived as its raw value",
            in: """
                @Archived enum Mood: Int {
                    @ArchivedKey("x") case a
                }
                """,
            line: 2, column: 5, fixIts: ["remove `@ArchivedKey`"],
            without: """
                enum Mood: Int {
                    case a
                }
                """)
        expectError(
            "`@ArchivedKey` has no effect: the type is archived as its raw value",
            in: """
                @Archived struct Flags: OptionSet {
                    @ArchivedKey("x") let rawValue: Int
                }
                """,
            line: 2, column: 5, fixIts: ["remove `@ArchivedKey`"],
            without: """
                struct Flags: OptionSet {
                    let rawValue: Int
                }
                """)
    }
}
#endif

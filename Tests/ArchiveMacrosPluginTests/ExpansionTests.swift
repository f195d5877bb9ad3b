// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Macros
import Testing

@Suite("Expansions of the macro")
struct ExpansionTests {
    @Test(
        "the members of a final class are in its body, as extensions cannot declare `init(coder:)`"
    )
    func finalClass() {
        expect(
            """
            @Archived("DWSave")
            final class Save {
                var name: String, age: Int
                @ArchivedKey("NS.level", default: 1) var level: Int
            }
            """,
            becomes: """
                final class Save {
                    var name: String, age: Int
                    var level: Int

                    static let archivedClass: ArchivedClass = "DWSave"

                    static func register(in registry: inout ClassRegistry) {
                        registry.add(Self.self, fields: String.self)
                    }

                    func encode(with coder: KeyedEncoder) {
                        coder.encode(name, forKey: "name")
                        coder.encode(age, forKey: "age")
                        coder.encode(level, forKey: "NS.level")
                    }

                    init(coder: KeyedDecoder) throws {
                        name = try coder.decode(forKey: "name")
                        age = try coder.decode(forKey: "age")
                        level = try coder.decode(forKey: "NS.level", default: 1)
                    }
                }

                extension Save: KeyedCodable {
                }
                """)
    }

    @Test("an open class gets open members and a required initializer")
    func openClass() {
        expect(
            """
            @Archived("Pet")
            open class Pet {
                @ArchivedReference public weak var owner: Owner?
            }
            """,
            becomes: """
                open class Pet {
                    public weak var owner: Owner?

                    open class var archivedClass: ArchivedClass {
                        "Pet"
                    }

                    open class func register(in registry: inout ClassRegistry) {
                        registry.add(Self.self, fields: Owner.self)
                    }

                    open func encode(with coder: KeyedEncoder) {
                        coder.encodeConditionalObject(owner, forKey: "owner")
                    }

                    public required init(coder: KeyedDecoder) throws {
                        try coder.decodeReference(to: Owner.self, forKey: "owner") { [weak self] in
                            self?.owner = $0
                        }
                    }
                }

                extension Pet: KeyedCodable {
                }
                """)
    }

    @Test("the members of a class whose superclass conforms call the superclass")
    func subclass() {
        expect(
            """
            @Archived("Dog")
            public final class Dog: Pet, Hashable {
                let tricks: [String]
                @ArchivedReference var friend: Dog?
            }
            """,
            becomes: """
                public final class Dog: Pet, Hashable {
                    let tricks: [String]
                    var friend: Dog?

                    public override class var archivedClass: ArchivedClass {
                        super.archivedClass.subclass("Dog")
                    }

                    public override class func register(in registry: inout ClassRegistry) {
                        super.register(in: &registry)
                        registry.add(Self.self, fields: String.self, [AnyArchived].self)
                    }

                    public override func encode(with coder: KeyedEncoder) {
                        super.encode(with: coder)
                        coder.encode(tricks, forKey: "tricks")
                        coder.encode(friend, forKey: "friend")
                    }

                    public required init(coder: KeyedDecoder) throws {
                        tricks = try coder.decode(forKey: "tricks")
                        try super.init(coder: coder)
                        try coder.decodeReference(to: Dog.self, forKey: "friend") { [weak self] in
                            self?.friend = $0
                        }
                    }
                }
                """, conforming: true)
    }

    @Test(
        "a class that states the conformance itself does not call its superclass",
        arguments: [
            "KeyedCodable, Hashable", "Hashable, KeyedCodable", "Base, KeyedCodable",
            "KeyedEncodable, KeyedDecodable, Hashable", "KeyedArchive.KeyedCodable",
        ])
    func explicitConformance(_ names: String) {
        expect(
            """
            @Archived("Cat")
            final class Cat: \(names) {
            }
            """,
            becomes: """
                final class Cat: \(names) {

                    static let archivedClass: ArchivedClass = "Cat"

                    func encode(with coder: KeyedEncoder) {
                    }

                    init(coder: KeyedDecoder) throws {
                    }
                }
                """, conforming: true)
    }

    @Test("the argument `super:` decides whether the members call the superclass")
    func explicitSuper() {
        expect(
            """
            @Archived("Dog", super: true)
            final class Dog {
            }
            @Archived("Cat", super: false)
            final class Cat: Named {
            }
            """,
            becomes: """
                final class Dog {

                    override class var archivedClass: ArchivedClass {
                        super.archivedClass.subclass("Dog")
                    }

                    override func encode(with coder: KeyedEncoder) {
                        super.encode(with: coder)
                    }

                    required init(coder: KeyedDecoder) throws {
                        try super.init(coder: coder)
                    }
                }
                final class Cat: Named {

                    static let archivedClass: ArchivedClass = "Cat"

                    func encode(with coder: KeyedEncoder) {
                    }

                    init(coder: KeyedDecoder) throws {
                    }
                }
                """, conforming: true)
    }

    @Test("a structure gets an extension")
    func structure() {
        expect(
            """
            @Archived("Line")
            public struct Line {
                var (from, to): (Int, Int) { (1, 2) }
                public var a, b: Double
                var coder = "x"
                @NotArchived let cache: [Int]?
                var `default`: Set<Int>?, map: [String: [Line?]]
            }
            """,
            becomes: """
                public struct Line {
                    var (from, to): (Int, Int) { (1, 2) }
                    public var a, b: Double
                    var coder = "x"
                    let cache: [Int]?
                    var `default`: Set<Int>?, map: [String: [Line?]]
                }

                extension Line: KeyedCodable {
                    public static let archivedClass: ArchivedClass = "Line"

                    public static func register(in registry: inout ClassRegistry) {
                        registry.add(Self.self, fields: String.self, Int.self, ArchivedSet<AnyArchived>.self, [AnyArchived].self, ArchivedPairs<AnyArchived, AnyArchived>.self)
                    }

                    public func encode(with coder: KeyedEncoder) {
                        coder.encode(a, forKey: "a")
                        coder.encode(b, forKey: "b")
                        coder.encode(self.coder, forKey: "coder")
                        coder.encode(`default`, forKey: "default")
                        coder.encode(map, forKey: "map")
                    }

                    public init(coder: KeyedDecoder) throws {
                        a = try coder.decode(forKey: "a")
                        b = try coder.decode(forKey: "b")
                        self.coder = try coder.decode(forKey: "coder")
                        cache = nil
                        `default` = try coder.decode(forKey: "default")
                        map = try coder.decode(forKey: "map")
                    }
                }
                """)
    }

    @Test("a property named coder in backticks is distinguished from the parameter")
    func escapedCoder() {
        expect(
            """
            @Archived("Line")
            struct Line {
                var `coder`: Int
            }
            """,
            becomes: """
                struct Line {
                    var `coder`: Int
                }

                extension Line: KeyedCodable {
                    static let archivedClass: ArchivedClass = "Line"

                    func encode(with coder: KeyedEncoder) {
                        coder.encode(self.`coder`, forKey: "coder")
                    }

                    init(coder: KeyedDecoder) throws {
                        self.`coder` = try coder.decode(forKey: "coder")
                    }
                }
                """)
    }

    @Test("the initializer sets an optional to nil if the compiler does not")
    func implicitlyNil() {
        expect(
            """
            @Archived("Node")
            final class Node {
                @NotArchived var cache: Optional<Int>
                @NotArchived var size: Int?
                @ArchivedReference var friend: Optional<Node>
            }
            """,
            becomes: """
                final class Node {
                    var cache: Optional<Int>
                    var size: Int?
                    var friend: Optional<Node>

                    static let archivedClass: ArchivedClass = "Node"

                    func encode(with coder: KeyedEncoder) {
                        coder.encode(friend, forKey: "friend")
                    }

                    init(coder: KeyedDecoder) throws {
                        cache = nil
                        friend = nil
                        try coder.decodeReference(to: Node.self, forKey: "friend") { [weak self] in
                            self?.friend = $0
                        }
                    }
                }

                extension Node: KeyedCodable {
                }
                """)
    }

    @Test("a default keeps the empty lines and the indentation of a multi-line literal")
    func multilineDefault() {
        expect(
            #"""
            @Archived("Note")
            struct Note {
                @ArchivedKey(default: """
                    a

                      b
                    """) var text: String
            }
            """#,
            becomes: #"""
                struct Note {
                    var text: String
                }

                extension Note: KeyedCodable {
                    static let archivedClass: ArchivedClass = "Note"

                    static func register(in registry: inout ClassRegistry) {
                        registry.add(Self.self, fields: String.self)
                    }

                    func encode(with coder: KeyedEncoder) {
                        coder.encode(text, forKey: "text")
                    }

                    init(coder: KeyedDecoder) throws {
                        text = try coder.decode(forKey: "text", default: """
                                a

                                  b
                                """)
                    }
                }
                """#)
    }

    @Test("properties that are not archived and have values need no code, even in a pattern")
    func absentPattern() {
        expect(
            """
            @Archived("Size")
            struct Size {
                @NotArchived var (width, height) = (1, 2)
            }
            """,
            becomes: """
                struct Size {
                    var (width, height) = (1, 2)
                }

                extension Size: KeyedCodable {
                    static let archivedClass: ArchivedClass = "Size"

                    func encode(with coder: KeyedEncoder) {
                    }

                    init(coder: KeyedDecoder) throws {
                    }
                }
                """)
    }

    @Test("an enumeration archives the case name, and its values under their labels")
    func enumeration() {
        expect(
            """
            @Archived("Shape")
            enum Shape {
                case point
                @ArchivedKey("disc") case circle(radius: Double)
                case line(Int, to: String?)
                case pair(Int, value0: Int)
            }
            """,
            becomes: """
                enum Shape {
                    case point
                    case circle(radius: Double)
                    case line(Int, to: String?)
                    case pair(Int, value0: Int)
                }

                extension Shape: KeyedCodable {
                    static let archivedClass: ArchivedClass = "Shape"

                    static func register(in registry: inout ClassRegistry) {
                        registry.add(Self.self, fields: String.self)
                    }

                    func encode(with coder: KeyedEncoder) {
                        switch self {
                        case .point:
                            coder.encode("point", forKey: "case")
                        case .circle(let radius):
                            coder.encode("disc", forKey: "case")
                            coder.encode(radius, forKey: "radius")
                        case .line(let value0, let to):
                            coder.encode("line", forKey: "case")
                            coder.encode(value0, forKey: "_0")
                            coder.encode(to, forKey: "to")
                        case .pair(let value0_, let value0):
                            coder.encode("pair", forKey: "case")
                            coder.encode(value0_, forKey: "_0")
                            coder.encode(value0, forKey: "value0")
                        }
                    }

                    init(coder: KeyedDecoder) throws {
                        switch try coder.decode(String.self, forKey: "case") {
                        case "point":
                            self = .point
                        case "disc":
                            self = try .circle(radius: coder.decode(forKey: "radius"))
                        case "line":
                            self = try .line(coder.decode(forKey: "_0"), to: coder.decode(forKey: "to"))
                        case "pair":
                            self = try .pair(coder.decode(forKey: "_0"), value0: coder.decode(forKey: "value0"))
                        default:
                            throw coder.error("expected a case of Shape, found another name", forKey: "case")
                        }
                    }
                }
                """)
    }

    @Test(
        "an option set, or a type declared to have raw values, gets only a conformance")
    func rawRepresentable() {
        for type in ["OptionSet, Hashable", "RawRepresentable"] {
            expect(
                """
                @Archived
                struct Flags: \(type) {
                    let rawValue: Int
                }
                """,
                becomes: """
                    struct Flags: \(type) {
                        let rawValue: Int
                    }

                    extension Flags: KeyedCodable {
                    }
                    """)
        }
    }

    @Test("an enumeration with raw values gets only a conformance")
    func rawValues() {
        for type in ["Int", "String", "UInt8"] {
            expect(
                """
                @Archived
                enum Mood: \(type), CaseIterable {
                    case calm, merry
                }
                """,
                becomes: """
                    enum Mood: \(type), CaseIterable {
                        case calm, merry
                    }

                    extension Mood: KeyedCodable {
                    }
                    """)
        }
    }

    @Test("existing members and an existing conformance are not generated again")
    func present() {
        expect(
            """
            @Archived("Half")
            struct Half: KeyedCodable {
                var value: Int
                static var archivedClass: ArchivedClass { "Other" }
                init(coder: KeyedDecoder) throws { value = 1 }
            }
            """,
            becomes: """
                struct Half: KeyedCodable {
                    var value: Int
                    static var archivedClass: ArchivedClass { "Other" }
                    init(coder: KeyedDecoder) throws { value = 1 }
                }

                extension Half {
                    func encode(with coder: KeyedEncoder) {
                        coder.encode(value, forKey: "value")
                    }
                }
                """, conforming: true)
    }
}
#endif

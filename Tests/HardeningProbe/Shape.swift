// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// Two files of one shape and any size, for verbs of the command.
struct Shape: Sendable {
    /// The kind of contents.
    enum Contents: Sendable {
        case propertyLists
        /// Text that is not, or not only, a property list.
        case text
        case database
    }

    /// The files of one size.
    struct Files {
        var first: [UInt8]
        var second: [UInt8]
        /// The edits of the first file; nil to derive them from the difference between the files.
        var script: [UInt8]?
    }

    let name: String
    /// The approximate size in bytes of the smallest files on which instructions are counted.
    let size: Int
    let contents: Contents
    /// Whether a small file may expand to much more than its size.
    let multiplies: Bool
    private let make: @Sendable (Int) -> Files

    /// Returns files of about `size` bytes, or the smallest ones of the shape.
    func files(_ size: Int) -> Files { make(size) }

    private init(
        _ name: String, _ size: Int, _ contents: Contents = .propertyLists,
        multiplies: Bool = false, _ make: @escaping @Sendable (Int) -> Files
    ) {
        self.name = name
        self.size = size
        self.contents = contents
        self.multiplies = multiplies
        self.make = make
    }

    /// Returns a shape of property lists that differ in a number.
    private static func list(
        _ name: String, _ size: Int = 1500, multiplies: Bool = false,
        _ make: @escaping @Sendable (_ size: Int, _ value: Int, inout ListBuilder) -> UInt64
    ) -> Shape {
        @Sendable func file(_ size: Int, _ value: Int) -> [UInt8] {
            var builder = ListBuilder()
            let top = make(size, value, &builder)
            return builder.file(top)
        }
        return Shape(name, size, multiplies: multiplies) {
            Files(first: file($0, 1), second: file($0, 2))
        }
    }

    /// Returns a shape of archives that differ in a number. `make` returns the objects from number
    /// 1 on.
    private static func archive(
        _ name: String, _ size: Int = 1500, multiplies: Bool = false,
        _ make: @escaping @Sendable (_ size: Int, _ value: Int, inout ListBuilder) -> [UInt64]
    ) -> Shape {
        @Sendable func file(_ size: Int, _ value: Int) -> [UInt8] {
            var builder = ListBuilder()
            let objects = make(size, value, &builder)
            return builder.archive(objects)
        }
        return Shape(name, size, multiplies: multiplies) {
            Files(first: file($0, 1), second: file($0, 2))
        }
    }

    /// Returns a letter with marks above and below, of about `size` bytes of UTF-16.
    private static func marked(_ size: Int) -> String {
        "a" + String(decoding: Family.marks(max(size, 2) / 2), as: UTF16.self)
    }

    private static func long(_ size: Int, _ letter: String = "k") -> String {
        String(repeating: letter, count: max(size, 1))
    }

    static let all = lists + additions + archives + marks + texts + databases

    /// Whether the short form of the checks counts the instructions of verbs on this shape.
    var isShort: Bool { Self.short.contains(name) }

    // One shape for each kind of growth, except the slow ones. Counting only these shapes takes a
    // third of the time.
    private static let short: Set = [
        "arrays shared in each other", "nested dictionaries with long keys",
        "dictionaries that share two long keys", "one property list in data many times",
        "flat array", "flat dictionary", "chain of objects",
        "objects of classes with one long name", "dictionary whose keys are one long text",
        "arrays of objects", "key of combining marks", "class of combining marks",
        "XML, beginnings of property lists", "JSON, deep", "inserting at the front of an array",
        "database, shared tables", "database, many property lists",
    ]
}

// MARK: - Property lists

extension Shape {
    private static let lists = [
        // Each array contains the previous one many times.
        list("arrays shared in each other", 80, multiplies: true) { size, value, builder in
            let count = max(size / 8, 1)
            let inner = builder.array(repeatElement(builder.number(value), count: count))
            let outer = builder.array(repeatElement(inner, count: count))
            return builder.array([outer, inner, builder.number(5)])
        },
        Shape("arrays shared in each other and an empty one", 80, multiplies: true) { size in
            var (builder, empty) = (ListBuilder(), ListBuilder())
            let count = max(size / 8, 1)
            let inner = builder.array(repeatElement(builder.number(1), count: count))
            let outer = builder.array(repeatElement(inner, count: count))
            let top = builder.array([outer, inner, builder.number(5)])
            let nothing = empty.array([empty.array([])])
            return Files(first: builder.file(top), second: empty.file(nothing))
        },
        list("nested arrays, each four times", 4, multiplies: true) { size, value, builder in
            (0..<size.bitWidth - max(size, 1).leadingZeroBitCount)
                .reduce(builder.number(value)) { inner, _ in
                    builder.array(repeatElement(inner, count: 4))
                }
        },
        list("nested dictionaries with long keys", 500, multiplies: true) {
            size, value, builder in
            let leaves = (0..<max(size / 20, 1)).map {
                (key: builder.text("k\($0)"), value: builder.number(value))
            }
            return (0..<20).reduce(builder.dictionary(leaves)) { inner, level in
                let letter = String(UnicodeScalar(UInt8(97 + level)))
                return builder.dictionary([(builder.text(long(size / 40, letter)), inner)])
            }
        },
        list("one long text many times", 200, multiplies: true) { size, value, builder in
            let text = builder.text(long(size / 2) + "\(value)")
            return builder.array(repeatElement(text, count: max(size / 2, 1)))
        },
        list("dictionaries that share two long keys", 500, multiplies: true) {
            size, value, builder in
            let keys = [builder.text(long(size / 4)), builder.text(long(size / 4) + "x")]
            let dictionaries = (0..<max(size / 18, 1)).map { _ in
                builder.dictionary(keys.map { ($0, builder.number(value)) })
            }
            return builder.array(dictionaries)
        },
        list("one dictionary with long keys many times", 200, multiplies: true) {
            size, value, builder in
            let dictionary = builder.dictionary(
                (0..<5).map { key in
                    (builder.text(long(size / 10) + "\(key)"), builder.number(value))
                })
            return builder.array(repeatElement(dictionary, count: max(size / 4, 1)))
        },
        list("one property list in data many times", 100, multiplies: true) {
            size, value, builder in
            let data = builder.data(inner(value))
            return builder.array(repeatElement(data, count: max(size / 2, 1)))
        },
        list("many property lists in data") { size, value, builder in
            let lists = (0..<max(size / 60, 1)).map { _ in builder.data(inner(value)) }
            return builder.array(lists)
        },
        list("property lists nested in data", 80, multiplies: true) {
            size, value, builder in
            let innermost = (0..<3).reduce(inner(value)) { bytes, _ in
                var builder = ListBuilder()
                let data = builder.data(bytes)
                let top = builder.array(repeatElement(data, count: max(size / 40, 1)))
                return builder.file(top)
            }
            return builder.array([builder.data(innermost)])
        },
        list("deep arrays with neighbors") { size, value, builder in
            (0..<100).reduce(builder.number(value)) { inner, level in
                let neighbors = (0..<size / 500).map { builder.number($0 + level) }
                return builder.array([inner] + neighbors)
            }
        },
        list("flat array") { size, value, builder in
            let elements = (0..<max(size / 12, 1)).map { builder.number($0 + value * 1_000_000) }
            return builder.array(elements)
        },
        list("flat array, one element changed") { size, value, builder in
            let count = max(size / 12, 1)
            let elements = (0..<count).map { builder.number($0 == count / 2 ? value : $0 + 9) }
            return builder.array(elements)
        },
        list("flat dictionary") { size, value, builder in
            let entries = (0..<max(size / 16, 1)).map {
                (key: builder.text("key \($0)"), value: builder.number(value))
            }
            return builder.dictionary(entries)
        },
        list("flat dictionary of other keys") { size, value, builder in
            let entries = (0..<max(size / 16, 1)).map {
                (key: builder.text("\(value) key \($0)"), value: builder.number(1))
            }
            return builder.dictionary(entries)
        },
        list("files of a project that share a long name", 5000, multiplies: true) {
            size, value, builder in
            // Longer texts are not used as names.
            let name = long(min(size / 2, 4000), "/")
            let file = builder.dictionary([
                (builder.text("isa"), builder.text("XCRemoteSwiftPackageReference")),
                (builder.text("repositoryURL"), builder.text(name + "\(value)*/")),
            ])
            let number = builder.text("A")
            return builder.dictionary([
                (builder.text("objects"), builder.dictionary([(number, file)])),
                (builder.text("z"), builder.array(repeatElement(number, count: size / 2))),
            ])
        },
        list("objects of a project that share a class with a long name", 5000, multiplies: true) {
            size, value, builder in
            let object = builder.dictionary([
                (builder.text("isa"), builder.text(long(size / 2) + "\(value)"))
            ])
            let objects = (0..<max(size / 20, 1)).map {
                (key: builder.text("\($0)"), value: object)
            }
            return builder.dictionary([(builder.text("objects"), builder.dictionary(objects))])
        },
        Shape("flat array and an empty one", 1500) { size in
            var (builder, empty) = (ListBuilder(), ListBuilder())
            let top = builder.array((0..<max(size / 12, 1)).map { builder.number($0) })
            let nothing = empty.array([])
            return Files(first: builder.file(top), second: empty.file(nothing))
        },
    ]

    /// Returns a small property list.
    private static func inner(_ value: Int) -> [UInt8] {
        var builder = ListBuilder()
        let top = builder.array([builder.number(value)])
        return builder.file(top)
    }
}

// MARK: - Additions to small files

extension Shape {
    /// Small files of each format, to which one value is added many times.
    private static let additions: [Shape] = small.flatMap { format, first in
        ["text", "empty array", "text far down", "text in two places", "empty array in two places"]
            .map { addition($0, to: first, format) }
    }

    private static let small: [(format: String, bytes: [UInt8])] = [
        ("binary", BinaryAssembler([.array([1, 1]), .array([])]).bytes),
        ("XML", Array((head + "<array>\n\t<array/>\n</array></plist>").utf8)),
        ("OpenStep", Array("(a)".utf8)), ("JSON", Array("[[]]".utf8)),
    ]

    private static func addition(_ what: String, to first: [UInt8], _ format: String) -> Shape {
        Shape("\(format), one \(what) many times, added", 1500) { size in
            var builder = ListBuilder()
            let isArray = what.hasPrefix("empty array")
            let element = isArray ? builder.array([]) : builder.text("a")
            var top = builder.array(repeatElement(element, count: size))
            // In text formats, each line of the value is indented by its depth.
            if what == "text far down" {
                for _ in 0..<100 { top = builder.array([top]) }
            }
            if what.hasSuffix("in two places") { top = builder.array([top, top]) }
            return Files(first: first, second: builder.file(top))
        }
    }
}

// MARK: - Archives

extension Shape {
    private static let archives = [
        archive("ring of 300 objects with a long key", 2000, multiplies: true) {
            size, value, builder in
            ring(299 + value, long(size / 2), value, &builder)
        },
        archive("ring of objects", 1500, multiplies: true) { size, value, builder in
            ring(max(size / 30, 1) + value, long(20), value, &builder)
        },
        archive("objects that share a long key", 500, multiplies: true) { size, value, builder in
            let count = max(size / 40, 1)
            let (key, classKey) = (builder.text(long(size / 2)), builder.text("$class"))
            let references = (0..<count).map { builder.uid($0 + 2) }
            let list = builder.array(references)
            var objects = [builder.object(of: count + 2, [("NS.objects", list)])]
            for _ in 0..<count {
                objects.append(
                    builder.dictionary([
                        (classKey, builder.uid(count + 2)), (key, builder.number(value)),
                    ]))
            }
            return objects + [builder.classDescription("NSArray")]
        },
        archive("attributed strings that share their runs", 500, multiplies: true) {
            size, value, builder in
            let count = max(size / 80, 1)
            let strings = builder.array((0..<count).map { builder.uid($0 + 5) })
            let attributes = builder.array([builder.number(value)])
            let runs = builder.data([UInt8](repeating: 0, count: size / 2))
            var objects = [
                builder.object(of: count + 5, [("NS.objects", strings)]), builder.text("text"),
                builder.object(of: count + 5, [("NS.objects", attributes)]), runs,
            ]
            for _ in 0..<count {
                objects.append(
                    builder.object(
                        of: count + 5,
                        [
                            ("NSString", builder.uid(2)), ("NSAttributes", builder.uid(3)),
                            ("NSAttributeInfo", builder.uid(4)),
                        ]))
            }
            return objects + [builder.classDescription("NSArray")]
        },
        Shape("archive of many roots", 1500) { size in
            @Sendable func file(_ value: Int) -> [UInt8] {
                var builder = ListBuilder()
                let objects = builder.array([builder.text("$null"), builder.number(value)])
                let uid = builder.uid(1)
                let roots = (0..<max(size / 20, 1)).map { (key: builder.text("\($0)"), value: uid) }
                let entries = [
                    (key: builder.text("$version"), value: builder.number(100_000)),
                    (key: builder.text("$archiver"), value: builder.text("NSKeyedArchiver")),
                    (key: builder.text("$top"), value: builder.dictionary(roots)),
                    (key: builder.text("$objects"), value: objects),
                ]
                let top = builder.dictionary(entries)
                return builder.file(top)
            }
            return Files(first: file(1), second: file(2))
        },
        archive("chain of objects", 6000) { size, value, builder in
            let count = max(size / 30, 1)
            return chain(count, of: "Link", value, &builder)
        },
        archive("chain of objects of a class with a long name", 800, multiplies: true) {
            size, value, builder in
            chain(max(size / 60, 1), of: long(size / 3, "E"), value, &builder)
        },
        archive("objects of classes with one long name", 800, multiplies: true) {
            size, value, builder in
            let count = max(size / 90, 1)
            var objects = (0..<count).map { number in
                builder.object(
                    of: count + 1 + number,
                    [("k", builder.uid(number + 1 < count ? number + 2 : 0))])
            }
            let name = builder.text(long(size / 3, "E") + "\(value)")
            for _ in 0..<count {
                let classes = builder.array([name])
                objects.append(
                    builder.dictionary([
                        (builder.text("$classname"), name), (builder.text("$classes"), classes),
                    ]))
            }
            return objects
        },
        archive("objects of classes with one list of superclasses", 800, multiplies: true) {
            size, value, builder in
            let count = max(size / 40, 1)
            var objects = (0..<count).map { number in
                builder.object(
                    of: count + 1 + number,
                    [("k", builder.uid(number + 1 < count ? number + 2 : 0))])
            }
            let names = (0..<count).map { builder.text("N\(value)\($0)") }
            let classes = builder.array(names)
            for name in names {
                objects.append(
                    builder.dictionary([
                        (builder.text("$classname"), name), (builder.text("$classes"), classes),
                    ]))
            }
            return objects
        },
        archive("dictionary whose keys are one long text", 300, multiplies: true) {
            size, value, builder in
            let references = repeatElement(builder.uid(2), count: max(size / 8, 1))
            let (keys, values) = (builder.array(references), builder.array(references))
            return [
                builder.object(of: 3, [("NS.keys", keys), ("NS.objects", values)]),
                builder.text(long(size / 2) + "\(value)"),
                builder.classDescription("NSDictionary"),
            ]
        },
        archive("arrays of objects") { size, value, builder in
            let count = max(size / 30, 1)
            let list = builder.array((0..<count).map { builder.uid($0 + 3) })
            var objects = [
                builder.object(of: 2, [("NS.objects", list)]),
                builder.classDescription("NSArray"),
            ]
            objects += (0..<count).map { builder.text("text \($0) \(value)") }
            return objects
        },
    ]

    private static func ring(
        _ count: Int, _ key: String, _ value: Int, _ builder: inout ListBuilder
    ) -> [UInt64] {
        var objects = (0..<count).map { number in
            builder.object(
                of: count + 1,
                [(key, builder.uid((number + 1) % count + 1)), ("v", builder.number(value))])
        }
        objects.append(builder.classDescription("Ring"))
        return objects
    }

    private static func chain(
        _ count: Int, of name: String, _ value: Int, _ builder: inout ListBuilder
    ) -> [UInt64] {
        var objects = (0..<count).map { number in
            builder.object(
                of: count + 1,
                [("k", number + 1 < count ? builder.uid(number + 2) : builder.number(value))])
        }
        objects.append(builder.classDescription(name))
        return objects
    }
}

// MARK: - Combining marks

extension Shape {
    private static let marks = [
        list("key of combining marks") { size, value, builder in
            builder.dictionary([(builder.text(marked(size)), builder.number(value))])
        },
        list("keys of combining marks") { size, value, builder in
            let stem = marked(size / 4)
            let entries = (0..<4).map {
                (key: builder.text("\($0)" + stem), value: builder.number(value))
            }
            return builder.dictionary(entries)
        },
        list("text of combining marks") { size, value, builder in
            builder.array([builder.text(marked(size) + "\(value)")])
        },
        list("key that begins with combining marks") { size, value, builder in
            let key = String(marked(size).unicodeScalars.dropFirst())
            return builder.dictionary([(builder.text(key), builder.text("\u{301}\(value)"))])
        },
        archive("class of combining marks") { size, value, builder in
            chain(2, of: marked(size), value, &builder)
        },
        archive("field of combining marks") { size, value, builder in
            [
                builder.object(of: 2, [(marked(size), builder.number(value))]),
                builder.classDescription("A"),
            ]
        },
        archive("text of an object, of combining marks") { size, value, builder in
            [
                builder.object(of: 2, [("NS.string", builder.text(marked(size) + "\(value)"))]),
                builder.classDescription("NSMutableString"),
            ]
        },
    ]
}

// MARK: - Text

extension Shape {
    private static func text(
        _ name: String, _ size: Int = 1500, _ contents: Contents = .propertyLists,
        multiplies: Bool = false, _ make: @escaping @Sendable (_ size: Int, _ value: Int) -> String
    ) -> Shape {
        Shape(name, size, contents, multiplies: multiplies) {
            Files(first: Array(make($0, 1).utf8), second: Array(make($0, 2).utf8))
        }
    }

    private static func repeated(_ text: String, _ size: Int) -> String {
        String(repeating: text, count: max(size / text.utf8.count, 1))
    }

    private static let head = "<?xml version=\"1.0\"?><plist version=\"1.0\">"

    private static let texts = [
        text("XML, flat array") { size, value in
            let element = value == 1 ? "<true/>" : "<false/>"
            return head + "<array>" + repeated(element, size) + "</array></plist>"
        },
        text("XML, flat dictionary") { size, value in
            let entries = (0..<max(size / 40, 1)).map {
                "<key>key \($0)</key><integer>\(value)</integer>"
            }
            return head + "<dict>" + entries.joined() + "</dict></plist>"
        },
        text("XML, beginnings of property lists", 1500, .text) { size, value in
            repeated("<plist>", size) + head + "<integer>\(value)</integer></plist>"
        },
        text("XML, arrays not closed", 1500, .text, multiplies: true) { size, _ in
            head + repeated("<array>", size)
        },
        text("JSON, arrays not closed", 1500, .text, multiplies: true) { size, _ in
            repeated("[", size)
        },
        text("JSON, deep", 500) { size, value in
            let list = repeated("[", 100) + "\(value)" + repeated("]", 100)
            return "[" + (0..<max(size / 200, 1)).map { _ in list }.joined(separator: ",") + "]"
        },
        text("OpenStep, arrays not closed", 1500, .text, multiplies: true) { size, _ in
            repeated("(", size)
        },
        text("OpenStep, flat dictionary") { size, value in
            "{" + (0..<max(size / 20, 1)).map { "\"key \($0)\" = v\(value); " }.joined() + "}"
        },
        Shape("inserting at the front of an array", 1500) { size in
            let list = head + "<dict><key>a</key><array><true/></array></dict></plist>"
            return Files(
                first: Array(list.utf8), second: Array(list.utf8),
                script: Array(repeated("insert a[0] 1\n", size).utf8))
        },
    ]

}

// MARK: - Databases

extension Shape {
    private static let databases = HostileDatabase.growing.map { name, make in
        Shape("database, \(name)", 10_000, .database, multiplies: true) { size in
            let bytes = make(max(size, 4096)).bytes
            return Files(first: bytes, second: bytes)
        }
    }
}

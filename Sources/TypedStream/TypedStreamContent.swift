// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ValidText

// | class, version | groups |
// |---|---|
// | `NSString`, `NSMutableString`, 1 | `+`: UTF-8 |
// | `NSData`, `NSMutableData`, 0 | `i`: the length; `[nc]` |
// | `NSArray`, `NSMutableArray`, 0 | `i`: the count; `@` for each element |
// | `NSSet`, `NSMutableSet`, 0 | `I`: the count; `@` for each element |
// | `NSDictionary`, `NSMutableDictionary`, 0 | `i`: the count; `@` for each key and value in turn |
// | `NSNumber`, 0 | `*`: a type encoding; a group with it, of one number |
// | `NSValue`, 0 | `*`: a type encoding; a group with it |
// | `NSDate`, 0 | `d`: seconds since 2001 |
// | `NSURL`, 0 | `c`: 1 for a URL with a base; if so `@`: the base; `@`: the text |
// | `NSNull`, 0 | none |
// | `NSAttributedString`, `NSMutableAttributedString`, 0 | `@`: the text; for each run `iI`: the number of its attributes from 1, and UTF-16 units; `@`: a dictionary after each number that is new |
// | `NSColor`, 0 | `c`: the kind; 1, 2: `ffff`; 3, 4: `ff`; 5: `fffff`; 6: `@@@` |
// | `NSFont`, 21, 30 | `i`, `[nc]`: the name as an old property list; `f`: the size; four `c` |
//
// Source: streams that Apple's software wrote, but for the kinds 2, 4, 5 of colors and version 21 of fonts, which other
// readers describe. The version decides the form: objects of other versions stay groups.

/// The meaning of an object whose class has a known form in a stream.
///
/// Nothing is looked up or made: names of classes, fonts and colors are text.
public enum TypedStreamContent: Sendable {
    /// `NSNull`.
    case null
    /// `NSString` and its mutable subclass; nil for a string that was initialized from nil.
    case string(String?)
    /// `NSNumber`: `.integer`, `.unsigned`, `.boolean`, `.float` or `.double`.
    case number(TypedStreamValue.Content)
    /// `NSValue`: a type encoding and a value of that type.
    case value(encoding: String, TypedStreamValue)
    /// `NSData` and its mutable subclass.
    case data(ArraySlice<UInt8>)
    /// `NSDate`, in seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    /// `NSURL`: its text, and the URL that it is relative to.
    case url(TypedStreamObject, base: TypedStreamObject?)
    /// `NSArray` and its mutable subclass; nil for a nil in place of an element.
    case array([TypedStreamObject?])
    /// `NSSet` and its mutable subclass.
    case set([TypedStreamObject?])
    /// `NSDictionary` and its mutable subclass, in the order of the file.
    case dictionary([(key: TypedStreamObject, value: TypedStreamObject?)])
    /// `NSAttributedString` and its mutable subclass: the text, runs that cover it, and the dictionaries that runs name.
    case attributedString(
        TypedStreamObject, runs: [AttributedText.StoredRun], attributes: [TypedStreamObject])
    /// `NSColor` with components: its kind, 1 to 5, and the components, alpha last.
    case color(kind: Int, components: [Float])
    /// `NSColor` by name, with the color to use where the name is unknown.
    case catalogColor(
        catalog: TypedStreamObject, name: TypedStreamObject, fallback: TypedStreamObject?)
    /// `NSFont`: the PostScript name, and the size in points.
    case font(name: String, size: Double)
}

/// The classes whose form is known, by name and version.
private enum KnownClass {
    case null, string, number, value, data, date, url, array, set, dictionary, attributedString
    case color, font

    init?(_ class: TypedStreamClass) {
        guard let known = Self.named(`class`.sharedName.bytes), known.hasVersion(`class`.version)
        else { return nil }
        self = known
    }

    private func hasVersion(_ version: Int64) -> Bool {
        switch self {
        case .string: version == 1
        case .font: version == 30 || version == 21
        default: version == 0
        }
    }

    /// The class of a name. Few names have the same length: most are compared with one or two.
    private static func named(_ name: ArraySlice<UInt8>) -> KnownClass? {
        let candidates: [(StaticString, KnownClass)] =
            switch name.count {
            case 5: [("NSURL", .url), ("NSSet", .set)]
            case 6: [("NSData", .data), ("NSDate", .date), ("NSNull", .null), ("NSFont", .font)]
            case 7: [("NSArray", .array), ("NSValue", .value), ("NSColor", .color)]
            case 8: [("NSString", .string), ("NSNumber", .number)]
            case 12: [("NSDictionary", .dictionary), ("NSMutableSet", .set)]
            case 13: [("NSMutableData", .data)]
            case 14: [("NSMutableArray", .array)]
            case 15: [("NSMutableString", .string)]
            case 18: [("NSAttributedString", .attributedString)]
            case 19: [("NSMutableDictionary", .dictionary)]
            case 25: [("NSMutableAttributedString", .attributedString)]
            default: []
            }
        return candidates.first { name.isText($0.0) }?.1
    }
}

extension TypedStreamObject {
    /// Reads the meaning of the object; nil for a class or a version of it whose form is not known.
    ///
    /// The class counts by its exact name: an object of a subclass has more groups, or others.
    ///
    /// - Complexity: Linear in the bytes of the object, without those of the objects in it but the text of an attributed
    ///   string.
    /// - Throws: `wrongKind` where the groups are not those that the class writes, `invalidString` for text that is not
    ///   UTF-8, and ``TypedStreamDocument/problem`` where a salvaged document ends in the object.
    public func content() throws(TypedStreamError) -> TypedStreamContent? {
        guard let known = KnownClass(self.class) else { return nil }
        var fields = FieldCursor(self)
        let content = try content(known, &fields)
        try fields.finish()
        return content
    }

    private func content(
        _ known: KnownClass, _ fields: inout FieldCursor
    ) throws(TypedStreamError) -> TypedStreamContent {
        switch known {
        case .null: .null
        case .string: .string(try fields.text())
        case .number: try fields.number()
        case .value: try fields.boxedValue()
        case .data: .data(try fields.data())
        case .date: .date(try fields.seconds())
        case .url: try fields.url()
        case .array: .array(try fields.elements("i", "an array"))
        case .set: .set(try fields.elements("I", "a set"))
        case .dictionary: .dictionary(try fields.entries())
        case .attributedString: try fields.attributedString()
        case .color: try fields.color()
        case .font: try fields.font()
        }
    }

    /// The text of a string; nil for objects of other classes and a nil string.
    ///
    /// - Throws: As ``content()``.
    public func string() throws(TypedStreamError) -> String? {
        guard case .string = KnownClass(self.class) else { return nil }
        var fields = FieldCursor(self)
        let text = try fields.text()
        try fields.finish()
        return text
    }

    /// The text of an attributed string with its runs and their attributes; nil for objects of other classes.
    func attributedText() throws(TypedStreamError) -> (
        text: String, runs: [AttributedText.StoredRun], attributes: [TypedStreamObject]
    )? {
        guard case .attributedString = KnownClass(self.class) else { return nil }
        var fields = FieldCursor(self)
        let parts = try fields.attributedParts()
        try fields.finish()
        return (parts.text, parts.runs, parts.attributes)
    }

}

extension FieldCursor {
    /// Reads the text of a string; nil for nil.
    fileprivate mutating func text() throws(TypedStreamError) -> String? {
        guard case .bytes(let bytes) = try value("+", "the text of a string") else { return nil }
        if let text = String(validUTF8: bytes) { return text }
        throw TypedStreamError(.invalidString, "expected UTF-8 in a string", at: bytes.startIndex)
    }

    /// Reads a length, and as many bytes.
    fileprivate mutating func data() throws(TypedStreamError) -> ArraySlice<UInt8> {
        guard case .integer(let length) = try value("i", "the length of data") else {
            throw fail("expected the length of data")
        }
        guard let group = nextGroup() else { throw fail("expected the bytes of data") }
        var values = group.flatValues
        guard case .bytes(let bytes)? = values.next()?.content, group.isBytes else {
            throw fail("expected an array of characters as the bytes of data")
        }
        guard bytes.count == length else {
            throw fail("expected \(length) bytes of data, found \(bytes.count)")
        }
        return bytes
    }

    fileprivate mutating func seconds() throws(TypedStreamError) -> Double {
        if case .double(let seconds) = try value("d", "the seconds of a date") { return seconds }
        throw fail("expected the seconds of a date")
    }

    /// Reads a type encoding, and the only value of a group with it.
    private mutating func boxed() throws(TypedStreamError) -> (String, TypedStreamValue) {
        guard case .cString(let encoding) = try value("*", "the type of a value") else {
            throw fail("expected the type of a value, found nil")
        }
        guard let group = nextGroup(), let found = group.encoding,
            found.bytes == encoding.bytes
        else { throw fail("expected a group of the type that the value names") }
        var values = group.values.makeIterator()
        guard let value = values.next(), values.next() == nil else {
            throw fail("expected one value")
        }
        return (encoding.text, value)
    }

    fileprivate mutating func boxedValue() throws(TypedStreamError) -> TypedStreamContent {
        let (encoding, value) = try boxed()
        return .value(encoding: encoding, value)
    }

    fileprivate mutating func number() throws(TypedStreamError) -> TypedStreamContent {
        let number = try boxed().1.content
        switch number {
        case .integer, .unsigned, .boolean, .float, .double: return .number(number)
        default: throw fail("expected a number")
        }
    }

    fileprivate mutating func url() throws(TypedStreamError) -> TypedStreamContent {
        guard case .integer(let flag) = try value("c", "the flag of a URL with a base"),
            flag == 0 || flag == 1
        else { throw fail("expected 0 or 1 as the flag of a URL with a base") }
        let base = flag == 1 ? try object("the base of a URL") : nil
        return .url(try object("the text of a URL"), base: base)
    }

    fileprivate mutating func elements(
        _ type: StaticString, _ what: StaticString
    ) throws(TypedStreamError) -> [TypedStreamObject?] {
        let count = try count(type, of: what)
        var elements: [TypedStreamObject?] = []
        for _ in 0..<count { elements.append(try optionalObject("an element")) }
        return elements
    }

    fileprivate mutating func entries() throws(TypedStreamError)
        -> [(key: TypedStreamObject, value: TypedStreamObject?)]
    {
        let count = try count("i", of: "a dictionary", groupsPerElement: 2)
        var entries: [(key: TypedStreamObject, value: TypedStreamObject?)] = []
        for _ in 0..<count {
            let key = try object("a key")
            entries.append((key, try optionalObject("the value of a key")))
        }
        return entries
    }

    fileprivate mutating func attributedString() throws(TypedStreamError) -> TypedStreamContent {
        let parts = try attributedParts()
        return .attributedString(parts.object, runs: parts.runs, attributes: parts.attributes)
    }

    /// The parts of an attributed string.
    fileprivate struct AttributedParts {
        let object: TypedStreamObject
        let text: String
        var runs: [AttributedText.StoredRun] = []
        var attributes: [TypedStreamObject] = []
    }

    fileprivate mutating func attributedParts() throws(TypedStreamError) -> AttributedParts {
        let object = try object("the text of an attributed string")
        var parts = AttributedParts(object: object, text: try object.string() ?? "")
        try readRuns(of: parts.text, &parts.runs, &parts.attributes)
        return parts
    }

    /// Reads the runs of an attributed string, which have to cover its text exactly.
    private mutating func readRuns(
        of text: String, _ runs: inout [AttributedText.StoredRun],
        _ attributes: inout [TypedStreamObject]
    ) throws(TypedStreamError) {
        let total = text.utf16.count
        let isASCII = total == text.utf8.count
        var end = 0
        var index = text.startIndex
        while let group = nextGroup() {
            guard group.hasEncoding("iI") else { throw fail("expected a group iI as a run") }
            var values = group.flatValues
            guard case .integer(let number)? = values.next()?.content,
                case .unsigned(let length)? = values.next()?.content
            else { throw fail("expected a run") }
            guard number > 0, number <= attributes.count + 1 else {
                throw fail(
                    "expected the number of attributes from 1 to \(attributes.count + 1), found \(number)"
                )
            }
            guard length > 0, length <= total - end else {
                throw fail("expected a run of 1 to \(total - end) UTF-16 units, found \(length)")
            }
            if number > attributes.count {
                attributes.append(try object("the attributes of a run"))
            }
            if !isASCII {
                index = text.utf16.index(index, offsetBy: Int(length))
                guard index.samePosition(in: text.unicodeScalars) != nil else {
                    throw fail("expected a run that ends between characters, found one within")
                }
            }
            end += Int(length)
            runs.append(
                AttributedText.StoredRun(
                    end: end, length: Int(length), attributes: Int(number) - 1))
        }
        guard end == total else {
            throw fail("expected runs of \(total) UTF-16 units, found \(end)")
        }
    }

    fileprivate mutating func color() throws(TypedStreamError) -> TypedStreamContent {
        guard case .integer(let kind) = try value("c", "the kind of a color") else {
            throw fail("expected the kind of a color")
        }
        switch kind {
        case 1, 2: return .color(kind: Int(kind), components: try reals("ffff"))
        case 3, 4: return .color(kind: Int(kind), components: try reals("ff"))
        case 5: return .color(kind: Int(kind), components: try reals("fffff"))
        case 6:
            var values = try group("@@@", "a color by name")
            guard let catalog = values.next()?.object, let name = values.next()?.object else {
                throw fail("expected the name of a color, found nil")
            }
            return .catalogColor(catalog: catalog, name: name, fallback: values.next()?.object)
        default: throw fail("expected a kind of color from 1 to 6, found \(kind)")
        }
    }

    private mutating func reals(_ encoding: StaticString) throws(TypedStreamError) -> [Float] {
        var values = try group(encoding, "the components of a color")
        var reals: [Float] = []
        while let value = values.next() {
            if case .float(let real) = value.content { reals.append(real) }
        }
        return reals
    }

    fileprivate mutating func font() throws(TypedStreamError) -> TypedStreamContent {
        guard let name = OldPropertyList.text(try data()) else {
            throw fail("expected the name of a font as an old property list")
        }
        guard case .float(let size) = try value("f", "the size of a font") else {
            throw fail("expected the size of a font")
        }
        for _ in 0..<4 { _ = try value("c", "a flag of a font") }
        return .font(name: name, size: Double(size))
    }
}

extension TypedStreamValue {
    /// The object that the value is; nil for nil and other values.
    fileprivate var object: TypedStreamObject? {
        if case .object(let object) = content { return object }
        return nil
    }
}

extension TypedStreamGroup {
    /// Whether the group is one array of characters.
    fileprivate var isBytes: Bool { encoding?.bytes.first == TypeCode.array }
}

/// The property lists of NeXTSTEP that fonts are written with: little-endian, whatever the order of the stream.
///
/// A string is a number of 4 bytes, 5 for 8-bit text or 6 for UTF-16 with a byte order mark; the length in bytes,
/// also of 4 bytes; and the text, filled up with zeros to a multiple of 4.
private enum OldPropertyList {
    /// The text of a property list that is a string; nil for others, and for 8-bit text beyond ASCII.
    static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.count >= 8, let kind = number(bytes, 0), let length = number(bytes, 4),
            length <= bytes.count - 8
        else { return nil }
        let content = bytes.dropFirst(8)
        guard content.count - length < 4 else { return nil }
        let text = content.prefix(length)
        switch kind {
        case 5: return text.allSatisfy { $0 < 0x80 } ? String(decoding: text, as: UTF8.self) : nil
        case 6: return wide(text)
        default: return nil
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>, _ index: Int) -> Int? {
        let four = bytes.dropFirst(index).prefix(4)
        return Int(exactly: four.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    }

    private static func wide(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.count % 2 == 0, let first = bytes.first else { return nil }
        let isBigEndian = first == 0xFE
        let start = bytes.startIndex
        let units = (0..<bytes.count / 2).map { index in
            let pair = (UInt16(bytes[start + 2 * index]), UInt16(bytes[start + 2 * index + 1]))
            return isBigEndian ? pair.0 << 8 | pair.1 : pair.1 << 8 | pair.0
        }
        guard units.first == 0xFEFF else { return nil }
        let text = String(decoding: units.dropFirst(), as: UTF16.self)
        return text.utf16.elementsEqual(units.dropFirst()) ? text : nil
    }
}

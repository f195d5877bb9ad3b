// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ValidText

// The groups of an object, for each class and version with a known form:
//
// | class, version | groups |
// |---|---|
// | `NSString`, `NSMutableString`, 1 | `+`: UTF-8 |
// | `NSData`, `NSMutableData`, 0 | `i`: the length; `[nc]` |
// | `NSArray`, `NSMutableArray`, 0 | `i`: the count; `@` for each element |
// | `NSSet`, `NSMutableSet`, 0 | `I`: the count; `@` for each element |
// | `NSDictionary`, `NSMutableDictionary`, 0 | `i`: the count; `@` for each key and value in turn |
// | `NSNumber`, 0 | `*`: a type encoding; then a group with that encoding, of one number |
// | `NSValue`, 0 | `*`: a type encoding; a group with it |
// | `NSDate`, 0 | `d`: seconds since 2001 |
// | `NSURL`, 0 | `c`: 1 for a URL with a base; if so `@`: the base; `@`: the text |
// | `NSNull`, 0 | none |
// | `NSAttributedString`, `NSMutableAttributedString`, 0 | `@`: the text; the runs, as below |
// | `NSColor`, 0 | `c`: the kind; 1, 2: `ffff`; 3, 4: `ff`; 5: `fffff`; 6: `@@@` |
// | `NSFont`, 21, 30 | `i`, `[nc]`: the name as an old property list; `f`: the size; four `c` |
//
// A run of an attributed string is a group `iI`: the index of its attributes, counted from 1, and
// its length in UTF-16 code units. If the index is new, a group `@` with the dictionary of the
// attributes follows.
//
// Source: streams that Apple's software wrote. Color kinds 2, 4 and 5 and version 21 of fonts are
// known only from the documentation of other readers. The form depends on the version, so objects
// of other versions are available only as groups.

/// The content of an object whose class has a known form.
///
/// No class, font or color is looked up or instantiated. Names are plain strings.
public enum TypedStreamContent: Sendable {
    /// `NSNull`.
    case null
    /// `NSString` or its mutable subclass, or nil for a string that was initialized from nil.
    case string(String?)
    /// `NSNumber`: `.integer`, `.unsigned`, `.boolean`, `.float` or `.double`.
    case number(TypedStreamValue.Content)
    /// `NSValue`: a type encoding and a value of that type.
    case value(encoding: TypedStreamString, TypedStreamValue)
    /// `NSData` or its mutable subclass.
    case data(ArraySlice<UInt8>)
    /// `NSDate`, in seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    /// `NSURL`: its text, and the base URL if it is relative.
    case url(TypedStreamObject, base: TypedStreamObject?)
    /// `NSArray` or its mutable subclass. An element is nil if the stream contains nil in its
    /// place.
    case array([TypedStreamObject?])
    /// `NSSet` or its mutable subclass.
    case set([TypedStreamObject?])
    /// `NSDictionary` or its mutable subclass, in the order of the file.
    case dictionary([(key: TypedStreamObject, value: TypedStreamObject?)])
    /// `NSAttributedString` or its mutable subclass: the text, the runs that cover it, and the
    /// attribute dictionaries of the runs.
    case attributedString(
        TypedStreamObject, runs: [AttributedText.StoredRun], attributes: [TypedStreamObject])
    /// `NSColor` with components: its kind (1 to 5) and the components, alpha last.
    case color(kind: Int, components: [Float])
    /// A named `NSColor`, with the color to use if the name is unknown.
    case catalogColor(
        catalog: TypedStreamObject, name: TypedStreamObject, fallback: TypedStreamObject?)
    /// `NSFont`: the PostScript name, and the size in points.
    case font(name: String, size: Double)
}

/// The classes with a known form, by name and version.
private enum KnownClass {
    case null, string, number, value, data, date, url, array, set, dictionary, attributedString
    case color, font

    private static let names: [(text: StaticString, class: KnownClass)] = [
        ("NSNull", .null), ("NSString", .string), ("NSMutableString", .string),
        ("NSNumber", .number), ("NSValue", .value), ("NSData", .data), ("NSMutableData", .data),
        ("NSDate", .date), ("NSURL", .url), ("NSArray", .array), ("NSMutableArray", .array),
        ("NSSet", .set), ("NSMutableSet", .set), ("NSDictionary", .dictionary),
        ("NSMutableDictionary", .dictionary), ("NSAttributedString", .attributedString),
        ("NSMutableAttributedString", .attributedString), ("NSColor", .color), ("NSFont", .font),
    ]

    /// The names by length. Few names have the same length.
    private static let namesByLength = (0...25).map { length in
        names.filter { $0.text.utf8CodeUnitCount == length }
    }

    init?(_ class: TypedStreamClass) {
        let storage = `class`.storage
        let name = `class`.sharedName.place
        guard
            let known = Self.namesByLength[safe: name.count]?.first(where: {
                storage.source.bytes.isText($0.text, at: name)
            })?.class,
            known.hasVersion(`class`.version)
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
}

extension TypedStreamObject {
    /// Reads the content of the object. Returns nil for a class, or a version of a class, whose
    /// form is unknown.
    ///
    /// The class must match by its exact name. Objects of subclasses have other groups.
    ///
    /// - Complexity: Linear in the size of the object. Nested objects do not count, except for the
    ///   text of an attributed string.
    /// - Throws: `wrongKind` if the groups are not those that the class writes, `invalidString` for
    ///   text that is not UTF-8, and ``TypedStreamDocument/problem`` if a salvaged document ends
    ///   within the object.
    public func content() throws(TypedStreamError) -> TypedStreamContent? {
        var texts = SharedTexts()
        return try content(sharing: &texts)
    }

    /// Reads the content of the object.
    ///
    /// - Parameter texts: The cache for the document's texts. Pass the same one to each call, so that
    ///   all calls together take time linear in the size of the file.
    /// - Returns: The content, or nil for an unknown class or version.
    /// - Throws: The errors of ``content()``.
    package func content(
        sharing texts: inout SharedTexts
    ) throws(TypedStreamError) -> TypedStreamContent? {
        guard let known = KnownClass(self.class) else { return nil }
        var fields = FieldCursor(self)
        let content = try content(known, &fields, &texts)
        try fields.finish()
        return content
    }

    private func content(
        _ known: KnownClass, _ fields: inout FieldCursor, _ texts: inout SharedTexts
    ) throws(TypedStreamError) -> TypedStreamContent {
        switch known {
        case .null: .null
        case .string: .string(try fields.text().map(storage.text))
        case .number: try fields.number(&texts)
        case .value: try fields.boxedValue(&texts)
        case .data: .data(try fields.data())
        case .date: .date(try fields.seconds())
        case .url: try fields.url()
        case .array: .array(try fields.elements("i", "an array"))
        case .set: .set(try fields.elements("I", "a set"))
        case .dictionary: .dictionary(try fields.entries())
        case .color: try fields.color()
        case .font: try fields.font()
        case .attributedString: try fields.attributedString(&texts)
        }
    }

    /// Returns the text of a string, or nil for objects of other classes and for a nil string.
    ///
    /// - Throws: The errors of ``content()``.
    public func string() throws(TypedStreamError) -> String? {
        guard let place = try textPlace() else { return nil }
        return try storage.text(at: place)
    }

    /// Returns the byte range of a string's text, or nil for objects of other classes and for a nil
    /// string.
    fileprivate func textPlace() throws(TypedStreamError) -> Range<Int>? {
        guard case .string = KnownClass(self.class) else { return nil }
        var fields = FieldCursor(self)
        let place = try fields.text()
        try fields.finish()
        return place
    }

    /// Returns a cursor before the first run of an attributed string, or nil for objects of other
    /// classes.
    func runCursor() throws(TypedStreamError) -> RunCursor? {
        guard case .attributedString = KnownClass(self.class) else { return nil }
        return try RunCursor(FieldCursor(self), SharedTexts())
    }
}

/// A cursor that reads the runs of an attributed string, which must cover its text exactly.
struct RunCursor {
    /// The text of the attributed string.
    let text: TypedStreamObject
    /// The byte range of the text.
    let textPlace: Range<Int>
    fileprivate private(set) var fields: FieldCursor
    fileprivate private(set) var units: TextUnits
    /// The end of the last run, in UTF-16 code units.
    private var end = 0
    /// The number of attribute dictionaries before the next run.
    private var dictionaries = 0

    /// Creates a cursor before the first run, from a cursor before the first group of the
    /// attributed string.
    fileprivate init(
        _ fields: FieldCursor, _ texts: SharedTexts
    ) throws(TypedStreamError) {
        self.fields = fields
        text = try self.fields.objectGroup("the text of an attributed string")
        guard case .string = KnownClass(text.class) else {
            throw self.fields.fail(
                "expected a string as the text of an attributed string, found "
                    + "\(text.printableClassName) of version \(text.class.version)")
        }
        // A nil string is empty.
        textPlace = try text.textPlace() ?? 0..<0
        units = texts.units(of: text) ?? TextUnits(text.storage.source, at: textPlace)
    }

    /// Returns the next run, or nil after the last one. If no earlier run has the same attributes,
    /// also returns the attributes.
    mutating func next() throws(TypedStreamError)
        -> (run: AttributedText.StoredRun, attributes: TypedStreamObject?)?
    {
        if fields.isAtEnd {
            try finish()
            return nil
        }
        try fields.begin("iI", "a run")
        let number = try fields.integer()
        let length = try Int(clamping: fields.unsignedInteger())
        guard number > 0, number <= dictionaries + 1 else {
            throw fields.fail(
                "expected an attribute index from 1 to \(dictionaries + 1), found \(number)")
        }
        let left = units.count &- end
        guard left > 0 else {
            throw fields.fail(
                "expected no run after the end of the text, found a run of \(length) UTF-16 units")
        }
        guard length > 0, length <= left else {
            throw fields.fail(
                "expected a run of at least 1 and at most \(left) UTF-16 units, found \(length)")
        }
        end &+= length
        guard units.isBetweenCharacters(end, in: text.storage.source) else {
            throw fields.fail(
                "expected a run that ends between characters, found one that ends within a surrogate pair"
            )
        }
        let run = AttributedText.StoredRun(
            end: end, length: length, attributes: Int(number) - 1)
        if number <= dictionaries { return (run, nil) }
        dictionaries += 1
        return (run, try fields.objectGroup("the attributes of a run"))
    }

    private mutating func finish() throws(TypedStreamError) {
        try fields.finish()
        guard end == units.count else {
            throw fields.fail(
                "expected runs that cover \(units.count) UTF-16 units, found \(end)")
        }
    }
}

extension TypedStreamDocument.Storage {
    /// Returns the text at a byte range.
    ///
    /// - Throws: `invalidString` if the bytes are not UTF-8.
    func text(at place: Range<Int>) throws(TypedStreamError) -> String {
        if let text = String(validUTF8: source.bytes, at: place) { return text }
        throw TypedStreamError(.invalidString, "expected UTF-8 in a string", at: place.lowerBound)
    }
}

extension FieldCursor {
    /// Reads the byte range of a string's text, or nil for a nil value.
    mutating func text() throws(TypedStreamError) -> Range<Int>? {
        try begin("+", "the text of a string")
        return try bytes()
    }

    /// Reads a length, and then that number of bytes.
    fileprivate mutating func data() throws(TypedStreamError) -> ArraySlice<UInt8> {
        try begin("i", "the length of data")
        let length = try integer()
        guard let group = nextGroup() else { throw fail("expected the bytes of data, found none") }
        var values = group.values.makeIterator()
        guard case .bytes(let bytes)? = values.next()?.content, group.beginsWithArray,
            values.next() == nil
        else { throw fail("expected one array of characters as the bytes of data") }
        guard bytes.count == length else {
            throw fail("expected \(length) bytes of data, found \(bytes.count)")
        }
        return bytes
    }

    fileprivate mutating func seconds() throws(TypedStreamError) -> Double {
        try begin("d", "the seconds of a date")
        return try double()
    }

    /// Reads a type encoding, and then a group that has this encoding and one value.
    private mutating func boxed(
        _ texts: inout SharedTexts
    ) throws(TypedStreamError) -> (TypedStreamString, TypedStreamValue) {
        try begin("*", "the type of a value")
        guard let encoding = try cString() else {
            throw fail("expected the type of a value, found nil")
        }
        guard let group = nextGroup(), let found = group.encoding,
            texts.areEqual(found, encoding)
        else { throw fail("expected a group of the type named before it") }
        var values = group.values.makeIterator()
        guard let value = values.next(), values.next() == nil else {
            throw fail("expected one value of the type, found none or several")
        }
        return (encoding, value)
    }

    fileprivate mutating func boxedValue(
        _ texts: inout SharedTexts
    ) throws(TypedStreamError) -> TypedStreamContent {
        let (encoding, value) = try boxed(&texts)
        return .value(encoding: encoding, value)
    }

    fileprivate mutating func number(
        _ texts: inout SharedTexts
    ) throws(TypedStreamError) -> TypedStreamContent {
        let number = try boxed(&texts).1.content
        switch number {
        case .integer, .unsigned, .boolean, .float, .double: return .number(number)
        default: throw fail("expected a number, found a value of another type")
        }
    }

    fileprivate mutating func url() throws(TypedStreamError) -> TypedStreamContent {
        try begin("c", "the flag of a URL with a base")
        let flag = try character()
        guard flag == 0 || flag == 1 else {
            throw fail("expected 0 or 1 as the flag of a URL with a base, found \(flag)")
        }
        let base = flag == 1 ? try objectGroup("the base of a URL") : nil
        return .url(try objectGroup("the text of a URL"), base: base)
    }

    fileprivate mutating func elements(
        _ type: StaticString, _ what: StaticString
    ) throws(TypedStreamError) -> [TypedStreamObject?] {
        let count = try count(type, of: what)
        var elements: [TypedStreamObject?] = []
        for _ in 0..<count { elements.append(try optionalObjectGroup("an element")) }
        return elements
    }

    fileprivate mutating func entries() throws(TypedStreamError)
        -> [(key: TypedStreamObject, value: TypedStreamObject?)]
    {
        let count = try count("i", of: "a dictionary", groupsPerElement: 2)
        var entries: [(key: TypedStreamObject, value: TypedStreamObject?)] = []
        for _ in 0..<count {
            let key = try objectGroup("a key")
            entries.append((key, try optionalObjectGroup("the value of a key")))
        }
        return entries
    }

    fileprivate mutating func attributedString(
        _ texts: inout SharedTexts
    ) throws(TypedStreamError) -> TypedStreamContent {
        var cursor = try RunCursor(self, texts)
        // The text has been measured even if a run is invalid.
        defer { texts.keep(cursor.units, of: cursor.text) }
        var runs: [AttributedText.StoredRun] = []
        var attributes: [TypedStreamObject] = []
        while let (run, new) = try cursor.next() {
            runs.append(run)
            if let new { attributes.append(new) }
        }
        self = cursor.fields
        return .attributedString(cursor.text, runs: runs, attributes: attributes)
    }

    fileprivate mutating func color() throws(TypedStreamError) -> TypedStreamContent {
        try begin("c", "the kind of a color")
        let kind = Int(try character())
        switch kind {
        case 1, 2: return .color(kind: kind, components: try reals("ffff"))
        case 3, 4: return .color(kind: kind, components: try reals("ff"))
        case 5: return .color(kind: kind, components: try reals("fffff"))
        case 6:
            try begin("@@@", "a color by name")
            let catalog = try object("the catalog of a color")
            let name = try object("the name of a color")
            return .catalogColor(catalog: catalog, name: name, fallback: try optionalObject())
        default: throw fail("expected a kind of color from 1 to 6, found \(kind)")
        }
    }

    private mutating func reals(_ encoding: StaticString) throws(TypedStreamError) -> [Float] {
        try begin(encoding, "the components of a color")
        var reals: [Float] = []
        for _ in 0..<encoding.utf8CodeUnitCount { reals.append(try float()) }
        return reals
    }

    fileprivate mutating func font() throws(TypedStreamError) -> TypedStreamContent {
        guard let name = OldPropertyList.text(try data()) else {
            throw fail("expected a font name in a NeXTSTEP property list")
        }
        try begin("f", "the size of a font")
        let size = try float()
        for _ in 0..<4 {
            try begin("c", "a flag of a font")
            _ = try character()
        }
        return .font(name: name, size: Double(size))
    }
}

extension TypedStreamGroup {
    /// A Boolean value indicating whether the first type of the group is an array.
    fileprivate var beginsWithArray: Bool { encoding?.bytes.first == TypeCode.array }
}

/// The NeXTSTEP property lists that contain font names. They are little-endian in every stream.
///
/// A string consists of its kind (4 bytes: 5 for 8-bit text, 6 for UTF-16 with a byte order mark),
/// its length in bytes (4 bytes), and the text, padded with zeros to a multiple of 4 bytes.
private enum OldPropertyList {
    /// Returns the text of a property list that is a string. Returns nil for other property lists,
    /// for 8-bit text that is not ASCII, and for invalid UTF-16.
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

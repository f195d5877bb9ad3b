// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
internal import KeyedArchive
internal import PropertyList
internal import TypedStream
internal import ValidText

// Objects of known classes get the fields that they have in a keyed archive (`TypedStreamContent`
// lists the classes). For all other objects, and for roots that are not a single object, the key of
// a group consists of its index and its type encoding: `0 i`, `1 [12c]`. A group with one value
// becomes that value, and other groups become arrays. The object table also contains C strings.
// They are written where they are used, and their entries become `$null`.

/// An importer that converts a typedstream to a keyed archive.
struct TypedStreamImporter: ArchiveImporter {
    /// The maximum length of a type encoding in a key, in bytes. Longer encodings are truncated, so
    /// that a long encoding that many groups share cannot inflate the result.
    private static let longestEncoding = 32

    private let document: TypedStreamDocument
    private let salvages: Bool
    private var problems: [PropertyListError] = []
    private var texts = SharedTexts()

    static func document(
        _ bytes: [UInt8], _ limits: ParsingLimits, salvages: Bool
    ) throws(PropertyListError) -> PropertyListDocument {
        let streamLimits = TypedStreamLimits(depth: limits.depth, inputSize: limits.inputSize)
        let document: TypedStreamDocument
        do throws(TypedStreamError) {
            document =
                try salvages
                ? TypedStreamDocument(salvaging: bytes, limits: streamLimits)
                : TypedStreamDocument(parsing: bytes, limits: streamLimits)
        } catch {
            throw PropertyListError(error)
        }
        var importer = TypedStreamImporter(document, salvages: salvages)
        return try importer.document(bytes, limits)
    }

    private init(_ document: TypedStreamDocument, salvages: Bool) {
        self.document = document
        self.salvages = salvages
        problems = document.problem.map { [PropertyListError($0)] } ?? []
    }

    /// An entry of the object table of the stream.
    private enum Entry {
        case object(TypedStreamObject)
        case `class`(TypedStreamClass)
        case cString
    }

    /// The entries of the object table, in order.
    private var entries: [Entry] {
        let objects = document.objects
        let classes = document.classes
        let last = max(objects.last?.number ?? -1, classes.last?.number ?? -1)
        var entries = [Entry](repeating: .cString, count: last + 1)
        for object in objects { entries[object.number] = .object(object) }
        for `class` in classes { entries[`class`.number] = .class(`class`) }
        return entries
    }

    private mutating func document(
        _ bytes: [UInt8], _ limits: ParsingLimits
    ) throws(PropertyListError) -> PropertyListDocument {
        let entries = entries
        var output = ArchiveAssembler(bytes, limits, count: entries.count)
        output.begin()
        if let root = document.root {
            output.key(KeyedUnarchiver.rootKey)
            output.reference(Self.uid(root), at: root.byteRange)
        } else {
            write(document.groups, to: &output)
        }
        output.beginObjects()
        var budget = OperationBudget(limits: Self.chainLimits(limits), extent: entries.count)
        for entry in entries {
            switch entry {
            case .object(let object): try write(object, to: &output)
            case .class(let `class`): try Self.write(`class`, &budget, to: &output)
            case .cString: output.null()
            }
        }
        let facts = [
            ("byte order", document.byteOrder == .littleEndian ? "little-endian" : "big-endian"),
            ("streamer version", "\(document.streamerVersion)"),
            ("system version", "\(document.systemVersion)"),
        ]
        return try output.finish(format: "typedstream", facts: facts, problems: problems)
    }

    /// Returns the UID that an object of the stream has in the keyed archive.
    private static func uid(_ object: TypedStreamObject) -> PropertyListUID {
        PropertyListUID(UInt32(truncatingIfNeeded: object.number + 1))
    }

    private static func uid(_ object: TypedStreamObject?) -> PropertyListUID {
        object.map { uid($0) } ?? 0
    }

    private static func uid(_ class: TypedStreamClass) -> PropertyListUID {
        PropertyListUID(UInt32(truncatingIfNeeded: `class`.number + 1))
    }

    /// Returns the limits on the total number of classes in the chains of all class descriptions.
    /// Each description stores its whole chain, so a small file can expand to very many classes.
    /// The base of the limit is therefore at most 10,000.
    private static func chainLimits(_ limits: ParsingLimits) -> ParsingLimits {
        var limits = limits
        limits.expansion.base = min(limits.expansion.base, 10_000)
        return limits
    }

    /// Writes the description of a class. Each class of the chain is charged: a class of four bytes
    /// in the file can have a chain of 64 classes.
    private static func write(
        _ class: TypedStreamClass, _ budget: inout OperationBudget,
        to output: inout ArchiveAssembler
    ) throws(PropertyListError) {
        let names = `class`.chain.map(\.sharedName)
        try budget.visit(names.count)
        output.classDescription(names, at: `class`.byteRange)
    }

    // MARK: Objects

    private mutating func write(
        _ object: TypedStreamObject, to output: inout ArchiveAssembler
    ) throws(PropertyListError) {
        do throws(TypedStreamError) {
            if let content = try object.content(sharing: &texts) {
                return write(content, of: object, to: &output)
            }
        } catch {
            guard salvages else { throw PropertyListError(error) }
            // If the document itself has a problem, `problems` lists only that one.
            if document.problem == nil, problems.count < PropertyListDocument.problemLimit {
                problems.append(PropertyListError(error))
            }
        }
        begin(object, &output)
        write(object.groups, to: &output)
        output.end()
    }

    private func begin(_ object: TypedStreamObject, _ output: inout ArchiveAssembler) {
        output.beginObject(class: Self.uid(object.class), at: object.byteRange)
    }

    /// Writes an object of a known class. Immutable strings, numbers and data are plain values in a
    /// keyed archive.
    private func write(
        _ content: TypedStreamContent, of object: TypedStreamObject,
        to output: inout ArchiveAssembler
    ) {
        let range = object.byteRange
        let isMutable = object.class.name.utf8.starts(with: "NSMutable".utf8)
        switch content {
        case .string(let text?) where !isMutable:
            return output.stringObject(text, class: Self.uid(object.class), at: range)
        case .number(let number): return Self.write(number, at: range, to: &output)
        case .data(let bytes) where !isMutable: return output.data(bytes, at: range)
        default: break
        }
        begin(object, &output)
        writeFields(content, at: range, to: &output)
        output.end()
    }

    private func writeFields(
        _ content: TypedStreamContent, at range: Range<Int>, to output: inout ArchiveAssembler
    ) {
        switch content {
        case .null, .number, .string(nil): break
        case .string(let text?):
            output.key(FoundationField.string)
            output.string(text, at: range)
        case .data(let bytes):
            output.key(FoundationField.data)
            output.data(bytes, at: bytes.startIndex..<bytes.endIndex)
        case .date(let seconds):
            output.key(FoundationField.time)
            output.real(PropertyListReal(seconds), at: range)
        case .url(let text, let base):
            Self.write(FoundationField.base, base, to: &output)
            Self.write(FoundationField.relative, text, to: &output)
        case .array(let elements), .set(let elements):
            Self.write(FoundationField.objects, elements, to: &output)
        case .dictionary(let entries):
            Self.write(FoundationField.keys, entries.map(\.key), to: &output)
            Self.write(FoundationField.objects, entries.map(\.value), to: &output)
        case .value(let encoding, let value): writeValue(encoding, value, to: &output)
        case .attributedString(let text, let runs, let attributes):
            Self.writeText(text, runs, attributes, to: &output)
        case .color(let kind, let components):
            Self.writeColor(kind, components, at: range, to: &output)
        case .catalogColor(let catalog, let name, let fallback):
            output.key("NSColorSpace")
            output.integer(6, at: range)
            Self.write("NSCatalogName", catalog, to: &output)
            Self.write("NSColorName", name, to: &output)
            Self.write("NSColor", fallback, to: &output)
        case .font(let name, let size):
            let name = output.extraString(name)
            output.key("NSName")
            output.reference(name, at: range)
            output.key("NSSize")
            output.real(PropertyListReal(size), at: range)
        }
    }

    private static func write(
        _ key: String, _ object: TypedStreamObject?, to output: inout ArchiveAssembler
    ) {
        output.key(key)
        output.reference(uid(object), at: object?.byteRange ?? 0..<0)
    }

    private static func write(
        _ key: String, _ objects: [TypedStreamObject?], to output: inout ArchiveAssembler
    ) {
        output.key(key)
        output.beginArray(at: 0..<0)
        for object in objects {
            output.reference(uid(object), at: object?.byteRange ?? 0..<0)
        }
        output.end()
    }

    private static func write(
        _ number: TypedStreamValue.Content, at range: Range<Int>, to output: inout ArchiveAssembler
    ) {
        switch number {
        case .integer(let value):
            output.integer(PropertyListInteger(value), at: range)
        case .unsigned(let value):
            output.integer(PropertyListInteger(value), at: range)
        case .boolean(let value): output.boolean(value, at: range)
        case .float(let value): output.real(PropertyListReal(value), at: range)
        case .double(let value): output.real(PropertyListReal(value), at: range)
        default: output.reference(0, at: range)
        }
    }

    // MARK: NSValue

    /// The geometric structures that have a special form in keyed archives, by name.
    private static let geometry: [String: (number: Int, key: String, shape: String, count: Int)] = [
        "_NSPoint": (1, "NS.pointval", "{n, n}", 2), "CGPoint": (1, "NS.pointval", "{n, n}", 2),
        "_NSSize": (2, "NS.sizeval", "{n, n}", 2), "CGSize": (2, "NS.sizeval", "{n, n}", 2),
        "_NSRect": (3, "NS.rectval", "{{n, n}, {n, n}}", 4),
        "CGRect": (3, "NS.rectval", "{{n, n}, {n, n}}", 4),
    ]

    /// The maximum length of a name in ``geometry``, in bytes.
    private static let longestGeometry = 8

    /// Returns the name of the structure that an encoding begins with. Returns nil for other
    /// encodings, and for a name that is longer than every name in ``geometry``.
    private static func shortStructureName(_ encoding: TypedStreamString) -> String? {
        let name = encoding.bytes.dropFirst().prefix(longestGeometry &+ 1)
        guard encoding.bytes.first == UInt8(ascii: "{"),
            let end = name.firstIndex(of: UInt8(ascii: "="))
        else { return nil }
        return String(decoding: name[..<end], as: UTF8.self)
    }

    private func writeValue(
        _ encoding: TypedStreamString, _ value: TypedStreamValue,
        to output: inout ArchiveAssembler
    ) {
        let range = value.byteRange
        if let name = Self.shortStructureName(encoding), let form = Self.geometry[name],
            let numbers = Self.reals(value), numbers.count == form.count
        {
            let text = output.extraString(GeometryText.text(numbers, of: form.shape))
            output.key(form.key)
            output.reference(text, at: range)
            output.key("NS.special")
            output.integer(PropertyListInteger(form.number), at: range)
            return
        }
        output.key(ArchiveFormat.unkeyedField(0))
        let type = output.extraString(encoding.text, shared: encoding.number)
        output.reference(type, at: range)
        output.key(ArchiveFormat.unkeyedField(1))
        write(value, to: &output)
    }

    /// Returns the numbers in a structure of real numbers, or nil for other values. Recursion is
    /// safe: types nest at most 16 levels deep.
    private static func reals(_ value: TypedStreamValue) -> [Double]? {
        switch value.content {
        case .float(let real): return [Double(real)]
        case .double(let real): return [real]
        case .structure(let fields):
            var numbers: [Double] = []
            for field in fields {
                guard numbers.count < 4, let inner = reals(field) else { return nil }
                numbers += inner
            }
            return numbers
        default: return nil
        }
    }

    // MARK: Attributed strings

    private static func writeText(
        _ text: TypedStreamObject, _ runs: [AttributedText.StoredRun],
        _ attributes: [TypedStreamObject], to output: inout ArchiveAssembler
    ) {
        write("NSString", text, to: &output)
        if attributes.isEmpty { return }
        guard attributes.count > 1 || runs.count > 1 else {
            return write("NSAttributes", attributes.first, to: &output)
        }
        let table = output.extraArray(attributes.map { uid($0) })
        let info = output.extraData(packed(runs))
        output.key("NSAttributes")
        output.reference(table, at: 0..<0)
        output.key("NSAttributeInfo")
        output.reference(info, at: 0..<0)
    }

    /// Returns the runs in the form of keyed archives: the length and the attribute index of each
    /// run, as unsigned LEB128 integers.
    private static func packed(_ runs: [AttributedText.StoredRun]) -> [UInt8] {
        var bytes: [UInt8] = []
        for run in runs {
            for number in [run.length, run.attributes] {
                var rest = number
                while rest > 0x7F {
                    bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                    rest >>= 7
                }
                bytes.append(UInt8(truncatingIfNeeded: rest))
            }
        }
        return bytes
    }

    // MARK: Colors

    private static func writeColor(
        _ kind: Int, _ components: [Float], at range: Range<Int>,
        to output: inout ArchiveAssembler
    ) {
        output.key("NSColorSpace")
        output.integer(PropertyListInteger(kind), at: range)
        output.key(kind < 3 ? "NSRGB" : kind < 5 ? "NSWhite" : "NSCMYK")
        let isOpaque = components.last == 1
        let shown = isOpaque ? components.dropLast() : components[...]
        let text = shown.map(text).joined(separator: " ")
        output.data(Array((text + "\0").utf8)[...], inPlace: false, at: range)
    }

    /// Returns a component as text. The text has a fraction only if the component has one.
    private static func text(_ component: Float) -> String {
        let text = component.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    // MARK: Groups

    private func write(_ groups: TypedStreamGroups, to output: inout ArchiveAssembler) {
        for (index, group) in groups.enumerated() {
            output.key("\(index) " + Self.shortened(group.encoding))
            let values = Array(group.values.prefix(2))
            if values.count == 1 {
                write(values[0], to: &output)
            } else {
                output.beginArray(at: group.byteRange)
                for value in group.values { write(value, to: &output) }
                output.end()
            }
        }
    }

    private static func shortened(_ encoding: TypedStreamString?) -> String {
        guard let bytes = encoding?.bytes else { return "@" }
        let head = String(decoding: bytes.prefix(longestEncoding), as: UTF8.self)
        return bytes.count > longestEncoding ? head + "…" : head
    }

    /// Writes a value. Recursion is safe: types nest at most 16 levels deep.
    private func write(_ value: TypedStreamValue, to output: inout ArchiveAssembler) {
        let range = value.byteRange
        switch value.content {
        case .null: output.reference(0, at: range)
        case .integer, .unsigned, .boolean, .float, .double:
            Self.write(value.content, at: range, to: &output)
        case .bytes(let bytes):
            if value.typeCode == "+", let text = String(validUTF8: bytes) {
                output.string(text, at: range)
            } else {
                output.data(bytes, at: range)
            }
        case .string(let string), .cString(let string):
            output.string(string.text, shared: string.number, at: range)
        case .class(let `class`):
            output.string(`class`.name, shared: `class`.sharedName.number, at: range)
        case .object(let object): output.reference(Self.uid(object), at: range)
        case .array(let values), .structure(let values):
            output.beginArray(at: range)
            for value in values { write(value, to: &output) }
            output.end()
        }
    }
}

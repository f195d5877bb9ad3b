// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
internal import KeyedArchive
internal import NIBArchive
internal import PropertyList
internal import ValidText

// Keys and classes are the same as in keyed archives, with these exceptions:
//
// | in a NIBArchive | in a keyed archive |
// |---|---|
// | `NSString`, `NSMutableString`, `NSData`, `NSMutableData`: `NS.bytes` | the plain value; `NS.string` or `NS.data` if mutable |
// | `NSNumber`: `NS.intval`, `NS.dblval`, `NS.boolval` | the plain value |
// | `NSArray`, `NSSet` and their mutable subclasses: `NSInlinedValue`, `UINibEncoderEmptyKey` for each element | `NS.objects` |
// | `NSDictionary`, `NSMutableDictionary`: the same, keys and values in turn | `NS.keys`, `NS.objects` |
// | a fallback class | a class hint |
// | a key that begins with `$` | the key with another `$` before it, as `NSKeyedArchiver` writes it |
//
// Source: archives that Apple's software wrote.

/// An importer that converts a NIBArchive to a keyed archive. An object whose values do not have
/// the form of its class keeps all of them as fields.
struct NIBArchiveImporter: ArchiveImporter {
    private static let format = "NIBArchive"

    /// A key of the file. Many values can share a long key, so the text of each key is read only
    /// once.
    private struct Key {
        let text: String
        let meaning: Meaning?
        /// The index of the first key with the same text. A file may list a key twice.
        let first: Int
        /// The number of the key in the document, or nil before it is written.
        var number: Int?
    }

    /// The keys whose values have another form in a keyed archive.
    private enum Meaning: String, CaseIterable {
        case element = "UINibEncoderEmptyKey"
        case isInlined = "NSInlinedValue"
        case bytes = "NS.bytes"
        case integer = "NS.intval"
        case real = "NS.dblval"
        case boolean = "NS.boolval"
    }

    /// The classes whose objects have another form in a keyed archive.
    private enum KnownClass: String, CaseIterable {
        case string = "NSString"
        case mutableString = "NSMutableString"
        case data = "NSData"
        case mutableData = "NSMutableData"
        case number = "NSNumber"
        case array = "NSArray"
        case mutableArray = "NSMutableArray"
        case set = "NSSet"
        case mutableSet = "NSMutableSet"
        case dictionary = "NSDictionary"
        case mutableDictionary = "NSMutableDictionary"
    }

    private let document: NIBArchiveDocument
    private let salvages: Bool
    private var keys: [Key]
    /// The known classes, by class index.
    private let classes: [KnownClass?]
    private var problems: [PropertyListError] = []

    static func document(
        _ bytes: [UInt8], _ limits: ParsingLimits, salvages: Bool
    ) throws(PropertyListError) -> PropertyListDocument {
        let nibLimits = NIBArchiveLimits(inputSize: limits.inputSize)
        let document: NIBArchiveDocument
        do throws(NIBArchiveError) {
            document = try NIBArchiveDocument(
                parsing: bytes, allowingTrailingBytes: salvages, limits: nibLimits)
        } catch {
            throw PropertyListError(error)
        }
        var importer = NIBArchiveImporter(document: document, salvages: salvages)
        return try importer.document(bytes, limits)
    }

    private init(document: NIBArchiveDocument, salvages: Bool) {
        self.document = document
        self.salvages = salvages
        var indices: [ExactText: Int] = [:]
        keys = document.keys.enumerated().map { index, text in
            let first = indices[ExactText(text)] ?? index
            indices[ExactText(text)] = first
            return Key(text: text, meaning: Meaning(literally: text), first: first)
        }
        classes = document.classes.map { KnownClass(literally: $0.name) }
        let count = document.trailingBytes.count
        if count > 0 {
            let place = document.trailingBytes.startIndex
            problems = [
                PropertyListError(
                    .trailingData, of: Self.format,
                    "expected the end of the archive, found \(count) more bytes", place)
            ]
        }
    }

    private mutating func document(
        _ bytes: [UInt8], _ limits: ParsingLimits
    ) throws(PropertyListError) -> PropertyListDocument {
        let objects = document.objects
        let classes = document.classes
        var output = ArchiveAssembler(bytes, limits, count: objects.count + classes.count)
        output.begin()
        if objects.count > 0 {
            output.key(KeyedUnarchiver.rootKey)
            output.reference(1, at: 0..<0)
        }
        output.beginObjects()
        for object in objects { try write(object, to: &output) }
        for `class` in classes {
            // Genuine files have few fallbacks, so a long list is truncated.
            output.classDescription(
                [`class`], hints: Array(`class`.fallbacks.prefix(16)), at: `class`.byteRange)
        }
        return try output.finish(
            format: Self.format, facts: [("coder version", "\(document.coderVersion)")],
            problems: problems)
    }

    private func classReference(_ object: NIBArchiveObject) -> PropertyListUID {
        PropertyListUID(UInt32(truncatingIfNeeded: document.objects.count + object.class.index + 1))
    }

    private func knownClass(_ object: NIBArchiveObject) -> KnownClass? {
        classes[object.class.index]
    }

    private func meaning(of value: NIBArchiveValue) -> Meaning? { keys[value.keyIndex].meaning }

    private static func uid(_ object: NIBArchiveObject) -> PropertyListUID {
        PropertyListUID(UInt32(truncatingIfNeeded: object.index + 1))
    }

    // MARK: Objects

    private mutating func write(
        _ object: NIBArchiveObject, to output: inout ArchiveAssembler
    ) throws(PropertyListError) {
        let values = object.values
        let range = place(of: values)
        switch knownClass(object) {
        case .string, .number, .data:
            if values.count == 1, writePlain(values[values.startIndex], object, range, &output) {
                return
            }
        default: break
        }
        output.beginObject(class: classReference(object), at: range)
        try writeFields(of: object, to: &output)
        output.end()
    }

    private func place(of values: NIBArchiveValues) -> Range<Int> {
        guard let first = values.first, let last = values.last else { return 0..<0 }
        return first.byteRange.lowerBound..<last.byteRange.upperBound
    }

    /// Writes a string, a number or data as a plain value.
    ///
    /// - Returns: A Boolean value indicating whether the object had the form that its class writes.
    private func writePlain(
        _ value: NIBArchiveValue, _ object: NIBArchiveObject, _ range: Range<Int>,
        _ output: inout ArchiveAssembler
    ) -> Bool {
        switch (knownClass(object), meaning(of: value), value.content) {
        case (.string, .bytes, .data(let bytes)):
            guard let text = String(validUTF8: bytes) else { return false }
            output.stringObject(text, class: classReference(object), at: range)
        case (.data, .bytes, .data(let bytes)): output.data(bytes, at: range)
        case (.number, .integer, .integer(let number)):
            output.integer(PropertyListInteger(number), at: range)
        case (.number, .real, .double(let number)):
            output.real(PropertyListReal(number), at: range)
        case (.number, .boolean, .boolean(let truth)): output.boolean(truth, at: range)
        default: return false
        }
        return true
    }

    private mutating func writeFields(
        of object: NIBArchiveObject, to output: inout ArchiveAssembler
    ) throws(PropertyListError) {
        let values = object.values
        switch knownClass(object) {
        case .array, .mutableArray, .set, .mutableSet:
            if let elements = elements(of: values) {
                return Self.write(elements, FoundationField.objects, to: &output)
            }
        case .dictionary, .mutableDictionary:
            if let elements = elements(of: values), elements.count % 2 == 0 {
                let pairs = elements.enumerated()
                Self.write(
                    pairs.filter { $0.offset % 2 == 0 }.map(\.element), FoundationField.keys,
                    to: &output)
                Self.write(
                    pairs.filter { $0.offset % 2 == 1 }.map(\.element), FoundationField.objects,
                    to: &output)
                return
            }
        case .mutableString, .mutableData:
            if values.count == 1, writeContent(values[values.startIndex], object, to: &output) {
                return
            }
        default: break
        }
        try writeAll(values, to: &output)
    }

    private func writeContent(
        _ value: NIBArchiveValue, _ object: NIBArchiveObject, to output: inout ArchiveAssembler
    ) -> Bool {
        guard case .data(let bytes) = value.content, meaning(of: value) == .bytes else {
            return false
        }
        if knownClass(object) == .mutableData {
            output.key(FoundationField.data)
            output.data(bytes, at: value.byteRange)
            return true
        }
        guard let text = String(validUTF8: bytes) else { return false }
        output.key(FoundationField.string)
        output.string(text, at: value.byteRange)
        return true
    }

    private func isUnkeyed(_ value: NIBArchiveValue) -> Bool { meaning(of: value) == .element }

    /// Returns the elements of a collection, or nil if the values are not those of a collection.
    private func elements(of values: NIBArchiveValues) -> [NIBArchiveValue]? {
        guard let first = values.first, meaning(of: first) == .isInlined,
            case .boolean(true) = first.content
        else { return nil }
        let elements = values.dropFirst()
        let isList = elements.allSatisfy { value in
            guard isUnkeyed(value) else { return false }
            switch value.content {
            case .object, .null: return true
            default: return false
            }
        }
        return isList ? Array(elements) : nil
    }

    private static func write(
        _ elements: [NIBArchiveValue], _ key: String, to output: inout ArchiveAssembler
    ) {
        output.key(key)
        output.beginArray(at: 0..<0)
        for element in elements { write(element, to: &output) }
        output.end()
    }

    /// Writes values as fields. Values without a key of their own become an array. Repeated keys
    /// are errors, except in salvaging, which keeps the first value.
    private mutating func writeAll(
        _ values: NIBArchiveValues, to output: inout ArchiveAssembler
    ) throws(PropertyListError) {
        var known: Set<Int> = []
        let unkeyed = values.filter(isUnkeyed)
        for value in values {
            let key = keys[value.keyIndex]
            let isNew = known.insert(key.first).inserted
            if key.meaning == .element {
                if isNew { Self.write(unkeyed, key.text, to: &output) }
            } else if isNew {
                output.key(ArchiveKey.escaped(key.text), known: &keys[value.keyIndex].number)
                Self.write(value, to: &output)
            } else {
                try refuse(key.text, at: value.byteRange.lowerBound)
            }
        }
    }

    /// Throws or records the error for a key that occurs twice in an object.
    private mutating func refuse(_ key: String, at place: Int) throws(PropertyListError) {
        let name = TerminalText.escaped(String(key.unicodeScalars.prefix(64)))
        let error = PropertyListError(
            .duplicateKey, of: Self.format, "the key `\(name)` occurs twice in an object", place)
        guard salvages else { throw error }
        if problems.count < PropertyListDocument.problemLimit { problems.append(error) }
    }

    private static func write(_ value: NIBArchiveValue, to output: inout ArchiveAssembler) {
        let range = value.byteRange
        switch value.content {
        case .integer(let number):
            output.integer(PropertyListInteger(number), at: range)
        case .boolean(let truth): output.boolean(truth, at: range)
        case .float(let number): output.real(PropertyListReal(number), at: range)
        case .double(let number): output.real(PropertyListReal(number), at: range)
        case .data(let bytes): output.data(bytes, at: range)
        case .null: output.reference(0, at: range)
        case .object(let object): output.reference(uid(object), at: range)
        }
    }
}

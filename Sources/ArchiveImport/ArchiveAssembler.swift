// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
internal import PropertyList

/// A builder that creates the property list of a keyed archive from the objects of another format,
/// and records the byte range of each value in the file.
///
/// Call ``begin()``, add a key and a value for each root, and call ``beginObjects()``. Then add the
/// entries of `$objects` in order, and call ``finish(format:facts:problems:)``, which writes the
/// extra objects.
struct ArchiveAssembler: ~Copyable {
    private var builder: DocumentBuilder
    private var ranges: [Range<UInt32>] = []
    private let source: [UInt8]
    /// The shared strings of the file, by the number that identifies each within the file.
    private var sharedStrings: [Int: CompletedValue] = [:]
    /// The index in `$objects` of the next extra object.
    private var nextExtra: Int
    private var extras: [Extra] = []
    private var extraClasses: [String: PropertyListUID] = [:]
    /// The UIDs of the extra strings whose texts are shared strings of the file, by the numbers of
    /// these strings.
    private var extraStrings: [Int: PropertyListUID] = [:]

    /// An object of the keyed archive without a counterpart in the file.
    private enum Extra {
        case string(String)
        case data([UInt8])
        case array([PropertyListUID], class: PropertyListUID)
        case classDescription([String])
    }

    /// Creates an assembler. `count` is the number of entries of `$objects` that precede the extra
    /// objects, without the entry for nil. An importer without extra objects may pass 0.
    init(_ source: [UInt8], _ limits: ParsingLimits, count: Int) {
        self.source = source
        builder = DocumentBuilder(source: source, limits: limits)
        nextExtra = count + 1
    }

    /// Records a byte range for all values added since the last call.
    private mutating func note(_ range: Range<Int>) {
        let place =
            UInt32(
                truncatingIfNeeded: range.lowerBound)..<UInt32(truncatingIfNeeded: range.upperBound)
        while ranges.count < builder.recordCount { ranges.append(place) }
    }

    /// Begins the archive and the dictionary of its roots.
    mutating func begin() {
        builder.beginDictionary()
        builder.key(ArchiveFormat.versionKey)
        builder.integer(100_000)
        builder.key(ArchiveFormat.archiverKey)
        builder.string(ArchiveFormat.archiver)
        builder.key(ArchiveFormat.topKey)
        builder.beginDictionary()
        note(0..<0)
    }

    /// Ends the roots and begins `$objects` with the entry for nil.
    mutating func beginObjects() {
        builder.end()
        builder.key(ArchiveFormat.objectsKey)
        builder.beginArray()
        null()
    }

    /// Adds a `$null` entry, for nil or for an entry of the file's object table that is not an
    /// object.
    mutating func null() {
        builder.string(ArchiveFormat.null)
        note(0..<0)
    }

    /// Begins the object at a byte range of the file.
    mutating func beginObject(class: PropertyListUID, at range: Range<Int>) {
        builder.beginDictionary()
        note(range)
        builder.key(ArchiveFormat.classKey)
        builder.uid(`class`)
        note(0..<0)
    }

    /// Adds the description of a class. `names` are those of the class and its superclasses.
    mutating func classDescription<Name: ClassName>(
        _ names: [Name], hints: [Name] = [], at range: Range<Int>
    ) {
        builder.beginDictionary()
        note(range)
        builder.key(ArchiveFormat.classNameKey)
        string(names.first?.text ?? "", shared: names.first?.number ?? -1, at: range)
        builder.key(ArchiveFormat.classChainKey)
        builder.beginArray()
        for name in names { string(name.text, shared: name.number, at: 0..<0) }
        builder.end()
        if !hints.isEmpty {
            builder.key(ArchiveFormat.classHintsKey)
            builder.beginArray()
            for hint in hints { string(hint.text, shared: hint.number, at: hint.byteRange) }
            builder.end()
        }
        builder.end()
        note(0..<0)
    }

    /// Adds a string. `shared` is a number that identifies the string within the file, or -1 for a
    /// string without one. Strings with the same number become one shared value.
    mutating func string(_ text: @autoclosure () -> String, shared: Int, at range: Range<Int>) {
        if let known = sharedStrings[shared] { return builder.reference(to: known) }
        builder.string(text())
        note(range)
        if let value = builder.lastValue, shared >= 0 { sharedStrings[shared] = value }
    }

    /// Adds a string as an entry of `$objects`. `class` is the UID of the description of
    /// `NSString`, or nil if there is none yet. It is evaluated only for a text that needs a class.
    mutating func stringObject(
        _ text: String, class: @autoclosure () -> PropertyListUID? = nil, at range: Range<Int>
    ) {
        // A plain `$null` string would be read as nil. An `NSString` object that holds this text in
        // a field is read as a string.
        guard text.isLiterally(ArchiveFormat.null) else { return string(text, at: range) }
        let name =
            if let known = `class`() { known } else {
                extraClass([FoundationClass.string, FoundationClass.object])
            }
        beginObject(class: name, at: range)
        key(FoundationField.string)
        string(text, at: range)
        end()
    }

    // MARK: Values

    mutating func key(_ key: String) {
        builder.key(key)
        note(0..<0)
    }

    /// Adds a key that may occur many times in the file. `known` is the number of the key in the
    /// document. The first call reads the text and sets the number.
    mutating func key(_ text: @autoclosure () -> String, known: inout Int?) {
        builder.key(text(), known: &known)
        note(0..<0)
    }

    mutating func string(_ text: String, at range: Range<Int>) {
        builder.string(text)
        note(range)
    }

    mutating func integer(_ value: PropertyListInteger, at range: Range<Int>) {
        builder.integer(value)
        note(range)
    }

    mutating func real(_ value: PropertyListReal, at range: Range<Int>) {
        builder.real(value)
        note(range)
    }

    mutating func boolean(_ value: Bool, at range: Range<Int>) {
        builder.boolean(value)
        note(range)
    }

    /// Adds a null value, which occurs in plain property lists but not in keyed archives.
    mutating func noValue(at range: Range<Int>) {
        builder.null()
        note(range)
    }

    mutating func date(_ seconds: Double, at range: Range<Int>) {
        builder.date(PropertyListDate(secondsSince2001: seconds))
        note(range)
    }

    mutating func reference(_ uid: PropertyListUID, at range: Range<Int>) {
        builder.uid(uid)
        note(range)
    }

    /// Adds bytes, which are a slice of the file if `inPlace` is true.
    mutating func data(_ bytes: ArraySlice<UInt8>, inPlace: Bool = true, at range: Range<Int>) {
        if inPlace {
            builder.sourceData(bytes.startIndex..<bytes.endIndex)
        } else {
            builder.data(bytes)
        }
        note(range)
    }

    mutating func beginArray(at range: Range<Int>) {
        builder.beginArray()
        note(range)
    }

    mutating func beginSet(at range: Range<Int>) {
        builder.beginSet()
        note(range)
    }

    mutating func beginDictionary(at range: Range<Int>) {
        builder.beginDictionary()
        note(range)
    }

    mutating func end() { builder.end() }

    /// The latest value, for references to it.
    var lastValue: CompletedValue? { builder.lastValue }

    mutating func reference(to value: CompletedValue) { builder.reference(to: value) }

    // MARK: Extra objects

    private mutating func add(_ extra: Extra) -> PropertyListUID {
        extras.append(extra)
        defer { nextExtra += 1 }
        return PropertyListUID(UInt32(truncatingIfNeeded: nextExtra))
    }

    /// Adds an extra string and returns its UID. Extra objects are written after the objects of the
    /// file.
    mutating func extraString(_ text: String) -> PropertyListUID { add(.string(text)) }

    /// Returns the UID of the extra string whose text is the shared string with the number
    /// `shared`. The first call for a number adds the string.
    mutating func extraString(
        _ text: @autoclosure () -> String, shared: Int
    ) -> PropertyListUID {
        if let known = extraStrings[shared] { return known }
        let uid = extraString(text())
        extraStrings[shared] = uid
        return uid
    }

    /// Adds extra data and returns its UID.
    mutating func extraData(_ bytes: [UInt8]) -> PropertyListUID { add(.data(bytes)) }

    /// Adds an extra `NSArray` of objects and returns its UID.
    mutating func extraArray(_ objects: [PropertyListUID]) -> PropertyListUID {
        let name = extraClass([FoundationClass.array, FoundationClass.object])
        return add(.array(objects, class: name))
    }

    /// Returns the UID of the description of a class that the file does not describe. The first
    /// call for a class adds the description.
    mutating func extraClass(_ names: [String]) -> PropertyListUID {
        let name = names.first ?? ""
        if let known = extraClasses[name] { return known }
        let uid = add(.classDescription(names))
        extraClasses[name] = uid
        return uid
    }

    private mutating func write(_ extra: Extra) {
        switch extra {
        case .string(let text): stringObject(text, at: 0..<0)
        case .data(let bytes): builder.data(bytes)
        case .array(let objects, let name):
            beginObject(class: name, at: 0..<0)
            key(FoundationField.objects)
            builder.beginArray()
            for object in objects { builder.uid(object) }
            builder.end()
            builder.end()
        case .classDescription(let names):
            classDescription(names.map { OtherClassName(text: $0) }, at: 0..<0)
        }
        note(0..<0)
    }

    /// Returns the document.
    consuming func finish(
        format: String, facts: [(name: String, text: String)], problems: [PropertyListError]
    ) throws(PropertyListError) -> PropertyListDocument {
        // Writing a string may add the description of its class.
        var next = 0
        while next < extras.count {
            write(extras[next])
            next &+= 1
        }
        builder.end()
        builder.end()
        return try finishPlain(format: format, facts: facts, problems: problems)
    }

    /// Returns the document of a file that is a plain property list.
    consuming func finishPlain(
        format: String, facts: [(name: String, text: String)], problems: [PropertyListError]
    ) throws(PropertyListError) -> PropertyListDocument {
        let origin = DocumentOrigin(format: format, bytes: source, facts: facts, ranges: ranges)
        return try builder.finish(origin: origin, problems: problems)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
internal import CallStack
internal import PropertyList

/// The objects of an archive that is being written. Each is reserved (it has only a number), open,
/// or complete.
///
/// It is a value type, so each step of the writer is a single access to it.
struct ObjectTable {
    /// The innermost object under construction, to which fields are added.
    struct Open {
        /// Its number; nil for the roots.
        var number: UInt32?
        /// The index of its class among the written classes.
        var classIndex = 0
        /// The number of fields with a key.
        var step = 0
        /// The number of fields without a key.
        var unkeyedCount = 0
        /// The index of its first field among those of all open objects.
        var start = 0
    }

    /// A class with written objects.
    private struct WrittenClass {
        let archivedClass: ArchivedClass
        /// The number of its description, once one of its objects is complete.
        var number: UInt32?
        /// The keys of its objects, in order, with their nodes.
        var layout: [(key: KnownKey, node: UInt32)] = []
    }

    var assembler = GraphAssembler(sharesLeaves: true)
    // By object: its node, or one of two markers.
    private(set) var objects: [UInt32] = [promised]
    // The marker of an object that only has a number. Unless it is written later, it becomes nil.
    private static let promised = UInt32.max
    // The marker of an open object.
    private static let underConstruction = UInt32.max - 1

    // The first element is a placeholder for the roots, which have no class.
    private var classes = [WrittenClass(archivedClass: ArchivedClass(name: ""))]
    // Empty while there are few classes, which are searched linearly.
    private var classIndexes: [ArchivedClass: Int] = [:]
    private static let fewClasses = 8
    private(set) var open = Open()
    /// The nesting depth: the number of open objects.
    var depth = 0
    /// The stack that nested calls may use.
    var stack = StackSegment()
    // The fields of all open objects, grouped by object. The roots come first.
    var fields: [(key: UInt32, value: UInt32)] = []
    let classKey: UInt32
    // The maximum number of objects, and of copied fields and elements.
    let limit: Int

    private var instances = IdentityMap()
    // The copies of objects of other archives.
    private var copies: [ObjectIdentity: UInt32] = [:]
    var copiedParts: [ArchiveIdentity: CopiedParts] = [:]
    // The number of copied fields and elements.
    var copiedCount = 0
    // By the node of a string or number: the object for all equal values; 0 is none.
    private var plainObjects: [UInt32] = []
    /// The first error, after which nothing is added and nothing is output.
    private(set) var failure: (any Error)?
    /// A Boolean value indicating whether the archive is finished or has failed.
    private(set) var isClosed = false
    private let lastDuplicateKeyWins: Bool

    /// Creates an empty table. The limits bound the number of objects, because a small value can
    /// expand to many: a part that occurs in several values is written once for each of them.
    init(limits: ParsingLimits, lastDuplicateKeyWins: Bool) {
        self.lastDuplicateKeyWins = lastDuplicateKeyWins
        let (most, overflows) = limits.expansion.base.multipliedReportingOverflow(by: 16)
        limit = min(overflows ? .max : most, Int(clamping: Self.underConstruction))
        classKey = assembler.key(ArchiveFormat.classKey)
        // Enough for a small archive, so that its tables never grow.
        objects.reserveCapacity(48)
        fields.reserveCapacity(32)
        classes.reserveCapacity(Self.fewClasses)
    }

    @inline(never)
    func tooMany() -> KeyedArchiveError {
        KeyedArchiveError(
            .expansionLimitExceeded,
            what: "expected at most \(limit) objects or fields, found more",
            recovery: "raise `ParsingLimits.expansion` if the values are trusted")
    }

    private static var finished: KeyedArchiveError {
        KeyedArchiveError(
            .misuse, what: "the archive is finished", recovery: "create a new `KeyedArchiver`")
    }

    static func misuse(_ what: String) -> KeyedArchiveError {
        KeyedArchiveError(.misuse, what: what)
    }

    /// Records the first error. Its path grows while the enclosing calls return.
    @inline(never)
    mutating func fail(_ error: any Error, inside components: [PropertyListPath.Component] = []) {
        // Nothing would report the error, because a second `finish` throws another one.
        if isFinished { return }
        let first = failure ?? error
        failure = (first as? KeyedArchiveError)?.inside(components) ?? first
        isClosed = true
    }

    private var isFinished: Bool { isClosed && failure == nil }

    /// Returns the error for an object that is added after the archive has failed or is finished.
    @inline(never)
    private func closed() -> KeyedArchiveError {
        if isFinished { return Self.finished }
        return (failure as? KeyedArchiveError) ?? Self.misuse("an object could not be written")
    }
}

// MARK: - Numbers

extension ObjectTable {
    /// Reserves the next number.
    mutating func reserve() throws(KeyedArchiveError) -> UInt32 {
        if isClosed { throw closed() }
        guard objects.count < limit else { throw tooMany() }
        let number = UInt32(truncatingIfNeeded: objects.count)
        objects.append(Self.promised)
        return number
    }

    /// Returns whether an object is neither open nor complete.
    func isPromised(_ object: UInt32) -> Bool { objects[Int(object)] == Self.promised }

    /// Adds an object whose node is known.
    mutating func add(node: UInt32) throws(KeyedArchiveError) -> UInt32 {
        let number = try reserve()
        objects[Int(number)] = node
        return number
    }

    /// Returns the number of an instance, reserving one if it has none.
    mutating func objectNumber(of instance: AnyObject) throws(KeyedArchiveError) -> UInt32 {
        let slot = instances.slot(of: instance)
        if let known = slot.object { return known }
        let number = try reserve()
        instances.insert(instance, number, at: slot)
        return number
    }

    /// Returns the object of an instance, or of a part of a tree; nil if it has none.
    func object(of instance: AnyObject) -> UInt32? { instances.object(of: instance) }

    /// Records the object of a part of a tree.
    mutating func insert(_ part: AnyObject, _ object: UInt32) { instances.insert(part, object) }

    /// Returns the copy of an object of another archive; nil if it has none.
    func copy(of identity: ObjectIdentity) -> UInt32? { copies[identity] }

    /// Records the copy of an object of another archive.
    mutating func note(_ object: UInt32, for identity: ObjectIdentity) {
        copies[identity] = object
    }
}

// MARK: - Objects

extension ObjectTable {
    /// Opens an object, and returns the enclosing one.
    mutating func begin(_ object: UInt32, classIndex: Int) -> Open {
        let outer = open
        open = Open(number: object, classIndex: classIndex, start: fields.count)
        objects[Int(object)] = Self.underConstruction
        depth &+= 1
        return outer
    }

    /// Completes the open object, and makes `outer` the open one again.
    mutating func end(_ outer: Open) throws(KeyedArchiveError) {
        guard let number = open.number else { return }
        let classNumber = try describe(open.classIndex)
        if lastDuplicateKeyWins { dropDuplicates() }
        fields.append((classKey, assembler.uid(classNumber)))
        objects[Int(number)] = assembler.dictionary(fields, from: open.start)
        close(outer)
    }

    /// Discards the open object, which could not be written, and makes `outer` the open one again.
    mutating func abandon(_ outer: Open) { close(outer) }

    private mutating func close(_ outer: Open) {
        removeFields(from: open.start)
        open = outer
    }

    private mutating func removeFields(from start: Int) {
        // Removing the fields one by one takes fewer instructions than the general removal of a
        // range.
        while fields.count > start { fields.removeLast() }
    }

    /// Returns the name of a class by the number of its description.
    func className(_ number: UInt32) -> String? {
        classes.first { $0.number == number }?.archivedClass.name
    }

    /// Returns the index of a class among the written classes, adding it if it is new.
    mutating func classIndex(of archivedClass: ArchivedClass) -> Int {
        let known =
            classIndexes.isEmpty
            ? classes.dropFirst().firstIndex { $0.archivedClass == archivedClass }
            : classIndexes[archivedClass]
        if let known { return known }
        classes.append(WrittenClass(archivedClass: archivedClass))
        if !classIndexes.isEmpty {
            classIndexes[archivedClass] = classes.count - 1
        } else if classes.count > Self.fewClasses {
            for index in classes.indices.dropFirst() {
                classIndexes[classes[index].archivedClass] = index
            }
        }
        return classes.count - 1
    }

    /// Returns the number of a class's description, adding it if there is none.
    mutating func describe(_ classIndex: Int) throws(KeyedArchiveError) -> UInt32 {
        if let number = classes[classIndex].number { return number }
        let archivedClass = classes[classIndex].archivedClass
        let node =
            if let plain = description(archivedClass) { plain } else {
                try tree(archivedClass.value, .default)
            }
        let number = try add(node: node)
        classes[classIndex].number = number
        return number
    }

    /// Returns the node of a class's description; nil if the description has additional keys.
    private mutating func description(_ archivedClass: ArchivedClass) -> UInt32? {
        guard let listsChainFirst = archivedClass.listsChainFirst else { return nil }
        // The keys and values are temporarily appended to the fields of the open objects.
        let start = fields.count
        if !listsChainFirst { addName(of: archivedClass) }
        add(archivedClass.chain, ArchiveFormat.classChainKey)
        if listsChainFirst { addName(of: archivedClass) }
        add(archivedClass.hints, ArchiveFormat.classHintsKey)
        let node = assembler.dictionary(fields, from: start)
        removeFields(from: start)
        return node
    }

    private mutating func addName(of archivedClass: ArchivedClass) {
        let key = assembler.key(ArchiveFormat.classNameKey)
        fields.append((key, assembler.string(archivedClass.name)))
    }

    private mutating func add(_ names: [String]?, _ key: String) {
        guard let names else { return }
        let key = assembler.key(key)
        fields.append((key, assembler.array(names.map { assembler.string($0) })))
    }
}

// MARK: - Fields

extension ObjectTable {
    /// Adds a field to the open object, which must be `object`.
    @inline(__always)
    mutating func field(
        _ key: String, of object: UInt32?, _ value: (inout GraphAssembler) -> UInt32
    ) {
        if isClosed || open.number != object { return misplaced() }
        fields.append((keyNode(key), value(&assembler)))
    }

    private mutating func misplaced() {
        fail(
            KeyedArchiveError(
                .misuse, what: "an encoder is used outside the `encode(with:)` of its object",
                recovery: "use an encoder only within the `encode(with:)` that receives it"))
    }

    /// Returns the node of a key. Objects of one class usually have the same keys in the same
    /// order, so the node is cached by class and step, and one comparison is enough. It cannot be
    /// cached by shape, which is not known before the last key of an object.
    private mutating func keyNode(_ key: String) -> UInt32 {
        let step = open.step
        let classIndex = open.classIndex
        open.step &+= 1
        let count = classes[classIndex].layout.count
        if step < count, classes[classIndex].layout[step].key.isSame(as: key) {
            return classes[classIndex].layout[step].node
        }
        let isUnkeyedRoot = open.number == nil && ArchiveKey.isUnkeyed(key)
        let node = assembler.key(isUnkeyedRoot ? key : ArchiveKey.escaped(key))
        if step < count {
            classes[classIndex].layout[step] = (KnownKey(key), node)
        } else if step == count {
            if step == 0 { classes[classIndex].layout.reserveCapacity(8) }
            classes[classIndex].layout.append((KnownKey(key), node))
        }
        return node
    }

    /// Adds a value without a key to the open object, which must be `object`. Without a position,
    /// the value follows the unkeyed values that the object has already.
    mutating func unkeyedField(
        of object: UInt32?, at position: Int? = nil, _ value: (inout GraphAssembler) -> UInt32
    ) {
        if isClosed || open.number != object { return misplaced() }
        let position = position ?? open.unkeyedCount
        fields.append((assembler.key(ArchiveFormat.unkeyedField(position)), value(&assembler)))
        open.unkeyedCount = max(open.unkeyedCount, position &+ 1)
    }
}

// MARK: - Plain values

extension ObjectTable {
    /// Returns the object for text: an existing one for equal text if `uniquing`, otherwise a new
    /// one.
    mutating func string(_ text: String, uniquing: Bool) throws(KeyedArchiveError) -> UInt32 {
        try object(of: assembler.string(text), uniquing)
    }

    /// Returns the object for a number: an existing one for an equal number if `uniquing`,
    /// otherwise a new one.
    mutating func number(
        _ number: ArchivedNumber, uniquing: Bool
    ) throws(KeyedArchiveError) -> UInt32 {
        try object(of: assembler.number(number), uniquing)
    }

    /// Returns the object for a plain value. Equal values have the same node.
    private mutating func object(
        of node: UInt32, _ uniquing: Bool
    ) throws(KeyedArchiveError) -> UInt32 {
        guard uniquing else { return try add(node: node) }
        let place = Int(node)
        if place >= plainObjects.count {
            let count = max(place &+ 1, plainObjects.count &* 2, 32)
            plainObjects.append(contentsOf: repeatElement(0, count: count &- plainObjects.count))
        }
        if plainObjects[place] != 0 { return plainObjects[place] }
        let object = try add(node: node)
        plainObjects[place] = object
        return object
    }

    /// Adds an object for bytes.
    mutating func data(_ bytes: [UInt8]) throws(KeyedArchiveError) -> UInt32 {
        try add(node: assembler.data(bytes))
    }

    /// Returns the object for an instance that consists of bytes, such as an `NSData`. `bytes` is
    /// called for a new instance only.
    mutating func data(
        of instance: AnyObject, _ bytes: () -> [UInt8]
    ) throws(KeyedArchiveError) -> UInt32 {
        let number = try objectNumber(of: instance)
        if isPromised(number) { complete(number, node: assembler.data(bytes())) }
        return number
    }

    /// Adds a tree of plain values, and returns its node.
    mutating func tree(
        _ value: PropertyListValue, _ limits: ParsingLimits
    ) throws(KeyedArchiveError) -> UInt32 {
        do { return try assembler.value(value, limits: limits) } catch {
            throw KeyedArchiveError(error)
        }
    }

    /// Sets the node of a reserved object.
    mutating func complete(_ object: UInt32, node: UInt32) { objects[Int(object)] = node }
}

extension GraphAssembler {
    /// Returns the node of a number.
    mutating func number(_ number: ArchivedNumber) -> UInt32 {
        switch number {
        case .boolean(let value): boolean(value)
        case .integer(let value): integer(value)
        case .real(let value): real(value)
        }
    }
}

// MARK: - Finishing

extension ObjectTable {
    /// Finishes the archive, and returns it as a property list. The keys are in the order of
    /// current systems:
    ///
    ///     $version, $archiver, $top, $objects
    ///
    /// - Throws: the recorded error; `duplicateKey`, `misuse`, `invalidPropertyList`.
    mutating func finish(archiver: String) throws -> PropertyListDocument {
        if let failure { throw failure }
        if isClosed { throw closed() }
        // An object that is still open has no node yet.
        guard open.number == nil else {
            let error = KeyedArchiveError(
                .misuse, what: "the archive is finished within the `encode(with:)` of an object",
                recovery: "finish the archive after its last root")
            fail(error)
            throw error
        }
        isClosed = true
        if lastDuplicateKeyWins { dropDuplicates() }
        let null = assembler.string(ArchiveFormat.null)
        for number in objects.indices where objects[number] == Self.promised {
            objects[number] = null
        }
        let version = PropertyListInteger(ArchiveContents.supportedVersion)
        let parts = [
            (ArchiveFormat.versionKey, assembler.integer(version)),
            (ArchiveFormat.archiverKey, assembler.string(archiver)),
            (ArchiveFormat.topKey, assembler.dictionary(fields)),
            (ArchiveFormat.objectsKey, assembler.array(objects)),
        ]
        let root = assembler.dictionary(parts.map { (assembler.key($0.0), $0.1) })
        do { return try assembler.finish(root: root) } catch { throw duplicate(error) }
    }
}

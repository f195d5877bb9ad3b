// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
internal import PropertyList

/// The objects of an archive that is being written: those that have only a number yet, those that are
/// open, and those that are complete.
///
/// A value, so that each step of the writer is one access to it.
struct ObjectTable {
    /// The object that fields are added to.
    struct Open {
        /// Its number; nil for the roots.
        var number: UInt32?
        /// Its class, by its place among the classes.
        var classIndex = 0
        /// The number of fields so far.
        var step = 0
        /// The number of fields without a key.
        var unkeyedCount = 0
        /// Where its fields begin among those of all open objects.
        var start = 0
    }

    /// A class of which objects are written.
    private struct WrittenClass {
        let archivedClass: ArchivedClass
        /// The number of its description, once an object of it is complete.
        var number: UInt32?
        /// The keys that its objects were given, in order, with their nodes.
        var layout: [(key: KnownKey, node: UInt32)] = []
    }

    var assembler = GraphAssembler(sharesLeaves: true)
    // By object: its node, or one of two marks.
    private(set) var objects: [UInt32] = [promised]
    // The slot of an object that has been referred to conditionally only: nil, as things stand.
    private static let promised = UInt32.max
    // The slot of an object that is open.
    private static let underWay = UInt32.max - 1

    // The first stands for the roots, which have no class.
    private var classes = [WrittenClass(archivedClass: ArchivedClass(name: ""))]
    // Empty while there are few, which are searched one after the other.
    private var classIndexes: [ArchivedClass: Int] = [:]
    private static let fewClasses = 8
    private(set) var open = Open()
    // The fields of all open objects, each object's together; those of the roots are the first.
    var fields: [(key: UInt32, value: UInt32)] = []
    let classKey: UInt32
    // How many objects there may be, and fields that are copied.
    let limit: Int

    private var instances = IdentityMap()
    // What objects of other archives have become here.
    private var copies: [ObjectIdentity: UInt32] = [:]
    var copiedParts: [ArchiveIdentity: CopiedParts] = [:]
    // How many fields and elements of theirs.
    var copiedCount = 0
    // By the node of a string or a number: the object that stands for all that are equal; 0 is none.
    private var plainObjects: [UInt32] = []
    /// The first error, after which nothing is added and nothing is output.
    private(set) var failure: (any Error)?
    /// Whether the archive is finished or has failed.
    private(set) var isClosed = false
    private let lastDuplicateKeyWins: Bool

    /// Bounds what values that share parts can come to: they are written as often as they occur.
    init(limits: ParsingLimits, lastDuplicateKeyWins: Bool) {
        self.lastDuplicateKeyWins = lastDuplicateKeyWins
        let (most, overflows) = limits.expansion.base.multipliedReportingOverflow(by: 16)
        limit = min(overflows ? .max : most, Int(Self.underWay))
        classKey = assembler.key(ArchiveFormat.classKey)
    }

    @inline(never)
    func tooMany() -> KeyedArchiveError {
        KeyedArchiveError(
            .expansionLimitExceeded,
            what: "the values come to more than \(limit) objects or fields",
            recovery: "raise `ParsingLimits.expansion` if they are meant to")
    }

    private static var finished: KeyedArchiveError {
        KeyedArchiveError(
            .misuse, what: "the archive is finished", recovery: "make a new `KeyedArchiver`")
    }

    static func misuse(_ what: String) -> KeyedArchiveError {
        KeyedArchiveError(.misuse, what: what)
    }

    /// Keeps the first error. Its path grows while the calls around it return.
    @inline(never)
    mutating func fail(_ error: any Error, inside components: [PropertyListPath.Component] = []) {
        if isFinished { return }
        let first = failure ?? error
        failure = (first as? KeyedArchiveError)?.inside(components) ?? first
        isClosed = true
    }

    private var isFinished: Bool { isClosed && failure == nil }

    /// The error for an object that is added after the archive has failed or is finished.
    @inline(never)
    private func closed() -> KeyedArchiveError {
        if isFinished { return Self.finished }
        return (failure as? KeyedArchiveError) ?? Self.misuse("an object could not be written")
    }
}

// MARK: - Numbers

extension ObjectTable {
    /// The next number.
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

    /// The number of an instance, reserved if it has none yet.
    mutating func objectNumber(of instance: AnyObject) throws(KeyedArchiveError) -> UInt32 {
        if let known = instances.object(of: instance) { return known }
        let number = try reserve()
        instances.insert(instance, number)
        return number
    }

    /// Returns the object that an instance, or a part of a tree, has become.
    func object(of instance: AnyObject) -> UInt32? { instances.object(of: instance) }

    /// Notes what a part of a tree has become.
    mutating func insert(_ part: AnyObject, _ object: UInt32) { instances.insert(part, object) }

    /// Returns the object that an object of another archive has become here.
    func copy(of identity: ObjectIdentity) -> UInt32? { copies[identity] }

    /// Notes what an object of another archive has become here.
    mutating func note(_ object: UInt32, for identity: ObjectIdentity) {
        copies[identity] = object
    }
}

// MARK: - Objects

extension ObjectTable {
    /// Opens an object, and returns the one that was open.
    mutating func begin(_ object: UInt32, classIndex: Int) -> Open {
        let outer = open
        open = Open(number: object, classIndex: classIndex, start: fields.count)
        objects[Int(object)] = Self.underWay
        return outer
    }

    /// Completes the open object; `outer` is open again.
    mutating func end(_ outer: Open) throws(KeyedArchiveError) {
        guard let number = open.number else { return }
        let classNumber = try describe(open.classIndex)
        if lastDuplicateKeyWins { dropDuplicates() }
        fields.append((classKey, assembler.uid(classNumber)))
        objects[Int(number)] = assembler.dictionary(fields, from: open.start)
        close(outer)
    }

    /// Drops the open object, which could not be written; `outer` is open again.
    mutating func abandon(_ outer: Open) { close(outer) }

    private mutating func close(_ outer: Open) {
        fields.removeLast(fields.count &- open.start)
        open = outer
    }

    /// The name of a class by the number of its description.
    func className(_ number: UInt32) -> String? {
        classes.first { $0.number == number }?.archivedClass.name
    }

    /// The place of a class among those that are written.
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

    /// The number of a class's description, added now if there is none.
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

    /// The node of a class's description; nil where that has unusual keys.
    private mutating func description(_ archivedClass: ArchivedClass) -> UInt32? {
        guard let fields = archivedClass.fields else { return nil }
        var entries: [(key: UInt32, value: UInt32)] = []
        for field in fields {
            switch field {
            case .name(let name):
                entries.append((assembler.key(ArchiveFormat.classNameKey), assembler.string(name)))
            case .chain(let names):
                entries.append((assembler.key(ArchiveFormat.classChainKey), array(of: names)))
            case .hints(let names):
                entries.append((assembler.key(ArchiveFormat.classHintsKey), array(of: names)))
            }
        }
        return assembler.dictionary(entries)
    }

    private mutating func array(of names: [String]) -> UInt32 {
        let nodes = names.map { assembler.string($0) }
        return assembler.array(nodes)
    }
}

// MARK: - Fields

extension ObjectTable {
    /// Adds a field to the open object, if that is `object`.
    @inline(__always)
    mutating func field(
        _ key: String, of object: UInt32?, _ value: (inout GraphAssembler) -> UInt32
    ) {
        if isClosed || open.number != object { return misplaced() }
        fields.append((keyNode(key), value(&assembler)))
    }

    private mutating func misplaced() {
        if isFinished { return fail(Self.finished) }
        fail(
            KeyedArchiveError(
                .misuse, what: "the encoder of another object than the innermost is used",
                recovery: "use an encoder only within the `encode(with:)` that is given it"))
    }

    /// The node of a key. Objects of one class have the same keys in the same order, so mostly one comparison is
    /// enough. It is by class and step, because the shape of an object is not known before its last key.
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
            classes[classIndex].layout.append((KnownKey(key), node))
        }
        return node
    }

    /// Adds a value without a key to the open object, if that is `object`.
    mutating func unkeyedField(
        of object: UInt32?, _ value: (inout GraphAssembler) -> UInt32
    ) {
        if isClosed || open.number != object { return misplaced() }
        fields.append(
            (assembler.key(ArchiveFormat.unkeyedField(open.unkeyedCount)), value(&assembler)))
        open.unkeyedCount &+= 1
    }
}

// MARK: - Plain values

extension ObjectTable {
    /// The object for text: one that has the same, or a new one.
    mutating func string(_ text: String, uniquing: Bool) throws(KeyedArchiveError) -> UInt32 {
        try object(of: assembler.string(text), uniquing)
    }

    /// The object for a number: one that is the same, or a new one.
    mutating func number(
        _ number: ArchivedNumber, uniquing: Bool
    ) throws(KeyedArchiveError) -> UInt32 {
        try object(of: assembler.number(number), uniquing)
    }

    /// The object for a plain value. Equal values are one node.
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

    /// A new object for bytes.
    mutating func data(_ bytes: [UInt8]) throws(KeyedArchiveError) -> UInt32 {
        try add(node: assembler.data(bytes))
    }

    /// The node of a tree of plain values.
    mutating func tree(
        _ value: PropertyListValue, _ limits: ParsingLimits
    ) throws(KeyedArchiveError) -> UInt32 {
        do { return try assembler.value(value, limits: limits) } catch {
            throw KeyedArchiveError(error)
        }
    }

    /// Gives a reserved object its node.
    mutating func complete(_ object: UInt32, node: UInt32) { objects[Int(object)] = node }
}

extension GraphAssembler {
    /// The node of a number.
    mutating func number(_ number: ArchivedNumber) -> UInt32 {
        switch number {
        case .boolean(let value): boolean(value)
        case .integer(let value): integer(value)
        case .real(let value): real(value)
        }
    }
}

// MARK: - The end

extension ObjectTable {
    /// The archive as a property list:
    ///
    ///     $version, $archiver, $top, $objects
    ///
    /// in the order of current systems.
    ///
    /// - Throws: the error that was kept; `misuse`, `invalidPropertyList`.
    mutating func finish(archiver: String) throws -> PropertyListDocument {
        if let failure { throw failure }
        if isClosed { throw closed() }
        isClosed = true
        if lastDuplicateKeyWins { dropDuplicates() }
        let null = assembler.string(ArchiveFormat.null)
        for number in objects.indices where objects[number] == Self.promised {
            objects[number] = null
        }
        let version = PropertyListInteger(ArchiveContents.version)
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

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// An archive that is being written: behind every ``KeyedEncoder``.
///
/// Numbers are given out as Apple's archiver does it: an object's slot when it is first referred to,
/// then its children's, then that of its class. Nothing is output before all of it is complete and
/// every class has been held against the registry.
public final class ArchiveWriter {
    private let registry: ClassRegistry
    private let options: KeyedArchiver.Options
    private let limits: ParsingLimits
    private var assembler = GraphAssembler()

    // By object: its node, or one of two marks.
    private var objects: [UInt32] = [promised]
    // The slot of an object that has been referred to conditionally only: nil, as things stand.
    private static let promised = UInt32.max
    // The slot of an object that is being written.
    private static let underWay = UInt32.max - 1
    private var classes: [ObjectIdentifier: WrittenClass] = [:]
    private var classNumbers: [ArchivedClass: UInt32] = [:]
    // By instance: its object. The instances are kept, so that no other takes the place of one.
    private var instances: [ObjectIdentifier: UInt32] = [:]
    private var keptInstances: [AnyObject] = []
    private var copies: [CopyKey: UInt32] = [:]
    private var strings: [String: UInt32] = [:]
    private var numbers: [ArchivedNumber: UInt32] = [:]

    // The fields of all open objects, each object's together; those of the roots are the first.
    private var keys: [UInt32] = []
    private var values: [UInt32] = []
    /// The number of the innermost open object; nil at the roots.
    private(set) var open: UInt32?
    private var depth = 0
    private var layoutStep = 0
    private var openClass: WrittenClass?
    private var rootClass = WrittenClass(ArchivedClass(name: ""), isAllowed: true)
    private var unkeyedCount = 0
    private var isFinished = false
    private var failure: KeyedArchiveError?
    private var stack = StackSegment()
    private lazy var classKey = assembler.key(ArchivedObject.classKey)

    /// A class of which objects are written.
    final class WrittenClass {
        let archivedClass: ArchivedClass
        let isAllowed: Bool
        /// The number of its description, once an object of it is complete.
        var number: UInt32?
        /// The keys that its objects were given, in order, with their nodes.
        var layout: [(key: String, node: UInt32)] = []

        init(_ archivedClass: ArchivedClass, isAllowed: Bool) {
            self.archivedClass = archivedClass
            self.isAllowed = isAllowed
        }
    }

    init(
        allowing registry: ClassRegistry, options: KeyedArchiver.Options, limits: ParsingLimits
    ) {
        self.registry = registry
        self.options = options
        self.limits = limits
    }
}

// MARK: - Objects

extension ArchiveWriter {
    /// Nil.
    public static var null: PropertyListUID { 0 }

    /// Makes a value a new object of its type's class.
    ///
    /// - Throws: `classNotAllowed`, `depthLimitExceeded`, and what the value's `encode(with:)` does.
    public func object<T: KeyedEncodable>(_ value: T) throws -> PropertyListUID {
        let written = try writtenClass(of: T.self)
        let number = try reserve()
        try fill(number, written, value.encode)
        return PropertyListUID(number)
    }

    /// Makes a value a new object of a class that its type does not tell.
    ///
    /// - Throws: as ``object(_:)``.
    public func object(
        of archivedClass: ArchivedClass, fields: (KeyedEncoder) throws -> Void
    ) throws -> PropertyListUID {
        let written = WrittenClass(
            archivedClass, isAllowed: registry.allows(archivedClass.name))
        try requireAllowed(written)
        let number = try reserve()
        try fill(number, written, fields)
        return PropertyListUID(number)
    }

    /// Makes an instance of a class an object, once.
    ///
    /// - Throws: as ``object(_:)``; `undeclaredSubclass`.
    public func instance<T: KeyedEncodable & AnyObject>(_ value: T) throws -> PropertyListUID {
        try instance(value, of: writtenClass(ofInstance: value), value.encode)
    }

    /// Makes an instance of a class an object of a class that its type does not tell, once.
    ///
    /// - Throws: as ``object(_:)``.
    func instance(
        _ value: AnyObject, of written: WrittenClass, _ fields: (KeyedEncoder) throws -> Void
    ) throws -> PropertyListUID {
        let number = try slot(of: value)
        if objects[Int(number)] == Self.promised { try fill(number, written, fields) }
        return PropertyListUID(number)
    }

    /// The number for an instance, reserved if it has none yet.
    func slot(of value: AnyObject) throws -> UInt32 {
        if let known = instances[ObjectIdentifier(value)] { return known }
        let number = try reserve()
        instances[ObjectIdentifier(value)] = number
        keep(value)
        return number
    }

    /// Keeps an instance that a number is known by.
    private func keep(_ instance: AnyObject) {
        if keptInstances.last !== instance { keptInstances.append(instance) }
    }

    /// Makes a value that is not an instance of a class an object once, by where it was read from; what
    /// is kept as it is of the same archive refers to the same object.
    func once(
        _ identity: ObjectIdentity, _ archive: () throws -> PropertyListUID
    ) throws -> PropertyListUID {
        let key = CopyKey(archive: ObjectIdentifier(identity.archive), object: identity.object)
        if let known = copies[key] { return PropertyListUID(known) }
        let uid = try archive()
        copies[key] = uid.value
        keep(identity.archive)
        return uid
    }

    /// Adds a plain value: a string, a number, data.
    func leaf(_ node: UInt32) throws -> PropertyListUID {
        let number = try reserve()
        objects[Int(number)] = node
        return PropertyListUID(number)
    }

    private func reserve() throws(KeyedArchiveError) -> UInt32 {
        if isFinished { throw Self.misuse("the archive is finished") }
        guard let number = UInt32(exactly: objects.count) else {
            throw Self.misuse("an archive holds at most \(UInt32.max) objects")
        }
        objects.append(Self.promised)
        return number
    }

    private func fill(
        _ number: UInt32, _ written: WrittenClass, _ fields: (KeyedEncoder) throws -> Void
    ) throws {
        if depth >= limits.depth { throw tooDeep() }
        if stack.isUsedUp {
            try onFreshStack { try fillHere(number, written, fields) }
        } else {
            try fillHere(number, written, fields)
        }
    }

    private func fillHere(
        _ number: UInt32, _ written: WrittenClass, _ fields: (KeyedEncoder) throws -> Void
    ) throws {
        let outer = (open, openClass, layoutStep, unkeyedCount)
        let start = keys.count
        (open, openClass, layoutStep, unkeyedCount) = (number, written, 0, 0)
        depth += 1
        objects[Int(number)] = Self.underWay
        defer {
            keys.removeSubrange(start...)
            values.removeSubrange(start...)
            depth -= 1
            (open, openClass, layoutStep, unkeyedCount) = outer
        }
        do { try fields(KeyedEncoder(self, object: number)) } catch {
            // Nothing is output that lacks a part, even if the caller goes on.
            let own = error as? KeyedArchiveError
            if failure == nil { failure = own ?? Self.misuse("an object could not be written") }
            throw error
        }
        let classNumber = try describe(written)
        keys.append(classKey)
        values.append(assembler.uid(classNumber))
        objects[Int(number)] = assembler.dictionary(keys: keys[start...], values: values[start...])
    }

    private func onFreshStack(_ body: () throws -> Void) throws {
        let outer = stack
        defer { stack = outer }
        var result: Result<Void, any Error>?
        let isDone = StackSegment.run { segment in
            self.stack = segment
            result = Result { try body() }
        }
        guard isDone, let result else { throw tooDeep() }
        try result.get()
    }
}

// MARK: - Classes

extension ArchiveWriter {
    private func writtenClass<T: KeyedEncodable>(
        of type: T.Type
    ) throws(KeyedArchiveError) -> WrittenClass {
        if let known = classes[ObjectIdentifier(type)] { return known }
        let written = newClass(type)
        try requireAllowed(written)
        classes[ObjectIdentifier(type)] = written
        return written
    }

    private func writtenClass<T: KeyedEncodable & AnyObject>(
        ofInstance value: T
    ) throws(KeyedArchiveError) -> WrittenClass {
        let type = type(of: value)
        if let known = classes[ObjectIdentifier(type)] { return known }
        let written = newClass(type)
        try requireAllowed(written)
        try requireDeclared(value, type)
        classes[ObjectIdentifier(type)] = written
        return written
    }

    private func newClass(_ type: any KeyedEncodable.Type) -> WrittenClass {
        if let name = registry.writtenName(of: type) {
            return WrittenClass(ArchivedClass(name: name, chain: nil), isAllowed: true)
        }
        let archivedClass = type.archivedClass
        let isAllowed = registry.allows(archivedClass.name)
        return WrittenClass(archivedClass, isAllowed: isAllowed)
    }

    private func requireAllowed(_ written: WrittenClass) throws(KeyedArchiveError) {
        if !written.isAllowed { throw .notAllowed(written.archivedClass.name, what: "a value") }
    }

    /// Checks that a class is allowed of which a plain value is.
    func requireAllowed(_ name: String) throws(KeyedArchiveError) {
        if !registry.allows(name) { throw .notAllowed(name, what: "a value") }
    }

    /// Checks that a subclass does not go by the name it inherits: it would be read as its superclass.
    private func requireDeclared<T: KeyedEncodable & AnyObject>(
        _ value: T, _ type: T.Type
    ) throws(KeyedArchiveError) {
        guard let parent = Mirror(reflecting: value).superclassMirror?.subjectType,
            let superclass = parent as? any KeyedEncodable.Type,
            superclass.archivedClass.name == type.archivedClass.name
        else { return }
        throw KeyedArchiveError(
            .undeclaredSubclass,
            what: "\(type) would be archived as \(type.archivedClass.name), which is \(superclass)",
            recovery: "override `archivedClass` in \(type)")
    }

    /// The number of a class's description, added now if there is none.
    private func describe(_ written: WrittenClass) throws -> UInt32 {
        if let number = written.number { return number }
        if let number = classNumbers[written.archivedClass] {
            written.number = number
            return number
        }
        let number = try reserve()
        objects[Int(number)] = try description(of: written.archivedClass)
        classNumbers[written.archivedClass] = number
        written.number = number
        return number
    }

    private func description(of archivedClass: ArchivedClass) throws(KeyedArchiveError) -> UInt32 {
        do { return try assembler.value(archivedClass.value, limits: limits) } catch {
            throw KeyedArchiveError(error)
        }
    }
}

// MARK: - Plain values

extension ArchiveWriter {
    /// Makes text an object; equal text is one object, unless the options say otherwise.
    func string(_ text: String) throws -> PropertyListUID {
        try requireAllowed("NSString")
        if options.uniquesValues, let known = strings[text] { return PropertyListUID(known) }
        // As it stands it would be nil: what is to be read as text has to be an object of its own.
        if text == ArchiveContents.null {
            return try object(of: "NSString") {
                try $0.encodeInline(.string(text), forKey: "NS.string")
            }
        }
        let uid = try leaf(assembler.string(text))
        if options.uniquesValues { strings[text] = uid.value }
        return uid
    }

    /// Makes a number an object; equal numbers of one kind are one object.
    func number(_ number: ArchivedNumber) throws -> PropertyListUID {
        try requireAllowed("NSNumber")
        if options.uniquesValues, let known = numbers[number] { return PropertyListUID(known) }
        let uid = try leaf(node(of: number))
        if options.uniquesValues { numbers[number] = uid.value }
        return uid
    }

    private func node(of number: ArchivedNumber) -> UInt32 {
        switch number {
        case .boolean(let value): assembler.boolean(value)
        case .integer(let value): assembler.integer(value)
        case .real(let value): assembler.real(value)
        }
    }

    /// Makes bytes an object.
    func data(_ bytes: some Sequence<UInt8>) throws -> PropertyListUID {
        try requireAllowed("NSData")
        return try leaf(assembler.data(bytes))
    }
}

// MARK: - Fields

extension ArchiveWriter {
    /// Adds a field to the open object, if that is `object`.
    func field(_ key: String, of object: UInt32?, _ value: (inout GraphAssembler) -> UInt32) {
        if isFinished || open != object {
            if failure == nil {
                failure = Self.misuse("the encoder of another object than the innermost is used")
            }
            return
        }
        keys.append(keyNode(key))
        values.append(value(&assembler))
    }

    /// The node of a key. Objects of one class have the same keys in the same order, so mostly one
    /// comparison is enough.
    private func keyNode(_ key: String) -> UInt32 {
        let written = openClass ?? rootClass
        let step = layoutStep
        layoutStep &+= 1
        if step < written.layout.count, written.layout[step].key == key {
            return written.layout[step].node
        }
        let node = assembler.key(ArchiveKey.escaped(key))
        if step < written.layout.count {
            written.layout[step] = (key, node)
        } else if step == written.layout.count {
            written.layout.append((key, node))
        }
        return node
    }

    /// Adds a value without a key to the open object, if that is `object`.
    func unkeyedField(of object: UInt32?, _ value: (inout GraphAssembler) -> UInt32) {
        field("", of: object, value)
        if failure != nil { return }
        keys[keys.count - 1] = assembler.key("$\(unkeyedCount)")
        unkeyedCount += 1
    }

    /// Adds a field that is a tree of plain values.
    func field(_ key: String, of object: UInt32?, tree: PropertyListValue) throws {
        var result: Result<UInt32, PropertyListError> = .success(0)
        field(key, of: object) { [limits] assembler in
            do throws(PropertyListError) {
                let node = try assembler.value(tree, limits: limits)
                result = .success(node)
                return node
            } catch {
                result = .failure(error)
                return 0
            }
        }
        if case .failure(let error) = result { throw KeyedArchiveError(error) }
    }
}

// MARK: - Objects that are kept as they are

extension ArchiveWriter {
    /// What is written of an object of another archive, and what is still to be.
    private struct CopyFrame {
        let object: UInt32
        let number: UInt32
        var references: [UInt32]
    }

    /// Copies an object of another archive with all that it refers to, each object once.
    ///
    /// - Throws: `classNotAllowed`.
    func copy(_ opaque: OpaqueObject) throws -> PropertyListUID {
        let source = opaque.archive
        var frames: [CopyFrame] = []
        let number = try begin(opaque.number, of: source, &frames)
        while let top = frames.indices.last {
            if let next = frames[top].references.popLast() {
                _ = try begin(next, of: source, &frames)
            } else {
                try complete(frames.removeLast(), of: source)
            }
        }
        return PropertyListUID(number)
    }

    /// The number for an object of another archive; where it is new, its frame is pushed.
    private func begin(
        _ object: UInt32, of source: OpaqueArchive, _ frames: inout [CopyFrame]
    ) throws -> UInt32 {
        let key = CopyKey(archive: ObjectIdentifier(source.identity), object: object)
        if let known = copies[key] { return known }
        if source.isNull(object) { return 0 }
        keep(source.identity)
        let number = try reserve()
        copies[key] = number
        if let archivedClass = source.archivedClass(of: object), !registry.keepsUnknownClasses {
            try requireAllowed(archivedClass.name)
        }
        frames.append(
            CopyFrame(
                object: object, number: number,
                references: source.references(of: object).reversed()))
        return number
    }

    /// Writes an object of another archive whose references all have their numbers.
    private func complete(_ frame: CopyFrame, of source: OpaqueArchive) throws {
        var value = try plainValue(of: source.node(of: frame.object))
        if let archivedClass = source.archivedClass(of: frame.object),
            case .dictionary(var fields) = value
        {
            let number = try describe(WrittenClass(archivedClass, isAllowed: true))
            for key in fields.keys where key != ArchivedObject.classKey {
                fields[key] = renumbered(fields[key] ?? .null, source)
            }
            fields[ArchivedObject.classKey] = .uid(PropertyListUID(number))
            value = .dictionary(fields)
        }
        do { objects[Int(frame.number)] = try assembler.value(value, limits: limits) } catch {
            throw KeyedArchiveError(error)
        }
    }

    private func plainValue(
        of node: PropertyListNode
    ) throws(KeyedArchiveError) -> PropertyListValue {
        do { return try node.value(limits: limits) } catch { throw KeyedArchiveError(error) }
    }

    /// A value that stands in an object, with the numbers of this archive.
    private func renumbered(
        _ value: PropertyListValue, _ source: OpaqueArchive
    ) -> PropertyListValue {
        switch value {
        case .uid(let uid):
            let key = CopyKey(archive: ObjectIdentifier(source.identity), object: uid.value)
            return .uid(PropertyListUID(copies[key] ?? 0))
        case .array(let elements):
            return .array(PropertyListArray(elements.map { renumbered($0, source) }))
        default: return value
        }
    }

    /// Adds fields of an object of another archive to the open object.
    func copyFields(_ fields: OpaqueFields, to object: UInt32?) throws {
        for key in fields.keys {
            let source = fields.archive
            guard let node = source.node(of: fields.object)[ArchiveKey.escaped(key)] else {
                continue
            }
            for reference in source.references(in: node) {
                _ = try copy(OpaqueObject(archive: source, number: reference))
            }
            try field(key, of: object, tree: renumbered(try plainValue(of: node), source))
        }
    }

    /// An object of another archive.
    struct CopyKey: Hashable {
        let archive: ObjectIdentifier
        let object: UInt32
    }
}

// MARK: - The end

extension ArchiveWriter {
    /// The archive as a property list:
    ///
    ///     $version, $archiver, $top, $objects
    ///
    /// in the order of current systems.
    ///
    /// - Throws: `misuse`, `invalidPropertyList`.
    func finish() throws(KeyedArchiveError) -> PropertyListDocument {
        if let failure { throw failure }
        if isFinished { throw Self.misuse("the archive is finished") }
        isFinished = true
        let null = assembler.string(ArchiveContents.null)
        let entries = objects.map { $0 == Self.promised ? null : $0 }
        let parts = [
            (
                ArchiveContents.versionKey,
                assembler.integer(PropertyListInteger(ArchiveContents.version))
            ),
            (ArchiveContents.archiverKey, assembler.string(options.archiver)),
            (ArchiveContents.topKey, assembler.dictionary(keys: keys[...], values: values[...])),
            (ArchiveContents.objectsKey, assembler.array(entries)),
        ]
        let keys = parts.map { assembler.key($0.0) }
        let root = assembler.dictionary(keys: keys[...], values: parts.map(\.1)[...])
        do { return try assembler.finish(root: root) } catch { throw KeyedArchiveError(error) }
    }

    private func tooDeep() -> KeyedArchiveError {
        KeyedArchiveError(
            .depthLimitExceeded,
            what: "more than \(depth) objects are nested, \(limits.depth) are allowed",
            recovery: "raise `ParsingLimits.depth` for the archiver, and for who reads it")
    }

    private static func misuse(_ what: String) -> KeyedArchiveError {
        KeyedArchiveError(.misuse, what: what)
    }
}

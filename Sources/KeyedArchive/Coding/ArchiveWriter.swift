// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
internal import CallStack
public import PropertyList

/// Writes the objects of one archive. Every ``KeyedEncoder`` of the archive refers to it.
///
/// Objects are numbered as Apple's archiver does: an object when it is first referred to, then its children,
/// then its class. Nothing is output until every object is complete and the registry allows every class.
public final class ArchiveWriter {
    private let registry: ClassRegistry
    let options: KeyedArchiver.Options
    let limits: ParsingLimits
    /// The values that the program hands to `encode(with:)` of its types.
    var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    /// The object that writes the archive by another protocol, if there is one.
    package weak var companion: AnyObject?
    /// A Boolean value that says whether classes are written that the registry does not allow.
    package var allowsEveryClass = false
    // Checking that each access is exclusive would cost as much as adding a field.
    @exclusivity(unchecked) private var uncheckedTable: ObjectTable

    // The classes that the type of the root consists of that is being written.
    private var askedFor = ClassRegistry()
    // Whether the value further out is one of any class: below, only the registry counts.
    private var isBelowAny = false
    private var types = TypeTable<WrittenType>()
    private var lastType: (id: ObjectIdentifier, written: WrittenType)?
    private let listsStrings: Bool
    private let listsNumbers: Bool
    private let listsData: Bool
    private var depth = 0
    private var stack = StackSegment()

    /// The known facts about a type whose values are written.
    private struct WrittenType {
        /// Its class, by its place in the table.
        let classIndex: Int
        let name: String
        let type: any KeyedEncodable.Type
        /// A Boolean value that says whether the registry allows it.
        let isListed: Bool
        /// A Boolean value that says whether the type of the root consists of it.
        let isAskedFor: Bool
    }

    init(
        allowing registry: ClassRegistry, options: KeyedArchiver.Options, limits: ParsingLimits
    ) {
        self.registry = registry
        self.options = options
        self.limits = limits
        unsafe uncheckedTable = ObjectTable(
            limits: limits, lastDuplicateKeyWins: options.lastDuplicateKeyWins)
        listsStrings = registry.allows(FoundationClass.string)
        listsNumbers = registry.allows(FoundationClass.number)
        listsData = registry.allows(FoundationClass.data)
    }
}

extension ArchiveWriter {
    /// The objects.
    var table: ObjectTable {
        // SAFETY: a writer is used by one thread, and no code of a program runs while its table is
        // changed, so that no access begins within another.
        @inline(__always) get { unsafe uncheckedTable }
        @inline(__always) _modify { yield unsafe &uncheckedTable }
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
        let written = try writtenType(T.self)
        let number = try table.reserve()
        try fill(number, written.classIndex) { try value.encode(with: $0) }
        return PropertyListUID(number)
    }

    /// Makes a value a new object of a class that its type does not tell.
    ///
    /// - Throws: as ``object(_:)``.
    public func object(
        of archivedClass: ArchivedClass, fields: (KeyedEncoder) throws -> Void
    ) throws -> PropertyListUID {
        try requireAllowed(archivedClass.name)
        let number = try table.reserve()
        try fill(number, table.classIndex(of: archivedClass), fields)
        return PropertyListUID(number)
    }

    /// Makes an instance of a class an object, once.
    ///
    /// - Throws: as ``object(_:)``; `undeclaredSubclass`.
    public func instance<T: KeyedEncodable & AnyObject>(_ value: T) throws -> PropertyListUID {
        let written = try writtenType(ofInstance: value)
        let number = try table.objectNumber(of: value)
        if table.isPromised(number) {
            try fill(number, written.classIndex) { try value.encode(with: $0) }
        }
        return PropertyListUID(number)
    }

    /// Makes an instance an object once, of the class and with the fields of a value that takes its place: an
    /// object that was renamed, split or simplified since. As `replacementObject(for:)` does it, and like there,
    /// every reference to the instance is one to the same object, also from the replacement itself.
    ///
    /// ```swift
    /// func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
    ///     try writer.instance(self) { StoredShape(of: self) }
    /// }
    /// ```
    ///
    /// - Throws: as ``object(_:)``, and what `replacement` throws.
    public func instance<Replacement: KeyedEncodable>(
        _ value: AnyObject, replacedBy replacement: () throws -> Replacement
    ) throws -> PropertyListUID {
        let number = try table.objectNumber(of: value)
        guard table.isPromised(number) else { return PropertyListUID(number) }
        let value = try replacement()
        let written = try writtenType(type(of: value))
        try fill(number, written.classIndex) { try value.encode(with: $0) }
        return PropertyListUID(number)
    }

    /// Makes a value that is not an instance of a class an object once, by where it was read from; what
    /// is kept as it is of the same archive refers to the same object.
    func once(
        _ identity: ObjectIdentity, as name: String, _ archive: () throws -> PropertyListUID
    ) throws -> PropertyListUID {
        // What stands for any class sees to its own.
        if name != AnyArchived.archivedClass.name { try requireAllowed(name) }
        if let known = table.copy(of: identity) { return PropertyListUID(known) }
        let uid = try archive()
        table.note(uid.value, for: identity)
        return uid
    }

    /// Makes a part of a tree an object of a class once: a tree may hold the same part many times.
    func once(
        _ part: AnyObject, _ className: String, _ archive: () throws -> PropertyListUID
    ) throws -> PropertyListUID {
        try requireAllowed(className)
        if let known = table.object(of: part) { return PropertyListUID(known) }
        let uid = try archive()
        table.insert(part, uid.value)
        return uid
    }

    func fill(
        _ number: UInt32, _ classIndex: Int, _ fields: (KeyedEncoder) throws -> Void
    ) throws {
        if depth >= limits.depth { throw tooDeep() }
        guard stack.isUsedUp else { return try fillHere(number, classIndex, fields) }
        let error = KeyedArchiveError.stackExceeded(depth)
        try StackSegment.run(for: self, \.stack, orThrow: error) {
            try fillHere(number, classIndex, fields)
        }
    }

    private func fillHere(
        _ number: UInt32, _ classIndex: Int, _ fields: (KeyedEncoder) throws -> Void
    ) throws {
        let outer = table.begin(number, classIndex: classIndex)
        depth += 1
        defer { depth -= 1 }
        // Nothing is output that lacks a part, even if the caller goes on.
        do { try fields(KeyedEncoder(self, object: number)) } catch { table.fail(error) }
        if let failure = table.failure {
            table.abandon(outer)
            throw failure
        }
        try table.end(outer)
    }

    private func tooDeep() -> KeyedArchiveError {
        KeyedArchiveError(
            .depthLimitExceeded,
            what: "expected at most \(limits.depth) nested objects, found more",
            recovery: "raise `ParsingLimits.depth` for the archiver, and for the unarchiver")
    }
}

// MARK: - Classes

extension ArchiveWriter {
    private func writtenType<T: KeyedEncodable>(
        _ type: T.Type
    ) throws(KeyedArchiveError) -> WrittenType {
        try writtenType(type) { () throws(KeyedArchiveError) in }
    }

    private func writtenType<T: KeyedEncodable & AnyObject>(
        ofInstance value: T
    ) throws(KeyedArchiveError) -> WrittenType {
        let type = type(of: value)
        return try writtenType(type) { () throws(KeyedArchiveError) in
            try requireDeclared(value, type)
        }
    }

    /// The class of a type; a type that is new passes a check first.
    @inline(__always)
    private func writtenType(
        _ type: any KeyedEncodable.Type, _ check: () throws(KeyedArchiveError) -> Void
    ) throws(KeyedArchiveError) -> WrittenType {
        let id = ObjectIdentifier(type)
        if let known = known(id) {
            try requireAllowed(known)
            return known
        }
        let written = newType(type)
        try requireAllowed(written)
        try check()
        note(id, written)
        return written
    }

    private func known(_ id: ObjectIdentifier) -> WrittenType? {
        if let lastType, lastType.id == id { return lastType.written }
        guard let written = types[id] else { return nil }
        lastType = (id, written)
        return written
    }

    private func note(_ id: ObjectIdentifier, _ written: WrittenType) {
        types.insert(written, for: id)
        lastType = (id, written)
    }

    private func newType(_ type: any KeyedEncodable.Type) -> WrittenType {
        if let name = registry.writtenName(of: type) {
            let index = table.classIndex(of: ArchivedClass(name: name, chain: nil))
            return WrittenType(
                classIndex: index, name: name, type: type, isListed: true, isAskedFor: false)
        }
        let archivedClass = type.archivedClass
        return WrittenType(
            classIndex: table.classIndex(of: archivedClass), name: archivedClass.name,
            type: type, isListed: registry.allows(archivedClass.name),
            isAskedFor: askedFor.allows(archivedClass.name))
    }

    private func requireAllowed(_ written: WrittenType) throws(KeyedArchiveError) {
        if written.isListed || (written.isAskedFor && !isBelowAny) || allowsEveryClass { return }
        throw .notAllowed(written.name, writing: written.type)
    }

    /// Checks that a class is allowed where the program names a type.
    func requireAllowed(_ name: String) throws(KeyedArchiveError) {
        if allowsEveryClass || registry.allows(name) || (!isBelowAny && askedFor.allows(name)) {
            return
        }
        throw .notAllowed(name, writing: nil)
    }

    /// Checks that a class may be written of which an object is kept as it is.
    func requireKept(_ archivedClass: ArchivedClass) throws(KeyedArchiveError) {
        if registry.keepsUnknownClasses || registry.allows(archivedClass) { return }
        throw .notAllowed(archivedClass.name, writing: nil)
    }

    /// Checks that a subclass does not go by the name it inherits: it would be read as its superclass.
    private func requireDeclared<T: KeyedEncodable & AnyObject>(
        _ value: T, _ type: T.Type
    ) throws(KeyedArchiveError) {
        guard let parent = Mirror(reflecting: value).superclassMirror?.subjectType,
            let superclass = parent as? any KeyedEncodable.Type,
            superclass.archivedClass.name.isLiterally(type.archivedClass.name)
        else { return }
        throw KeyedArchiveError(
            .undeclaredSubclass,
            what:
                "\(type) would be archived as \(type.archivedClass.name), the class of its superclass "
                + "\(superclass)",
            recovery: "add to \(type): `override class var archivedClass: ArchivedClass { "
                + "super.archivedClass.subclass(\"\(type)\") }`")
    }

    /// Writes a value on whose class the program did not decide.
    func any<R>(_ body: () throws -> R) rethrows -> R {
        let outer = isBelowAny
        isBelowAny = true
        defer { isBelowAny = outer }
        return try body()
    }

    /// Writes a root: the classes that its type consists of are allowed where they are named.
    func root<R>(_ type: any KeyedArchivable.Type, _ body: () throws -> R) throws -> R {
        type.register(in: &askedFor)
        stack = StackSegment()
        defer {
            askedFor = ClassRegistry()
            types.removeAll()
            lastType = nil
        }
        return try body()
    }
}

// MARK: - Plain values

extension ArchiveWriter {
    /// Makes text an object; equal text is one object, unless the options say otherwise.
    package func string(_ text: String) throws -> PropertyListUID {
        if !listsStrings { try requireAllowed(FoundationClass.string) }
        // As it stands it would be nil: what is to be read as text has to be an object of its own.
        if text.isLiterally(ArchiveFormat.null) {
            return try object(of: ArchivedClass(FoundationClass.string)) {
                $0.encodeInline(.string(text), forKey: FoundationField.string)
            }
        }
        return PropertyListUID(try table.string(text, uniquing: options.uniquesValues))
    }

    /// Makes a number an object; equal numbers of one kind are one object.
    package func number(_ number: ArchivedNumber) throws -> PropertyListUID {
        if !listsNumbers { try requireAllowed(FoundationClass.number) }
        return PropertyListUID(try table.number(number, uniquing: options.uniquesValues))
    }

    /// Makes bytes an object.
    package func data(_ bytes: [UInt8]) throws -> PropertyListUID {
        if !listsData { try requireAllowed(FoundationClass.data) }
        return PropertyListUID(try table.data(bytes))
    }
}

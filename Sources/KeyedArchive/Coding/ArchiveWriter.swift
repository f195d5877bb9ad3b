// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
internal import CallStack
public import PropertyList

/// The writer of the objects of one archive. All ``KeyedEncoder`` values of the archive share it.
///
/// Objects are numbered as Apple's archiver numbers them: an object when it is first referred to,
/// then its children, then its class. Nothing is output until every object is complete and the
/// registry allows every class.
public final class ArchiveWriter {
    private let registry: ClassRegistry
    let options: KeyedArchiver.Options
    let limits: ParsingLimits
    /// The values that the program passes to `encode(with:)` of its types.
    var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    /// The object that writes the archive through a protocol other than ``KeyedEncodable``, if
    /// there is one.
    package weak var companion: AnyObject?
    /// A Boolean value indicating whether classes that the registry does not allow are written too.
    package var allowsEveryClass = false
    // Dynamic exclusivity checks would cost as much as adding the field itself.
    @exclusivity(unchecked) private var uncheckedTable: ObjectTable

    // The classes that the type of the current root registers.
    private var requested = ClassRegistry()
    // Whether an enclosing value, such as an `AnyArchived`, can be of any class. Within such a
    // value, only the registry's classes are allowed.
    private var isBelowAny = false
    private var types = TypeTable<WrittenType>()
    // The type of the last object. Most objects have the type of the one before.
    private var lastType: LastType?
    private let listsStrings: Bool
    private let listsNumbers: Bool
    private let listsData: Bool
    // For each class of plain values, whether undecoded values of that class may be written.
    private lazy var keepsLeaves = ArchivedClass.leaves.map(keeps)

    /// The cached facts about a type whose values are written.
    private struct WrittenType {
        /// The index of its class in the table.
        let classIndex: Int
        let name: String
        let type: any KeyedEncodable.Type
        /// A Boolean value indicating whether the registry allows the class.
        let isListed: Bool
        /// A Boolean value indicating whether the type of the root registers the class.
        let isRequested: Bool
    }

    /// The subset of ``WrittenType`` that is needed for each object of the type.
    private struct LastType {
        let id: ObjectIdentifier
        /// The index of its class in the table.
        let classIndex: Int
        /// A Boolean value indicating whether the class is allowed everywhere. Otherwise the class
        /// is allowed only where the program names a type.
        let isListed: Bool
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
        // SAFETY: only one thread uses a writer, and no client code runs during a change of the
        // table, so no access begins within another.
        @inline(__always) get { unsafe uncheckedTable }
        @inline(__always) _modify { yield unsafe &uncheckedTable }
    }

    /// The stack that nested calls may use.
    private var stack: StackSegment {
        get { table.stack }
        set { table.stack = newValue }
    }
}

// MARK: - Objects

extension ArchiveWriter {
    /// The reference to nil.
    public static var null: PropertyListUID { 0 }

    /// Writes a value as a new object of its type's class.
    ///
    /// - Throws: `classNotAllowed`, `depthLimitExceeded`; `expansionLimitExceeded` for too many
    ///   objects; `misuse` after the archive is finished; the errors of the value's
    ///   `encode(with:)`.
    public func writeObject<T: KeyedEncodable>(_ value: T) throws -> PropertyListUID {
        let classIndex = try classIndex(of: T.self)
        let number = try table.reserve()
        try fill(number, classIndex) { try value.encode(with: $0) }
        return PropertyListUID(number)
    }

    /// Writes a new object of a class that the caller names. `fields` writes its fields. A name
    /// from ``ClassRegistry/adding(_:writtenAs:)`` does not replace that of the class.
    ///
    /// - Throws: the errors of ``writeObject(_:)``, and the errors of `fields`.
    public func writeObject(
        of archivedClass: ArchivedClass, fields: (KeyedEncoder) throws -> Void
    ) throws -> PropertyListUID {
        try requireAllowed(archivedClass.name)
        let number = try table.reserve()
        try fill(number, table.classIndex(of: archivedClass), fields)
        return PropertyListUID(number)
    }

    /// Writes a class instance as an object, unless it has been written before.
    ///
    /// - Throws: the errors of ``writeObject(_:)``; `undeclaredSubclass`.
    public func writeInstance<T: KeyedEncodable & AnyObject>(_ value: T) throws -> PropertyListUID {
        let classIndex = try classIndex(ofInstance: value)
        let number = try table.objectNumber(of: value)
        if table.isPromised(number) {
            try fill(number, classIndex) { try value.encode(with: $0) }
        }
        return PropertyListUID(number)
    }

    /// Writes a class instance as an object with the class and fields of a replacement, unless it
    /// has been written before.
    ///
    /// Use it for a type that was renamed, split or simplified. As with `replacementObject(for:)`,
    /// all references to the instance lead to the same object, even those from the replacement.
    ///
    /// ```swift
    /// func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
    ///     try writer.writeInstance(self) { StoredShape(of: self) }
    /// }
    /// ```
    ///
    /// - Throws: the errors of ``writeObject(_:)``, and the errors of `replacement`.
    public func writeInstance<Replacement: KeyedEncodable>(
        _ value: AnyObject, replacedBy replacement: () throws -> Replacement
    ) throws -> PropertyListUID {
        let number = try table.objectNumber(of: value)
        guard table.isPromised(number) else { return PropertyListUID(number) }
        let value = try replacement()
        let classIndex = try classIndex(of: type(of: value))
        try fill(number, classIndex) { try value.encode(with: $0) }
        return PropertyListUID(number)
    }

    /// Writes a value that was read from an archive, once for each original object. Undecoded
    /// objects of the same archive refer to the same copy.
    func once(
        _ identity: ObjectIdentity, as archivedClass: ArchivedClass,
        of type: any KeyedEncodable.Type, _ archive: () throws -> PropertyListUID
    ) throws -> PropertyListUID {
        let name = writtenClass(archivedClass, of: type).name
        // A type whose class is `NSObject`, such as `OpaqueObject`, stands for any class. It checks
        // the actual class itself.
        if name != AnyArchived.archivedClass.name { try requireAllowed(name) }
        if let known = table.copy(of: identity) { return PropertyListUID(known) }
        let uid = try archive()
        table.note(uid.value, for: identity)
        return uid
    }

    /// Writes a part of a tree as an object of a class, but only once, because a tree may contain
    /// the part many times.
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
        if table.depth >= limits.depth { throw tooDeep() }
        guard table.stack.isUsedUp else { return try fillHere(number, classIndex, fields) }
        let error = KeyedArchiveError.stackExceeded(table.depth)
        try StackSegment.run(for: self, \.stack, orThrow: error) {
            try fillHere(number, classIndex, fields)
        }
    }

    private func fillHere(
        _ number: UInt32, _ classIndex: Int, _ fields: (KeyedEncoder) throws -> Void
    ) throws {
        let outer = table.begin(number, classIndex: classIndex)
        defer { table.depth &-= 1 }
        do {
            try fields(KeyedEncoder(self, object: number))
            if let failure = table.failure { throw failure }
            try table.end(outer)
        } catch {
            // An incomplete object must not be output, even if the caller ignores the error.
            table.fail(error)
            table.abandon(outer)
            throw table.failure ?? error
        }
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
    private func classIndex<T: KeyedEncodable>(
        of type: T.Type
    ) throws(KeyedArchiveError) -> Int {
        try classIndex(of: type) { () throws(KeyedArchiveError) in }
    }

    private func classIndex<T: KeyedEncodable & AnyObject>(
        ofInstance value: T
    ) throws(KeyedArchiveError) -> Int {
        let type = type(of: value)
        return try classIndex(of: type) { () throws(KeyedArchiveError) in
            try requireDeclared(type)
        }
    }

    /// Returns the index of the class of a type, if it is allowed. Runs `check` for a new type.
    @inline(__always)
    private func classIndex(
        of type: any KeyedEncodable.Type, _ check: () throws(KeyedArchiveError) -> Void
    ) throws(KeyedArchiveError) -> Int {
        let id = ObjectIdentifier(type)
        if let lastType, lastType.id == id, lastType.isListed || !isBelowAny {
            return lastType.classIndex
        }
        if let known = types[id] {
            try requireAllowed(known)
            note(id, known)
            return known.classIndex
        }
        let written = newType(type)
        try requireAllowed(written)
        try check()
        types.insert(written, for: id)
        note(id, written)
        return written.classIndex
    }

    private func note(_ id: ObjectIdentifier, _ written: WrittenType) {
        lastType = LastType(
            id: id, classIndex: written.classIndex, isListed: written.isListed || allowsEveryClass)
    }

    private func newType(_ type: any KeyedEncodable.Type) -> WrittenType {
        let archivedClass = writtenClass(type.archivedClass, of: type)
        return WrittenType(
            classIndex: table.classIndex(of: archivedClass), name: archivedClass.name,
            type: type, isListed: registry.allows(archivedClass.name),
            isRequested: requested.allows(archivedClass.name))
    }

    /// Returns the class under which a value is written. `archivedClass` is the class of `type` or
    /// one of its aliases. A name from ``ClassRegistry/adding(_:writtenAs:)`` replaces only the
    /// former, because an alias determines how the fields are read.
    func writtenClass(
        _ archivedClass: ArchivedClass, of type: any KeyedEncodable.Type
    ) -> ArchivedClass {
        guard let name = registry.writtenName(of: type),
            archivedClass.name.isLiterally(type.archivedClass.name)
        else { return archivedClass }
        return ArchivedClass(name: name, chain: nil)
    }

    private func requireAllowed(_ written: WrittenType) throws(KeyedArchiveError) {
        if written.isListed || (written.isRequested && !isBelowAny) || allowsEveryClass { return }
        throw .notAllowed(written.name, writing: written.type)
    }

    /// Checks that a class is allowed for the value that is being written.
    func requireAllowed(_ name: String) throws(KeyedArchiveError) {
        if allowsEveryClass || registry.allows(name) || (!isBelowAny && requested.allows(name)) {
            return
        }
        throw .notAllowed(name, writing: nil)
    }

    /// Checks that undecoded objects of a class may be written.
    func requireKept(_ archivedClass: ArchivedClass) throws(KeyedArchiveError) {
        if !keeps(archivedClass) { throw .notAllowed(archivedClass.name, writing: nil) }
    }

    /// Checks that undecoded plain values of a class may be written.
    func requireKept(leafOf number: ClassNumber) throws(KeyedArchiveError) {
        let place = Int(truncatingIfNeeded: number.value)
        if !keepsLeaves[place] {
            throw .notAllowed(ArchivedClass.leaves[place].name, writing: nil)
        }
    }

    private func keeps(_ archivedClass: ArchivedClass) -> Bool {
        registry.keepsUnknownClasses || registry.allows(archivedClass)
    }

    /// Checks that a subclass does not inherit its archived name, under which it would be read as
    /// its superclass.
    private func requireDeclared<T: KeyedEncodable & AnyObject>(
        _ type: T.Type
    ) throws(KeyedArchiveError) {
        guard let superclass = _getSuperclass(type) as? any KeyedEncodable.Type,
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

    /// Writes a value whose class the program did not choose.
    func any<R>(_ body: () throws -> R) rethrows -> R {
        let outer = isBelowAny
        isBelowAny = true
        defer { isBelowAny = outer }
        return try body()
    }

    /// Writes a root. The classes that its type registers are allowed where the program names
    /// types.
    func root<R>(_ type: any KeyedArchivable.Type, _ body: () throws -> R) throws -> R {
        type.register(in: &requested)
        stack = StackSegment()
        defer {
            requested = ClassRegistry()
            types.removeAll()
            lastType = nil
        }
        return try body()
    }
}

// MARK: - Plain values

extension ArchiveWriter {
    /// Writes text as an object. Equal strings become one object, unless the options say otherwise.
    package func string(_ text: String) throws -> PropertyListUID {
        if !listsStrings { try requireAllowed(FoundationClass.string) }
        // A plain `$null` would be nil. Only an object with the text as a field is read as text.
        if text.isLiterally(ArchiveFormat.null) {
            return try writeObject(of: ArchivedClass(FoundationClass.string)) {
                $0.encodeInline(.string(text), forKey: FoundationField.string)
            }
        }
        return PropertyListUID(try table.string(text, uniquing: options.deduplicatesValues))
    }

    /// Writes a number as an object. Equal numbers of one kind become one object, unless the
    /// options say otherwise.
    package func number(_ number: ArchivedNumber) throws -> PropertyListUID {
        if !listsNumbers { try requireAllowed(FoundationClass.number) }
        return PropertyListUID(try table.number(number, uniquing: options.deduplicatesValues))
    }

    /// Writes bytes as an object.
    package func data(_ bytes: [UInt8]) throws -> PropertyListUID {
        try requireDataAllowed()
        return PropertyListUID(try table.data(bytes))
    }

    /// Checks that data may be written as an object.
    func requireDataAllowed() throws(KeyedArchiveError) {
        if !listsData { try requireAllowed(FoundationClass.data) }
    }
}

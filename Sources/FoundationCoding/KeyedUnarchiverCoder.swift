// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import KeyedArchive
public import PropertyList

/// Reads keyed archives into objects of classes that adopt `NSCoding`: `NSKeyedUnarchiver`'s calls, with an exact
/// allow-list and errors that are thrown.
///
/// ```swift
/// let hero = try KeyedUnarchiverCoder.unarchivedObject(ofClass: Hero.self, from: data)
///
/// let allowed = ClassRegistry.foundationObjects.adding(classes: [Hero.self, Monster.self])
/// let coder = try KeyedUnarchiverCoder(forReadingFrom: data, allowing: allowed)
/// let game = coder.decodeObject(forKey: NSKeyedArchiveRootObjectKey) as? [NSObject]
/// try coder.finishDecoding()
/// ```
///
/// An object is made if the registry lists its class, or if the call that is under way names it:
/// `decodeObject(of: [Hero.self], forKey: "hero")` allows `Hero` there and below, by its exact name. Names in the
/// archive are never looked up in the runtime.
///
/// No call traps for what an archive holds. The coder keeps the first error, with the path to the object. After it
/// every call returns nil or zero, and ``finishDecoding()`` throws it. A class's own `init(coder:)` may still trap, by
/// a forced unwrap, when a call returns nil.
///
/// A coder reads one archive, and one thread uses it at a time.
public final class KeyedUnarchiverCoder: NSCoder {
    /// The object whose fields are read, and its class.
    struct Frame {
        let decoder: KeyedDecoder
        /// How a class that inherits from a collection of Foundation reads the fields of that; nil for other classes.
        let inherited: InheritedFields?
    }

    /// The treatment of a reference to an object that is still under construction.
    public enum CyclePolicy: Sendable {
        /// The reference is an error, `referenceCycle`.
        case fail
        /// The reference is read as nil, and ``KeyedUnarchiverCoder/cutReferenceCount`` counts it.
        case cut
    }

    /// The treatment of cycles; ``CyclePolicy/fail`` at first.
    ///
    /// An object exists when its `init(coder:)` has returned, so that a child cannot have its parent while the parent is
    /// read.
    public var cyclePolicy = CyclePolicy.fail
    /// The number of references that ``CyclePolicy/cut`` has made nil.
    public private(set) var cutReferenceCount = 0
    /// The program's hooks.
    public weak var delegate: (any KeyedUnarchiverCoderDelegate)?

    // The roots; nil for a coder that serves a `KeyedUnarchiver`.
    private let roots: KeyedDecoder?
    private var frames: [Frame] = []
    // The lists of classes that the calls under way name.
    private var named: [[AnyClass]] = []
    private var failure: (any Error)?
    // By class of the archive: how the registry has its objects read.
    private var resolutions: [Int: Resolution] = [:]
    // By class of the archive: the class of that name among those that a call has named.
    private var namedResolutions: [Int: (type: AnyClass, resolution: Resolution)] = [:]
    // By object: strings, numbers and data that several references lead to.
    private var leaves: [UInt32: NSObject] = [:]
    private var classesByName: [ExactName: AnyClass] = [:]
    private var isSecure = false
    private var policy = NSCoder.DecodingFailurePolicy.setErrorAndReturn
    private var isFinished = false
    #if canImport(Darwin)
    private var lentBytes: [NSData] = []
    #endif

    /// Prepares to read an archive. Linear in its size: everything is checked that does not depend on classes.
    ///
    /// - Parameters:
    ///   - data: the archive, in any format that `PropertyListDocument` reads.
    ///   - registry: the classes that may be made.
    ///   - options: the deviations to accept.
    ///   - limits: the nesting and the number of values to accept.
    /// - Throws: `invalidPropertyList`, `notAnArchive`, `unsupportedVersion`, `danglingReference`, `malformedObject`,
    ///   `malformedClass`, `expansionLimitExceeded`.
    public convenience init(
        forReadingFrom data: Data, allowing registry: ClassRegistry = .foundationObjects,
        options: ParsingOptions = .strict, limits: ParsingLimits = .default
    ) throws(KeyedArchiveError) {
        let unarchiver = try KeyedUnarchiver(
            parsing: data, allowing: registry, options: options, limits: limits)
        self.init(unarchiver)
    }

    /// Reads the roots of an archive that is open, and shares objects with what the unarchiver has read.
    ///
    /// - Parameter unarchiver: the archive, with the classes that may be made.
    public init(_ unarchiver: KeyedUnarchiver) {
        roots = unarchiver.roots
        super.init()
        unarchiver.convertsNumbers = true
        unarchiver.roots.companion = self
    }

    /// Serves a `KeyedUnarchiver` that meets an object of a class that adopts `NSCoding`.
    private override init() {
        roots = nil
        super.init()
    }

    // MARK: Overrides of NSCoder

    public override var allowsKeyedCoding: Bool { true }

    public override var systemVersion: UInt32 { 2000 }

    public override func version(forClassName className: String) -> Int { 0 }

    /// A Boolean value that says whether each class must adopt `NSSecureCoding`; false at first. The allow-list holds
    /// in both cases.
    public override var requiresSecureCoding: Bool {
        get { isSecure }
        set { isSecure = newValue }
    }

    /// The policy that classes ask for. Both policies have the same effect: the coder keeps the error and returns.
    public override var decodingFailurePolicy: NSCoder.DecodingFailurePolicy {
        get { policy }
        set { policy = newValue }
    }

    /// The first error: a `KeyedArchiveError` with the path to the object, or what a class has handed to
    /// ``failWithError(_:)``.
    public override var error: (any Error)? { failure }

    /// Keeps an error, unless there is one already. Nothing more is read after it.
    public override func failWithError(_ error: any Error) {
        if failure == nil { failure = error }
    }

    #if canImport(Darwin)
    /// The classes that the innermost call names.
    public override var allowedClasses: Set<AnyHashable>? {
        // A class is an object there, and hashed as one.
        named.last.map { Set($0.compactMap { ($0 as AnyObject) as? NSObject }) }
    }

    public override func __decodeObject(of aClass: AnyClass, forKey key: String) -> Any? {
        object(forKey: key, of: [aClass])
    }

    public override func __decodeObject(
        ofClasses classes: Set<AnyHashable>?, forKey key: String
    ) -> Any? {
        object(forKey: key, of: classes.map { $0.compactMap { $0.base as? AnyClass } })
    }

    /// The bytes of a field. They live as long as the coder.
    public override func decodeBytes(
        forKey key: String, returnedLength lengthp: UnsafeMutablePointer<Int>?
    ) -> UnsafePointer<UInt8>? {
        guard let bytes = bytes(forKey: key) else { return nil }
        let copy = NSData(data: Data(bytes))
        lentBytes.append(copy)
        unsafe lengthp?.pointee = bytes.count
        // SAFETY: the coder keeps the object that the pointer leads into.
        return unsafe copy.bytes.assumingMemoryBound(to: UInt8.self)
    }

    public override func decodeValue(
        ofObjCType type: UnsafePointer<CChar>, at data: UnsafeMutableRawPointer, size: Int
    ) {
        // SAFETY: the caller vouches for the pointers, as with any coder.
        unsafe decodeValues(type, data)
    }
    #else
    /// The classes that the innermost call names.
    public override var allowedClasses: [AnyClass]? { named.last }

    public override func decodeValue(
        ofObjCType type: UnsafePointer<Int8>, at data: UnsafeMutableRawPointer
    ) {
        // SAFETY: the caller vouches for the pointers, as with any coder.
        unsafe decodeValues(type, data)
    }

    /// Returns the object of a field if it is of a class, or nil.
    public override func decodeObject<DecodedObjectType>(
        of cls: DecodedObjectType.Type, forKey key: String
    ) -> DecodedObjectType? where DecodedObjectType: NSObject, DecodedObjectType: NSCoding {
        object(forKey: key, of: [cls]) as? DecodedObjectType
    }

    public override func decodeObject(of classes: [AnyClass]?, forKey key: String) -> Any? {
        object(forKey: key, of: classes)
    }

    public override func withDecodedUnsafeBufferPointer<ResultType>(
        forKey key: String, body: (UnsafeBufferPointer<UInt8>?) throws -> ResultType
    ) rethrows -> ResultType {
        guard let bytes = bytes(forKey: key) else { return try body(nil) }
        // SAFETY: the pointer is valid for the call of `body`, which is all that it promises.
        return try unsafe bytes.withUnsafeBufferPointer { try unsafe body($0) }
    }

    public override func withDecodedUnsafeBytes<ResultType>(
        forKey key: String, body: (UnsafeRawBufferPointer?) throws -> ResultType
    ) rethrows -> ResultType {
        guard let bytes = bytes(forKey: key) else { return try body(nil) }
        // SAFETY: as above.
        return try unsafe bytes.withUnsafeBytes { try unsafe body($0) }
    }
    #endif

    public override func containsValue(forKey key: String) -> Bool {
        if failure != nil { return false }
        if let inherited = frames.last?.inherited, let answer = inherited.contains(key, current) {
            return answer
        }
        return current?.containsValue(forKey: key) ?? false
    }

    public override func decodeObject(forKey key: String) -> Any? { object(forKey: key, of: nil) }

    public override func decodePropertyList(forKey key: String) -> Any? {
        object(forKey: key, of: Self.propertyListClasses)
    }

    public override func decodeBool(forKey key: String) -> Bool {
        if case .number(.boolean(let value)) = plainValue(key) { return value }
        return number(key) ?? false
    }

    public override func decodeCInt(forKey key: String) -> Int32 { number(key) ?? 0 }

    public override func decodeInt32(forKey key: String) -> Int32 { number(key) ?? 0 }

    public override func decodeInt64(forKey key: String) -> Int64 { number(key) ?? 0 }

    public override func decodeInteger(forKey key: String) -> Int {
        if case .number(.integer(let integer)) = plainValue(key),
            let value = integer.value(as: Int.self)
        {
            return value
        }
        return number(key) ?? 0
    }

    public override func decodeFloat(forKey key: String) -> Float { number(key) ?? 0 }

    public override func decodeDouble(forKey key: String) -> Double {
        if case .number(.real(let real)) = plainValue(key) { return real.value }
        return number(key) ?? 0
    }

    public override func decodeObject() -> Any? {
        attempt(nil) { () throws -> Any? in
            guard let reference = self.current?.nextUnkeyed() else { return nil }
            return try self.object(reference)
        }
    }

    public override func decodeData() -> Data? { decodeObject() as? Data }

    public override func decodePropertyList() -> Any? {
        named.append(Self.propertyListClasses)
        defer { named.removeLast() }
        return decodeObject()
    }

    private static let propertyListClasses: [AnyClass] = [
        NSArray.self, NSMutableArray.self, NSDictionary.self, NSMutableDictionary.self,
        NSString.self, NSMutableString.self, NSData.self, NSMutableData.self, NSDate.self,
        NSNumber.self,
    ]
}

// MARK: - Roots

extension KeyedUnarchiverCoder {
    /// The root of an archive.
    ///
    /// - Parameters:
    ///   - cls: the class of the root, which need not be in the registry.
    ///   - data: the archive.
    ///   - registry: the classes that may be made below.
    /// - Returns: The root; nil where it is nil.
    /// - Throws: as ``init(forReadingFrom:allowing:options:limits:)``; `classNotAllowed`, `wrongType`,
    ///   `referenceCycle`, the limits' codes, and what a class has handed to ``failWithError(_:)``.
    public static func unarchivedObject<DecodedObjectType>(
        ofClass cls: DecodedObjectType.Type, from data: Data,
        allowing registry: ClassRegistry = .foundationObjects
    ) throws -> DecodedObjectType? where DecodedObjectType: NSObject, DecodedObjectType: NSCoding {
        try unarchivedObject(ofClasses: [cls], from: data, allowing: registry) as? DecodedObjectType
    }

    /// The root of an archive, of one of several classes, or an array or another collection of these.
    ///
    /// - Parameters:
    ///   - classes: the classes of the root and of what it holds, which need not be in the registry.
    ///   - data: the archive.
    ///   - registry: the classes that may be made below.
    /// - Returns: The root; nil where it is nil.
    /// - Throws: as ``unarchivedObject(ofClass:from:allowing:)``.
    public static func unarchivedObject(
        ofClasses classes: [AnyClass], from data: Data,
        allowing registry: ClassRegistry = .foundationObjects
    ) throws -> Any? {
        let coder = try KeyedUnarchiverCoder(forReadingFrom: data, allowing: registry)
        coder.requiresSecureCoding = true
        let root = coder.object(forKey: NSKeyedArchiveRootObjectKey, of: classes)
        try coder.finishDecoding()
        return root
    }

    /// The root of an archive, of any class that the registry lists.
    ///
    /// - Parameters:
    ///   - data: the archive.
    ///   - registry: the classes that may be made.
    /// - Returns: The root; nil where it is nil.
    /// - Throws: as ``unarchivedObject(ofClass:from:allowing:)``.
    public static func unarchiveTopLevelObjectWithData(
        _ data: Data, allowing registry: ClassRegistry = .foundationObjects
    ) throws -> Any? {
        let coder = try KeyedUnarchiverCoder(forReadingFrom: data, allowing: registry)
        let root = coder.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
        try coder.finishDecoding()
        return root
    }

    /// Ends reading.
    ///
    /// - Throws: the first ``error``.
    public func finishDecoding() throws {
        if !isFinished {
            isFinished = true
            delegate?.unarchiverWillFinish(self)
            delegate?.unarchiverDidFinish(self)
        }
        if let failure { throw failure }
    }

    /// An array whose elements are of one class.
    ///
    /// - Parameters:
    ///   - cls: the class of the elements.
    ///   - key: the key of the field.
    /// - Returns: The array; nil where there is none, or where an element is of another class, which is an ``error``.
    public func decodeArrayOfObjects<Object>(
        ofClass cls: Object.Type, forKey key: String
    ) -> [Object]? where Object: NSObject, Object: NSCoding {
        guard let array = decodeArrayOfObjects(ofClasses: [cls], forKey: key) else { return nil }
        return checked(array as? [Object], key, "an array of \(Object.self)")
    }

    /// An array whose elements are of several classes.
    ///
    /// - Parameters:
    ///   - classes: the classes of the elements.
    ///   - key: the key of the field.
    /// - Returns: The array; nil where there is none.
    public func decodeArrayOfObjects(ofClasses classes: [AnyClass], forKey key: String) -> [Any]? {
        guard let value = object(forKey: key, of: [NSArray.self, NSMutableArray.self] + classes)
        else { return nil }
        return checked((value as? NSArray) as? [Any], key, "an array")
    }

    /// A dictionary whose keys are of one class, and whose values are of another.
    ///
    /// - Parameters:
    ///   - keyClass: the class of the keys.
    ///   - objectClass: the class of the values.
    ///   - key: the key of the field.
    /// - Returns: The dictionary; nil where there is none, or where it holds another class, which is an ``error``.
    public func decodeDictionary<Key, Object>(
        withKeyClass keyClass: Key.Type, objectClass: Object.Type, forKey key: String
    ) -> [Key: Object]? where Key: NSObject, Key: NSCoding, Object: NSObject, Object: NSCoding {
        let classes: [AnyClass] = [
            NSDictionary.self, NSMutableDictionary.self, keyClass, objectClass,
        ]
        guard let value = object(forKey: key, of: classes) else { return nil }
        var dictionary: [Key: Object] = [:]
        for (key, value) in (value as? NSDictionary) ?? NSDictionary() {
            if let key = (key as AnyObject) as? Key, let value = (value as AnyObject) as? Object {
                dictionary[key] = value
            }
        }
        let isWhole = (value as? NSDictionary)?.count == dictionary.count
        return checked(
            isWhole ? dictionary : nil, key, "a dictionary of \(Key.self) and \(Object.self)")
    }

    private func checked<Value>(_ value: Value?, _ key: String, _ expected: String) -> Value? {
        if value == nil {
            let found = KeyedArchiveError(
                .wrongType, what: "expected \(expected), found other objects",
                object: current?.uid)
            failWithError(KeyedArchiveError.located(found, .key(key)))
        }
        return value
    }
}

// MARK: - Names of classes

extension KeyedUnarchiverCoder {
    /// Has objects of a class in the archive read as another class, which this allows.
    ///
    /// - Parameters:
    ///   - cls: the class; nil to forget the name.
    ///   - codedName: the name in the archive.
    public func setClass(_ cls: AnyClass?, forClassName codedName: String) {
        classesByName[ExactName(codedName)] = cls
        resolutions.removeAll()
    }

    /// The class that ``setClass(_:forClassName:)`` has set for a name; nil for other names.
    public func `class`(forClassName codedName: String) -> AnyClass? {
        classesByName[ExactName(codedName)]
    }
}

// MARK: - Fields

extension KeyedUnarchiverCoder {
    /// The object whose fields are read, or the roots.
    var current: KeyedDecoder? { frames.last?.decoder ?? roots }

    /// Runs one call of a class. Keeps the error, with the key.
    private func attempt<Value>(_ key: String?, _ body: () throws -> Value?) -> Value? {
        if failure != nil { return nil }
        guard let current else { return nil }
        do { return try current.root(body) } catch {
            failure = key.map { KeyedArchiveError.located(error, .key($0)) } ?? error
            return nil
        }
    }

    func object(forKey key: String, of classes: [AnyClass]?) -> Any? {
        attempt(key) { () throws -> Any? in
            guard let reference = self.reference(key) else { return nil }
            return try self.object(reference, of: classes)
        }
    }

    private func reference(_ key: String) -> KeyedReference? {
        guard let current else { return nil }
        if let inherited = frames.last?.inherited,
            let reference = inherited.reference(key, current)
        {
            return reference
        }
        return current.reference(forKey: key)
    }

    private func plainValue(_ key: String) -> PlainValue? {
        failure == nil ? current?.plainValue(forKey: key) : nil
    }

    /// The number of a field, with conversion; nil where there is none.
    private func number<Number: ArchivedNumberConvertible>(_ key: String) -> Number? {
        attempt(key) { () throws -> Number? in
            guard let reference = self.current?.reference(forKey: key), !reference.isNil else {
                return nil
            }
            return try Number.unarchive(reference)
        }
    }

    /// The bytes of a field; nil where there are none.
    private func bytes(forKey key: String) -> ArraySlice<UInt8>? {
        if let inherited = frames.last?.inherited, let current,
            let bytes = inherited.bytes(key, current)
        {
            return bytes
        }
        if case .data(let bytes) = plainValue(key) { return bytes }
        return attempt(key) { () throws -> ArraySlice<UInt8>? in
            guard let reference = self.current?.reference(forKey: key), !reference.isNil else {
                return nil
            }
            return try self.current?.decodeBytes(forKey: key)
        }
    }

    /// The next plain value without a key; nil where there is none.
    func nextPlainValue() -> PlainValue? {
        attempt(nil) { () throws -> PlainValue? in
            guard let reference = self.current?.nextUnkeyed() else { return nil }
            return try reference.plainValue()
        }
    }
}

// MARK: - Objects

extension KeyedUnarchiverCoder {
    /// How objects of a class are read.
    private enum Resolution {
        /// A string, a number or data.
        case leaf(AnyClass)
        /// By the bridge.
        case made(MadeClass)
        /// By the `init(coder:)` of the class.
        case own(any (NSCoding & AnyObject).Type, InheritedFields?)
        /// By its coding in `KeyedArchive`.
        case keyed(any KeyedDecodable.Type)
        /// A class that the registry does not list.
        case unlisted

        /// The class of the objects; nil for those that are values, and where nothing is known.
        var type: AnyClass? {
            switch self {
            case .leaf(let type): type
            case .made(let made): made.type
            case .own(let type, _): type
            case .keyed(let type): type as? AnyClass
            case .unlisted: nil
            }
        }
    }

    /// The object of a reference, where a call names classes.
    func object(_ reference: KeyedReference, of classes: [AnyClass]?) throws -> Any? {
        guard let classes else { return try object(reference) }
        named.append(classes)
        defer { named.removeLast() }
        let value = try object(reference)
        // A list of classes allows what collections hold as well, and collections are values of these.
        guard let value, !classes.contains(where: { Self.isObject(value, of: $0) }) else {
            return value
        }
        let names = classes.map { CodedClass.name(of: $0) }.joined(separator: " or ")
        throw reference.wrongType(expected: names)
    }

    private static func isObject(_ value: Any, of type: AnyClass) -> Bool {
        CodedClass.isKind(Swift.type(of: value as AnyObject), of: type)
    }

    /// The object of a reference; nil for nil, and where a cycle is cut.
    func object(_ reference: KeyedReference) throws -> Any? {
        guard let classIndex = reference.classIndex else { return try valueInPlace(reference) }
        if reference.isUnderWay {
            guard cyclePolicy == .cut else {
                throw reference.cycle(recovery: "set `cyclePolicy` to `.cut` to read it as nil")
            }
            cutReferenceCount += 1
            return nil
        }
        let resolution = try resolution(of: classIndex, reference)
        switch resolution {
        case .leaf: return try leaf(reference)
        case .keyed(let type):
            return try current.map { try $0.any { try type.unarchive(reference) } }
                ?? type.unarchive(reference)
        case .made(let made):
            return try reference.foreignObject { try self.replaced(made.make($0)) }
        case .own(let type, let inherited):
            return try reference.foreignObject {
                try self.replaced(self.construct(type, $0, inherited))
            }
        case .unlisted: return nil
        }
    }

    /// A value that is no object of its own: nil, or a plain value that stands in a field.
    private func valueInPlace(_ reference: KeyedReference) throws -> NSObject? {
        try reference.chargeElement()
        if reference.isNil { return nil }
        if let value = try reference.plainValue() { return MadeClass.object(value) }
        throw reference.wrongType(expected: "an object")
    }

    private func leaf(_ reference: KeyedReference) throws -> Any? {
        guard let number = reference.object?.value else { return nil }
        if let known = leaves[number] { return known }
        guard let value = try reference.plainValue() else {
            throw reference.wrongType(expected: "a plain value")
        }
        let object = try replaced(MadeClass.object(value))
        if reference.isShared { leaves[number] = object as? NSObject }
        return object
    }

    /// Reads an object by the `init(coder:)` of its class.
    func construct(
        _ type: any (NSCoding & AnyObject).Type, _ decoder: KeyedDecoder
    ) throws -> AnyObject {
        try construct(type, decoder, InheritedFields(type))
    }

    private func construct(
        _ type: any (NSCoding & AnyObject).Type, _ decoder: KeyedDecoder,
        _ inherited: InheritedFields?
    ) throws -> AnyObject {
        if let failure { throw failure }
        frames.append(Frame(decoder: decoder, inherited: inherited))
        defer { frames.removeLast() }
        let isConcrete = type == NSValue.self && !decoder.containsValue(forKey: "NS.special")
        let object = isConcrete ? concreteValue() : type.init(coder: self)
        if let failure {
            // The caller keeps it again, with its key.
            self.failure = nil
            throw failure
        }
        if let object { return object }
        throw KeyedArchiveError(
            .malformedObject,
            what: "`init(coder:)` of \(KeyedArchiveError.printable(CodedClass.name(of: type))) "
                + "returned nil" + (decoder.uid.map { " for object \($0.value)" } ?? ""),
            object: decoder.uid)
    }

    /// The object that the delegate puts in the place of another.
    private func replaced(_ object: AnyObject) throws -> AnyObject {
        guard let delegate else { return object }
        guard let replacement = delegate.unarchiver(self, didDecode: object) else {
            throw KeyedArchiveError(
                .misuse, what: "the delegate replaced an object of class \(type(of: object)) by nil"
            )
        }
        let result = replacement as AnyObject
        if result !== object { delegate.unarchiver(self, willReplace: object, with: result) }
        return result
    }
}

// MARK: - Classes

extension KeyedUnarchiverCoder {
    /// How an object is read, if its class is allowed here.
    ///
    /// - Throws: `classNotAllowed`, `unknownClass`.
    private func resolution(
        of classIndex: Int, _ reference: KeyedReference
    ) throws -> Resolution {
        let listed = listed(classIndex, reference)
        if case .unlisted = listed {
            return try secure(namedResolution(classIndex, reference), reference)
        }
        return isSecure ? try secure(listed, reference) : listed
    }

    /// How objects of a class are read that the call under way names.
    private func namedResolution(
        _ classIndex: Int, _ reference: KeyedReference
    ) throws -> Resolution {
        if let known = namedResolutions[classIndex],
            named.last?.contains(where: { $0 == known.type }) == true
        {
            return known.resolution
        }
        guard let type = try namedClass(reference) else { throw notAllowed(reference) }
        let resolution = resolve(type, reference)
        namedResolutions[classIndex] = (type, resolution)
        return resolution
    }

    private func listed(_ classIndex: Int, _ reference: KeyedReference) -> Resolution {
        if let known = resolutions[classIndex] { return known }
        let resolution = registered(reference)
        resolutions[classIndex] = resolution
        return resolution
    }

    /// The answer of the names that the program has set, then of the registry.
    private func registered(_ reference: KeyedReference) -> Resolution {
        guard let name = reference.archivedClass?.name else { return .unlisted }
        if let type = classesByName[ExactName(name)] { return resolve(type, reference) }
        guard case .some(.some(let type)) = reference.boundType else { return .unlisted }
        if let type = type as? any AnyCodedObject.Type {
            return resolve(type.objectType, reference)
        }
        if !(type is AnyClass), let made = MadeClass(rawValue: name) {
            return resolve(made.type, reference)
        }
        return .keyed(type)
    }

    /// How objects of a class of the program are read.
    private func resolve(_ type: AnyClass, _ reference: KeyedReference) -> Resolution {
        if let made = MadeClass(type) {
            let isLeaf = [.string, .number, .data].contains(made) && reference.isPlain
            return isLeaf ? .leaf(type) : .made(made)
        }
        if let type = type as? any (NSCoding & AnyObject).Type {
            let substitute =
                (type as? NSObject.Type)?.substitute as? any (NSCoding & AnyObject).Type
            return .own(substitute ?? type, InheritedFields(substitute ?? type))
        }
        if let type = type as? any KeyedDecodable.Type { return .keyed(type) }
        return .unlisted
    }

    /// The class of that name among those that the call under way names, or that the delegate names.
    private func namedClass(_ reference: KeyedReference) throws -> AnyClass? {
        guard let found = reference.archivedClass else { return nil }
        let name = ExactName(found.name)
        if let type = named.last?.first(where: { name == ExactName(CodedClass.name(of: $0)) }) {
            return type
        }
        return delegate?.unarchiver(
            self, cannotDecodeObjectOfClassName: found.name, originalClasses: found.chain ?? [])
    }

    private func secure(
        _ resolution: Resolution, _ reference: KeyedReference
    ) throws -> Resolution {
        if case .unlisted = resolution { throw notAllowed(reference) }
        guard isSecure, case .own(let type, _) = resolution, !CodedClass.isSecure(type) else {
            return resolution
        }
        throw reference.classNotAllowed(
            recovery: "the coder requires secure coding: adopt `NSSecureCoding`, or set "
                + "`requiresSecureCoding` to false")
    }

    private func notAllowed(_ reference: KeyedReference) -> KeyedArchiveError {
        let name = KeyedArchiveError.printable(reference.archivedClass?.name ?? "")
        return reference.classNotAllowed(
            recovery: "`.foundationObjects.adding(classes: [T.self])` with the class T that is "
                + "archived as \(name) would allow it")
    }
}

/// Text that is equal to other text of the same bytes only.
private struct ExactName: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: ExactName, right: ExactName) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

extension KeyedReference {
    /// A Boolean value that says whether the object is a string, a number or data without fields.
    fileprivate var isPlain: Bool { (try? plainValue()).flatMap { $0 } != nil }
}

extension NSObject {
    /// The class that the class wants to be read as.
    fileprivate class var substitute: AnyClass { classForKeyedUnarchiver() }
}

// MARK: - Serving KeyedUnarchiver

extension KeyedUnarchiverCoder {
    /// Runs `body` with the coder of an archive, or with one that lives for the call.
    static func serving<R>(
        _ reference: KeyedReference, _ body: (KeyedUnarchiverCoder) throws -> R
    ) throws -> R {
        if let coder = reference.companion as? KeyedUnarchiverCoder { return try body(coder) }
        let coder = KeyedUnarchiverCoder()
        reference.companion = coder
        return try withExtendedLifetime(coder) { try body(coder) }
    }

    static func serving<R>(
        _ decoder: KeyedDecoder, _ body: (KeyedUnarchiverCoder) throws -> R
    ) throws -> R {
        if let coder = decoder.companion as? KeyedUnarchiverCoder { return try body(coder) }
        let coder = KeyedUnarchiverCoder()
        decoder.companion = coder
        return try withExtendedLifetime(coder) { try body(coder) }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import KeyedArchive
public import PropertyList

/// Writes objects of classes that adopt `NSCoding` as keyed archives: `NSKeyedArchiver`'s calls, with errors that are
/// thrown.
///
/// ```swift
/// let data = try KeyedArchiverCoder.archivedData(withRootObject: hero, requiringSecureCoding: true)
///
/// let coder = KeyedArchiverCoder(requiringSecureCoding: false)
/// coder.encode(hero, forKey: "hero")
/// coder.encode(3, forKey: "level")
/// let data = try coder.encodedData
/// ```
///
/// Values of Swift, collections of Swift, objects and `KeyedCodable` values are written by the same call,
/// `encode(_:forKey:)`. An instance is one object of the archive, however often it is encoded. Equal strings, and equal
/// numbers of one kind, are one object.
///
/// The coder keeps the first error, with the path to the field, and ``encodedData`` throws it. Nothing is output then.
///
/// One thread uses a coder at a time.
public final class KeyedArchiverCoder: NSCoder {
    /// The format of the output; binary at first.
    public var outputFormat = PropertyListSerialization.PropertyListFormat.binary
    /// The program's hooks.
    public weak var delegate: (any KeyedArchiverCoderDelegate)?

    // Nil for a coder that serves a `KeyedArchiver`.
    private let archiver: KeyedArchiver?
    private let writer: ArchiveWriter
    // The encoders of the objects that are being written, and these objects.
    private var frames: [(encoder: KeyedEncoder, object: AnyObject)] = []
    private var namesByClass: [ObjectIdentifier: String] = [:]
    // By class: its place among those of the archive.
    private var places: [ObjectIdentifier: Int] = [:]
    // By the type of an object: how it is written.
    private var forms: [ObjectIdentifier: Form] = [:]
    // What the delegate, or the object itself, has put in the place of an object.
    private var replacements: [ObjectIdentifier: (original: AnyObject, replacement: AnyObject?)] =
        [:]
    private var isSecure: Bool
    private var output: Result<Data, any Error>?

    /// Prepares an archive without roots.
    ///
    /// - Parameters:
    ///   - requiringSecureCoding: whether each class must adopt `NSSecureCoding`.
    ///   - registry: the classes that may be written, so that nothing is written that a reader with the same list
    ///     refuses; nil for all that the program encodes.
    ///   - options: the options of `KeyedArchiver`.
    ///   - limits: the nesting and the size to accept.
    public convenience init(
        requiringSecureCoding: Bool = false, allowing registry: ClassRegistry? = nil,
        options: KeyedArchiver.Options = KeyedArchiver.Options(), limits: ParsingLimits = .default
    ) {
        var options = options
        // Foundation's classes write a key twice where a subclass overrides it.
        options.lastDuplicateKeyWins = true
        self.init(
            KeyedArchiver(
                allowing: registry ?? .foundationObjects, options: options, limits: limits),
            requiringSecureCoding)
        writer.allowsEveryClass = registry == nil
    }

    private init(_ archiver: KeyedArchiver, _ isSecure: Bool) {
        self.archiver = archiver
        writer = archiver.roots.writer
        self.isSecure = isSecure
        super.init()
        writer.companion = self
    }

    /// Serves a `KeyedArchiver` that meets an object of a class that adopts `NSCoding`.
    private init(serving writer: ArchiveWriter) {
        archiver = nil
        self.writer = writer
        isSecure = false
        super.init()
        writer.companion = self
    }

    // MARK: Overrides of NSCoder

    public override var allowsKeyedCoding: Bool { true }

    public override var systemVersion: UInt32 { 2000 }

    public override func version(forClassName className: String) -> Int { 0 }

    /// A Boolean value that says whether each class must adopt `NSSecureCoding`.
    public override var requiresSecureCoding: Bool {
        get { isSecure }
        set { isSecure = newValue }
    }

    /// The first error; ``encodedData`` throws it.
    public override var error: (any Error)? { current.failure }

    /// Keeps an error, unless there is one already. Nothing is output then.
    public override func failWithError(_ error: any Error) { current.fail(error) }

    #if canImport(Darwin)
    /// No classes: an archiver reads nothing.
    public override var allowedClasses: Set<AnyHashable>? { nil }

    public override func encodeCInt(_ value: Int32, forKey key: String) {
        current.encode(value, forKey: key)
    }
    #else
    /// No classes: an archiver reads nothing.
    public override var allowedClasses: [AnyClass]? { nil }
    #endif

    public override func encode(_ object: Any?, forKey key: String) {
        current.encode(forKey: key) { try self.uid(ofOptional: object) }
    }

    /// Writes a reference to an object that is written in full only if it is elsewhere in the archive. Values, strings,
    /// numbers and data are written in full.
    public override func encodeConditionalObject(_ object: Any?, forKey key: String) {
        guard let object, let instance = Self.instance(object), !Self.isPlain(instance) else {
            return encode(object, forKey: key)
        }
        guard let replacement = replacement(for: instance) else {
            return encode(nil, forKey: key)
        }
        current.encodeConditionalInstance(replacement, forKey: key)
    }

    public override func encode(_ value: Bool, forKey key: String) {
        current.encode(value, forKey: key)
    }

    public override func encode(_ value: Int32, forKey key: String) {
        current.encode(value, forKey: key)
    }

    public override func encode(_ value: Int64, forKey key: String) {
        current.encode(value, forKey: key)
    }

    public override func encode(_ value: Int, forKey key: String) {
        current.encode(value, forKey: key)
    }

    public override func encode(_ value: Float, forKey key: String) {
        current.encode(value, forKey: key)
    }

    public override func encode(_ value: Double, forKey key: String) {
        current.encode(value, forKey: key)
    }

    public override func encodeBytes(
        _ bytes: UnsafePointer<UInt8>?, length: Int, forKey key: String
    ) {
        // SAFETY: the caller vouches for `length` bytes, as with any coder.
        let buffer = unsafe UnsafeBufferPointer(start: bytes, count: length)
        unsafe current.encodeBytes(buffer, forKey: key)
    }

    public override func encode(_ object: Any?) {
        // A subclass of NSString writes itself without a key, which would refer to itself.
        if let text = object as? NSString, text === frames.last?.object {
            return current.encodeInline(.string(Self.text(text)), forKey: "NS.string")
        }
        current.encodeUnkeyed { try self.uid(ofOptional: object) }
    }

    public override func encodeConditionalObject(_ object: Any?) { encode(object) }

    public override func encode(_ data: Data) { encode(data as Any?) }

    public override func encodeBytes(_ byteaddr: UnsafeRawPointer?, length: Int) {
        // SAFETY: the caller vouches for `length` bytes, as with any coder.
        let buffer = unsafe UnsafeRawBufferPointer(start: byteaddr, count: length)
        let bytes = unsafe Array(buffer)
        // A subclass of NSData writes its bytes without a key.
        if frames.last?.object is NSData { return current.encodeBytes(bytes, forKey: "NS.data") }
        encode(Data(bytes) as Any?)
    }

    public override func encodePropertyList(_ aPropertyList: Any) {
        encode(aPropertyList as Any?)
    }

    public override func encodeValue(
        ofObjCType type: UnsafePointer<CChar>, at addr: UnsafeRawPointer
    ) {
        // SAFETY: the caller vouches for the pointers, as with any coder.
        unsafe encodeValues(type, addr)
    }
}

// MARK: - The archive

extension KeyedArchiverCoder {
    /// An archive of one root.
    ///
    /// - Parameters:
    ///   - object: the root.
    ///   - requiringSecureCoding: whether each class must adopt `NSSecureCoding`.
    ///   - registry: as for ``init(requiringSecureCoding:allowing:options:limits:)``.
    /// - Returns: The archive, in the binary format.
    /// - Throws: as ``encodedData``.
    public static func archivedData(
        withRootObject object: Any, requiringSecureCoding: Bool,
        allowing registry: ClassRegistry? = nil
    ) throws -> Data {
        let coder = KeyedArchiverCoder(
            requiringSecureCoding: requiringSecureCoding, allowing: registry)
        coder.encode(object, forKey: NSKeyedArchiveRootObjectKey)
        return try coder.encodedData
    }

    /// The archive; nothing can be written after the first access.
    ///
    /// - Throws: the first ``error``: `classNotAllowed`, `misuse` for an object whose class does not adopt `NSCoding`,
    ///   the limits' codes, and what a class has handed to ``failWithError(_:)``.
    public var encodedData: Data {
        get throws {
            finishEncoding()
            return try output?.get() ?? Data()
        }
    }

    /// Ends writing.
    public func finishEncoding() {
        guard output == nil, let archiver else { return }
        delegate?.archiverWillFinish(self)
        output = Result { Data(try archiver.finish(as: outputFormat == .xml ? .xml : .binary)) }
        delegate?.archiverDidFinish(self)
    }

    /// Writes objects of a class under another name, without its superclasses.
    ///
    /// - Parameters:
    ///   - codedName: the name in the archive; nil for the class's own.
    ///   - cls: the class.
    public func setClassName(_ codedName: String?, for cls: AnyClass) {
        namesByClass[ObjectIdentifier(cls)] = codedName
        forms.removeAll()
        places.removeAll()
    }

    /// The name that ``setClassName(_:for:)`` has set for a class; nil for other classes.
    public func className(for cls: AnyClass) -> String? { namesByClass[ObjectIdentifier(cls)] }

    /// Writes a tree of plain values as objects.
    public func encodePropertyList(_ aPropertyList: Any, forKey key: String) {
        encode(aPropertyList, forKey: key)
    }
}

// MARK: - Objects

/// An optional of any type.
private protocol AnyOptional {
    /// The value within; nil for nil.
    var wrapped: Any? { get }
}

extension Optional: AnyOptional {
    fileprivate var wrapped: Any? {
        flatMap { ($0 as? any AnyOptional).map(\.wrapped) ?? $0 }
    }
}

extension KeyedArchiverCoder {
    /// How objects of a type are written.
    private enum Form {
        /// By the bridge, as one of Foundation's classes.
        case made(MadeClass)
        /// By the `encode(with:)` of the class, whose place among the classes of the archive this is.
        case own(place: Int)
        /// By its coding in `KeyedArchive`.
        case keyed
    }

    /// The encoder of the object that is written, or of the roots.
    var current: KeyedEncoder {
        frames.last?.encoder ?? archiver?.roots ?? KeyedEncoder.roots(of: writer)
    }

    func uid(ofOptional object: Any?) throws -> PropertyListUID {
        guard let object else { return ArchiveWriter.null }
        return try uid(of: object)
    }

    /// The number of the object that a value is written as.
    func uid(of value: Any) throws -> PropertyListUID {
        // Most values are text or objects. Other casts take longer.
        if type(of: value) == String.self, let text = value as? String {
            return try writer.string(text)
        }
        if let instance = Self.instance(value) { return try uid(ofInstance: instance) }
        if let optional = value as? any AnyOptional {
            return try optional.wrapped.map(uid) ?? ArchiveWriter.null
        }
        if let value = value as? any KeyedEncodable { return try value.archive(in: writer) }
        return try uid(ofInstance: value as AnyObject)
    }

    /// The instance of a class that a value is; nil for other values.
    private static func instance(_ value: Any) -> AnyObject? {
        type(of: value) is AnyClass ? value as AnyObject : nil
    }

    private static func isPlain(_ instance: AnyObject) -> Bool {
        instance is NSString || instance is NSNumber || instance is NSData
    }

    private func uid(ofInstance original: AnyObject) throws -> PropertyListUID {
        guard let instance = replacement(for: original) else { return ArchiveWriter.null }
        let uid: PropertyListUID
        switch try form(of: instance) {
        case .made(let made): uid = try made.write(instance, self, writer)
        case .own(let place):
            uid = try writer.foreignInstance(instance, ofClassAt: place) {
                self.encodeFields(of: instance, with: $0)
            }
        case .keyed:
            guard let value = instance as? any KeyedEncodable else { throw notCodable(instance) }
            uid = try value.archive(in: writer)
        }
        delegate?.archiver(self, didEncode: instance)
        return uid
    }

    /// Writes the fields of an object by its own `encode(with:)`.
    func encodeFields(of object: AnyObject, with encoder: KeyedEncoder) {
        guard let codable = object as? any NSCoding else { return encoder.fail(notCodable(object)) }
        frames.append((encoder, object))
        codable.encode(with: self)
        frames.removeLast()
    }

    /// The object that is written in the place of another, as the object itself and the delegate have it.
    private func replacement(for object: AnyObject) -> AnyObject? {
        let id = ObjectIdentifier(object)
        if let known = replacements[id] { return known.replacement }
        var result = (object as? NSObject).map { $0.replacementObject(for: self) } ?? object
        if let delegate, let before = result {
            result = delegate.archiver(self, willEncode: before)
        }
        let replacement = result.map { $0 as AnyObject }
        if replacement !== object {
            delegate?.archiver(self, willReplace: object, withObject: replacement)
            replacements[id] = (object, replacement)
        }
        if let replacement, delegate != nil {
            // What the delegate has chosen is not replaced again.
            replacements[ObjectIdentifier(replacement)] = (replacement, replacement)
        }
        return replacement
    }

    private func form(of object: AnyObject) throws -> Form {
        let id = ObjectIdentifier(type(of: object))
        if let known = forms[id] { return known }
        let type: AnyClass = Self.codedClass(of: object)
        let form = try newForm(object, type)
        // A class cluster may have one type for objects of several classes.
        if type == Swift.type(of: object) || !(object is NSObject) { forms[id] = form }
        return form
    }

    /// The class that an object wants to be written as.
    private static func codedClass(of object: AnyObject) -> AnyClass {
        // The class for coding of a decimal number is NSNumber, which would lose digits.
        if type(of: object) == NSDecimalNumber.self { return NSDecimalNumber.self }
        return (object as? NSObject)?.classForKeyedArchiver ?? type(of: object)
    }

    private func newForm(_ object: AnyObject, _ type: AnyClass) throws -> Form {
        if let made = MadeClass(type) {
            if namesByClass[ObjectIdentifier(type)] == nil { return .made(made) }
        } else if !(object is any NSCoding) {
            if object is any KeyedEncodable { return .keyed }
            throw notCodable(object)
        }
        if isSecure, !CodedClass.isSecure(type) { throw notSecure(type) }
        try requireWritable(type)
        return .own(place: try classPlace(type))
    }

    /// The place of a class among those of the archive, under the name that it goes by here.
    func classPlace(_ type: AnyClass) throws -> Int {
        let id = ObjectIdentifier(type)
        if let known = places[id] { return known }
        let place = try newClassPlace(type)
        places[id] = place
        return place
    }

    private func newClassPlace(_ type: AnyClass) throws -> Int {
        if let name = namesByClass[ObjectIdentifier(type)] {
            return try writer.classPlace(ArchivedClass(name: name))
        }
        return try writer.classPlace(CodedClass.archivedClass(of: type))
    }

    /// Checks that a class does not inherit from an array or a set: by another coder than Foundation's, these would write
    /// the fields of their elements into their own object.
    private func requireWritable(_ type: AnyClass) throws {
        #if !canImport(Darwin)
        if MadeClass(type) != nil || !(type is NSArray.Type || type is NSSet.Type) { return }
        throw KeyedArchiveError(
            .misuse,
            what: "expected a class that can write itself, found the subclass "
                + KeyedArchiveError.printable(CodedClass.name(of: type)) + " of a collection",
            recovery: "let the class hold the collection instead")
        #endif
    }

    private func notCodable(_ object: AnyObject) -> KeyedArchiveError {
        let name = KeyedArchiveError.printable("\(Swift.type(of: object))")
        return KeyedArchiveError(
            .misuse, what: "expected an object of a class that adopts NSCoding, found \(name)",
            recovery: "adopt `NSCoding` or `KeyedCodable`")
    }

    private func notSecure(_ type: AnyClass) -> KeyedArchiveError {
        KeyedArchiveError(
            .classNotAllowed,
            what: "expected a class that adopts NSSecureCoding, found "
                + KeyedArchiveError.printable(CodedClass.name(of: type)),
            recovery: "adopt `NSSecureCoding`, or pass `requiringSecureCoding: false`")
    }

    /// The text of a string.
    static func text(_ string: NSString) -> String {
        String._unconditionallyBridgeFromObjectiveC(string)
    }
}

// MARK: - Serving KeyedArchiver

extension KeyedArchiverCoder {
    /// Runs `body` with the coder of an archive, or with one that lives for the call.
    static func serving<R>(
        _ writer: ArchiveWriter, _ body: (KeyedArchiverCoder) throws -> R
    ) throws -> R {
        if let coder = writer.companion as? KeyedArchiverCoder { return try body(coder) }
        let coder = KeyedArchiverCoder(serving: writer)
        return try withExtendedLifetime(coder) { try body(coder) }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import KeyedArchive
public import PropertyList

/// An archiver that writes objects of classes that adopt `NSCoding`. It has the methods of
/// `NSKeyedArchiver`, but errors are thrown instead of raised as exceptions.
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
/// One method, `encode(_:forKey:)`, writes Swift values, Swift collections, objects and
/// `KeyedCodable` values. An instance becomes one object of the archive, however often the program
/// encodes it. Equal strings become one object, and so do equal numbers of one kind. On Linux,
/// Foundation's collections return an immutable `NSData` element as a `Data` value. The coder
/// writes each occurrence of such an element as a separate object.
///
/// The coder keeps the first error, with the path to the field. ``encodedData`` throws the error
/// and returns nothing.
///
/// A coder must not be used by two threads at the same time.
public final class KeyedArchiverCoder: NSCoder {
    /// An object that is being written.
    struct Frame {
        let encoder: KeyedEncoder
        /// The object; nil for the roots.
        let object: AnyObject?
    }

    /// The format of the output; binary by default.
    public var outputFormat = PropertyListSerialization.PropertyListFormat.binary
    /// The delegate, which the coder does not retain.
    public weak var delegate: (any KeyedArchiverCoderDelegate)? {
        didSet { mayReplace = true }
    }

    /// The archiver; nil for a coder that serves a `KeyedArchiver`.
    let archiver: KeyedArchiver?
    let writer: ArchiveWriter
    /// The innermost object that is being written, or the roots.
    var frame: Frame
    /// The names that the program has set for classes.
    var namesByClass: [ObjectIdentifier: String] = [:]
    /// The index of each class in the archive's list of classes.
    var places: [ObjectIdentifier: Int] = [:]
    /// The ways to write objects, by their types.
    var encodingMethods: KnownEncodingMethods {
        // SAFETY: only one thread uses a coder, and no client code runs during a change of the
        // table, so no access begins within another.
        @inline(__always) get { unsafe uncheckedEncodingMethods }
        @inline(__always) _modify { yield unsafe &uncheckedEncodingMethods }
    }
    // Dynamic exclusivity checks would cost as much as the lookup itself.
    @exclusivity(unchecked) private var uncheckedEncodingMethods = KnownEncodingMethods()
    /// The replacements of objects, by the original object. The delegate or the object itself has
    /// chosen them.
    var replacements: [ObjectIdentifier: (original: AnyObject, replacement: AnyObject?)] = [:]
    /// The objects that have been reported to the delegate, or will be when they are complete.
    /// ``replacements`` retains them.
    var reported: Set<ObjectIdentifier> = []
    /// A Boolean value indicating whether a delegate was set, or an object has been replaced.
    var mayReplace = false
    /// A Boolean value indicating whether each class must adopt `NSSecureCoding`.
    var isSecure: Bool
    private var output: Result<Data, any Error>?

    /// Creates a coder for a new archive.
    ///
    /// - Parameters:
    ///   - requiringSecureCoding: whether each class must adopt `NSSecureCoding`.
    ///   - registry: the classes that may be written; nil for all classes that the program encodes.
    ///     With the reader's list, the coder writes only classes that the reader accepts.
    ///   - options: the options of `KeyedArchiver`.
    ///   - limits: the limits for the nesting of objects and the size of the output.
    public convenience init(
        requiringSecureCoding: Bool = false, allowing registry: ClassRegistry? = nil,
        options: KeyedArchiver.Options = KeyedArchiver.Options(), limits: ParsingLimits = .default
    ) {
        var options = options
        // A class of Foundation and its subclass may both write the same key.
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
        frame = Frame(encoder: archiver.roots, object: nil)
        self.isSecure = isSecure
        super.init()
        writer.companion = self
    }

    /// Creates a coder for a `KeyedArchiver` that writes an object of a class with `NSCoding`.
    init(serving writer: ArchiveWriter) {
        archiver = nil
        self.writer = writer
        frame = Frame(encoder: KeyedEncoder.roots(of: writer), object: nil)
        isSecure = false
        super.init()
        writer.companion = self
    }

    // MARK: Overrides of NSCoder

    public override var allowsKeyedCoding: Bool { true }

    public override var systemVersion: UInt32 { 2000 }

    public override func version(forClassName className: String) -> Int { 0 }

    /// A Boolean value indicating whether each class must adopt `NSSecureCoding`.
    public override var requiresSecureCoding: Bool {
        get { isSecure }
        set { isSecure = newValue }
    }

    /// The first error; ``encodedData`` throws it.
    public override var error: (any Error)? { current.failure }

    /// Keeps an error, unless the coder has one already. The coder outputs nothing after an error.
    public override func failWithError(_ error: any Error) { current.fail(error) }

    #if canImport(Darwin)
    /// Nil, because an archiver reads nothing.
    public override var allowedClasses: Set<AnyHashable>? { nil }

    public override func encodeCInt(_ value: Int32, forKey key: String) {
        current.encode(value, forKey: key)
    }
    #else
    /// Nil, because an archiver reads nothing.
    public override var allowedClasses: [AnyClass]? { nil }
    #endif

    public override func encode(_ object: Any?, forKey key: String) {
        current.encode(forKey: key) { try uid(ofOptional: object) }
    }

    /// Writes a conditional reference to an object. The reference is nil unless another call writes
    /// the object in full. Swift values, strings, numbers and data are always written in full.
    public override func encodeConditionalObject(_ object: Any?, forKey key: String) {
        guard let object, let instance = Self.instance(object) else {
            return encode(object, forKey: key)
        }
        guard let replacement = replacement(for: instance) else {
            return encode(nil, forKey: key)
        }
        // If `instance` was replaced, `encode` finds the stored replacement and chooses no other.
        if Self.isPlain(replacement) || Self.isSwiftValue(replacement) {
            return encode(instance, forKey: key)
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
        // A subclass of NSString passes itself to this call. Encoding a reference would make the
        // string refer to itself.
        if let text = object as? NSString, text === frame.object {
            return current.encodeInline(.string(Self.text(text)), forKey: "NS.string")
        }
        current.encodeUnkeyed { try uid(ofOptional: object) }
    }

    public override func encodeConditionalObject(_ object: Any?) { encode(object) }

    public override func encode(_ data: Data) { encode(data as Any?) }

    public override func encodeBytes(_ byteaddr: UnsafeRawPointer?, length: Int) {
        // SAFETY: the caller vouches for `length` bytes, as with any coder.
        let buffer = unsafe UnsafeRawBufferPointer(start: byteaddr, count: length)
        let bytes = unsafe Array(buffer)
        // A subclass of NSData writes its bytes without a key.
        if frame.object is NSData { return current.encodeBytes(bytes, forKey: "NS.data") }
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
    /// Creates an archive of one root.
    ///
    /// - Parameters:
    ///   - object: the root.
    ///   - requiringSecureCoding: whether each class must adopt `NSSecureCoding`.
    ///   - registry: as for ``init(requiringSecureCoding:allowing:options:limits:)``.
    /// - Returns: The archive, in the binary format.
    /// - Throws: the errors of ``encodedData``.
    public static func archivedData(
        withRootObject object: Any, requiringSecureCoding: Bool,
        allowing registry: ClassRegistry? = nil
    ) throws -> Data {
        let coder = KeyedArchiverCoder(
            requiringSecureCoding: requiringSecureCoding, allowing: registry)
        coder.encode(object, forKey: NSKeyedArchiveRootObjectKey)
        return try coder.encodedData
    }

    /// The archive. The first access finishes it, and nothing can be written afterwards.
    ///
    /// - Throws: the first ``error``: `classNotAllowed`, `misuse` for an object whose class does
    ///   not adopt `NSCoding`, errors for exceeded limits, and an error that a class has passed to
    ///   ``failWithError(_:)``.
    public var encodedData: Data {
        get throws {
            finishEncoding()
            return try output?.get() ?? Data()
        }
    }

    /// Finishes writing.
    public func finishEncoding() {
        guard output == nil, let archiver else { return }
        delegate?.archiverWillFinish(self)
        output = Result { Data(try archiver.finish(as: outputFormat == .xml ? .xml : .binary)) }
        delegate?.archiverDidFinish(self)
    }

    /// Makes the coder write objects of a class under another name. The description of the class
    /// then has no `$classes`.
    ///
    /// - Parameters:
    ///   - codedName: the name in the archive; nil for the class's own.
    ///   - cls: the class.
    public func setClassName(_ codedName: String?, for cls: AnyClass) {
        namesByClass[ObjectIdentifier(cls)] = codedName
        encodingMethods.removeAll()
        places.removeAll()
    }

    /// Returns the name that ``setClassName(_:for:)`` has set for a class; nil for other classes.
    public func className(for cls: AnyClass) -> String? { namesByClass[ObjectIdentifier(cls)] }

    /// Writes a tree of plain values as objects.
    public func encodePropertyList(_ aPropertyList: Any, forKey key: String) {
        encode(aPropertyList, forKey: key)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import KeyedArchive
public import PropertyList

/// An unarchiver that reads objects of classes that adopt `NSCoding`. It has the methods of
/// `NSKeyedUnarchiver`, but accepts only classes on an allow-list, by their exact names. Errors are
/// thrown instead of raised as exceptions.
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
/// The coder creates an object only if the program allows its class: in the registry, in the
/// current call, with ``setClass(_:forClassName:)`` or through the delegate. The call
/// `decodeObject(of: [Hero.self], forKey: "hero")` allows `Hero` in that field and below it, by its
/// exact name. The coder never looks up a class name from the archive in the runtime.
///
/// No call traps because of an archive, however malformed. The coder keeps the first error, with
/// the path to the object. After an error every call returns nil, zero or false, and
/// ``finishDecoding()`` throws the error. A class may still trap in its own `init(coder:)`, for
/// example if it force-unwraps nil.
///
/// A coder reads one archive. It must not be used by two threads at the same time.
public final class KeyedUnarchiverCoder: NSCoder {
    /// An object under construction.
    struct Frame {
        /// The fields of the object.
        let decoder: KeyedDecoder
        /// The fields that the class inherits from a string, data or collection class of
        /// Foundation; nil for other classes.
        let inherited: InheritedFields?
    }

    /// The treatment of a reference to an object that is still under construction.
    public enum CyclePolicy: Sendable {
        /// The reference is an error, `referenceCycle`.
        case fail
        /// The reference is read as nil, and ``KeyedUnarchiverCoder/cutReferenceCount`` counts it.
        case cut
    }

    /// The treatment of cycles; ``CyclePolicy/fail`` by default.
    ///
    /// An object exists only after its `init(coder:)` has returned. So a child cannot refer to its
    /// parent while the coder reads the parent.
    public var cyclePolicy = CyclePolicy.fail
    /// The number of references that ``CyclePolicy/cut`` has read as nil.
    public internal(set) var cutReferenceCount = 0
    /// The delegate, which the coder does not retain.
    public weak var delegate: (any KeyedUnarchiverCoderDelegate)? {
        didSet { mayReplace = true }
    }

    /// The innermost object under construction, or the roots; nil for a coder that serves a
    /// `KeyedUnarchiver` and reads nothing at present.
    var frame: Frame?
    /// The classes named by the innermost call that takes classes.
    var named: NamedClasses?
    /// A Boolean value indicating whether ``delegate`` was ever set. This flag is faster to read
    /// than the weak reference.
    private(set) var mayReplace = false
    /// The first error.
    var failure: (any Error)?
    /// The classes of the archive.
    var classes: ResolvedClasses {
        // SAFETY: only one thread uses a coder, and no client code runs during a change of
        // `classes`, so no access begins within another.
        @inline(__always) get { unsafe uncheckedClasses }
        @inline(__always) _modify { yield unsafe &uncheckedClasses }
    }
    // Dynamic exclusivity checks would cost as much as the lookup itself.
    @exclusivity(unchecked) private var uncheckedClasses = ResolvedClasses()
    /// The instances of shared strings, numbers, data and dates, by UID.
    var leaves = NumberedTable<AnyObject>()
    /// The expanded sizes of objects, by UID: a shared object counts once for each reference.
    var expansions = NumberedTable<Expansion>()
    /// The values that several objects of the archive share.
    var shared = SharedContents()
    /// A Boolean value indicating whether each class must adopt `NSSecureCoding`.
    var isSecure = false
    /// A Boolean value indicating whether the delegate has been notified of the end of reading.
    var isFinished = false
    private var policy = NSCoder.DecodingFailurePolicy.setErrorAndReturn
    #if canImport(Darwin)
    private var lentBytes: [NSData] = []
    #endif

    /// Creates a coder for an archive, after checking everything in the archive that does not
    /// depend on classes.
    ///
    /// - Parameters:
    ///   - data: the archive, in any format that `PropertyListDocument` reads.
    ///   - registry: the allowed classes.
    ///   - options: the deviations from the format to accept.
    ///   - limits: the limits for nesting and for the number of values.
    /// - Complexity: Linear in the size of the archive.
    /// - Throws: `invalidPropertyList`, `notAnArchive`, `unsupportedVersion`, `danglingReference`,
    ///   `malformedObject`, `malformedClass`, `expansionLimitExceeded`.
    public convenience init(
        forReadingFrom data: Data, allowing registry: ClassRegistry = .foundationObjects,
        options: ParsingOptions = .strict, limits: ParsingLimits = .default
    ) throws(KeyedArchiveError) {
        let unarchiver = try KeyedUnarchiver(
            parsing: data, allowing: registry, options: options, limits: limits)
        self.init(unarchiver)
    }

    /// Creates a coder for the roots of an open archive. The coder and the unarchiver share the
    /// objects that they read.
    ///
    /// - Parameter unarchiver: the archive, with the allowed classes.
    public init(_ unarchiver: KeyedUnarchiver) {
        frame = Frame(decoder: unarchiver.roots, inherited: nil)
        super.init()
        unarchiver.convertsNumbers = true
        unarchiver.roots.companion = self
    }

    /// Creates a coder for a `KeyedUnarchiver` that reads an object of a class with `NSCoding`.
    override init() { super.init() }

    // MARK: Overrides of NSCoder

    public override var allowsKeyedCoding: Bool { true }

    public override var systemVersion: UInt32 { 2000 }

    public override func version(forClassName className: String) -> Int { 0 }

    /// A Boolean value indicating whether each class must adopt `NSSecureCoding`; false by default.
    /// The coder checks the allow-list in both cases.
    public override var requiresSecureCoding: Bool {
        get { isSecure }
        set { isSecure = newValue }
    }

    /// The policy for failures. Both policies have the same effect: the coder keeps the error and
    /// returns.
    public override var decodingFailurePolicy: NSCoder.DecodingFailurePolicy {
        get { policy }
        set { policy = newValue }
    }

    /// The first error: a `KeyedArchiveError` with the path to the object, or an error that a class
    /// has passed to ``failWithError(_:)``.
    public override var error: (any Error)? { failure }

    /// Keeps an error, unless the coder has one already. The coder reads nothing more after an
    /// error.
    public override func failWithError(_ error: any Error) {
        if failure == nil { failure = error }
    }

    #if canImport(Darwin)
    /// The classes named by the innermost call that takes classes.
    public override var allowedClasses: Set<AnyHashable>? {
        // On Apple's systems a class is an object, with a hash.
        named.map { Set($0.all.compactMap { ($0 as AnyObject) as? NSObject }) }
    }

    public override func __decodeObject(of aClass: AnyClass, forKey key: String) -> Any? {
        decoded(forKey: key, of: .one(aClass))?.any
    }

    public override func __decodeObject(
        ofClasses classes: Set<AnyHashable>?, forKey key: String
    ) -> Any? {
        guard let classes else { return decodeObject(forKey: key) }
        return decoded(forKey: key, of: .several(classes.compactMap { $0.base as? AnyClass }))?.any
    }

    /// Returns the bytes of a field. The pointer is valid as long as the coder exists.
    public override func decodeBytes(
        forKey key: String, returnedLength lengthp: UnsafeMutablePointer<Int>?
    ) -> UnsafePointer<UInt8>? {
        guard let bytes = bytes(forKey: key), let node = current?.reference(forKey: key)?.node
        else { return nil }
        let copy = data(of: node) { Data(bytes) }
        lentBytes.append(copy)
        unsafe lengthp?.pointee = bytes.count
        // SAFETY: the coder retains the object that owns the bytes.
        return unsafe copy.bytes.assumingMemoryBound(to: UInt8.self)
    }

    public override func decodeValue(
        ofObjCType type: UnsafePointer<CChar>, at data: UnsafeMutableRawPointer, size: Int
    ) {
        // SAFETY: the caller vouches for the pointers, as with any coder.
        unsafe decodeValues(type, data)
    }
    #else
    /// The classes named by the innermost call that takes classes.
    public override var allowedClasses: [AnyClass]? { named?.all }

    public override func decodeValue(
        ofObjCType type: UnsafePointer<Int8>, at data: UnsafeMutableRawPointer
    ) {
        // SAFETY: the caller vouches for the pointers, as with any coder.
        unsafe decodeValues(type, data)
    }

    /// Returns the object of a field. For an object of another class, records an ``error`` and
    /// returns nil.
    public override func decodeObject<DecodedObjectType>(
        of cls: DecodedObjectType.Type, forKey key: String
    ) -> DecodedObjectType? where DecodedObjectType: NSObject, DecodedObjectType: NSCoding {
        decoded(forKey: key, of: .one(cls))?.cast(to: cls)
    }

    public override func decodeObject(of classes: [AnyClass]?, forKey key: String) -> Any? {
        guard let classes else { return decodeObject(forKey: key) }
        return decoded(forKey: key, of: .several(classes))?.any
    }

    public override func withDecodedUnsafeBufferPointer<ResultType>(
        forKey key: String, body: (UnsafeBufferPointer<UInt8>?) throws -> ResultType
    ) rethrows -> ResultType {
        guard let bytes = bytes(forKey: key) else { return try body(nil) }
        // SAFETY: `body` may use the pointer only during the call.
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
        guard let frame else { return false }
        return frame.inherited?.contains(key, frame.decoder)
            ?? frame.decoder.containsValue(forKey: key)
    }

    public override func decodeObject(forKey key: String) -> Any? {
        decoded(forKey: key)?.any
    }

    public override func decodePropertyList(forKey key: String) -> Any? {
        decoded(forKey: key, of: Self.propertyListClasses)?.any
    }

    public override func decodeBool(forKey key: String) -> Bool {
        if failure == nil, let value = current?.plainBoolean(forKey: key) { return value }
        return number(key) ?? false
    }

    public override func decodeCInt(forKey key: String) -> Int32 { number(key) ?? 0 }

    public override func decodeInt32(forKey key: String) -> Int32 { number(key) ?? 0 }

    public override func decodeInt64(forKey key: String) -> Int64 { number(key) ?? 0 }

    public override func decodeInteger(forKey key: String) -> Int {
        if failure == nil, let value = current?.plainInteger(forKey: key) { return value }
        return number(key) ?? 0
    }

    public override func decodeFloat(forKey key: String) -> Float { number(key) ?? 0 }

    public override func decodeDouble(forKey key: String) -> Double {
        if failure == nil, let value = current?.plainReal(forKey: key) { return value }
        return number(key) ?? 0
    }

    public override func decodeObject() -> Any? {
        attempt(nil) { frame throws in
            try frame.decoder.nextUnkeyed().flatMap { try decoded($0)?.any }
        }
    }

    public override func decodeData() -> Data? { decodeObject() as? Data }

    public override func decodePropertyList() -> Any? {
        attempt(nil) { frame throws in
            try frame.decoder.nextUnkeyed().flatMap {
                try decoded($0, of: Self.propertyListClasses)?.any
            }
        }
    }

    private static let propertyListClasses = NamedClasses.several([
        NSArray.self, NSMutableArray.self, NSDictionary.self, NSMutableDictionary.self,
        NSString.self, NSMutableString.self, NSData.self, NSMutableData.self, NSDate.self,
        NSNumber.self,
    ])
}

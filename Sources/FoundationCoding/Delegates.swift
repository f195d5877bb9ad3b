// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A delegate of ``KeyedUnarchiverCoder``, like `NSKeyedUnarchiverDelegate`.
public protocol KeyedUnarchiverCoderDelegate: AnyObject {
    /// Returns a class for a name that is not allowed, and thereby allows the class. Nil, the
    /// default, leaves the class disallowed.
    func unarchiver(
        _ unarchiver: KeyedUnarchiverCoder, cannotDecodeObjectOfClassName name: String,
        originalClasses classNames: [String]
    ) -> AnyClass?

    /// Returns the object itself, or another one that replaces it for all references. Returning nil
    /// is an error, `misuse`.
    func unarchiver(_ unarchiver: KeyedUnarchiverCoder, didDecode object: Any) -> Any?

    /// Tells the delegate that another object replaces an object.
    func unarchiver(
        _ unarchiver: KeyedUnarchiverCoder, willReplace object: Any, with newObject: Any)

    /// Tells the delegate that reading is about to end.
    func unarchiverWillFinish(_ unarchiver: KeyedUnarchiverCoder)

    /// Tells the delegate that reading has ended.
    func unarchiverDidFinish(_ unarchiver: KeyedUnarchiverCoder)
}

extension KeyedUnarchiverCoderDelegate {
    public func unarchiver(
        _ unarchiver: KeyedUnarchiverCoder, cannotDecodeObjectOfClassName name: String,
        originalClasses classNames: [String]
    ) -> AnyClass? { nil }

    public func unarchiver(_ unarchiver: KeyedUnarchiverCoder, didDecode object: Any) -> Any? {
        object
    }

    public func unarchiver(
        _ unarchiver: KeyedUnarchiverCoder, willReplace object: Any, with newObject: Any
    ) {}

    public func unarchiverWillFinish(_ unarchiver: KeyedUnarchiverCoder) {}

    public func unarchiverDidFinish(_ unarchiver: KeyedUnarchiverCoder) {}
}

/// A delegate of ``KeyedArchiverCoder``, like `NSKeyedArchiverDelegate`.
public protocol KeyedArchiverCoderDelegate: AnyObject {
    /// Returns the object itself, or another one to write in its place; nil to write nil. The coder
    /// calls this once for each instance of a class. It does not call this for Swift values that
    /// adopt `KeyedEncodable`, such as `String`.
    func archiver(_ archiver: KeyedArchiverCoder, willEncode object: Any) -> Any?

    /// Tells the delegate that an object has been written. The coder calls this once for each
    /// instance of a class, after its fields.
    func archiver(_ archiver: KeyedArchiverCoder, didEncode object: Any?)

    /// Tells the delegate that another object, or nil, replaces an object.
    func archiver(
        _ archiver: KeyedArchiverCoder, willReplace object: Any?, withObject newObject: Any?)

    /// Tells the delegate that writing is about to end.
    func archiverWillFinish(_ archiver: KeyedArchiverCoder)

    /// Tells the delegate that writing has ended.
    func archiverDidFinish(_ archiver: KeyedArchiverCoder)
}

extension KeyedArchiverCoderDelegate {
    public func archiver(_ archiver: KeyedArchiverCoder, willEncode object: Any) -> Any? { object }

    public func archiver(_ archiver: KeyedArchiverCoder, didEncode object: Any?) {}

    public func archiver(
        _ archiver: KeyedArchiverCoder, willReplace object: Any?, withObject newObject: Any?
    ) {}

    public func archiverWillFinish(_ archiver: KeyedArchiverCoder) {}

    public func archiverDidFinish(_ archiver: KeyedArchiverCoder) {}
}

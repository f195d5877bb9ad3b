// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A program's hooks while ``KeyedUnarchiverCoder`` reads an archive, as those of `NSKeyedUnarchiverDelegate`.
public protocol KeyedUnarchiverCoderDelegate: AnyObject {
    /// Returns the class for a name that is not allowed, which allows it; nil, the default, leaves it an error.
    func unarchiver(
        _ unarchiver: KeyedUnarchiverCoder, cannotDecodeObjectOfClassName name: String,
        originalClasses classNames: [String]
    ) -> AnyClass?

    /// Returns an object, or another that takes its place wherever the archive refers to it.
    func unarchiver(_ unarchiver: KeyedUnarchiverCoder, didDecode object: Any) -> Any?

    /// Another object takes the place of one.
    func unarchiver(
        _ unarchiver: KeyedUnarchiverCoder, willReplace object: Any, with newObject: Any)

    /// Reading is about to end.
    func unarchiverWillFinish(_ unarchiver: KeyedUnarchiverCoder)

    /// Reading has ended.
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

/// A program's hooks while ``KeyedArchiverCoder`` writes an archive, as those of `NSKeyedArchiverDelegate`.
public protocol KeyedArchiverCoderDelegate: AnyObject {
    /// Returns the object to write in the place of one, once for each object; nil is written as nil.
    func archiver(_ archiver: KeyedArchiverCoder, willEncode object: Any) -> Any?

    /// An object has been written.
    func archiver(_ archiver: KeyedArchiverCoder, didEncode object: Any?)

    /// Another object, or nil, takes the place of one.
    func archiver(
        _ archiver: KeyedArchiverCoder, willReplace object: Any?, withObject newObject: Any?)

    /// Writing is about to end.
    func archiverWillFinish(_ archiver: KeyedArchiverCoder)

    /// Writing has ended.
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

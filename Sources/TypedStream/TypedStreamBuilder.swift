// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A builder for new streams, in the form that `NSArchiver` writes.
///
/// A stream is a sequence of groups. Begin a group with its type encoding, and append a value for
/// each type in it. An object is a value that has groups of its own.
///
/// Equal type encodings, names and C strings are written only once, and so are classes with the
/// same name, version and superclasses. An object is written where it begins. Append its ``Object``
/// to refer to it again.
///
/// A call that throws an error leaves the stream as it was.
///
/// ```swift
/// var stream = TypedStreamBuilder()
/// try stream.beginGroup("@")
/// try stream.beginObject(.init("NSString", version: 1, superclass: .object))
/// try stream.append("+", .string("Grüße"))
/// try stream.endObject()
/// let bytes = try stream.finish()
/// ```
public struct TypedStreamBuilder: Sendable {
    /// A value of a group, except a new object, which ``beginObject(_:)`` appends.
    public enum Value: Sendable {
        /// Nil, for an object, a class or a string.
        case null
        /// A number, for any integer type that can hold it.
        case integer(Int64)
        /// A number, for any integer type that can hold it.
        case unsigned(UInt64)
        /// A Boolean, for `B`, and for `c` as 0 or 1.
        case boolean(Bool)
        /// A number, for `f` and `d`.
        case real(Double)
        /// Bytes, for `+` and for an array of the same number of characters.
        case bytes([UInt8])
        /// Text, for `+`, `*`, `:` and `%`.
        case string(String)
        /// A class, for `#`.
        case `class`(ClassChain)
        /// An object of the same stream that has already begun, for `@`.
        case object(Object)
    }

    /// An object of a stream that is being written.
    public struct Object: Sendable, Hashable {
        /// The index of the object among the objects, classes and C strings of the stream.
        public let number: Int
    }

    /// The progress of the stream itself or of an open object.
    private struct Level {
        /// The remaining types of the latest group.
        var walk: TypeWalk?
    }

    var writer: StreamWriter
    var names = WrittenNames()
    private var levels = [Level()]

    /// The remaining types of the latest group of the innermost open object, or of the stream.
    var walk: TypeWalk? {
        get { levels[levels.count - 1].walk }
        set { levels[levels.count - 1].walk = newValue }
    }

    /// Creates a stream without groups.
    ///
    /// - Parameters:
    ///   - byteOrder: The byte order of numbers.
    ///   - systemVersion: The system version to declare, which has been 1000 since Mac OS X.
    public init(
        byteOrder: TypedStreamByteOrder = .littleEndian, systemVersion: Int64 = 1000
    ) {
        writer = StreamWriter(order: byteOrder)
        writer.appendSignature(version: StreamHeader.version)
        writer.append(integer: systemVersion)
    }

    /// Begins a group of the innermost open object, or of the stream.
    ///
    /// - Throws: `incompleteStream` if the last group lacks values, or `invalidType` if a
    ///   typedstream cannot represent the encoding.
    public mutating func beginGroup(_ encoding: String) throws(TypedStreamError) {
        let encoding = Array(encoding.utf8)[...]
        let types = try names.types(of: encoding)
        try beginGroup(types)
        names.appendString(encoding, to: &writer)
    }

    /// Begins a group without writing its type encoding.
    mutating func beginGroup(_ types: Range<Int>) throws(TypedStreamError) {
        try Self.requireEnd(of: walk)
        walk = TypeWalk(TypeRun(types))
    }

    /// Appends a whole group.
    ///
    /// - Throws: The errors of ``beginGroup(_:)`` and ``append(_:)``, and `incompleteStream` if
    ///   there are fewer values than types.
    public mutating func append(_ encoding: String, _ values: Value...) throws(TypedStreamError) {
        // All values are checked before the group begins, so that no part of a refused group is
        // written.
        var rest: TypeWalk? = try TypeWalk(TypeRun(names.types(of: Array(encoding.utf8)[...])))
        var types: [TypeRecord] = []
        for value in values {
            let (type, next) = try nextType(of: rest)
            try Self.check(value, as: type)
            types.append(type)
            rest = next
        }
        try Self.requireEnd(of: rest)
        try beginGroup(encoding)
        for (value, type) in zip(values, types) { write(value, as: type) }
        walk = rest
    }

    /// Appends a value to the latest group.
    ///
    /// The elements of arrays and the fields of structures are appended individually, like the
    /// values of a group. An array of characters is one value.
    ///
    /// - Throws: `wrongKind` if the value does not match the next type, the group is complete or no
    ///   group has begun, `invalidNumber` if the type cannot hold a number, `invalidLength` if the
    ///   bytes do not fill an array of characters exactly, or `invalidString` if a C string or the
    ///   name of a class contains NUL.
    public mutating func append(_ value: Value) throws(TypedStreamError) {
        let (type, rest) = try nextType(of: walk)
        try Self.check(value, as: type)
        walk = rest
        write(value, as: type)
    }

    /// Begins an object as the next value of the latest group. Append the object's groups next, and
    /// then call ``endObject()``.
    ///
    /// - Returns: The object, to append references to it.
    /// - Throws: `wrongKind` if the next type is not an object, the group is complete or no group
    ///   has begun, or `invalidString` if the name of a class contains NUL.
    @discardableResult
    public mutating func beginObject(_ class: ClassChain) throws(TypedStreamError) -> Object {
        try Self.check(`class`)
        let object = try beginObject()
        appendClass(`class`)
        return object
    }

    /// Begins an object without writing its class.
    mutating func beginObject() throws(TypedStreamError) -> Object {
        let (type, rest) = try nextType(of: walk)
        guard type.code == TypeCode.object else { throw Self.mismatch(type, "an object") }
        walk = rest
        writer.append(Tag.new)
        levels.append(Level())
        return Object(number: names.addObject())
    }

    mutating func appendClass(_ chain: ClassChain) {
        let levels = chain.levels.map {
            WrittenNames.ClassLevel(name: $0.name[...], version: $0.version)
        }
        names.appendClass(levels, to: &writer)
    }

    /// Ends the innermost object.
    ///
    /// - Throws: `incompleteStream` if the last group of the object lacks values, or if no object
    ///   is open.
    public mutating func endObject() throws(TypedStreamError) {
        try Self.requireEnd(of: walk)
        guard levels.count > 1 else {
            throw TypedStreamError(
                .incompleteStream, "expected an open object to end, found none")
        }
        levels.removeLast()
        writer.append(Tag.end)
    }

    /// Returns the complete stream.
    ///
    /// - Throws: `incompleteStream` if a group lacks values or an object is still open.
    public func finish() throws(TypedStreamError) -> [UInt8] {
        try Self.requireEnd(of: walk)
        guard levels.count == 1 else {
            throw TypedStreamError(
                .incompleteStream,
                "expected `endObject()` for each object, found \(levels.count - 1) still open")
        }
        return writer.bytes
    }

    // MARK: - Types

    /// Throws an error if a group lacks values.
    private static func requireEnd(of walk: TypeWalk?) throws(TypedStreamError) {
        guard let walk, !walk.isAtEnd else { return }
        throw TypedStreamError(
            .incompleteStream, "expected a value for each type of a group, found fewer")
    }

    /// Returns the type of the next value of a group, and the types that remain after it.
    func nextType(
        of walk: TypeWalk?
    ) throws(TypedStreamError) -> (type: TypeRecord, rest: TypeWalk) {
        guard var rest = walk else {
            throw TypedStreamError(.wrongKind, "expected a group, found a value outside of a group")
        }
        guard let index = rest.next(names.types) else {
            throw TypedStreamError(
                .wrongKind, "expected a new group, found another value for a complete group")
        }
        return (names.types[index], rest)
    }

    static func mismatch(_ type: TypeRecord, _ found: StaticString) -> TypedStreamError {
        TypedStreamError(
            .wrongKind,
            "expected a value of type \(Unicode.Scalar(type.code)), found \(found)")
    }
}

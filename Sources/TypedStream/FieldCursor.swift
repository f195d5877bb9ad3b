// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A cursor that reads the groups of an object of a known class in order. Groups and values that
/// the class does not write are errors.
///
/// ``begin(_:_:)`` checks the type encoding of a group. The caller then reads one value for each
/// type in it.
struct FieldCursor {
    private let object: TypedStreamObject
    /// The offset of the next value or, after the last value of a group, of the next group.
    private var next: Int
    /// The offset after the last group.
    private let end: Int
    /// The offset of the current group, for messages.
    private(set) var place: Int

    init(_ object: TypedStreamObject) {
        self.object = object
        let groups = object.storage.groups(of: object.number)
        next = groups.lowerBound
        end = groups.upperBound
        place = object.byteRange.lowerBound
    }

    private var storage: TypedStreamDocument.Storage { object.storage }

    /// The problem of a salvaged document that ends within the object, or nil.
    private var problem: TypedStreamError? {
        storage.isCutOff(object.number) ? storage.problem : nil
    }

    /// A Boolean value indicating whether no group follows.
    var isAtEnd: Bool { next >= end }

    // MARK: - Groups

    /// Begins the next group, whose type encoding must be `encoding`. The encoding must not contain
    /// arrays or structures.
    mutating func begin(
        _ encoding: StaticString, _ what: StaticString
    ) throws(TypedStreamError) {
        guard next < end, let head = storage.groupHead(at: next) else {
            throw unexpected(encoding, what)
        }
        place = next
        guard storage.hasTypes(head, encoding) else { throw unexpected(encoding, what) }
        next = head.end
    }

    /// Reads the next group as a whole, or returns nil at the end of the object.
    mutating func nextGroup() -> TypedStreamGroup? {
        guard next < end, let group = TypedStreamGroup(storage, at: next) else { return nil }
        place = next
        next = group.byteRange.upperBound
        return group
    }

    /// Checks that no group follows.
    mutating func finish() throws(TypedStreamError) {
        guard nextGroup() == nil else {
            throw fail("expected the end of \(object.printableClassName), found another group")
        }
        if let problem { throw problem }
    }

    // MARK: - Values

    /// Reads a value of type `c`.
    mutating func character() throws(TypedStreamError) -> Int8 {
        guard next < storage.end, let byte = storage.source.byte(at: next) else {
            throw endOfStream()
        }
        next += 1
        return Int8(bitPattern: byte)
    }

    /// Reads a value of an integer type.
    mutating func integer() throws(TypedStreamError) -> Int64 {
        guard next < storage.end, let (value, end) = storage.source.integer(at: next) else {
            throw endOfStream()
        }
        next = end
        return value
    }

    /// Reads a value of type `I`.
    mutating func unsignedInteger() throws(TypedStreamError) -> UInt32 {
        UInt32(truncatingIfNeeded: try integer())
    }

    /// Reads a value of type `f`.
    mutating func float() throws(TypedStreamError) -> Float {
        guard next < storage.end, let (value, end) = storage.source.float(at: next) else {
            throw endOfStream()
        }
        next = end
        return value
    }

    /// Reads a value of type `d`.
    mutating func double() throws(TypedStreamError) -> Double {
        guard next < storage.end, let (value, end) = storage.source.double(at: next) else {
            throw endOfStream()
        }
        next = end
        return value
    }

    /// Reads a value of type `+`. Returns the range of its bytes, or nil for a nil value.
    mutating func bytes() throws(TypedStreamError) -> Range<Int>? {
        guard next < storage.end else { throw endOfStream() }
        if storage.source.byte(at: next) == Tag.null {
            next += 1
            return nil
        }
        guard let (length, start) = storage.source.integer(at: next) else { throw endOfStream() }
        next = start + Int(truncatingIfNeeded: length)
        return start..<next
    }

    /// Reads a value of type `*`. Returns nil for a nil value.
    mutating func cString() throws(TypedStreamError) -> TypedStreamString? {
        guard next < storage.end, let end = storage.skipCString(at: next) else {
            throw endOfStream()
        }
        let number = storage.entry(at: next)
        next = end
        return number.map { TypedStreamString(storage, cString: $0) }
    }

    /// Reads a value of type `@`. Returns nil for a nil value.
    mutating func optionalObject() throws(TypedStreamError) -> TypedStreamObject? {
        guard next < storage.end, let (number, end) = storage.object(at: next) else {
            throw endOfStream()
        }
        next = end
        return number.map { TypedStreamObject(storage, number: $0) }
    }

    /// Reads a value of type `@` that is not nil.
    mutating func object(_ what: StaticString) throws(TypedStreamError) -> TypedStreamObject {
        if let object = try optionalObject() { return object }
        throw fail("expected \(what), found nil")
    }

    // MARK: - Groups with one value

    /// Reads a group with one object. Returns nil for a nil value.
    mutating func optionalObjectGroup(
        _ what: StaticString
    ) throws(TypedStreamError) -> TypedStreamObject? {
        try begin("@", what)
        return try optionalObject()
    }

    /// Reads a group with one object that is not nil.
    mutating func objectGroup(_ what: StaticString) throws(TypedStreamError) -> TypedStreamObject {
        try begin("@", what)
        return try object(what)
    }

    /// Reads a group with one number: a count of elements, which must fit in the object.
    mutating func count(
        _ encoding: StaticString, of what: StaticString, groupsPerElement: Int = 1
    ) throws(TypedStreamError) -> Int {
        try begin(encoding, what)
        let number = try integer()
        // A type encoding and a value take at least two bytes. In streamer version 3, nil and
        // references have no type encoding.
        let groupSize = storage.streamerVersion == StreamHeader.oldVersion ? 1 : 2
        let most = (object.byteRange.upperBound - place) / (groupSize * groupsPerElement)
        if number >= 0, number <= most { return Int(number) }
        throw fail("expected 0 to \(most) elements in \(what), found \(number)")
    }

    // MARK: - Errors

    private func unexpected(_ encoding: StaticString, _ what: StaticString) -> TypedStreamError {
        fail("expected a group of type \(encoding) as \(what)")
    }

    /// Returns the error for a salvaged document that ends within the object.
    private func endOfStream() -> TypedStreamError {
        fail("expected a value, found the end of the stream")
    }

    /// Returns the error for an object with contents that its class does not write. For an object
    /// that a salvaged document cuts off, returns the document's problem instead.
    @inline(never)
    func fail(_ what: String) -> TypedStreamError {
        problem
            ?? TypedStreamError(
                .wrongKind, "\(what), in \(object.printableClassName)", at: place)
    }
}

extension TypedStreamDocument.Storage {
    /// Returns whether the types of a group are exactly those of `encoding`, which must not contain
    /// arrays or structures.
    func hasTypes(_ head: GroupHead, _ encoding: StaticString) -> Bool {
        guard head.types.count == encoding.utf8CodeUnitCount else { return false }
        return encoding.withUTF8Buffer { codes in
            for index in 0..<codes.count {
                let code = tables.types[head.types.lowerBound &+ index].code
                // SAFETY: the buffer is used within the call.
                guard unsafe codes[index] == code else { return false }
            }
            return true
        }
    }
}

extension Array<UInt8> {
    /// Returns whether the bytes at `range` are exactly those of a string.
    func isText(_ text: StaticString, at range: Range<Int>) -> Bool {
        let start = range.lowerBound
        guard range.count == text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { expected in
            for index in 0..<expected.count {
                // SAFETY: the buffer is used within the call.
                guard unsafe expected[index] == self[start &+ index] else { return false }
            }
            return true
        }
    }
}

extension TypedStreamObject {
    /// The class name for messages, truncated if it is long. Many objects can share a long name, so
    /// only the beginning is read.
    var printableClassName: String {
        let name = self.class.sharedName
        if name.bytes.count <= 100 { return name.text }
        // A scalar takes at most four bytes, so the first 100 are complete.
        let beginning = String(decoding: name.bytes.prefix(400), as: UTF8.self).unicodeScalars
        let isWhole = name.bytes.count <= 400 && beginning.count <= 100
        return isWhole ? name.text : String(beginning.prefix(100)) + "…"
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Reads the groups of an object of a known class, one after the other, and refuses all that the class does not write.
struct FieldCursor {
    private let object: TypedStreamObject
    private var groups: TypedStreamGroups.Iterator
    /// The place of the next group, for messages.
    private(set) var place: Int

    init(_ object: TypedStreamObject) {
        self.object = object
        groups = object.groups.makeIterator()
        place = object.byteRange.lowerBound
    }

    /// The next group; nil at the end of the object.
    mutating func nextGroup() -> TypedStreamGroup? {
        guard let group = groups.next() else { return nil }
        place = group.byteRange.lowerBound
        return group
    }

    /// The values of the next group, whose type encoding must be `encoding`.
    mutating func group(
        _ encoding: StaticString, _ what: StaticString
    ) throws(TypedStreamError) -> FlatValues {
        guard let group = nextGroup(), group.hasEncoding(encoding) else {
            throw unexpected(encoding, what)
        }
        return group.flatValues
    }

    /// The only value of the next group.
    mutating func value(
        _ encoding: StaticString, _ what: StaticString
    ) throws(TypedStreamError) -> TypedStreamValue.Content {
        var values = try group(encoding, what)
        guard let value = values.next() else { throw unexpected(encoding, what) }
        return value.content
    }

    /// The object of the next group; nil for nil.
    mutating func optionalObject(
        _ what: StaticString
    ) throws(TypedStreamError) -> TypedStreamObject? {
        if case .object(let object) = try value("@", what) { return object }
        return nil
    }

    /// The object of the next group.
    mutating func object(_ what: StaticString) throws(TypedStreamError) -> TypedStreamObject {
        if let object = try optionalObject(what) { return object }
        throw fail("expected \(what), found nil")
    }

    /// The number of the next group that counts elements. Each element takes at least two bytes.
    mutating func count(
        _ encoding: StaticString, of what: StaticString, groupsPerElement: Int = 1
    ) throws(TypedStreamError) -> Int {
        let number: Int64?
        switch try value(encoding, what) {
        case .integer(let value): number = value
        case .unsigned(let value): number = Int64(exactly: value)
        default: number = nil
        }
        let most = (object.byteRange.upperBound - place) / (2 * groupsPerElement)
        if let number, number >= 0, number <= most { return Int(number) }
        throw fail("expected at most \(most) elements in \(what), found \(number ?? -1)")
    }

    /// Checks that no group follows.
    mutating func finish() throws(TypedStreamError) {
        guard nextGroup() == nil else {
            throw fail("expected the end of \(object.printableClassName), found another group")
        }
        if let problem = object.storage.problem, object.byteRange.upperBound >= object.storage.end {
            throw problem
        }
    }

    private func unexpected(_ encoding: StaticString, _ what: StaticString) -> TypedStreamError {
        fail("expected a group \(encoding) as \(what)")
    }

    /// The error of an object that does not hold what its class writes, or of a salvaged document that ends in it.
    @inline(never)
    func fail(_ what: String) -> TypedStreamError {
        object.storage.problem
            ?? TypedStreamError(
                .wrongKind, "\(what), in \(object.printableClassName)", at: place)
    }
}

extension TypedStreamGroup {
    /// Whether the type encoding is exactly this.
    func hasEncoding(_ text: StaticString) -> Bool {
        guard let encoding else { return text.utf8CodeUnitCount == 1 && isObject }
        return encoding.bytes.isText(text)
    }
}

extension ArraySlice<UInt8> {
    /// Whether the bytes are exactly those of a text.
    func isText(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { expected in
            // SAFETY: the buffer is used within the call.
            unsafe expected.elementsEqual(self)
        }
    }
}

extension TypedStreamObject {
    /// The class name in messages, cut where it is long.
    var printableClassName: String {
        let name = self.class.name
        return name.utf8.count <= 100 ? name : String(name.prefix(100)) + "…"
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension TypedStreamBuilder {
    /// Appends all groups of a document, with their objects. Linear, and without recursion.
    ///
    /// Strings and classes are shared with those written already. Integers are written in their shortest form.
    /// For streams that `NSArchiver` wrote, the result in the same byte order is the same bytes.
    ///
    /// - Throws: `incompleteStream` if the last group lacks values; ``TypedStreamDocument/problem`` of a salvaged
    ///   document.
    public mutating func append(
        contentsOf document: TypedStreamDocument
    ) throws(TypedStreamError) {
        if let problem = document.problem { throw problem }
        var objects: [Int: Object] = [:]
        var levels = [CopiedLevel(document.groups)]
        while !levels.isEmpty {
            switch levels[levels.count - 1].next() {
            case .group(let group): try beginGroup(group.encoding?.bytes ?? Self.implied)
            case .value(let value):
                if case .object(let object) = value.content, !value.isReference {
                    objects[object.number] = try beginObject(ClassChain(object.class))
                    levels.append(CopiedLevel(object.groups))
                } else {
                    try append(copyOf: value, objects)
                }
            case nil:
                levels.removeLast()
                if !levels.isEmpty { try endObject() }
            }
        }
    }

    /// The type encoding that objects of streamer version 3 imply.
    private static let implied = [TypeCode.object][...]

    /// Appends a value that is no new object.
    private mutating func append(
        copyOf value: TypedStreamValue, _ objects: [Int: Object]
    ) throws(TypedStreamError) {
        let type = try nextType()
        switch value.content {
        case .integer(let number): try write(.integer(number), as: type)
        case .unsigned(let number): try write(.unsigned(number), as: type)
        case .boolean(let flag): try write(.boolean(flag), as: type)
        case .float(let number): writeReal(value, bits: UInt64(number.bitPattern), width: 4)
        case .double(let number): writeReal(value, bits: number.bitPattern, width: 8)
        case .bytes(let bytes): try writeBytes(bytes, as: type)
        case .string(let string), .cString(let string): try writeText(string.bytes, as: type)
        case .class(let `class`): try write(.class(ClassChain(`class`)), as: type)
        case .object(let object):
            // An object precedes all references to it.
            if let copy = objects[object.number] { try write(.object(copy), as: type) }
        case .null: try write(.null, as: type)
        // A walk goes through their elements and fields instead.
        case .array, .structure: break
        }
    }

    /// Writes a real number in the form that it has.
    private mutating func writeReal(_ value: TypedStreamValue, bits: UInt64, width: Int) {
        if let whole = value.wholeNumber {
            writer.append(integer: whole)
        } else {
            writeReal(bits: bits, width: width)
        }
    }
}

/// The groups of a stream or of an object that are still to be copied.
private struct CopiedLevel {
    enum Item {
        case group(TypedStreamGroup)
        case value(TypedStreamValue)
    }

    private var groups: TypedStreamGroups.Iterator
    private var values: FlatValues?

    init(_ groups: TypedStreamGroups) { self.groups = groups.makeIterator() }

    mutating func next() -> Item? {
        if let value = values?.next() { return .value(value) }
        guard let group = groups.next() else { return nil }
        values = group.flatValues
        return .group(group)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A value of a property list, with its location.
public struct InlinePropertyListNode: Sendable {
    /// The content of a value.
    public enum Content: Sendable {
        /// No value. In place of a dictionary key, it marks a value that was encoded without a key.
        case null
        /// A Boolean.
        case boolean(Bool)
        /// An integer. In versions 16 and 17, integers of 1, 2 and 4 bytes are unsigned.
        case integer(Int64)
        /// An integer with the marker `f8`. Its byte order is uncertain; it is read as
        /// little-endian.
        case unsigned(UInt64)
        /// A real number of 4 bytes.
        case float(Float)
        /// A real number of 8 bytes.
        case double(Double)
        /// A date, in seconds since 2001. Only in version 15.
        case date(Double)
        /// Bytes.
        case data(ArraySlice<UInt8>)
        /// Text, without the NUL at its end.
        case string(String)
        /// The elements of an array.
        case array(InlinePropertyListNodes)
        /// The elements of an ordered set. Only in version 15.
        case orderedSet(InlinePropertyListNodes)
        /// The elements of a set. Only in version 15.
        case set(InlinePropertyListNodes)
        /// The keys and values of a dictionary, in the order of the file. In versions 16 and 17
        /// each value follows its key. In version 15 all keys precede all values.
        case dictionary(InlinePropertyListNodes)
    }

    let storage: InlinePropertyListDocument.Storage

    /// The index of the value in the order of the file.
    public let index: Int

    private var record: ListNode { storage.nodes[index] }

    /// The byte range of the value in the file, including its marker.
    public var byteRange: Range<Int> { Int(record.offset)..<Int(record.end) }

    /// A Boolean value indicating whether the value is a reference to an earlier value. The content
    /// of a reference is that of its target.
    public var isReference: Bool { record.kind == .reference }

    /// The value itself, or the target of a reference.
    public var target: InlinePropertyListNode {
        isReference ? InlinePropertyListNode(storage: storage, index: Int(record.other)) : self
    }

    /// A Boolean value indicating whether the content is a string. Unlike ``content``, it takes
    /// constant time, because no text is read.
    package var isString: Bool { target.record.kind.isString }

    /// A Boolean value indicating whether the content is null. Takes constant time.
    package var isNull: Bool { target.record.kind == .null }

    /// The content of the value. Linear in the length of a string, otherwise constant time.
    public var content: Content {
        let node = target.record
        switch node.kind {
        case .null, .reference: return .null
        case .false: return .boolean(false)
        case .true: return .boolean(true)
        case .integer: return .integer(integer(node))
        case .unsigned: return .unsigned(bits(node))
        case .float: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: bits(node))))
        case .double: return .double(Double(bitPattern: bits(node)))
        case .date: return .date(Double(bitPattern: bits(node)))
        case .data: return .data(storage.bytes[node.content])
        case .terminated, .ascii, .utf8, .utf16:
            return .string(ListText.text(of: node, in: storage.bytes) ?? "")
        case .array: return .array(target.children)
        case .orderedSet: return .orderedSet(target.children)
        case .set: return .set(target.children)
        case .dictionary: return .dictionary(target.children)
        }
    }

    /// The entries of a dictionary, in the order of the file, or nil for other values. Linear in
    /// their number.
    public var entries: [(key: InlinePropertyListNode, value: InlinePropertyListNode)]? {
        guard case .dictionary(let children) = content else { return nil }
        let nodes = Array(children)
        let half = nodes.count / 2
        return (0..<half).map { index in
            storage.version == .fifteen
                ? (nodes[index], nodes[half + index]) : (nodes[2 * index], nodes[2 * index + 1])
        }
    }

    private var children: InlinePropertyListNodes {
        InlinePropertyListNodes(storage: storage, places: index + 1..<Int(record.other))
    }

    /// The record of the value, with the kind of a string and the width of a number as stored in
    /// the file.
    var stored: ListNode { record }

    private func integer(_ node: ListNode) -> Int64 {
        storage.version == .fifteen
            ? NumberBytes.biased(storage.bytes, node.content) : Int64(bitPattern: bits(node))
    }

    private func bits(_ node: ListNode) -> UInt64 {
        storage.version == .fifteen
            ? NumberBytes.big(storage.bytes, node.content)
            : NumberBytes.little(storage.bytes, node.content)
    }
}

extension InlinePropertyListNode: Hashable {
    /// Returns whether both are the same value of the same document.
    public static func == (left: Self, right: Self) -> Bool {
        left.storage === right.storage && left.index == right.index
    }

    /// Hashes the identity of the document and the index of the value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(storage))
        hasher.combine(index)
    }
}

/// The children of a container, in the order of the file.
public struct InlinePropertyListNodes: Sequence, Sendable {
    let storage: InlinePropertyListDocument.Storage
    let places: Range<Int>

    /// The first child, or nil if the container is empty.
    public var first: InlinePropertyListNode? {
        var iterator = makeIterator()
        return iterator.next()
    }

    /// An iterator over the children of a container.
    public struct Iterator: IteratorProtocol, Sendable {
        fileprivate let storage: InlinePropertyListDocument.Storage
        fileprivate var place: Int
        fileprivate let end: Int

        /// Returns the next child, or nil at the end.
        public mutating func next() -> InlinePropertyListNode? {
            guard place < end else { return nil }
            defer {
                let node = storage.nodes[place]
                place = node.kind.isContainer ? Int(node.other) : place + 1
            }
            return InlinePropertyListNode(storage: storage, index: place)
        }
    }

    /// Returns an iterator over the children.
    public func makeIterator() -> Iterator {
        Iterator(storage: storage, place: places.lowerBound, end: places.upperBound)
    }
}

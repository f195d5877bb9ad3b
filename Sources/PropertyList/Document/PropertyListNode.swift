// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A value of a ``PropertyListDocument``, read in place.
///
/// An accessor returns nil if the value is of a different kind. The node retains the document.
public struct PropertyListNode: Sendable {
    package let storage: PropertyListDocument.Storage
    package let index: UInt32

    @inline(__always)
    package var record: NodeRecord { storage.store.records[Int(index)] }

    /// The kind of the value.
    public var kind: PropertyListKind { record.kind }

    /// The number of the value in the document's table. In binary, this is the object number in the
    /// file.
    public var number: Int { Int(index) }

    /// The offset of the value in the source, in bytes. It is nil in a document that was built. In
    /// a document that was converted from another format, it is nil for values that the file does
    /// not contain.
    public var sourceOffset: Int? {
        if storage.format != nil { return Int(record.offset) }
        return storage.origin?.range(of: index)?.lowerBound
    }

    /// The location of the value in the source, for a message; nil if ``sourceOffset`` is nil. In
    /// text, this counts lines in linear time.
    public var location: PropertyListError.Location? {
        if storage.origin != nil { return sourceOffset.map { .byte($0) } }
        return SourceText.location(Int(record.offset), storage.store, storage.format)
    }

    /// Returns whether both nodes are the same value of the same document, not merely equal values.
    public func isIdentical(to other: PropertyListNode) -> Bool {
        storage === other.storage && index == other.index
    }

    /// The document that contains the value.
    package var document: PropertyListDocument { PropertyListDocument(storage: storage) }

    func sibling(_ index: UInt32) -> PropertyListNode {
        PropertyListNode(storage: storage, index: index)
    }
}

// MARK: - Scalars

extension PropertyListNode {
    /// The text of a string. Linear in its length.
    public var string: String? {
        let record = record
        return record.kind == .string ? storage.store.string(of: record) : nil
    }

    /// The value of an integer.
    public var integer: PropertyListInteger? {
        let record = record
        return record.kind == .integer ? record.integer : nil
    }

    /// The value of a floating-point number. An integer is not converted.
    public var real: PropertyListReal? {
        let record = record
        return record.kind == .real ? record.real : nil
    }

    /// The value of a boolean.
    public var boolean: Bool? {
        let record = record
        return record.kind == .boolean ? record.payload != 0 : nil
    }

    /// The value of a date.
    public var date: PropertyListDate? {
        let record = record
        return record.kind == .date ? record.date : nil
    }

    /// The bytes of data, without a copy.
    public var data: ArraySlice<UInt8>? {
        let record = record
        return record.kind == .data ? storage.store.content(of: record) : nil
    }

    /// The value of a UID, a reference into the object table of a keyed archive.
    public var uid: PropertyListUID? {
        let record = record
        return record.kind == .uid ? record.uid : nil
    }

    /// The number of bytes of a string or of data in the document; 0 for other kinds. Constant
    /// time.
    package var contentSize: Int {
        let record = record
        guard record.kind == .string || record.kind == .data else { return 0 }
        return storage.store.contentRange(of: record).count
    }

    /// Returns up to `count` leading Unicode scalars of a string, and whether they are the whole
    /// string. Takes time proportional to `count`.
    package func beginning(_ count: Int) -> (text: String, isWhole: Bool)? {
        let record = record
        guard record.kind == .string else { return nil }
        // A scalar takes at most four bytes in either encoding.
        let head = storage.store.content(of: record).prefix(4 &* count)
        let text =
            record.encoding == .utf16
            ? UTF16Text.string(head) : String(decoding: head, as: UTF8.self)
        let beginning = String(text.unicodeScalars.prefix(count))
        let isWhole =
            head.count == contentSize && beginning.utf8.count == text.utf8.count
        return (beginning, isWhole)
    }

    /// Returns the text of a string, or nil for other kinds. A long text is cached in `contents`.
    package func string(_ contents: inout LongContents) -> String? {
        let record = record
        guard record.kind == .string else { return nil }
        return contents.text(of: index, record, in: storage.store)
    }

    /// A Boolean value that is true if the value is the null of a binary property list or of JSON.
    public var isNull: Bool { kind == .null }

    /// Returns whether the value is a string with exactly this text. Linear. Allocates only to
    /// compare UTF-16 text of the same length.
    public func isString(_ text: String) -> Bool {
        storage.store.isString(record, text)
    }
}

// MARK: - Containers

extension PropertyListNode {
    /// The elements of an array.
    public var array: ArrayView? { kind == .array ? ArrayView(self) : nil }

    /// The elements of a set, in the order of the source.
    public var set: ArrayView? { kind == .set ? ArrayView(self) : nil }

    /// The entries of a dictionary, in the order of the source.
    public var dictionary: DictionaryView? {
        kind == .dictionary ? DictionaryView(node: self) : nil
    }

    /// The value of `key`, or nil if this value is not a dictionary or has no such key. Takes time
    /// linear in the length of the key, regardless of the number of entries.
    public subscript(key: String) -> PropertyListNode? { dictionary?[key] }

    /// Returns the entry of `key`, or nil if this value is not a dictionary or has no such key.
    /// Linear in the number of entries.
    package func entry(_ key: String) -> DictionaryView.Element? {
        dictionary?.first { $0.keyNode.isString(key) }
    }

    /// The element at `position`, or nil if this value is not an array or is shorter.
    public subscript(position: Int) -> PropertyListNode? {
        guard let array, array.indices.contains(position) else { return nil }
        return array[position]
    }

    /// The direct children: elements, or a dictionary's values. Empty for a scalar.
    package var childNodes: ArrayView { ArrayView(values: self) }

    /// The elements of an array or a set.
    public struct ArrayView: RandomAccessCollection, Sendable {
        let node: PropertyListNode
        private let first: Int
        /// The number of elements.
        public let endIndex: Int
        /// The position of the first element, 0.
        public let startIndex = 0

        init(_ node: PropertyListNode) {
            let range = node.record.childRange
            self.node = node
            first = range.lowerBound
            endIndex = range.count
        }

        init(values node: PropertyListNode) {
            let record = node.record
            self.node = node
            first = record.valueRange.lowerBound
            endIndex = record.isContainer ? record.count : 0
        }

        /// The element at `position`, in constant time.
        ///
        /// - Precondition: `position` is a valid index.
        public subscript(position: Int) -> PropertyListNode {
            precondition(position >= 0 && position < endIndex, "index out of range")
            return node.sibling(node.storage.store.children[first &+ position])
        }
    }

    /// The entries of a dictionary.
    public struct DictionaryView: RandomAccessCollection, Sendable {
        /// The dictionary.
        package let node: PropertyListNode

        /// An entry of a dictionary.
        public struct Element: Sendable {
            /// The key. It is a string unless ``ParsingOptions/nonStringKeys`` or
            /// ``ParsingOptions/salvage`` accepted another kind.
            public let keyNode: PropertyListNode
            /// The value.
            public let value: PropertyListNode
            /// The text of the key, or an empty string for a non-string key. Linear in its length.
            public var key: String { keyNode.string ?? "" }
        }

        /// The position of the first entry, 0.
        public var startIndex: Int { 0 }
        /// The number of entries.
        public var endIndex: Int { node.record.count }

        /// The entry at `position` in the order of the source, in constant time.
        ///
        /// - Precondition: `position` is a valid index.
        public subscript(position: Int) -> Element {
            let record = node.record
            precondition(position >= 0 && position < record.count, "index out of range")
            let place = record.keyRange.lowerBound &+ position
            let children = node.storage.store.children
            return Element(
                keyNode: node.sibling(children[place]),
                value: node.sibling(children[record.valuePlace(ofKeyAt: place)]))
        }

        /// Returns the position of `key`, or nil. Takes time linear in the length of the key.
        package func position(of key: String) -> Int? {
            let storage = node.storage
            guard let number = storage.number(of: key) else { return nil }
            let record = node.record
            return storage.place(of: number, in: record).map { $0 &- record.keyRange.lowerBound }
        }

        /// The value of `key`, or nil. Takes time linear in the length of the key, regardless of
        /// the number of entries.
        public subscript(key: String) -> PropertyListNode? {
            node.storage.value(of: key, in: node.record).map(node.sibling)
        }
    }
}

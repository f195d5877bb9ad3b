// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The tables of a document, for consumers that traverse values by number without a view of each.
///
/// Like ``NodeRecord``, this type is used by the other modules of the package.
@_spi(Tables) public struct DocumentTable: Sendable {
    let storage: PropertyListDocument.Storage
    /// All records, by number.
    @usableFromInline package let records: [NodeRecord]
    /// The children of all containers.
    @usableFromInline package let children: [UInt32]

    package init(_ document: PropertyListDocument) { self.init(document.storage) }

    /// Creates the tables of the document that contains a value.
    package init(of node: PropertyListNode) { self.init(node.storage) }

    private init(_ storage: PropertyListDocument.Storage) {
        self.storage = storage
        records = storage.store.records
        children = storage.store.children
    }

    /// The format the document was parsed from; nil for a document that was built.
    package var format: PropertyListFormat? { storage.format }

    /// A Boolean value that is true if a dictionary may contain a key twice. A lookup finds the
    /// first.
    package var hasDuplicateKeys: Bool { storage.leniencies.contains(.allDuplicateKeys) }

    /// A Boolean value that is true if a dictionary may have a key that is not a string.
    package var hasNonStringKeys: Bool {
        !storage.leniencies.isDisjoint(with: [.nonStringKeys, .salvage])
    }

    /// The number of bytes of the document, including decoded text and data.
    package var size: Int { storage.store.bytes.count &+ storage.store.decoded.count }

    /// The number of values plus references to values.
    package var extent: Int { storage.extent }

    /// The number of distinct dictionary shapes, and thus the largest ``NodeRecord/shape``.
    package var shapeCount: Int { storage.shapeCount }

    /// The number of records.
    package var count: Int { records.count }

    /// The number of the root value.
    package var root: UInt32 { storage.root }

    /// The record of the value with the given number.
    @inlinable public subscript(node: UInt32) -> NodeRecord { records[Int(node)] }

    /// Returns the number of the value at an index in `children`.
    @inlinable public func child(_ place: Int) -> UInt32 { children[place] }

    /// Returns the number of a key, which is the same in the whole document, or nil if no
    /// dictionary has it.
    package func keyNumber(of key: String) -> UInt32? {
        storage.number(of: key)
    }

    /// Returns the index in `children` of the key with this number in a dictionary, or nil.
    /// Constant time.
    ///
    /// ``NodeRecord/valuePlace(ofKeyAt:)`` gives the index of the value.
    package func place(ofKey number: UInt32, in record: NodeRecord) -> Int? {
        storage.place(of: number, in: record)
    }

    /// Returns the text of a string. Linear.
    package func string(of record: NodeRecord) -> String { storage.store.string(of: record) }

    /// Returns whether a string's text is `text`, scalar by scalar. Linear.
    package func isString(_ record: NodeRecord, _ text: String) -> Bool {
        storage.store.isString(record, text)
    }

    /// Returns the bytes of a string or of data, without copying them.
    package func content(of record: NodeRecord) -> ArraySlice<UInt8> {
        storage.store.content(of: record)
    }

    /// Returns the length of a string or of data in the document, in bytes.
    package func contentLength(of record: NodeRecord) -> Int {
        storage.store.contentRange(of: record).count
    }

    /// Returns a view of a value.
    package func view(_ node: UInt32) -> PropertyListNode {
        PropertyListNode(storage: storage, index: node)
    }
}

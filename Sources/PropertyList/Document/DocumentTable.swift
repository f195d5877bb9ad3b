// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The tables of a document by number, for consumers that go from value to value without making a
/// view of each. For the other modules of the package, like ``NodeRecord``.
@_spi(Tables) public struct DocumentTable: Sendable {
    let storage: PropertyListDocument.Storage
    /// All records, by number.
    @usableFromInline package let records: [NodeRecord]
    /// The children of all containers.
    @usableFromInline package let children: [UInt32]

    package init(_ document: PropertyListDocument) { self.init(document.storage) }

    /// The tables of the document that a value is in.
    package init(of node: PropertyListNode) { self.init(node.storage) }

    private init(_ storage: PropertyListDocument.Storage) {
        self.storage = storage
        records = storage.store.records
        children = storage.store.children
    }

    /// The format the document was parsed from; nil for one that was built.
    package var format: PropertyListFormat? { storage.format }

    /// A Boolean value that says whether a dictionary may have a key twice, of which a look-up
    /// finds the first.
    package var hasDuplicateKeys: Bool { storage.leniencies.contains(.allDuplicateKeys) }

    /// A Boolean value that says whether a key of a dictionary may be no string.
    package var hasNonStringKeys: Bool {
        !storage.leniencies.isDisjoint(with: [.nonStringKeys, .salvage])
    }

    /// The number of bytes of the document, with those that were decoded.
    package var size: Int { storage.store.bytes.count &+ storage.store.decoded.count }

    /// The number of values, and of references to them.
    package var extent: Int { storage.extent }

    /// The number of shapes that dictionaries have; also the largest ``NodeRecord/shape``.
    package var shapeCount: Int { storage.shapeCount }

    /// The number of records.
    package var count: Int { records.count }

    /// The number of the value that holds all others.
    package var root: UInt32 { storage.root }

    /// The record of a value.
    @inlinable public subscript(node: UInt32) -> NodeRecord { records[Int(node)] }

    /// The value at a place among the children of all containers.
    @inlinable public func child(_ place: Int) -> UInt32 { children[place] }

    /// The number of a key's text, the same in the whole document; nil where no dictionary has it.
    package func keyNumber(of key: String) -> UInt32? {
        storage.number(of: key)
    }

    /// The place of the key with this number in a dictionary, or nil. Constant time.
    ///
    /// The value is as many places further on as the dictionary has entries.
    package func place(ofKey number: UInt32, in record: NodeRecord) -> Int? {
        storage.place(of: number, in: record)
    }

    /// The text of a string. Linear.
    package func string(of record: NodeRecord) -> String { storage.store.string(of: record) }

    /// Returns whether a string's text is `text`, scalar by scalar. Linear.
    package func isString(_ record: NodeRecord, _ text: String) -> Bool {
        storage.store.isString(record, text)
    }

    /// The bytes of a string or of data, without a copy.
    package func content(of record: NodeRecord) -> ArraySlice<UInt8> {
        storage.store.content(of: record)
    }

    /// The length of a string or of data in the document, in bytes.
    package func contentLength(of record: NodeRecord) -> Int {
        storage.store.contentRange(of: record).count
    }

    /// A view of a value.
    package func view(_ node: UInt32) -> PropertyListNode {
        PropertyListNode(storage: storage, index: node)
    }
}

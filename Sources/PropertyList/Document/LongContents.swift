// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A cache of the strings and data made from the long contents of a document, and of the hashes of
/// long keys.
///
/// A small file can refer to a 1 MB string a million times. The cache copies such a string once.
package struct LongContents {
    /// The minimum length in bytes of cached contents. Shorter contents are copied each time: a
    /// value with such a copy takes at most a few times the memory of a value without contents.
    package static let shortest = NodeRecord.longLength

    // By node.
    private var texts: [UInt32: String] = [:]
    private var data: [UInt32: [UInt8]] = [:]
    private var keyHashes: [UInt32: UInt32] = [:]
    /// The length of all long texts returned from the cache, in bytes of UTF-8.
    ///
    /// Keeping such a text again takes constant time, but hashing it or parsing it as a URL takes
    /// linear time. A reader that does so charges ``cost(since:)``.
    package private(set) var repeatedBytes = 0

    package init() {}

    /// Returns the cost of hashing or parsing the texts that were repeated since ``repeatedBytes``
    /// was `earlier`. Each KiB costs as much as a visit to one value.
    package func cost(since earlier: Int) -> Int { Self.cost(of: repeatedBytes &- earlier) }

    /// Returns the cost of hashing or parsing `count` bytes again.
    package static func cost(of count: Int) -> Int { count >> 10 }

    /// Counts a text that was read before and is returned again from another cache.
    package mutating func noteRepetition(of text: String) { repeatedBytes &+= text.utf8.count }

    /// Returns the hash of the key `node`, whose text is `text`.
    package mutating func keyHash(of node: UInt32, _ text: String) -> UInt32 {
        if text.utf8.count < Self.shortest { return DictionaryKeys.hash(text) }
        if let hash = keyHashes[node] { return hash }
        let hash = DictionaryKeys.hash(text)
        keyHashes[node] = hash
        return hash
    }

    /// Returns the text of a string.
    mutating func text(of node: UInt32, _ record: NodeRecord, in store: NodeStore) -> String {
        if store.contentRange(of: record).count < Self.shortest { return store.string(of: record) }
        if let text = texts[node] {
            repeatedBytes &+= text.utf8.count
            return text
        }
        let text = store.string(of: record)
        texts[node] = text
        return text
    }

    /// Returns the bytes of data.
    mutating func bytes(of node: UInt32, _ record: NodeRecord, in store: NodeStore) -> [UInt8] {
        let content = store.content(of: record)
        if content.count < Self.shortest { return Array(content) }
        if let bytes = data[node] { return bytes }
        let bytes = Array(content)
        data[node] = bytes
        return bytes
    }
}

extension DocumentTable {
    /// Returns the bytes of data, which are cached in `contents` if they are long.
    package func bytes(of node: UInt32, _ contents: inout LongContents) -> [UInt8] {
        contents.bytes(of: node, records[Int(node)], in: storage.store)
    }

    /// Returns the text of a string, which is cached in `contents` if it is long.
    package func string(of node: UInt32, _ contents: inout LongContents) -> String {
        contents.text(of: node, records[Int(node)], in: storage.store)
    }
}

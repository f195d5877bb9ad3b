// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A shared string: a type encoding, a class name, a selector, an atom or the text of a C string.
public struct TypedStreamString: Sendable {
    let storage: TypedStreamDocument.Storage

    /// The index of the string among the shared strings of the stream.
    public let number: Int

    init(_ storage: TypedStreamDocument.Storage, number: Int) {
        self.storage = storage
        self.number = number
    }

    /// Creates the text of the C string at index `cString` of the object table.
    init(_ storage: TypedStreamDocument.Storage, cString: Int) {
        self.init(storage, number: Int(storage.tables.entries[cString].target))
    }

    /// The byte range of the text in the file.
    var place: Range<Int> { storage.tables.strings[number].range }

    /// The bytes of the text.
    public var bytes: ArraySlice<UInt8> { storage.source.bytes[place] }

    /// The text. Invalid UTF-8, which only selectors, atoms and names of structures may contain,
    /// becomes U+FFFD.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The byte range of the literal string in the file.
    public var byteRange: Range<Int> {
        let string = storage.tables.strings[number]
        return Int(string.offset)..<string.range.upperBound
    }
}

extension TypedStreamString: CustomStringConvertible {
    /// The text.
    public var description: String { text }
}

/// A class that a stream names, with its version and superclasses.
public struct TypedStreamClass: Sendable {
    let storage: TypedStreamDocument.Storage

    /// The index of the class among the objects, classes and C strings of the stream.
    public let number: Int

    init(_ storage: TypedStreamDocument.Storage, number: Int) {
        self.storage = storage
        self.number = number
    }

    private var entry: TableEntry { storage.tables.entries[number] }

    /// The name as a shared string.
    public var sharedName: TypedStreamString {
        TypedStreamString(storage, number: Int(entry.target))
    }

    /// The name, exactly as archived.
    public var name: String { sharedName.text }

    /// The version of the class when the stream was written.
    public var version: Int64 {
        let nameEnd = storage.skipString(at: Int(entry.offset) + 1) ?? 0
        return storage.source.integer(at: nameEnd)?.value ?? 0
    }

    /// The superclass, or nil for a root class.
    public var superclass: TypedStreamClass? {
        let other = entry.other
        return other == TableEntry.none ? nil : TypedStreamClass(storage, number: Int(other))
    }

    /// The class and its superclasses, up to the root class. A chain has at most 64 classes.
    public var chain: [TypedStreamClass] { Array(sequence(first: self) { $0.superclass }) }

    /// The byte range of the literal class in the file, without its superclasses.
    public var byteRange: Range<Int> {
        let nameEnd = storage.skipString(at: Int(entry.offset) + 1) ?? 0
        return Int(entry.offset)..<(storage.source.integer(at: nameEnd)?.end ?? nameEnd)
    }
}

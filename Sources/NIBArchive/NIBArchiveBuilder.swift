// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A builder for new archives, or for copies of archives with additions.
///
/// Add objects, the root first, and append their values. Keys and classes are numbered in the order
/// of their first use.
///
/// ```swift
/// var archive = NIBArchiveBuilder()
/// let root = archive.addObject("NSObject")
/// let name = archive.addObject("NSString")
/// archive.append(.object(name), forKey: "UIName", to: root)
/// archive.append(.data(Array("Anna".utf8)), forKey: "NS.bytes", to: name)
/// let bytes = try archive.finish()
/// ```
public struct NIBArchiveBuilder: Sendable {
    /// An object of an archive under construction.
    public struct Object: Sendable, Hashable {
        /// The index of the object in the archive.
        public let index: Int
    }

    /// A value to be written.
    public enum Value: Sendable {
        /// A whole number, written in the width that Apple's writers choose for it.
        case integer(Int64)
        /// A Boolean.
        case boolean(Bool)
        /// A real number of 4 bytes.
        case float(Float)
        /// A real number of 8 bytes.
        case double(Double)
        /// Bytes.
        case data([UInt8])
        /// Nil, in place of an object.
        case null
        /// A reference to an object, which may not have values yet.
        case object(Object)
    }

    struct StoredClass: Sendable {
        let name: ArraySlice<UInt8>
        var fallbacks: [Int] = []
    }

    struct StoredValue: Sendable {
        let key: Int
        let value: Value
    }

    private let coderVersion: UInt32
    private var classes: [StoredClass] = []
    private var classIndices: [ArraySlice<UInt8>: Int] = [:]
    private var keys: [ArraySlice<UInt8>] = []
    private var keyIndices: [ArraySlice<UInt8>: Int] = [:]
    private var objects: [(class: Int, values: [StoredValue])] = []
    private var trailingBytes: ArraySlice<UInt8> = []

    /// Creates an archive without objects.
    ///
    /// - Parameter coderVersion: 9 for iOS, 10 for macOS.
    public init(coderVersion: UInt32 = 9) { self.coderVersion = coderVersion }

    /// Creates a copy of an archive, with its objects, keys and classes in their order.
    ///
    /// Integers are written in the widths that Apple's writers choose. The copy of an archive that
    /// Apple's software wrote has the same bytes.
    ///
    /// - Complexity: Linear in the size of the archive.
    public init(_ document: NIBArchiveDocument) {
        coderVersion = document.storage.coderVersion
        trailingBytes = document.trailingBytes
        for key in document.storage.tables.keys {
            keyIndices[document.storage.source.bytes[key.range]] = keys.count
            keys.append(document.storage.source.bytes[key.range])
        }
        for `class` in document.classes {
            classIndices[`class`.nameBytes] = classes.count
            classes.append(
                StoredClass(name: `class`.nameBytes, fallbacks: `class`.fallbackIndices))
        }
        objects = document.objects.map { object in
            (object.class.index, object.values.map { StoredValue(copyOf: $0) })
        }
    }

    /// Adds an object without values. The first object is the root.
    ///
    /// - Parameters:
    ///   - name: The name of the object's class.
    ///   - fallbacks: The names of classes to use if that class is unknown to a reader. They are
    ///     ignored if the archive already contains the class, even if only as a fallback.
    /// - Returns: The object. Append values to it, or refer to it in values.
    public mutating func addObject(_ name: String, fallbacks: [String] = []) -> Object {
        let isNew = classIndices[Array(name.utf8)[...]] == nil
        let index = classIndex(name)
        if isNew {
            let indices = fallbacks.map { classIndex($0) }
            classes[index].fallbacks = indices
        }
        objects.append((index, []))
        return Object(index: objects.count - 1)
    }

    /// Appends a value to an object. Does nothing if this archive has no object with that index.
    public mutating func append(_ value: Value, forKey key: String, to object: Object) {
        guard objects.indices.contains(object.index) else { return }
        let bytes = Array(key.utf8)[...]
        let index = keyIndices[bytes] ?? keys.count
        if index == keys.count {
            keys.append(bytes)
            keyIndices[bytes] = index
        }
        objects[object.index].values.append(StoredValue(key: index, value: value))
    }

    private mutating func classIndex(_ name: String) -> Int {
        let bytes = Array(name.utf8)[...]
        if let index = classIndices[bytes] { return index }
        classIndices[bytes] = classes.count
        classes.append(StoredClass(name: bytes))
        return classes.count - 1
    }

    /// Serializes the archive.
    ///
    /// - Throws: `invalidString` for a class name or a key that contains NUL, `invalidReference`
    ///   for a reference to an object that this archive does not have, `sizeLimitExceeded` for more
    ///   than 2,147,483,647 bytes.
    /// - Complexity: Linear in the size of the archive.
    public func finish() throws(NIBArchiveError) -> [UInt8] {
        var writer = ArchiveWriter()
        writer.append(version: coderVersion)
        var first = 0
        writer.begin(section: 0, count: objects.count)
        for object in objects {
            writer.append(variable: object.class)
            writer.append(variable: first)
            writer.append(variable: object.values.count)
            first += object.values.count
        }
        writer.begin(section: 1, count: keys.count)
        for key in keys {
            try check(name: key)
            writer.append(variable: key.count)
            writer.append(key)
        }
        writer.begin(section: 2, count: first)
        for object in objects {
            for value in object.values { try append(value, to: &writer) }
        }
        writer.begin(section: 3, count: classes.count)
        for `class` in classes {
            try check(name: `class`.name)
            writer.append(class: `class`.name, fallbacks: `class`.fallbacks)
        }
        writer.append(trailingBytes)
        return try writer.finish()
    }

    private func check(name: ArraySlice<UInt8>) throws(NIBArchiveError) {
        guard !name.contains(0) else {
            throw NIBArchiveError(.invalidString, "expected a name without NUL")
        }
    }

    private func append(
        _ stored: StoredValue, to writer: inout ArchiveWriter
    ) throws(NIBArchiveError) {
        if case .object(let object) = stored.value, !objects.indices.contains(object.index) {
            throw NIBArchiveError(
                .invalidReference,
                "expected an object index below \(objects.count), found \(object.index)")
        }
        writer.append(variable: stored.key)
        writer.append(value: stored.value)
    }
}

extension NIBArchiveBuilder.StoredValue {
    init(copyOf value: NIBArchiveValue) {
        key = value.keyIndex
        self.value =
            switch value.content {
            case .integer(let number): .integer(number)
            case .boolean(let flag): .boolean(flag)
            case .float(let number): .float(number)
            case .double(let number): .double(number)
            case .data(let data): .data(Array(data))
            case .null: .null
            case .object(let object): .object(NIBArchiveBuilder.Object(index: object.index))
            }
    }
}

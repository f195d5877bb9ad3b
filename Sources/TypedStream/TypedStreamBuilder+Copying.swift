// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension TypedStreamBuilder {
    /// Appends all groups of a document with their objects, without recursion.
    ///
    /// Strings and classes are shared with those that were already written. Integers are written in
    /// their shortest form. A stream that `NSArchiver` wrote is reproduced byte for byte if the
    /// builder is empty and has the byte order and the system version of the stream.
    ///
    /// - Throws: `incompleteStream` if the builder's last group lacks values, and the
    ///   ``TypedStreamDocument/problem`` of a salvaged document.
    public mutating func append(
        contentsOf document: TypedStreamDocument
    ) throws(TypedStreamError) {
        if let problem = document.problem { throw problem }
        var copier = StreamCopier(self)
        try copier.copy(document)
        self = copier.builder
    }
}

/// A copier that appends a document to a builder.
///
/// A small file can refer to a long name many times. The copier looks each name up once.
private struct StreamCopier {
    /// The remaining groups of a stream or an object.
    private struct Level {
        var groups: TypedStreamGroups.Iterator
        var values: FlatValues?

        init(_ groups: TypedStreamGroups) { self.groups = groups.makeIterator() }
    }

    var builder: TypedStreamBuilder
    /// The indexes of the copies in the string table and the object table, by the indexes of the
    /// originals.
    private var strings: [Int: Int] = [:]
    private var entries: [Int: Int] = [:]
    /// The ranges of the types in the builder's names, by the table index of the original encoding.
    private var encodings: [Int: Range<Int>] = [:]
    private var levels: [Level] = []

    init(_ builder: TypedStreamBuilder) { self.builder = builder }

    mutating func copy(_ document: TypedStreamDocument) throws(TypedStreamError) {
        levels = [Level(document.groups)]
        while !levels.isEmpty {
            if let value = levels[levels.count - 1].values?.next() {
                try copy(value)
            } else if let group = levels[levels.count - 1].groups.next() {
                try begin(group)
                levels[levels.count - 1].values = group.flatValues
            } else {
                levels.removeLast()
                if !levels.isEmpty { try builder.endObject() }
            }
        }
    }

    private mutating func begin(_ group: TypedStreamGroup) throws(TypedStreamError) {
        // An object without a type encoding, which streamer version 3 allows, implies `@`.
        guard let encoding = group.encoding else { return try builder.beginGroup("@") }
        if let types = encodings[encoding.number] {
            try builder.beginGroup(types)
        } else {
            let types = try builder.names.types(of: encoding.bytes)
            encodings[encoding.number] = types
            try builder.beginGroup(types)
        }
        copy(encoding)
    }

    private mutating func copy(_ value: TypedStreamValue) throws(TypedStreamError) {
        if case .object(let object) = value.content, !value.isReference {
            entries[object.number] = try builder.beginObject().number
            copy(object.class)
            levels.append(Level(object.groups))
            return
        }
        let (type, rest) = try builder.nextType(of: builder.walk)
        builder.walk = rest
        // The values of a document match their types, so they are not checked again.
        switch value.content {
        case .integer(let number): builder.write(.integer(number), as: type)
        case .unsigned(let number): builder.write(.unsigned(number), as: type)
        case .boolean(let flag): builder.write(.boolean(flag), as: type)
        case .float(let number): copy(value, bits: UInt64(number.bitPattern), width: 4)
        case .double(let number): copy(value, bits: number.bitPattern, width: 8)
        case .bytes(let bytes): builder.writeBytes(bytes, as: type)
        case .string(let string): copy(string)
        case .cString(let text): copy(cString: text)
        case .class(let `class`): copy(`class`)
        // An object precedes all references to it, so its copy already has an index.
        case .object(let object): builder.writer.append(reference: entries[object.number] ?? 0)
        case .null: builder.write(.null, as: type)
        // The elements and fields are copied instead.
        case .array, .structure: break
        }
    }

    /// Copies a real number in its stored form.
    private mutating func copy(_ value: TypedStreamValue, bits: UInt64, width: Int) {
        if let whole = value.wholeNumber {
            builder.writer.append(integer: whole)
        } else {
            builder.writeReal(bits: bits, width: width)
        }
    }

    private mutating func copy(_ string: TypedStreamString) {
        strings[string.number] = builder.names.appendString(
            string.bytes, known: strings[string.number], to: &builder.writer)
    }

    private mutating func copy(cString text: TypedStreamString) {
        strings[text.number] = builder.names.appendCString(
            text.bytes, known: strings[text.number], to: &builder.writer)
    }

    /// Returns the index of a string in the string table, or nil if it has not been written.
    private mutating func known(_ string: TypedStreamString) -> Int? {
        if let number = strings[string.number] { return number }
        let number = builder.names.number(of: string.bytes)
        strings[string.number] = number
        return number
    }

    private mutating func copy(_ class: TypedStreamClass) {
        if let number = entries[`class`.number] {
            return builder.writer.append(reference: number)
        }
        let chain = `class`.chain
        let levels = chain.map { level in
            let name = level.sharedName
            return WrittenNames.ClassLevel(
                name: name.bytes, number: known(name), version: level.version)
        }
        let (number, names) = builder.names.appendClass(levels, to: &builder.writer)
        entries[`class`.number] = number
        for (level, name) in zip(chain, names) { strings[level.sharedName.number] = name }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The type encodings, names, C strings and classes already written to a stream, with their table
/// indexes. The structure also counts the entries of the object table.
struct WrittenNames: Sendable {
    /// A class to be written. In an array of levels, the superclass of each class follows it.
    struct ClassLevel {
        let name: ArraySlice<UInt8>
        /// The string table index of the name, or nil if it must be looked up.
        var number: Int?
        let version: Int64
    }

    /// A class that has been written.
    private struct ClassKey: Hashable {
        let name: Int
        let version: Int64
        /// The table index of the superclass, or nil for a root class.
        let superclass: Int?
    }

    /// The types of all encodings used so far.
    private(set) var types: [TypeRecord] = []
    private var encodings: [ArraySlice<UInt8>: Range<Int>] = [:]
    private var strings: [ArraySlice<UInt8>: Int] = [:]
    private var cStrings: [Int: Int] = [:]
    private var classes: [ClassKey: Int] = [:]
    /// The number of objects, classes and C strings.
    private var entries = 0

    /// Returns the index range of the types of an encoding.
    mutating func types(
        of encoding: ArraySlice<UInt8>
    ) throws(TypedStreamError) -> Range<Int> {
        if let types = encodings[encoding] { return types }
        let first = types.count
        do {
            try TypeParser.parse(encoding, into: &types)
        } catch {
            throw TypedStreamError(
                .invalidType, "\(error.what), at index \(error.index) of a type encoding")
        }
        encodings[encoding] = first..<types.count
        return first..<types.count
    }

    /// Reserves and returns the next index of the object table, for a new object or C string.
    mutating func addObject() -> Int {
        defer { entries += 1 }
        return entries
    }

    /// Returns the table index of a shared string, or nil if it has not been written.
    func number(of text: ArraySlice<UInt8>) -> Int? { strings[text] }

    /// Writes a shared string, or a reference to it if it has been written before.
    ///
    /// - Parameters:
    ///   - text: The string.
    ///   - known: The table index of the string, or nil if it must be looked up.
    ///   - writer: The stream.
    /// - Returns: The table index of the string.
    @discardableResult
    mutating func appendString(
        _ text: ArraySlice<UInt8>, known: Int? = nil, to writer: inout StreamWriter
    ) -> Int {
        if let number = known ?? strings[text] {
            writer.append(reference: number)
            return number
        }
        let number = strings.count
        strings[text] = number
        writer.append(Tag.new)
        writer.append(string: text)
        return number
    }

    /// Writes a C string, or a reference to it if it has been written before.
    ///
    /// - Returns: The string table index of its text.
    @discardableResult
    mutating func appendCString(
        _ text: ArraySlice<UInt8>, known: Int? = nil, to writer: inout StreamWriter
    ) -> Int {
        if let string = known ?? strings[text], let number = cStrings[string] {
            writer.append(reference: number)
            return string
        }
        let number = addObject()
        writer.append(Tag.new)
        let string = appendString(text, known: known, to: &writer)
        cStrings[string] = number
        return string
    }

    /// Writes a class and its superclasses as literals, up to the first class that has been written
    /// before. That class is written as a reference.
    ///
    /// - Returns: The object table index of the first class, and the string table indexes of the
    ///   names of the classes written as literals.
    @discardableResult
    mutating func appendClass(
        _ chain: [ClassLevel], to writer: inout StreamWriter
    ) -> (number: Int, names: [Int]) {
        let (new, known) = split(chain)
        guard new > 0 || known == nil else {
            writer.append(reference: known ?? 0)
            return (known ?? 0, [])
        }
        let first = entries
        entries += new
        let names = chain.indices.prefix(new).map { index in
            let level = chain[index]
            writer.append(Tag.new)
            let name = appendString(level.name, known: level.number, to: &writer)
            writer.append(integer: level.version)
            let superclass = index + 1 < new ? first + index + 1 : known
            classes[ClassKey(name: name, version: level.version, superclass: superclass)] =
                first + index
            return name
        }
        if let known { writer.append(reference: known) } else { writer.append(Tag.null) }
        return (first, names)
    }

    /// Returns the number of classes at the beginning of a chain that have not been written before,
    /// and the table index of the class after them, or nil if there is none.
    private func split(_ chain: [ClassLevel]) -> (new: Int, known: Int?) {
        var known: Int?
        for index in chain.indices.reversed() {
            let level = chain[index]
            guard let name = level.number ?? strings[level.name],
                let number = classes[
                    ClassKey(name: name, version: level.version, superclass: known)]
            else { return (index + 1, known) }
            known = number
        }
        return (0, known)
    }
}

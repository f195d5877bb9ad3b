// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension TypedStreamBuilder {
    /// A class to be written: its name and version, and those of its superclasses.
    public struct ClassChain: Sendable, Hashable {
        struct Level: Sendable, Hashable {
            let name: [UInt8]
            let version: Int64
        }

        /// The class, its superclass and so on.
        let levels: ArraySlice<Level>

        /// Creates a class from its name, version and superclass.
        ///
        /// Readers refuse chains of more than 64 classes.
        public init(_ name: String, version: Int64 = 0, superclass: ClassChain? = nil) {
            let level = Level(name: Array(name.utf8), version: version)
            levels = [level] + (superclass?.levels ?? [])
        }

        /// The class and superclasses of a class of another stream.
        public init(_ class: TypedStreamClass) {
            levels =
                `class`.chain.map { Level(name: Array($0.sharedName.bytes), version: $0.version) }[...]
        }

        fileprivate init(levels: ArraySlice<Level>) { self.levels = levels }

        /// The class, its superclass and so on, each with its own superclasses.
        fileprivate var suffixes: some Sequence<ClassChain> {
            levels.indices.lazy.map { [levels] in ClassChain(levels: levels[$0...]) }
        }

        /// The class `NSObject`, version 0, which is the root class of most.
        public static let object = ClassChain("NSObject")
    }
}

/// The names, classes and objects that a stream has already, with their numbers.
struct WrittenNames: Sendable {
    /// The types of the encodings that were used.
    private(set) var types: [TypeRecord] = []
    private var encodings: [ArraySlice<UInt8>: Range<Int>] = [:]
    private var strings: [ArraySlice<UInt8>: Int] = [:]
    private var cStrings: [ArraySlice<UInt8>: Int] = [:]
    private var classes: [TypedStreamBuilder.ClassChain: Int] = [:]
    /// The number of objects, classes and C strings.
    private var entries = 0

    /// The places of the types of an encoding.
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

    /// Numbers a new object.
    mutating func addObject() -> Int {
        defer { entries += 1 }
        return entries
    }

    /// Writes a shared string: a reference if it was written before.
    mutating func appendString(_ text: ArraySlice<UInt8>, to writer: inout StreamWriter) {
        if let number = strings[text] { return writer.append(reference: number) }
        strings[text] = strings.count
        writer.append(Tag.new)
        writer.append(string: text)
    }

    /// Writes a C string: a reference if it was written before.
    mutating func appendCString(_ text: ArraySlice<UInt8>, to writer: inout StreamWriter) {
        if let number = cStrings[text] { return writer.append(reference: number) }
        cStrings[text] = addObject()
        writer.append(Tag.new)
        appendString(text, to: &writer)
    }

    /// Writes a class and its superclasses: a reference to the first that was written before.
    mutating func appendClass(
        _ chain: TypedStreamBuilder.ClassChain, to writer: inout StreamWriter
    ) {
        for suffix in chain.suffixes {
            if let number = classes[suffix] { return writer.append(reference: number) }
            classes[suffix] = addObject()
            writer.append(Tag.new)
            if let level = suffix.levels.first {
                appendString(level.name[...], to: &writer)
                writer.append(integer: level.version)
            }
        }
        writer.append(Tag.null)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension InlinePropertyListBuilder {
    /// Appends a value from a document of version 16 or 17 with all its descendants, without
    /// recursion.
    ///
    /// Strings keep their kind. Integers and lengths are written in their shortest form, so a copy
    /// of a message from Apple's software has the same bytes. References are errors, because copies
    /// of their targets could expand without bound.
    ///
    /// - Throws: `invalidMarker` for a document of version 15, `invalidReference` for a reference,
    ///   and the errors of ``append(_:)``.
    public mutating func append(
        contentsOf node: InlinePropertyListNode
    ) throws(InlinePropertyListError) {
        guard node.storage.version != .fifteen else {
            throw InlinePropertyListError(
                .invalidMarker, "expected a value of version 16 or 17, found one of version 15")
        }
        let last = node.stored.kind.isContainer ? Int(node.stored.other) : node.index + 1
        let nodes = (node.index..<last).lazy.map {
            InlinePropertyListNode(storage: node.storage, index: $0)
        }
        // References are refused before the first value is appended, so that no part of a refused
        // value is appended.
        if let reference = nodes.first(where: \.isReference) {
            throw InlinePropertyListError(
                .invalidReference, "expected a value without references, found a reference",
                at: reference.byteRange.lowerBound)
        }
        // The end of each open container: the index of the first node after it.
        var ends: [Int] = []
        for child in nodes {
            while ends.last == child.index {
                ends.removeLast()
                try end()
            }
            switch child.stored.kind {
            case .array: try beginArray()
            case .dictionary: try beginDictionary()
            default: try append(copyOf: child)
            }
            if child.stored.kind.isContainer { ends.append(Int(child.stored.other)) }
        }
        for _ in ends { try end() }
    }

    private mutating func append(
        copyOf node: InlinePropertyListNode
    ) throws(InlinePropertyListError) {
        switch node.content {
        case .boolean(let flag): try append(.boolean(flag))
        case .integer(let number): try append(.integer(number))
        case .unsigned(let number): try append(.unsigned(number))
        case .float(let number): try append(.float(number))
        case .double(let number): try append(.double(number))
        case .data(let data): try append(.data(Array(data)))
        case .string(let text):
            try append(node.stored.kind == .terminated ? .ascii(text) : .utf16(text))
        // Only null occurs here: versions 16 and 17 have neither dates nor sets, and the caller
        // copies arrays and dictionaries value by value.
        case .null, .date, .set, .orderedSet, .array, .dictionary: try append(.null)
        }
    }
}

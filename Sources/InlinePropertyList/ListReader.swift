// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Parses a property list from front to back, with an explicit stack, and checks every value.
struct ListReader {
    /// A container that is being read.
    private struct Open {
        let node: Int
        /// The offset beyond which no child may extend.
        let limit: Int
        /// The number of children still expected; used only in version 15.
        var remaining: Int
        /// The number of children read so far.
        var count = 0
    }

    let bytes: [UInt8]
    let version: InlinePropertyListVersion
    let limits: InlinePropertyListLimits
    private(set) var nodes: [ListNode] = []
    private var keys = KeyNumbers()
    private var open: [Open] = []
    var place: Int
    /// The offset beyond which the current value may not extend.
    private(set) var limit: Int

    init(
        _ bytes: [UInt8], _ version: InlinePropertyListVersion, _ limits: InlinePropertyListLimits
    ) {
        self.bytes = bytes
        self.version = version
        self.limits = limits
        place = version.magic.count
        limit = bytes.count
    }

    /// Parses everything. Linear, except for looking up the targets of references.
    mutating func read() throws(InlinePropertyListError) {
        if version == .fifteen { limit = try readHeader() }
        let end = limit
        repeat {
            try readValue()
            try closeContainers()
        } while !open.isEmpty
        try checkEnd(end)
    }

    /// The index of the current child in each open container.
    var path: [Int] { open.map(\.count) }

    /// Returns an error about the current child, or about an earlier one of the innermost
    /// container.
    func fail(
        _ code: InlinePropertyListError.Code, _ what: String, at offset: Int? = nil,
        child: Int? = nil, recovery: String? = nil
    ) -> InlinePropertyListError {
        var path = path
        if let child, !path.isEmpty { path[path.count - 1] = child }
        return InlinePropertyListError(
            code, what, at: offset ?? place, path: path, recovery: recovery)
    }

    // MARK: - Beginning and end

    /// Reads the total length and the reserved field of version 15, and returns the length.
    private mutating func readHeader() throws(InlinePropertyListError) -> Int {
        guard bytes.count >= 22, bytes[8] == 0x13, bytes[17] == 0x12 else {
            throw fail(.invalidHeader, "expected an 8-byte length and a 4-byte reserved field")
        }
        guard bytes.count > 22 else {
            throw fail(
                .truncated,
                "expected a value after the header of 22 bytes, found the end of the file")
        }
        let length = NumberBytes.biased(bytes, 9..<17)
        guard length > 22, length <= bytes.count else {
            throw fail(
                .invalidHeader, "expected a length from 23 to \(bytes.count), found \(length)")
        }
        place = 22
        return Int(truncatingIfNeeded: length)
    }

    /// Checks that nothing follows the root, except for zeros after the declared length in version
    /// 15.
    private func checkEnd(_ end: Int) throws(InlinePropertyListError) {
        guard place == end else {
            throw fail(
                .trailingData,
                "expected the end of the property list, found \(end - place) more bytes")
        }
        guard bytes[end...].allSatisfy({ $0 == 0 }) else {
            throw fail(.trailingData, "expected zeros after the declared length, found other bytes")
        }
    }

    // MARK: - Containers

    /// Begins a container.
    ///
    /// - Parameters:
    ///   - kind: The kind of the container.
    ///   - header: The number of bytes before the first child.
    ///   - end: The offset after the last child, if it is known.
    ///   - count: The number of children, if it is known.
    /// - Throws: `depthLimitExceeded`.
    mutating func beginContainer(
        _ kind: ListNode.Kind, header: Int, end: Int? = nil, count: Int = 0
    ) throws(InlinePropertyListError) {
        guard open.count < limits.depth else {
            throw fail(
                .depthLimitExceeded,
                "expected at most \(limits.depth) nested containers, found more",
                recovery: "raise `InlinePropertyListLimits.depth` for a trusted file")
        }
        let limit = end ?? limit
        open.append(Open(node: nodes.count, limit: limit, remaining: count))
        nodes.append(ListNode(kind, at: place, header: header, end: limit))
        place += header
        self.limit = limit
    }

    /// Adds a value other than a container.
    mutating func add(_ kind: ListNode.Kind, header: Int, count: Int) {
        let start = place
        place += header + count
        nodes.append(ListNode(kind, at: start, header: header, end: place))
        finishChild()
    }

    mutating func add(referenceTo target: Int, header: Int, count: Int) {
        add(.reference, header: header, count: count)
        nodes[nodes.count - 1].other = UInt32(truncatingIfNeeded: target)
    }

    /// Counts a complete child of the innermost container.
    private mutating func finishChild() {
        guard !open.isEmpty else { return }
        open[open.count - 1].count += 1
        open[open.count - 1].remaining -= 1
    }

    /// Closes the containers that are complete.
    private mutating func closeContainers() throws(InlinePropertyListError) {
        while let top = open.last {
            guard version == .fifteen ? top.remaining <= 0 : place >= top.limit else { return }
            if nodes[top.node].kind == .dictionary { try checkKeys(of: top.node, count: top.count) }
            nodes[top.node].end = UInt32(truncatingIfNeeded: place)
            nodes[top.node].other = UInt32(truncatingIfNeeded: nodes.count)
            open.removeLast()
            limit = open.last?.limit ?? limit
            finishChild()
        }
    }

    /// Checks that each key is a string or null and has a value, and that no string occurs twice.
    private mutating func checkKeys(
        of dictionary: Int, count: Int
    ) throws(InlinePropertyListError) {
        let start = Int(nodes[dictionary].offset)
        guard count % 2 == 0 else {
            throw fail(
                .invalidKey,
                "expected an even number of keys and values in a dictionary, found \(count)",
                at: start)
        }
        var known: Set<Int> = []
        var node = dictionary + 1
        for index in 0..<count {
            // In version 15, all keys precede the values.
            let isKey = version == .fifteen ? index < count / 2 : index % 2 == 0
            if isKey, let number = try keyNumber(node, child: index),
                !known.insert(number).inserted
            {
                throw fail(
                    .duplicateKey, "a key occurs twice in a dictionary",
                    at: Int(nodes[node].offset), child: index)
            }
            node = nodes[node].kind.isContainer ? Int(nodes[node].other) : node + 1
        }
    }

    /// Returns an identifier for the text of a key, which is the same for equal texts, or nil for a
    /// null key.
    private mutating func keyNumber(
        _ node: Int, child: Int
    ) throws(InlinePropertyListError) -> Int? {
        let target = nodes[node].kind == .reference ? Int(nodes[node].other) : node
        if nodes[target].kind == .null { return nil }
        guard nodes[target].kind.isString else {
            throw fail(
                .invalidKey, "expected a string or null as a key, found another value",
                at: Int(nodes[node].offset), child: child)
        }
        return keys.number(ofNode: target, nodes[target], in: bytes)
    }

    // MARK: - References

    /// Returns the index of the complete value at an offset, or nil if there is none or if it is a
    /// reference.
    func completeNode(at offset: Int) -> Int? {
        var (low, high) = (0, nodes.count)
        while low < high {
            let middle = (low + high) / 2
            if Int(nodes[middle].offset) < offset { low = middle + 1 } else { high = middle }
        }
        guard low < nodes.count, Int(nodes[low].offset) == offset else { return nil }
        let node = nodes[low]
        if node.kind == .reference || node.kind.isContainer && node.other == 0 { return nil }
        return low
    }
}

/// The identifiers of the texts of keys. Each string is decoded once, however many references it
/// has.
private struct KeyNumbers {
    private var byNode: [Int: Int] = [:]
    private var byText: [[UInt8]: Int] = [:]

    mutating func number(ofNode index: Int, _ node: ListNode, in bytes: [UInt8]) -> Int {
        if let number = byNode[index] { return number }
        let text = Array((ListText.text(of: node, in: bytes) ?? "").utf8)
        let number = byText[text] ?? byText.count
        byText[text] = number
        byNode[index] = number
        return number
    }
}

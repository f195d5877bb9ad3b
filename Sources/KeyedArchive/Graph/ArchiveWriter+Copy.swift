// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

// Objects of another archive are copied without decoding, each once. They get the numbers that an
// archiver would assign in this archive. Nothing recurses.

extension ArchiveWriter {
    /// An object with an assigned number, and its references that are still to be copied.
    private struct CopyFrame {
        let object: UInt32
        let number: UInt32
        /// The index of its class among the written classes; nil for a plain value.
        let classIndex: Int?
        var references: [UInt32]
    }

    /// Copies an object of another archive and everything it refers to.
    ///
    /// - Throws: `classNotAllowed`, `expansionLimitExceeded`; `malformedObject` for unreadable
    ///   values and duplicate keys.
    func copy(_ opaque: OpaqueObject) throws -> PropertyListUID {
        var frames: [CopyFrame] = []
        let number = try begin(opaque.number, of: opaque.archive, &frames)
        // An incomplete object must not be output, even if the caller ignores the error.
        do { try copyReferences(of: opaque.archive, &frames) } catch {
            table.fail(error)
            throw error
        }
        return PropertyListUID(number)
    }

    /// Completes the objects in `frames`, after copying everything they refer to.
    private func copyReferences(of source: OpaqueArchive, _ frames: inout [CopyFrame]) throws {
        while let top = frames.indices.last {
            if let next = frames[top].references.popLast() {
                _ = try begin(next, of: source, &frames)
            } else {
                try complete(frames.removeLast(), of: source)
            }
        }
    }

    /// Returns the number for an object of another archive. Pushes a frame if the object is new.
    private func begin(
        _ object: UInt32, of source: OpaqueArchive, _ frames: inout [CopyFrame]
    ) throws -> UInt32 {
        let identity = ObjectIdentity(archive: source.identity, object: object)
        if let known = table.copy(of: identity) { return known }
        if source.isNull(object) { return 0 }
        let classIndex = try classIndex(of: object, in: source)
        let number = try table.reserve()
        table.note(number, for: identity)
        frames.append(
            CopyFrame(
                object: object, number: number, classIndex: classIndex,
                references: source.references(of: object).reversed()))
        return number
    }

    /// Returns the index of an object's class among the written classes; nil for a plain value.
    ///
    /// - Throws: `classNotAllowed`.
    private func classIndex(of object: UInt32, in source: OpaqueArchive) throws -> Int? {
        guard let number = source.describedClass(of: object) else {
            try requireKept(leafOf: source.classNumber(of: object))
            return nil
        }
        if let known = table.copiedClass(number, of: source) { return known }
        try requireKept(source.archivedClass(number))
        return table.copyClass(number, of: source)
    }

    /// Writes an object of another archive after all its references have numbers.
    private func complete(_ frame: CopyFrame, of source: OpaqueArchive) throws {
        let node =
            if let classIndex = frame.classIndex {
                try table.copyFields(of: frame.object, classIndex, source)
            } else {
                try table.copyField(source.nodeNumber(of: frame.object), of: frame.object, source)
            }
        table.complete(frame.number, node: node)
    }

    /// Adds kept fields of an object of another archive to an open object. Values without a key
    /// keep their order, and follow those that the object has already.
    func copyFields(_ fields: OpaqueFields, to object: UInt32?) throws {
        let source = fields.archive
        let written = table.open.unkeyedCount
        let first = fields.writtenKeys.compactMap(ArchiveKey.unkeyedPosition).min() ?? 0
        for key in fields.writtenKeys {
            guard let node = source.node(of: fields.object)[key] else { continue }
            for reference in source.references(in: node) {
                _ = try copy(OpaqueObject(archive: source, number: reference))
            }
            let copy = try table.copyField(
                UInt32(truncatingIfNeeded: node.number), of: fields.object, source)
            if let position = ArchiveKey.unkeyedPosition(key) {
                table.unkeyedField(of: object, at: written &+ position &- first) { _ in copy }
            } else if let key = ArchiveKey.unescaped(key) {
                table.field(key, of: object) { _ in copy }
            }
        }
    }
}

/// The copies of parts of another archive, so that its shared parts are shared in this archive too.
struct CopiedParts {
    /// By class: its index among the written classes.
    var classes: [ClassNumber: Int] = [:]
    /// By source node: the copy of a key.
    var keys: [UInt32: UInt32] = [:]
    /// By source node: the copy of a long string or long data.
    var longLeaves: [UInt32: UInt32] = [:]
}

extension ObjectTable {
    /// Returns the index among the written classes of a class that was copied from another archive;
    /// nil if none of its objects has been copied.
    func copiedClass(_ number: ClassNumber, of source: OpaqueArchive) -> Int? {
        copiedParts[source.identity]?.classes[number]
    }

    /// Adds a class of another archive to the written classes, and returns its index.
    mutating func copyClass(_ number: ClassNumber, of source: OpaqueArchive) -> Int {
        let place = classIndex(of: source.archivedClass(number))
        copiedParts[source.identity, default: CopiedParts()].classes[number] = place
        return place
    }

    /// Copies the fields of an object of another archive, and returns the node of the copy.
    ///
    /// - Throws: `expansionLimitExceeded`, `malformedObject`.
    mutating func copyFields(
        of object: UInt32, _ classIndex: Int, _ source: OpaqueArchive
    ) throws(KeyedArchiveError) -> UInt32 {
        let classNumber = try describe(classIndex)
        var fields: [(key: UInt32, value: UInt32)] = []
        let sourceFields = try source.fields(of: object)
        try chargeCopies(sourceFields.count)
        for field in sourceFields {
            if field.isClass {
                fields.append((classKey, assembler.uid(classNumber)))
            } else {
                let key = copyKey(field.key, source)
                fields.append((key, try copyField(field.value, of: object, source)))
            }
        }
        return assembler.dictionary(fields)
    }

    /// Charges copied fields and elements, which the source archive may share among its objects.
    private mutating func chargeCopies(_ count: Int) throws(KeyedArchiveError) {
        copiedCount &+= count
        if copiedCount > limit { throw tooMany() }
    }

    private mutating func copyKey(_ node: UInt32, _ source: OpaqueArchive) -> UInt32 {
        if let known = copiedParts[source.identity]?.keys[node] { return known }
        let key = assembler.key(source.table.string(of: source.table[node]))
        copiedParts[source.identity, default: CopiedParts()].keys[node] = key
        return key
    }

    /// Copies a value stored inline in an object of another archive, and returns the node of the
    /// copy. References are renumbered.
    ///
    /// - Throws: `malformedObject` for nested containers and for unreadable values;
    ///   `expansionLimitExceeded`.
    mutating func copyField(
        _ node: UInt32, of object: UInt32, _ source: OpaqueArchive
    ) throws(KeyedArchiveError) -> UInt32 {
        let record = source.table[node]
        guard record.isContainer else { return try copyLeaf(node, of: object, source) }
        var copies: [UInt32] = []
        let elements = try source.elements(of: record, inFieldOf: object)
        try chargeCopies(elements.count)
        for element in elements { copies.append(try copyLeaf(element, of: object, source)) }
        return assembler.array(copies)
    }

    private mutating func copyLeaf(
        _ node: UInt32, of object: UInt32, _ source: OpaqueArchive
    ) throws(KeyedArchiveError) -> UInt32 {
        let record = source.table[node]
        if record.kind == .unreadable {
            throw OpaqueArchive.malformed("a value in it could not be read", object)
        }
        if record.kind == .uid {
            let target = UInt32(truncatingIfNeeded: record.payload)
            let identity = ObjectIdentity(archive: source.identity, object: target)
            return assembler.uid(copy(of: identity) ?? 0)
        }
        let isText = record.kind == .string || record.kind == .data
        guard isText, record.mayBeLong else { return assembler.leaf(node, of: source.table) }
        if let known = copiedParts[source.identity]?.longLeaves[node] { return known }
        let leaf = assembler.leaf(node, of: source.table)
        copiedParts[source.identity, default: CopiedParts()].longLeaves[node] = leaf
        return leaf
    }
}

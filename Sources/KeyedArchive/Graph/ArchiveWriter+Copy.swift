// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

// Objects of another archive are copied as they are: each once, with the numbers that they get here,
// in the order in which an archiver would have given them. Nothing recurses.

extension ArchiveWriter {
    /// An object whose number is given, and those it refers to that are still to be copied.
    private struct CopyFrame {
        let object: UInt32
        let number: UInt32
        /// The place of its class among those that are written; nil for a plain value.
        let classIndex: Int?
        var references: [UInt32]
    }

    /// Copies an object of another archive with all that it refers to.
    ///
    /// - Throws: `classNotAllowed`, `expansionLimitExceeded`, `malformedObject` for what could not be read
    ///   or has a key twice.
    func copy(_ opaque: OpaqueObject) throws -> PropertyListUID {
        var frames: [CopyFrame] = []
        let number = try begin(opaque.number, of: opaque.archive, &frames)
        while let top = frames.indices.last {
            if let next = frames[top].references.popLast() {
                _ = try begin(next, of: opaque.archive, &frames)
            } else {
                try complete(frames.removeLast(), of: opaque.archive)
            }
        }
        return PropertyListUID(number)
    }

    /// The number for an object of another archive; where it is new, its frame is pushed.
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

    /// The place of an object's class among those that are written, where it may be written; nil for a
    /// plain value.
    private func classIndex(of object: UInt32, in source: OpaqueArchive) throws -> Int? {
        guard let number = source.describedClass(of: object) else { return nil }
        if let known = table.copiedClass(number, of: source) { return known }
        try requireKept(source.archivedClass(number))
        return table.copyClass(number, of: source)
    }

    /// Writes an object of another archive whose references all have their numbers.
    private func complete(_ frame: CopyFrame, of source: OpaqueArchive) throws {
        let node =
            if let classIndex = frame.classIndex {
                try table.copyFields(of: frame.object, classIndex, source)
            } else {
                try table.copyField(source.nodeNumber(of: frame.object), of: frame.object, source)
            }
        table.complete(frame.number, node: node)
    }

    /// Adds fields of an object of another archive to the open object.
    func copyFields(_ fields: OpaqueFields, to object: UInt32?) throws {
        let source = fields.archive
        for key in fields.keys {
            guard let node = source.node(of: fields.object)[ArchiveKey.escaped(key)] else {
                continue
            }
            for reference in source.references(in: node) {
                _ = try copy(OpaqueObject(archive: source, number: reference))
            }
            let copy = try table.copyField(
                UInt32(truncatingIfNeeded: node.number), of: fields.object, source)
            table.field(key, of: object) { _ in copy }
        }
    }
}

/// The parts of another archive by their copies in this one. A part that many objects share there is
/// shared here.
struct CopiedParts {
    /// By class: its place among those that are written.
    var classes: [ClassNumber: Int] = [:]
    /// By node: the node of a key.
    var keys: [UInt32: UInt32] = [:]
    /// By node: the node of a long text, or of long data.
    var longLeaves: [UInt32: UInt32] = [:]
}

extension ObjectTable {
    /// The place of a class of another archive, of which an object has been copied, among those that are
    /// written.
    func copiedClass(_ number: ClassNumber, of source: OpaqueArchive) -> Int? {
        copiedParts[source.identity]?.classes[number]
    }

    /// Makes a class of another archive one of those that are written, and returns its place.
    mutating func copyClass(_ number: ClassNumber, of source: OpaqueArchive) -> Int {
        let place = classIndex(of: source.archivedClass(number))
        copiedParts[source.identity, default: CopiedParts()].classes[number] = place
        return place
    }

    /// An object of another archive with the fields that it has there.
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

    /// Counts fields and elements, which the archive they are from may share among its objects.
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

    /// A value that stands in an object of another archive, with the numbers that the objects it refers to
    /// have here.
    ///
    /// - Throws: `malformedObject` for containers within containers and for what could not be read,
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

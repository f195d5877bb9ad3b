// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

// Objects of another archive are copied as they are: each once, with the numbers that they get here,
// in the order in which an archiver would have given them. Nothing recurses.

extension ArchiveWriter {
    /// An object whose number is given, and those it refers to that are still to be copied.
    private struct CopyFrame {
        let object: UInt32
        let number: UInt32
        var references: [UInt32]
    }

    /// Copies an object of another archive with all that it refers to.
    ///
    /// - Throws: `classNotAllowed`.
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
        if let archivedClass = source.archivedClass(of: object) { try requireKept(archivedClass) }
        let number = try table.reserve()
        table.note(number, for: identity)
        frames.append(
            CopyFrame(
                object: object, number: number,
                references: source.references(of: object).reversed()))
        return number
    }

    /// Writes an object of another archive whose references all have their numbers.
    private func complete(_ frame: CopyFrame, of source: OpaqueArchive) throws {
        var value = try plainValue(of: source.node(of: frame.object))
        if let archivedClass = source.archivedClass(of: frame.object),
            case .dictionary(var fields) = value
        {
            let number = try table.describe(table.classIndex(of: archivedClass))
            for key in fields.keys where !key.isLiterally(ArchivedObject.classKey) {
                fields[key] = renumbered(fields[key] ?? .null, source)
            }
            fields[ArchivedObject.classKey] = .uid(PropertyListUID(number))
            value = .dictionary(fields)
        }
        table.complete(frame.number, node: try table.tree(value, limits))
    }

    private func plainValue(
        of node: PropertyListNode
    ) throws(KeyedArchiveError) -> PropertyListValue {
        do { return try node.value(limits: limits) } catch { throw KeyedArchiveError(error) }
    }

    /// A value that stands in an object, with the numbers of this archive.
    private func renumbered(
        _ value: PropertyListValue, _ source: OpaqueArchive
    ) -> PropertyListValue {
        switch value {
        case .uid(let uid):
            let identity = ObjectIdentity(archive: source.identity, object: uid.value)
            return .uid(PropertyListUID(table.copy(of: identity) ?? 0))
        case .array(let elements):
            return .array(PropertyListArray(elements.map { renumbered($0, source) }))
        default: return value
        }
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
            let value = renumbered(try plainValue(of: node), source)
            let tree = try table.tree(value, limits)
            table.field(key, of: object) { _ in tree }
        }
    }
}

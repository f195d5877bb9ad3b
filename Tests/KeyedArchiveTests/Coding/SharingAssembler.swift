// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// Assembles archives whose objects share nodes of the property list.
struct SharingAssembler {
    private var nodes: [BinaryAssembler.Object] = []
    private var entries: [UInt64] = []

    mutating func add(_ object: BinaryAssembler.Object) -> UInt64 {
        nodes.append(object)
        return UInt64(nodes.count - 1)
    }

    mutating func text(_ text: String) -> UInt64 { add(.ascii(text)) }

    mutating func reference(_ object: Int) -> UInt64 { add(.uid(UInt64(object), width: 4)) }

    mutating func dictionary(_ fields: [(String, UInt64)]) -> UInt64 {
        let keys = fields.map { text($0.0) }
        return add(.dictionary(keys, fields.map(\.1)))
    }

    /// Adds a node to the object table and returns its object number.
    mutating func entry(_ node: UInt64) -> Int {
        entries.append(node)
        return entries.count
    }

    mutating func node(_ description: Int, _ fields: [(String, UInt64)]) -> UInt64 {
        dictionary([("$class", reference(description))] + fields)
    }

    @discardableResult
    mutating func object(_ description: Int, _ fields: [(String, UInt64)]) -> Int {
        entry(node(description, fields))
    }

    mutating func describe(_ name: String, chain: UInt64? = nil) -> Int {
        let chain = chain.map { [("$classes", $0)] } ?? []
        return entry(dictionary([("$classname", text(name))] + chain))
    }

    mutating func bytes(root: Int) -> [UInt8] {
        let null = text("$null")
        let top = dictionary([("root", reference(root))])
        let all = dictionary([
            ("$version", add(.integer(100_000, width: 4))), ("$archiver", text("NSKeyedArchiver")),
            ("$top", top), ("$objects", add(.array([null] + entries))),
        ])
        return BinaryAssembler(
            nodes, offsetWidth: 4, referenceWidth: 4, topObject: all
        ).bytes
    }

    /// Returns an archive of an array of objects of one class that share one dictionary of fields.
    static func objects(
        _ name: String, count: Int = 10_000,
        _ fields: (inout SharingAssembler) -> [(String, UInt64)]
    ) -> [UInt8] {
        var archive = SharingAssembler()
        let description = archive.describe(name)
        let node = archive.node(description, fields(&archive))
        let objects = (0..<count).map { _ in archive.reference(archive.entry(node)) }
        return archive.bytes(root: archive.array(of: objects))
    }

    /// Adds an `NSArray` of references and returns its object number.
    mutating func array(of references: [UInt64]) -> Int {
        let list = add(.array(references))
        return object(describe("NSArray"), [("NS.objects", list)])
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// Builds the objects of a binary property list. Equal strings, numbers and UIDs share one object.
struct ListBuilder {
    private var objects: [BinaryAssembler.Object] = []
    private var texts: [[UInt8]: UInt64] = [:]
    private var numbers: [Int: UInt64] = [:]
    private var references: [Int: UInt64] = [:]

    private mutating func add(_ object: BinaryAssembler.Object) -> UInt64 {
        objects.append(object)
        return UInt64(objects.count - 1)
    }

    mutating func text(_ text: String) -> UInt64 {
        let bytes = Array(text.utf8)
        if let known = texts[bytes] { return known }
        let isASCII = bytes.allSatisfy { $0 < 0x80 }
        let number = add(isASCII ? .ascii(text) : .utf16(Array(text.utf16)))
        texts[bytes] = number
        return number
    }

    mutating func number(_ value: Int) -> UInt64 {
        if let known = numbers[value] { return known }
        numbers[value] = add(.integer(UInt64(value), width: 4))
        return UInt64(objects.count - 1)
    }

    /// Appends the UID that refers to an object of an archive.
    mutating func uid(_ value: Int) -> UInt64 {
        if let known = references[value] { return known }
        references[value] = add(.uid(UInt64(value), width: 4))
        return UInt64(objects.count - 1)
    }

    mutating func data(_ bytes: [UInt8]) -> UInt64 { add(.data(bytes)) }

    mutating func array(_ elements: some Sequence<UInt64>) -> UInt64 {
        add(.array(Array(elements)))
    }

    mutating func dictionary(_ entries: [(key: UInt64, value: UInt64)]) -> UInt64 {
        add(.dictionary(entries.map(\.key), entries.map(\.value)))
    }

    /// Appends an object of an archive.
    mutating func object(of classNumber: Int, _ fields: [(String, UInt64)]) -> UInt64 {
        var entries = [(key: text("$class"), value: uid(classNumber))]
        for (key, value) in fields { entries.append((text(key), value)) }
        return dictionary(entries)
    }

    /// Appends the description of a class in an archive.
    mutating func classDescription(_ name: String) -> UInt64 {
        let classes = array([text(name), text("NSObject")])
        return dictionary([(text("$classname"), text(name)), (text("$classes"), classes)])
    }

    /// Returns the file whose top object is `top`.
    func file(_ top: UInt64) -> [UInt8] {
        let width = objects.count <= 0xFF ? 1 : objects.count <= 0xFFFF ? 2 : 4
        return BinaryAssembler(
            objects, offsetWidth: 4, referenceWidth: width, topObject: top
        ).bytes
    }

    /// Returns the file of an archive of the given objects, the first of which is the root.
    mutating func archive(_ archived: [UInt64]) -> [UInt8] {
        let list = array([text("$null")] + archived)
        let roots = dictionary([(text("root"), uid(1))])
        let top = dictionary([
            (text("$version"), number(100_000)), (text("$archiver"), text("NSKeyedArchiver")),
            (text("$top"), roots), (text("$objects"), list),
        ])
        return file(top)
    }
}

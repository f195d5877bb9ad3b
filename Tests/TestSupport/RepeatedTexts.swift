// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Typedstreams, NIBArchives and messages that contain one long text and refer to it many times.
/// The bytes are assembled by hand, because the builders of these formats would process the text
/// again for each reference.
public struct RepeatedTexts: Sendable, CustomStringConvertible {
    /// The name of the format, and the contents of the file.
    public let name: String
    private let make: @Sendable (_ count: Int, _ length: Int) -> [UInt8]

    public var description: String { name }

    /// Returns a file with `count` references to a text of at least `length` bytes, or of as many as
    /// the format allows.
    public func file(_ count: Int, length: Int) -> [UInt8] { make(count, length) }

    private init(
        _ name: String, _ make: @escaping @Sendable (_ count: Int, _ length: Int) -> [UInt8]
    ) {
        self.name = name
        self.make = make
    }

    public static let all = streams + nibs + messages

    private static func text(_ length: Int) -> [UInt8] { [UInt8](repeating: 0x61, count: length) }

    /// Returns a number in little-endian byte order.
    private static func word(_ value: Int, width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func repeated(_ count: Int, _ piece: [UInt8]) -> [UInt8] {
        (0..<count).flatMap { _ in piece }
    }

    // MARK: - Typedstreams

    // A byte of 0x92 or more is a reference: 0x92 to the first entry of the string table or of the
    // object table, 0x93 to the second, and so on.

    private static let streams = [
        RepeatedTexts("typedstream, values of one long type") { count, length in
            // A type encoding has at most 4,096 bytes.
            let type = Array("{".utf8) + text(min(length, 4092)) + Array("=c}".utf8)
            let first = object("NSValue") + [0x84, 1, 0x2a, 0x84] + string(type) + [0x95, 1, 0x86]
            return stream(
                [0x84, 1, 0x40] + first
                    + repeated(count - 1, [0x92, 0x84, 0x93, 0x94, 0x94, 0x95, 1, 0x86]))
        },
        RepeatedTexts("typedstream, attributed strings that share a text") { count, length in
            // Each group of the text has three code units. The last two are a surrogate pair.
            let groups = length / 6 + 2
            let text = Array(String(repeating: "ä👋", count: groups).utf8)
            let start = [1] + number(3 * groups - 3)
            let end: [UInt8] = [0x96, 1, 3, 0x86]
            let first =
                object("NSAttributedString") + [0x92] + object("NSString", version: 1)
                + [0x84, 1, 0x2b] + number(text.count) + text + [0x86, 0x84, 2, 0x69, 0x49] + start
                + [0x92] + object("NSDictionary") + [0x84, 1, 0x69, 0, 0x86] + end
            let other = [0x92, 0x84, 0x93, 0x92, 0x94, 0x96] + start + [0x92, 0x96] + end
            return stream([0x84, 1, 0x40] + first + repeated(count - 1, other))
        },
        RepeatedTexts("typedstream, classes with one long name") { count, length in
            stream(
                [0x84, 1, 0x23, 0x84] + string(text(length)) + [0, 0x85]
                    + repeated(count - 1, [0x92, 0x84, 0x93, 0, 0x92]))
        },
    ]

    private static func stream(_ body: [UInt8]) -> [UInt8] {
        [4, 11] + Array("streamtyped".utf8) + [0x81, 0xe8, 0x03] + body
    }

    /// Returns the beginning of an object whose class has no superclass.
    private static func object(_ name: String, version: UInt8 = 0) -> [UInt8] {
        [0x84, 0x84] + string(Array(name.utf8)) + [version, 0x85]
    }

    private static func string(_ text: [UInt8]) -> [UInt8] { [0x84] + number(text.count) + text }

    private static func number(_ value: Int) -> [UInt8] { [0x82] + word(value, width: 4) }

    // MARK: - NIBArchives

    private typealias Section = (count: Int, bytes: [UInt8])

    private static let nibs = [
        RepeatedTexts("NIBArchive, classes with one long fallback") { count, length in
            let other = variable(2) + variable(1) + word(0, width: 4) + [0x41, 0]
            return nib(
                objects: objects(count, class: { $0 + 1 }),
                classes: (count + 1, name(length) + repeated(count, other)))
        },
        RepeatedTexts("NIBArchive, objects with one long class name") { count, length in
            nib(objects: objects(count), classes: (1, name(length)))
        },
        RepeatedTexts("NIBArchive, objects with one long key") { count, length in
            nib(
                objects: objects(count, values: 1),
                keys: (1, variable(length) + text(length)),
                values: (count, repeated(count, [0x80, 9])), classes: (1, name(1)))
        },
    ]

    private static func nib(
        objects: Section, keys: Section = (0, []), values: Section = (0, []), classes: Section
    ) -> [UInt8] {
        let sections = [objects, keys, values, classes]
        var start = 50
        var header = Array("NIBArchive".utf8) + word(1, width: 4) + word(9, width: 4)
        for section in sections {
            header += word(section.count, width: 4) + word(start, width: 4)
            start += section.bytes.count
        }
        return header + sections.flatMap(\.bytes)
    }

    private static func objects(
        _ count: Int, class: (Int) -> Int = { _ in 0 }, values: Int = 0
    ) -> Section {
        (
            count,
            (0..<count).flatMap { variable(`class`($0)) + variable($0 * values) + variable(values) }
        )
    }

    /// Returns a class without fallbacks.
    private static func name(_ length: Int) -> [UInt8] {
        variable(length + 1) + variable(0) + text(length) + [0]
    }

    private static func variable(_ value: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = value
        while rest > 0x7f {
            bytes.append(UInt8(truncatingIfNeeded: rest & 0x7f))
            rest >>= 7
        }
        return bytes + [UInt8(truncatingIfNeeded: rest | 0x80)]
    }

    // MARK: - Messages

    /// The offset of the first element of a message's root.
    private static let first = 17

    private static let messages = [
        RepeatedTexts("bplist17, one long text many times") { count, length in
            message(terminated(text(length)) + repeated(count, reference(to: first)))
        },
        RepeatedTexts("bplist17, dictionaries with one long key") { count, length in
            let start = terminated(text(length))
            return message(
                (0..<count).reduce(into: start) { bytes, _ in
                    let place = 17 + bytes.count
                    bytes += container(0xd0, at: place, reference(to: first) + [0xe0])
                })
        },
        RepeatedTexts("bplist17, objects with one long class name") { count, length in
            let start = terminated(text(length))
            let key = terminated(Array("$class".utf8))
            return message(
                (0..<count).reduce(into: start) { bytes, _ in
                    let place = 17 + bytes.count
                    bytes += container(0xd0, at: place, key + reference(to: first))
                })
        },
    ]

    private static func message(_ elements: [UInt8]) -> [UInt8] {
        Array("bplist17".utf8) + container(0xa0, at: 8, elements)
    }

    /// Returns a container: its marker, the offset of its last byte, and its elements.
    private static func container(_ marker: UInt8, at place: Int, _ body: [UInt8]) -> [UInt8] {
        [marker] + word(place + 8 + body.count, width: 8) + body
    }

    private static func terminated(_ text: [UInt8]) -> [UInt8] {
        [0x7f, 0x14] + word(text.count + 1, width: 4) + text + [0]
    }

    private static func reference(to place: Int) -> [UInt8] { [0x83] + word(place, width: 3) }
}

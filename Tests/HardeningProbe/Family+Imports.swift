// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import InlinePropertyList
import NIBArchive
import PropertyList
import TestSupport
import TypedStream

/// Typedstreams, NIBArchives and inline property lists, which are imported as keyed archives.
extension Family {
    private typealias ClassChain = TypedStreamBuilder.ClassChain

    static let imports = streams + nibs + lists + repeatedTexts

    /// Files with a long text and as many references to it as it has bytes.
    private static let repeatedTexts = RepeatedTexts.all.map { texts in
        Family(texts.name, 300) { Input(bytes: texts.file($0, length: $0)) }
    }

    private static let string = ClassChain("NSString", version: 1, superclass: .object)
    private static let array = ClassChain("NSArray", superclass: .object)
    private static let dictionary = ClassChain("NSDictionary", superclass: .object)
    private static let attributedString = ClassChain("NSAttributedString", superclass: .object)

    // MARK: - Typedstreams

    private static func stream(
        _ name: String, _ size: Int = 1000, limits: ParsingLimits = .default,
        _ build: @escaping @Sendable (Int, inout TypedStreamBuilder) throws -> Void
    ) -> Family {
        Family("typedstream, " + name, size) { size in
            var stream = TypedStreamBuilder()
            try? build(size, &stream)
            return Input(bytes: (try? stream.finish()) ?? [], limits: limits)
        }
    }

    /// Returns a family of streams that the builder cannot write.
    private static func rawStream(
        _ name: String, _ size: Int = 1000, _ body: @escaping @Sendable (Int) -> [UInt8]
    ) -> Family {
        let header = [4, 11] + Array("streamtyped".utf8) + [0x81, 0xe8, 0x03]
        return Family("typedstream, " + name, size) { Input(bytes: header + body($0)) }
    }

    private static let streams = [
        stream("wide") { n, stream in
            try append(array, count: n, to: &stream) { index, stream in
                try append("text \(index)", to: &stream)
            }
        },
        stream("numbers in one group") { n, stream in
            try stream.beginGroup("[\(n)i]")
            for index in 0..<n { try stream.append(.integer(Int64(index))) }
        },
        stream("one object many times") { n, stream in
            try stream.beginGroup("@@")
            let text = try stream.beginObject(string)
            try stream.append("+", .string("text"))
            try stream.endObject()
            try stream.beginObject(array)
            try stream.append("i", .integer(Int64(n)))
            for _ in 0..<n { try stream.append("@", .object(text)) }
            try stream.endObject()
        },
        stream("doubling", 20, limits: smallLimits) { n, stream in
            var below: TypedStreamBuilder.Object?
            for _ in 0..<n {
                try stream.beginGroup("@")
                let list = try stream.beginObject(array)
                try stream.append("i", .integer(2))
                for _ in 0..<2 { try stream.append("@", below.map { .object($0) } ?? .null) }
                try stream.endObject()
                below = list
            }
        },
        stream("deep", 400, limits: .trusted) { n, stream in
            for _ in 0..<n {
                try stream.beginGroup("@")
                try stream.beginObject(array)
                try stream.append("i", .integer(1))
            }
            try stream.append("@", .null)
            for _ in 0..<n { try stream.endObject() }
        },
        stream("runs beyond ASCII") { n, stream in
            try stream.beginGroup("@")
            try stream.beginObject(attributedString)
            try append(String(repeating: "ä👋", count: n), to: &stream)
            for index in 0..<n {
                try stream.append("iI", .integer(1), .integer(3))
                guard index == 0 else { continue }
                try stream.beginGroup("@")
                try stream.beginObject(dictionary)
                try stream.append("i", .integer(0))
                try stream.endObject()
            }
            try stream.endObject()
        },
        stream("many classes") { n, stream in
            for index in 0..<n {
                try stream.beginGroup("@")
                try stream.beginObject(ClassChain("Class\(index)", superclass: .object))
                try stream.endObject()
            }
        },
        stream("many type encodings") { n, stream in
            for index in 0..<n { try stream.append("{S\(index)=i}", .integer(1)) }
        },
        stream("groups of one long encoding", 100) { n, stream in
            let encoding = String(repeating: "c", count: 500)
            for _ in 0..<n {
                try stream.beginGroup(encoding)
                for _ in 0..<500 { try stream.append(.integer(1)) }
            }
        },
        rawStream("C strings of one text") { n in
            let text: [UInt8] = [0x84, 0x84, 1, 0x78]
            return [0x84, 1, 0x2a] + text + (1..<n).flatMap { _ in [0x92, 0x84, 0x93] as [UInt8] }
        },
        rawStream("classes below 62 others") { n in
            let chain = (0..<62).flatMap { [0x84, 0x84, 2, 0x41, UInt8(0x30 + $0), 0] as [UInt8] }
            // Each of the `n` classes is a subclass of the chain's first class and has its name.
            let others = (0..<n).flatMap { _ in [0x92, 0x84, 0x93, 0, 0x92] as [UInt8] }
            return [0x84, 1, 0x23] + chain + [0x85] + others
        },
        rawStream("objects that do not end") { n in
            let object: [UInt8] = [0x84, 0x84, 0x84, 1, 0x41, 0, 0x85]
            return [0x84, 1, 0x40] + object
                + (0..<n).flatMap { _ in [0x92, 0x84, 0x93] as [UInt8] }
        },
    ]

    /// Appends a group with a string.
    private static func append(_ text: String, to stream: inout TypedStreamBuilder) throws {
        try stream.beginGroup("@")
        try stream.beginObject(string)
        try stream.append("+", .string(text))
        try stream.endObject()
    }

    /// Appends a group with a collection.
    private static func append(
        _ class: ClassChain, count: Int, to stream: inout TypedStreamBuilder,
        _ element: (Int, inout TypedStreamBuilder) throws -> Void
    ) throws {
        try stream.beginGroup("@")
        try stream.beginObject(`class`)
        try stream.append("i", .integer(Int64(count)))
        for index in 0..<count { try element(index, &stream) }
        try stream.endObject()
    }

    // MARK: - NIBArchives

    private static func nib(
        _ name: String, _ size: Int = 1000, limits: ParsingLimits = .default,
        _ build: @escaping @Sendable (Int, inout NIBArchiveBuilder) -> Void
    ) -> Family {
        Family("NIBArchive, " + name, size) { size in
            var archive = NIBArchiveBuilder()
            build(size, &archive)
            return Input(bytes: (try? archive.finish()) ?? [], limits: limits)
        }
    }

    private static let nibs = [
        nib("wide") { n, archive in
            for index in 0..<n {
                let view = archive.addObject("UIView")
                archive.append(.integer(Int64(index)), forKey: "UITag", to: view)
            }
        },
        nib("many values of one object") { n, archive in
            let root = archive.addObject("NSObject")
            for index in 0..<n { archive.append(.boolean(true), forKey: "key \(index)", to: root) }
        },
        nib("chain") { n, archive in
            var last = archive.addObject("NSObject")
            for _ in 1..<n {
                let next = archive.addObject("NSObject")
                archive.append(.object(next), forKey: "next", to: last)
                last = next
            }
        },
        nib("collections, doubling", 20, limits: smallLimits) { n, archive in
            var list = archive.addObject("NSArray")
            for _ in 1..<n {
                let inner = archive.addObject("NSArray")
                archive.append(.boolean(true), forKey: "NSInlinedValue", to: list)
                for _ in 0..<2 {
                    archive.append(.object(inner), forKey: "UINibEncoderEmptyKey", to: list)
                }
                list = inner
            }
        },
        nib("classes with fallbacks") { n, archive in
            for index in 0..<n { _ = archive.addObject("View\(index)", fallbacks: ["UIView"]) }
        },
    ]

    // MARK: - bplist17

    private static func list(
        _ name: String, _ size: Int = 1000, limits: ParsingLimits = .default,
        _ body: @escaping @Sendable (Int) -> [UInt8]
    ) -> Family {
        Family("bplist17, " + name, size) {
            Input(bytes: Array("bplist17".utf8) + body($0), limits: limits)
        }
    }

    private static let lists = [
        list("wide") { container(0xa0, at: 8, [UInt8](repeating: 0xe0, count: $0)) },
        list("long text") { n in
            [0x7f, 0x14] + word(UInt64(n + 1), width: 4) + [UInt8](repeating: 0x78, count: n) + [0]
        },
        list("one text many times") { n in
            container(
                0xa0, at: 8, [0x72, 0x78, 0] + (0..<n).flatMap { _ in [0x81, 17] as [UInt8] })
        },
        list("many keys") { n in
            container(
                0xd0, at: 8,
                (0..<n).flatMap { index in
                    let key = Array("key \(index)".utf8) + [0]
                    return [0x7f, 0x11, UInt8(key.count)] + key + [0xe0]
                })
        },
        list("deep", 400, limits: .trusted) { n in
            let end = UInt64(8 + 9 * n - 1)
            return (0..<n).flatMap { _ in [0xa0] + word(end) }
        },
        list("deep and cut short", 400) { n in
            (0..<n).flatMap { _ in [0xa0] + word(UInt64(8 + 9 * n)) }
        },
    ]

    /// Returns a container: its marker, the place of its last byte, and its elements.
    private static func container(_ marker: UInt8, at place: Int, _ body: [UInt8]) -> [UInt8] {
        [marker] + word(UInt64(place + 8 + body.count)) + body
    }

    /// Returns a number in little-endian byte order.
    private static func word(_ value: UInt64, width: Int = 8) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import NIBArchive
import PropertyList
import TypedStream

// Files of the other formats, in the form that Apple's software writes.
extension Family {
    static let messages = Family(
        "messages", "10,000 messages as typedstreams, a quarter not ASCII, an eighth with a link",
        seed: 59
    ) { builder, random, scale in
        builder.beginArray()
        for _ in 0..<count(10_000, scale) {
            builder.data((try? Message(&random).stream()) ?? [])
        }
        builder.end()
    }

    static let drawing = Family("drawing", "a typedstream of 20,000 shapes") { scale in
        var random = Random(seed: 61)
        return try Drawing.stream(shapes: count(20_000, scale), &random)
    }

    static let interface = Family(
        "interface", "60 NIBArchives of 400 objects, like those of one storyboard", seed: 67
    ) { builder, random, scale in
        builder.beginArray()
        for _ in 0..<count(60, scale) {
            builder.data((try? Interface.archive(objects: 400, &random)) ?? [])
        }
        builder.end()
    }
}

/// A message as a typedstream, as in the column `attributedBody` of the Messages app's database.
private struct Message {
    private typealias ClassChain = TypedStreamBuilder.ClassChain

    private static let string = ClassChain("NSString", version: 1, superclass: .object)
    private static let mutableString = ClassChain("NSMutableString", version: 1, superclass: string)
    private static let dictionary = ClassChain("NSDictionary", superclass: .object)
    private static let number = ClassChain(
        "NSNumber", superclass: ClassChain("NSValue", superclass: .object))
    private static let attributedString = ClassChain("NSAttributedString", superclass: .object)
    private static let mutableAttributedString = ClassChain(
        "NSMutableAttributedString", superclass: attributedString)
    private static let url = ClassChain("NSURL", superclass: .object)
    private static let data = ClassChain("NSData", superclass: .object)

    private let text: String
    private let link: String?
    /// Random bytes in place of an archive of data detector results; empty without a link.
    private let found: [UInt8]

    init(_ random: inout Random) {
        let words = random.words(4 + random.below(16))
        text = random.below(4) == 0 ? words + " — naïve café 👋" : words
        let hasLink = random.below(8) == 0
        link = hasLink ? "https://example.com/\(random.hexadecimal())" : nil
        found = hasLink ? (0..<600).map { _ in UInt8(random.below(256)) } : []
    }

    func stream() throws -> [UInt8] {
        var stream = TypedStreamBuilder()
        try stream.beginGroup("@")
        try stream.beginObject(Self.mutableAttributedString)
        try append(text + (link.map { " " + $0 } ?? ""), Self.mutableString, to: &stream)
        try appendRun(1, length: text.utf16.count, entries: 2, to: &stream)
        try appendEntry("__kIMMessagePartAttributeName", number: 0, to: &stream)
        try appendEntry("__kIMBaseWritingDirectionAttributeName", number: -1, to: &stream)
        try stream.endObject()
        if let link { try appendLink(link, to: &stream) }
        try stream.endObject()
        return try stream.finish()
    }

    private func appendLink(_ link: String, to stream: inout TypedStreamBuilder) throws {
        try appendRun(2, length: link.utf16.count + 1, entries: 3, to: &stream)
        try appendEntry("__kIMMessagePartAttributeName", number: 0, to: &stream)
        try append("__kIMLinkAttributeName", Self.string, to: &stream)
        try stream.beginGroup("@")
        try stream.beginObject(Self.url)
        try stream.append("c", .integer(0))
        try append(link, Self.string, to: &stream)
        try stream.endObject()
        try append("__kIMDataDetectedAttributeName", Self.string, to: &stream)
        try stream.beginGroup("@")
        try stream.beginObject(Self.data)
        try stream.append("i", .integer(Int64(found.count)))
        try stream.append("[\(found.count)c]", .bytes(found))
        try stream.endObject()
        try stream.endObject()
    }

    /// Appends a run, and the beginning of the dictionary with its attributes.
    private func appendRun(
        _ number: Int64, length: Int, entries: Int64, to stream: inout TypedStreamBuilder
    ) throws {
        try stream.append("iI", .integer(number), .integer(Int64(length)))
        try stream.beginGroup("@")
        try stream.beginObject(Self.dictionary)
        try stream.append("i", .integer(entries))
    }

    private func appendEntry(
        _ key: String, number: Int64, to stream: inout TypedStreamBuilder
    ) throws {
        try append(key, Self.string, to: &stream)
        try stream.beginGroup("@")
        try stream.beginObject(Self.number)
        try stream.append("*", .string("i"))
        try stream.append("i", .integer(number))
        try stream.endObject()
    }

    private func append(
        _ text: String, _ class: ClassChain, to stream: inout TypedStreamBuilder
    ) throws {
        try stream.beginGroup("@")
        try stream.beginObject(`class`)
        try stream.append("+", .string(text))
        try stream.endObject()
    }
}

/// Shapes with a color, a transform, a name and their outline.
private enum Drawing {
    private static let shape = TypedStreamBuilder.ClassChain(
        "Shape", version: 2, superclass: .object)
    private static let array = TypedStreamBuilder.ClassChain("NSArray", superclass: .object)
    private static let string = TypedStreamBuilder.ClassChain(
        "NSString", version: 1, superclass: .object)

    static func stream(shapes: Int, _ random: inout Random) throws -> [UInt8] {
        var stream = TypedStreamBuilder()
        try stream.beginGroup("@")
        try stream.beginObject(array)
        try stream.append("i", .integer(Int64(shapes)))
        for _ in 0..<shapes {
            try stream.beginGroup("@")
            try appendShape(to: &stream, &random)
        }
        try stream.endObject()
        return try stream.finish()
    }

    private static func appendShape(
        to stream: inout TypedStreamBuilder, _ random: inout Random
    ) throws {
        func real() -> TypedStreamBuilder.Value { .real(random.real(below: 1000)) }
        try stream.beginObject(shape)
        try stream.append("iI", .integer(Int64(random.below(1 << 20))), .integer(7))
        try stream.append("dddddd", real(), real(), real(), real(), real(), real())
        try stream.append("ffff", .real(0.5), .real(0.25), .real(1), .real(1))
        try stream.append("[24c]", .bytes((0..<24).map { _ in UInt8(random.below(256)) }))
        try stream.beginGroup("@")
        try stream.beginObject(string)
        try stream.append("+", .string(random.words(3)))
        try stream.endObject()
        try stream.endObject()
    }
}

/// A chain of nested views with bounds, tags, flags and texts.
private enum Interface {
    static func archive(objects: Int, _ random: inout Random) throws -> [UInt8] {
        var archive = NIBArchiveBuilder()
        var last = archive.addObject("NSObject")
        for number in 1..<max(objects, 2) {
            let view = archive.addObject(number % 4 == 0 ? "UILabel" : "UIView")
            archive.append(.object(last), forKey: "UIParentView", to: view)
            let frame = (0..<4).map { _ in random.real(below: 1000) }
            archive.append(.data(packed(frame)), forKey: "UIBounds", to: view)
            archive.append(.integer(Int64(number)), forKey: "UITag", to: view)
            archive.append(.boolean(number % 3 == 0), forKey: "UIHidden", to: view)
            archive.append(.double(random.real(below: 1)), forKey: "UIAlpha", to: view)
            archive.append(.data(Array(random.words(3).utf8)), forKey: "UIText", to: view)
            last = view
        }
        return try archive.finish()
    }

    /// Returns numbers as a nib stores them: the marker 7, then 8 little-endian bytes for each.
    private static func packed(_ numbers: [Double]) -> [UInt8] {
        numbers.reduce(into: [7]) { bytes, number in
            for shift in 0..<8 {
                bytes.append(UInt8(truncatingIfNeeded: number.bitPattern >> (8 * UInt64(shift))))
            }
        }
    }
}

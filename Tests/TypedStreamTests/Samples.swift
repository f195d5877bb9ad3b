// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import TypedStream

/// Streams assembled byte by byte.
enum Raw {
    static let header = version(4)

    static func version(_ version: UInt8, isBigEndian: Bool = false) -> [UInt8] {
        let signature = isBigEndian ? "typedstream" : "streamtyped"
        return [version, 11] + Array(signature.utf8)
            + (isBigEndian ? [0x81, 0x03, 0xe8] : [0x81, 0xe8, 0x03])
    }

    /// Returns a stream with these bytes after the header.
    static func stream(_ parts: [UInt8]...) -> [UInt8] { header + parts.flatMap { $0 } }

    /// Returns a literal string of fewer than 128 bytes.
    static func new(_ text: String) -> [UInt8] {
        [0x84, UInt8(text.utf8.count)] + Array(text.utf8)
    }

    /// Returns a reference to a table entry.
    static func reference(_ index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: index - 110)
    }

    /// The class NSObject, written in full, without a superclass.
    static let root: [UInt8] = [0x84] + new("NSObject") + [0x00, 0x85]
}

/// Sample streams with all types and forms.
enum Samples {
    static let string = TypedStreamBuilder.ClassChain("NSString", version: 1, superclass: .object)
    static let mutableString = TypedStreamBuilder.ClassChain(
        "NSMutableString", version: 1, superclass: string)
    static let array = TypedStreamBuilder.ClassChain("NSArray", superclass: .object)
    static let dictionary = TypedStreamBuilder.ClassChain("NSDictionary", superclass: .object)
    static let number = TypedStreamBuilder.ClassChain(
        "NSNumber", superclass: .init("NSValue", superclass: .object))
    static let attributed = TypedStreamBuilder.ClassChain(
        "NSAttributedString", superclass: .object)

    /// All samples with their names.
    static func all() throws -> [(name: String, bytes: [UInt8])] {
        [
            ("empty", Raw.header), ("text", try text()), ("message", try message()),
            ("message-big-endian", try message(.bigEndian)), ("types", try types()),
            ("types-big-endian", try types(.bigEndian)), ("arrays", try arrays()),
            ("shared", try shared()), ("cycle", try cycle()), ("roots", try roots()),
            ("many", try many()), ("deep", try deep(60)), ("version-3", versionThree),
        ]
    }

    static func text() throws -> [UInt8] {
        var stream = TypedStreamBuilder()
        try stream.beginGroup("@")
        try stream.append(object: string) { try $0.append("+", .string("Grüße, 世界")) }
        return try stream.finish()
    }

    /// An attributed string with two runs, as in the Messages database.
    static func message(_ order: TypedStreamByteOrder = .littleEndian) throws -> [UInt8] {
        var stream = TypedStreamBuilder(byteOrder: order)
        try stream.beginGroup("@")
        try stream.append(object: attributed) { stream in
            try stream.beginGroup("@")
            try stream.append(object: string) { try $0.append("+", .string("Hi, see example.com")) }
            for (index, length) in [(1, 8), (2, 11)] as [(Int64, Int64)] {
                try stream.append("iI", .integer(index), .integer(length))
                try stream.beginGroup("@")
                try stream.append(object: dictionary) { stream in
                    try stream.append("i", .integer(1))
                    try stream.beginGroup("@")
                    try stream.append(object: string) {
                        try $0.append("+", .string("__kIMMessagePartAttributeName"))
                    }
                    try stream.beginGroup("@")
                    try stream.append(object: number) {
                        try $0.append("*", .string("i"))
                        try $0.append("i", .integer(index - 1))
                    }
                }
            }
        }
        return try stream.finish()
    }

    /// Values of each scalar type, mostly at an end of its range, and nil if the type allows it.
    static func types(_ order: TypedStreamByteOrder = .littleEndian) throws -> [UInt8] {
        var stream = TypedStreamBuilder(byteOrder: order, systemVersion: 55555)
        try stream.append(
            "cCBsSiIlLqQ", .integer(-128), .integer(255), .boolean(true), .integer(-32768),
            .integer(65535), .integer(-2_147_483_648), .integer(4_294_967_295), .integer(-1),
            .integer(128), .integer(.min), .unsigned(.max))
        try stream.append(
            "ffffdddd", .real(0.5), .real(65535), .real(-0.0), .real(.infinity), .real(0.1),
            .real(-21_692_800), .real(9e99), .real(.nan))
        try stream.append(
            "@#*+%:", .null, .null, .null, .null, .null, .null)
        try stream.append(
            "#*+%:", .class(mutableString), .string("C"), .bytes([0, 255]), .string("atom"),
            .string("setObject:forKey:"))
        try stream.append(
            "#*%:", .class(string), .string("C"), .string("atom"), .string("setObject:forKey:"))
        return try stream.finish()
    }

    static func arrays() throws -> [UInt8] {
        var stream = TypedStreamBuilder()
        try stream.append("[0c]", .bytes([]))
        try stream.append("[5C]", .bytes([1, 2, 3, 4, 5]))
        try stream.append("[3i]", .integer(1), .integer(-200), .integer(70000))
        try stream.append(
            "[2[2s]]c", .integer(1), .integer(2), .integer(3), .integer(4), .integer(5))
        try stream.append("{CGSize=dd}", .real(1.5), .real(2))
        try stream.append("{?=[2c]i}{{f}}", .bytes([1, 2]), .integer(3), .real(4))
        try stream.append("[2{P=if}]i", .integer(1), .real(2), .integer(3), .real(4), .integer(5))
        try stream.beginGroup("[2@]i")
        try stream.append(object: string) { try $0.append("+", .string("first")) }
        try stream.append(object: string) { try $0.append("+", .string("second")) }
        try stream.append(.integer(7))
        return try stream.finish()
    }

    /// An object that is referenced again. Its class and its structure have long names.
    static func shared() throws -> [UInt8] {
        var stream = TypedStreamBuilder()
        let long = TypedStreamBuilder.ClassChain(
            String(repeating: "Ä", count: 200), version: -5_000_000_000, superclass: .object)
        try stream.beginGroup("@@")
        let first = try stream.beginObject(long)
        try stream.append("{" + String(repeating: "n", count: 300) + "=i}", .integer(1))
        try stream.endObject()
        try stream.append(.object(first))
        return try stream.finish()
    }

    static func cycle() throws -> [UInt8] {
        var stream = TypedStreamBuilder()
        try stream.beginGroup("@")
        let outer = try stream.beginObject(array)
        try stream.append("i", .integer(2))
        try stream.append("@", .object(outer))
        try stream.beginGroup("@")
        try stream.append(object: array) {
            try $0.append("i", .integer(1))
            try $0.append("@", .object(outer))
        }
        try stream.endObject()
        return try stream.finish()
    }

    /// Several groups at the top level, as in a color list.
    static func roots() throws -> [UInt8] {
        var stream = TypedStreamBuilder()
        try stream.append("i", .integer(1))
        try stream.append("@i", .null, .integer(1))
        try stream.beginGroup("@@")
        try stream.append(object: .init("NSColor", superclass: .object)) {
            try $0.append("c", .integer(1))
            try $0.append("ffff", .real(1), .real(0.5), .real(0.25), .real(1))
        }
        try stream.append(object: string) { try $0.append("+", .string("Orange")) }
        return try stream.finish()
    }

    /// Enough objects that references take more than one byte.
    static func many() throws -> [UInt8] {
        var stream = TypedStreamBuilder()
        try stream.beginGroup("@")
        try stream.append(object: array) { stream in
            try stream.append("i", .integer(300))
            for index in 0..<300 {
                try stream.beginGroup("@")
                let object = try stream.beginObject(mutableString)
                try stream.append("+", .string("\(index)"))
                try stream.endObject()
                try stream.append("@:", .object(object), .string("select\(index):"))
            }
        }
        return try stream.finish()
    }

    static func deep(_ depth: Int) throws -> [UInt8] {
        var stream = TypedStreamBuilder()
        for _ in 0..<depth {
            try stream.beginGroup("@")
            try stream.beginObject(array)
        }
        for _ in 0..<depth { try stream.endObject() }
        return try stream.finish()
    }

    /// A list with one object, as early NeXTSTEP wrote it, without a type encoding for the object.
    static let versionThree: [UInt8] =
        Raw.version(3) + [0x84, 0x84] + Raw.new("List") + [0x01, 0x84] + Raw.new("Object")
        + [0x00, 0x85, 0x00]
        // The count, and an object whose class is a reference to `Object` above.
        + Raw.new("i") + [0x01] + [0x84, Raw.reference(2), 0x00] + Raw.new("*") + [0x84]
        + Raw.new("text") + [0x86, 0x86]
}

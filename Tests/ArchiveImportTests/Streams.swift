// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import TypedStream

/// Typedstreams made for tests, in the form that Apple's software writes.
enum Streams {
    typealias ClassChain = TypedStreamBuilder.ClassChain

    static let partName = "__kIMMessagePartAttributeName"
    static let linkName = "__kIMLinkAttributeName"

    static let string = ClassChain("NSString", version: 1, superclass: .object)
    static let array = ClassChain("NSArray", superclass: .object)
    static let mutableArray = ClassChain("NSMutableArray", superclass: array)
    static let dictionary = ClassChain("NSDictionary", superclass: .object)
    static let set = ClassChain("NSSet", superclass: .object)
    static let data = ClassChain("NSData", superclass: .object)
    static let date = ClassChain("NSDate", superclass: .object)
    static let number = ClassChain(
        "NSNumber", superclass: ClassChain("NSValue", superclass: .object))
    static let attributedString = ClassChain("NSAttributedString", superclass: .object)

    /// A message with a link, as in the Messages database.
    static func message() throws -> [UInt8] {
        var stream = TypedStreamBuilder()
        try stream.beginGroup("@")
        try stream.append(object: attributedString) { stream in
            try text("Grüße 👋 from example.com", &stream)
            try stream.append("iI", .integer(1), .integer(14))
            try attributes(partName, &stream) { stream in
                try stream.append(object: number) {
                    try $0.append("*", .string("i"))
                    try $0.append("i", .integer(0))
                }
            }
            try stream.append("iI", .integer(2), .integer(11))
            try attributes(linkName, &stream) { stream in
                try stream.append(object: ClassChain("NSURL", superclass: .object)) {
                    try $0.append("c", .integer(0))
                    try text("http://example.com", &$0)
                }
            }
        }
        return try stream.finish()
    }

    /// A group with a string.
    static func text(_ text: String, _ stream: inout TypedStreamBuilder) throws {
        try stream.beginGroup("@")
        try stream.append(object: string) { try $0.append("+", .string(text)) }
    }

    /// A group with a dictionary of one entry.
    static func attributes(
        _ name: String, _ stream: inout TypedStreamBuilder,
        _ value: (inout TypedStreamBuilder) throws -> Void
    ) throws {
        try stream.beginGroup("@")
        try stream.append(object: dictionary) { stream in
            try stream.append("i", .integer(1))
            try text(name, &stream)
            try stream.beginGroup("@")
            try value(&stream)
        }
    }

    /// An attributed string whose runs may be invalid. Each run has its own attributes.
    static func attributed(
        _ string: String, _ runs: [(number: Int64, length: Int64)],
        _ stream: inout TypedStreamBuilder
    ) throws {
        try stream.append(object: attributedString) { stream in
            try text(string, &stream)
            for run in runs {
                try stream.append("iI", .integer(run.number), .integer(run.length))
                try attributes(partName, &stream) { stream in
                    try stream.append(object: Self.string) { try $0.append("+", .string("value")) }
                }
            }
        }
    }

    /// A NeXTSTEP property list that consists of a string.
    static func oldPropertyList(_ text: String) -> [UInt8] {
        let units: [UInt8] =
            [0xFF, 0xFE]
            + text.utf16.flatMap {
                [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
            }
        let padding = [UInt8](repeating: 0, count: (4 - units.count % 4) % 4)
        return [6, 0, 0, 0, UInt8(units.count), 0, 0, 0] + units + padding
    }
}

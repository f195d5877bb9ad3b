// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList

// Inputs that are designed to take more time than their size justifies. Only growth is measured
// with them.
extension Family {
    static let hostile: [(Family, PropertyListFormat)] = [
        (nested, .xml), (unclosed, .xml), (entities, .xml), (attributes, .xml), (sharing, .binary),
        (sameKey, .xml), (longKeys, .binary),
    ]

    private static let nested = Family("nested", "500,000 nested arrays") { scale in
        let count = count(500_000, scale)
        return xml(repeated("<array>", count) + repeated("</array>", count))
    }

    private static let unclosed = Family("unclosed", "1,000,000 start tags") { scale in
        Array("<plist>".utf8) + repeated("<dict>", count(1_000_000, scale))
    }

    private static let entities = Family("entities", "1,000,000 references in a string") { scale in
        xml(
            Array("<string>".utf8) + repeated("&amp;", count(1_000_000, scale))
                + Array("</string>".utf8))
    }

    private static let attributes = Family("attributes", "100,000 attributes of one tag") { scale in
        let list = (0..<count(100_000, scale)).map { "a\($0)='' " }.joined()
        return xml(Array("<dict \(list)></dict>".utf8))
    }

    private static let sharing = Family(
        "sharing", "100 towers of 400 arrays, each with ten references to the array below"
    ) { scale in
        sharingFile(towers: count(100, scale), height: 400)
    }

    private static let sameKey = Family("same-key", "200,000 dictionaries of one key") { scale in
        xml(
            Array("<array>".utf8)
                + repeated("<dict><key>k</key><true/></dict>", count(200_000, scale))
                + Array("</array>".utf8))
    }

    private static let longKeys = Family(
        "long-keys", "1,000 keys of about 4,000 bytes that differ only at the end"
    ) { scale in
        var builder = DocumentBuilder()
        builder.beginDictionary()
        for number in 0..<count(1_000, scale) {
            builder.key(String(repeating: "k", count: 4_000) + String(number))
            builder.boolean(true)
        }
        builder.end()
        return try builder.finish().serialized(as: .binary)
    }
}

extension Family {
    private static func repeated(_ text: String, _ count: Int) -> [UInt8] {
        Array(String(repeating: text, count: count).utf8)
    }

    private static func xml(_ body: [UInt8]) -> [UInt8] {
        Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">".utf8) + body
            + Array("</plist>\n".utf8)
    }

    /// Returns a binary property list assembled by hand. Object 0 is a string. The arrays of each
    /// tower follow from the bottom up, and then the array of all towers. References have three
    /// bytes, offsets four.
    private static func sharingFile(towers: Int, height: Int) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets = [bytes.count]
        bytes += [0x51, UInt8(ascii: "x")]
        for list in 0..<towers * height {
            offsets.append(bytes.count)
            bytes.append(0xAA)
            let below = list % height == 0 ? 0 : list
            for _ in 0..<10 { append(below, width: 3, to: &bytes) }
        }
        offsets.append(bytes.count)
        bytes += [0xAF, 0x12]
        append(towers, width: 4, to: &bytes)
        for tower in 1...towers { append(tower * height, width: 3, to: &bytes) }
        let table = bytes.count
        for offset in offsets { append(offset, width: 4, to: &bytes) }
        bytes += [0, 0, 0, 0, 0, 0, 4, 3]
        for number in [offsets.count, offsets.count - 1, table] {
            append(number, width: 8, to: &bytes)
        }
        return bytes
    }

    private static func append(_ number: Int, width: Int, to bytes: inout [UInt8]) {
        for place in (0..<width).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: number >> (8 * place)))
        }
    }
}

extension Ours {
    /// Parses the input under the default limits. The outcome contains the code of an error, but
    /// not its location, which depends on the size.
    @Sendable static func withstand(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try input.bytes(scale: scale)
        return Work(size: bytes.count) {
            do {
                return .checksum(try PropertyListValue(parsing: bytes).checksum)
            } catch let error as PropertyListError {
                return .checksum(Checksum.string("\(error.code)"))
            }
        }
    }
}

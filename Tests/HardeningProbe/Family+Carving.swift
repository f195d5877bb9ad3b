// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import TestSupport

/// Bytes that contain property lists, or data that resembles them.
extension Family {
    private static func carving(
        _ name: String, _ size: Int, _ bytes: @escaping @Sendable (Int) -> [UInt8]
    ) -> Family {
        Family("carving, " + name, size) { Input(bytes: bytes($0), format: .binary) }
    }

    static let carving = [
        carving("beginnings of binary", 1000) { n in
            Array(String(repeating: "bplist00", count: n).utf8)
        },
        carving("beginnings of XML", 1000) { n in
            Array(String(repeating: "<?xml <plist>", count: n).utf8)
        },
        carving("beginnings of XML with one end", 1000) { n in
            Array((String(repeating: "<?xml <plist>", count: n) + "</plist>").utf8)
        },
        carving("many ends of one beginning", 2000, manyEnds),
        carving("neighbors", 100) { n in
            (0..<n).flatMap { _ in
                BinaryAssembler([.array([1]), .ascii("text")]).bytes
                    + Array("<plist><array/></plist>".utf8)
            }
        },
    ]

    /// Returns a header and many trailers that match it. No list is valid: its object is malformed.
    @Sendable private static func manyEnds(_ count: Int) -> [UInt8] {
        var bytes = Array("bplist00".utf8) + [0xFF]
        for _ in 0..<count {
            let table = bytes.count
            bytes += [8, 0, 0, 0, 0, 0, 0, 1, 1]
            bytes += [0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 8)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: table >> (56 - 8 * $0)) }
        }
        return bytes
    }
}

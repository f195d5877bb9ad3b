// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Reads small values from the bytes of an input, one after the other. After the end, all values
/// are zero or empty.
struct ByteScript {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) { rest = Array(bytes)[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func word() -> UInt64 { bytes(8).reduce(0) { $0 << 8 | UInt64($1) } }

    mutating func text() -> String {
        let count = Int(byte() % 16)
        return String(decoding: bytes(count), as: UTF8.self)
    }
}

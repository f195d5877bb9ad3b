// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import DatabaseFiles

/// The SHA-256 hash (FIPS 180-4). It identifies source files in the output, and scripts and styles
/// in content security policies.
///
/// The message is padded to blocks of 64 bytes: with a one bit, zeros, and its length in bits as
/// eight bytes. Each block is expanded to 64 words of 32 bits, which 64 rounds mix into a state of
/// eight words.
struct SHA256 {
    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c,
        0x1f83_d9ab, 0x5be0_cd19,
    ]

    /// Returns the hash of `bytes` in hexadecimal. Linear.
    static func hexadecimal(of bytes: [UInt8]) -> String { ValueText.hex(hash(of: bytes)[...]) }

    /// Returns the hash of the bytes of a source in hexadecimal, reading it in portions. Linear.
    static func hexadecimal(of source: any ByteSource) throws(DatabaseFileError) -> String {
        let portion = 1 << 20
        var hash = SHA256()
        var offset = 0
        while true {
            let bytes = try source.read(at: offset, count: portion)
            offset += bytes.count
            if bytes.count < portion {
                return ValueText.hex(hash.finish(bytes, length: offset)[...])
            }
            hash.mixBlocks(bytes)
        }
    }

    /// Returns the 32 bytes of the hash of `bytes`. Linear.
    static func hash(of bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        return hash.finish(bytes, length: bytes.count)
    }

    /// Mixes the whole blocks of 64 bytes, and returns their size in bytes.
    @discardableResult
    private mutating func mixBlocks(_ bytes: [UInt8]) -> Int {
        let whole = bytes.count & ~63
        for start in stride(from: 0, to: whole, by: 64) { mix(bytes[start..<(start + 64)]) }
        return whole
    }

    /// Mixes the last bytes, and returns the hash. `length` is the size of the whole input.
    private mutating func finish(_ bytes: [UInt8], length: Int) -> [UInt8] {
        var tail = Array(bytes[mixBlocks(bytes)...]) + [0x80]
        while tail.count % 64 != 56 { tail.append(0) }
        let bits = UInt64(length) &* 8
        tail += stride(from: 56, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: bits >> UInt64($0))
        }
        mixBlocks(tail)
        return state.flatMap { word in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
        }
    }

    private mutating func mix(_ block: ArraySlice<UInt8>) {
        let words = Self.schedule(block)
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for round in 0..<64 {
            let sums = Self.rotatedRight(e, 6) ^ Self.rotatedRight(e, 11) ^ Self.rotatedRight(e, 25)
            let choice = (e & f) ^ (~e & g)
            let first = h &+ sums &+ choice &+ Self.constants[round] &+ words[round]
            let others =
                Self.rotatedRight(a, 2) ^ Self.rotatedRight(a, 13) ^ Self.rotatedRight(a, 22)
            let second = others &+ ((a & b) ^ (a & c) ^ (b & c))
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ second)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    /// Expands a block of 16 words to the 64 words of its message schedule.
    private static func schedule(_ block: ArraySlice<UInt8>) -> [UInt32] {
        var words = [UInt32](repeating: 0, count: 64)
        for index in 0..<16 {
            let start = block.startIndex + index * 4
            words[index] = block[start..<(start + 4)].reduce(0) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<64 {
            let (early, late) = (words[index - 15], words[index - 2])
            let low = rotatedRight(early, 7) ^ rotatedRight(early, 18) ^ (early >> 3)
            let high = rotatedRight(late, 17) ^ rotatedRight(late, 19) ^ (late >> 10)
            words[index] = words[index - 16] &+ low &+ words[index - 7] &+ high
        }
        return words
    }

    @inline(__always)
    private static func rotatedRight(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word &>> count | word &<< (32 &- count)
    }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1,
        0x923f_82a4, 0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3,
        0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786,
        0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147,
        0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13,
        0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
        0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a,
        0x5b9c_ca4f, 0x682e_6ff3, 0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208,
        0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import PropertyList

@Suite("Searching bytes")
struct SearchTests {
    @Test("bytes are counted correctly at any position and beside any other bytes")
    func count() {
        let seed: UInt64 = 22
        var random = SplitMix64(seed: seed)
        let pool: [UInt8] = [0x3C, 0x3B, 0x3D, 0xBC, 0x00, 0xFF, 0x80, 0x7F]
        for round in 0..<2_000 {
            let bytes = (0..<random.below(40)).map { _ in pool[random.below(pool.count)] }
            let first = random.below(bytes.count + 1)
            let range = first..<(first + random.below(bytes.count - first + 1))
            for byte in pool {
                #expect(
                    bytes.span.count(of: byte, in: range) == bytes[range].count { $0 == byte },
                    "seed \(seed), round \(round)")
            }
        }
    }
}

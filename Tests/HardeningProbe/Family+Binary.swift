// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import TestSupport

extension Family {
    private static func binary(
        _ name: String, _ size: Int = 200, limits: ParsingLimits = .default,
        _ objects: @escaping @Sendable (Int) -> [BinaryAssembler.Object]
    ) -> Family {
        Family(name, size) { size in
            let assembler = BinaryAssembler(objects(size), offsetWidth: 4, referenceWidth: 4)
            return Input(bytes: assembler.bytes, limits: limits)
        }
    }

    private static func numbers(_ range: Range<Int>) -> [UInt64] { range.map(UInt64.init) }

    static let binary = [
        binary("binary, deep", limits: .trusted) { n in
            (0..<n).map { .array($0 + 1 < n ? [UInt64($0 + 1)] : []) }
        },
        binary("binary, deep dictionaries", limits: .trusted) { n in
            [.ascii("key")]
                + (0..<n).map {
                    .dictionary($0 + 1 < n ? [0] : [], $0 + 1 < n ? [UInt64($0 + 2)] : [])
                }
        }.starting(at: 1),
        binary("binary, wide") { n in
            [.array(numbers(1..<n + 1))] + (0..<n).map { .integer(UInt64($0), width: 4) }
        },
        binary("binary, equal leaves") { n in
            [.array(numbers(1..<n + 1))] + (0..<n).map { _ in .ascii("the same") }
        },
        binary("binary, long leaves that differ in the middle") { n in
            let end = String(repeating: "end ", count: 100)
            return [.array(numbers(1..<n + 1))]
                + (0..<n).map { .ascii(end + "\(100_000 + $0 / 2)" + end) }
        },
        binary("binary, one object many times") { n in
            [.array(Array(repeating: 1, count: n)), .ascii("shared")]
        },
        binary("binary, shared containers", 20, limits: smallLimits) { n in
            // Each array refers twice to the next one, which gives 2ⁿ values.
            (0..<n).map { .array($0 + 1 < n ? [UInt64($0 + 1), UInt64($0 + 1)] : []) }
        },
        binary("binary, many keys") { n in
            [.dictionary(numbers(1..<n + 1), Array(repeating: 1, count: n))]
                + (0..<n).map { .ascii("key \($0)") }
        },
        binary("binary, long keys that differ at the end", 100) { n in
            let stem = String(repeating: "k", count: 200)
            return [.dictionary(numbers(1..<n + 1), Array(repeating: 1, count: n))]
                + (0..<n).map { .ascii(stem + "\($0)") }
        },
        binary("binary, keys of combining marks", 500) { n in
            [.dictionary([1, 2], [3, 4])]
                + (1...4).map { .utf16([0x61, UInt16($0)] + Family.marks(n)) }
        },
        binary("binary, keys twice") { n in
            [.dictionary(numbers(1..<n + 1), Array(repeating: 1, count: n))]
                + (0..<n).map { .ascii("key \($0 % 10)") }
        },
        binary("binary, small dictionaries") { n in
            [.array(numbers(4..<n + 4)), .ascii("a"), .ascii("b"), .ascii("c")]
                + (0..<n).map { _ in .dictionary([1, 2, 3], [2, 3, 1]) }
        },
        binary("binary, dictionaries of many shapes") { n in
            // Each dictionary has the first eight keys. The bits of its number select which others
            // it has.
            let keys: [BinaryAssembler.Object] = (0..<24).map { .ascii("key \($0)") }
            let dictionaries = (0..<n).map { number in
                let chosen = (1...24).filter { $0 <= 8 || number >> ($0 - 9) & 1 == 1 }
                return BinaryAssembler.Object.dictionary(
                    chosen.map(UInt64.init), Array(repeating: 1, count: chosen.count))
            }
            return [.array(numbers(25..<n + 25))] + keys + dictionaries
        },
        binary("binary, long string", 2000) { n in [.ascii(String(repeating: "long ", count: n))] },
        binary("binary, long UTF-16", 5000) { n in [.utf16(Array(repeating: 0x6F22, count: n))] },
        binary("binary, long data", 2000) { n in [.data(Array(repeating: 7, count: n * 4))] },
        Family("binary, one byte each", 300) { n in
            // All entries of the offset table refer to the same object.
            var assembler = BinaryAssembler(
                [.null], entries: Array(repeating: .object(0), count: n))
            assembler.offsetWidth = 1
            return Input(bytes: assembler.bytes)
        },
        binary("binary, high ASCII") { n in
            [.array(numbers(1..<n + 1))] + (0..<n).map { _ in .raw([0x52, 0xE9, 0xE8]) }
        },
        binary("binary, unreadable objects") { n in
            [.array(numbers(1..<n + 1))] + (0..<n).map { _ in .raw([0x77]) }
        },
        binary("binary, cycles") { n in
            (0..<n).map { .array([UInt64($0), 0, UInt64(($0 + 1) % n)]) }
        },
        binary("binary, containers as keys") { n in
            [.dictionary(numbers(1..<n + 1), Array(repeating: 1, count: n))]
                + (0..<n).map { _ in .array([]) }
        },
        binary("binary, sets") { n in
            [.array(numbers(1..<n + 1))] + (0..<n).map { _ in .set([0xFFFF]) }
        },
    ]

    /// Returns the same family with another top object.
    private func starting(at top: Int) -> Family {
        Family(name, size) { size in
            var input = self.input(size)
            // Bytes 16 to 23 of the trailer contain the number of the top object.
            if input.bytes.count >= 32 { input.bytes[input.bytes.count - 9] = UInt8(top) }
            return input
        }
    }
}

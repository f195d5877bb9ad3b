// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import FuzzTargets
import PropertyList
import TestSupport
import Testing

@Suite("Fuzz targets")
struct FuzzReplayTests {
    private static let kept = Corpus.fixtures("fuzz")

    @Test("every kept fuzz input passes every target", arguments: kept)
    func replay(_ file: Corpus.File) {
        for target in fuzzTargets {
            #expect(throws: Never.self, "\(target.name)") { try target.run(file.bytes) }
        }
    }

    @Test("every fixture passes every target, with several sets of options", arguments: fixtures)
    func fixture(_ file: Corpus.File) {
        for target in fuzzTargets {
            for setup in [[], [0, 0], [1, 1], [2, 1], [3, 2], [13, 0]] as [[UInt8]] {
                #expect(throws: Never.self, "\(target.name), \(setup)") {
                    try target.run(setup + file.bytes)
                }
            }
        }
    }

    @Test("there are fuzz inputs to replay")
    func hasInputs() { #expect(Self.kept.count > 5) }

    @Test(
        "random documents with changed bytes pass every target",
        arguments: [1, 0xF0_22] as [UInt64])
    func mutations(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var source = RandomPropertyList(seed: seed)
        for round in 0..<150 {
            var bytes = try BinaryPropertyList.serialize(
                PropertyListDocument(source.value(depth: 3)))
            for _ in 0..<random.below(4) {
                bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
            }
            let setup = [UInt8(random.below(24)), UInt8(random.below(3))]
            for target in fuzzTargets {
                #expect(throws: Never.self, "seed \(seed), round \(round), \(target.name)") {
                    try target.run(setup + bytes)
                }
            }
        }
    }
}

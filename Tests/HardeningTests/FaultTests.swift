// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import FuzzTargets
import TestSupport
import Testing

/// Runs every reading target on every small fixture, truncated or changed at every byte.
@Suite("Systematic faults")
struct FaultTests {
    private static let small = fixtures.filter { $0.bytes.count <= 2048 }

    // The changes to a byte, and the option bytes. A debug build has time for only one of each.
    #if DEBUG
    private static let masks: [UInt8] = [0x20]
    private static let setups: [[UInt8]] = [[2, 1]]
    #else
    private static let masks: [UInt8] = [0x01, 0xFF]
    private static let setups: [[UInt8]] = [[0, 0], [1, 1], [3, 2], [2, 0xE7]]
    #endif

    private func run(_ bytes: [UInt8], _ what: @autoclosure () -> String) {
        for target in readingTargets {
            for setup in target.name == "detection" ? [[]] : Self.setups {
                do { try target.run(setup + bytes) } catch {
                    Issue.record("\(what()), \(target.name), \(setup): \(error)")
                }
            }
        }
    }

    @Test("every prefix of every small fixture passes every reading target", arguments: small)
    func prefixes(_ file: Corpus.File) {
        for length in file.bytes.indices {
            run(Array(file.bytes.prefix(length)), "\(length) bytes")
        }
    }

    @Test("every small fixture with one byte changed passes every reading target", arguments: small)
    func flips(_ file: Corpus.File) {
        var bytes = file.bytes
        for place in bytes.indices {
            let original = bytes[place]
            for mask in Self.masks {
                bytes[place] = original ^ mask
                run(bytes, "byte \(place) ^ \(mask)")
            }
            bytes[place] = original
        }
    }

    @Test("there are enough small fixtures")
    func hasFixtures() { #expect(Self.small.count > 80) }
}

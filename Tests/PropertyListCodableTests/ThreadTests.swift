// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import PropertyListCodable
import TestSupport
import Testing

/// Nested arrays that note where they are coded.
private struct VisitedArray: Codable {
    let depth: Int

    init(depth: Int) { self.depth = depth }

    init(from decoder: any Decoder) throws {
        try ThreadLog.visit()
        var container = try decoder.unkeyedContainer()
        depth = container.isAtEnd ? 1 : try container.decode(VisitedArray.self).depth + 1
    }

    func encode(to encoder: any Encoder) throws {
        try ThreadLog.visit()
        var container = encoder.unkeyedContainer()
        if depth > 1 { try container.encode(VisitedArray(depth: depth - 1)) }
    }
}

@Suite("Threads of Codable types")
struct CodableThreadTests {
    /// Encodes and decodes nested arrays.
    private static func roundTrip(depth: Int, limits: ParsingLimits = .default) throws -> Int {
        let encoder = PlistEncoder()
        encoder.limits = limits
        let document = try encoder.encodeDocument(VisitedArray(depth: depth))
        return try PlistDecoder(limits: limits).decode(VisitedArray.self, from: document).depth
    }

    @Test(
        "types code themselves on the thread of the caller at ordinary depths",
        arguments: [15, 200])
    func callersThread(depth: Int) throws {
        try onThread(stackSize: 8 << 20) {
            let log = ThreadLog()
            try ThreadLog.$current.withValue(log) {
                let found = try Self.roundTrip(depth: depth)
                #expect(found == depth)
            }
            #expect(log.threads == Array(repeating: ThreadLog.thread, count: 2 * depth))
        }
    }

    @Test("types may assume the isolation of the main actor that called", arguments: [15, 200])
    @MainActor
    func mainActor(depth: Int) throws {
        let count = MainActorCount()
        let log = ThreadLog { MainActor.assumeIsolated { count.increment() } }
        try ThreadLog.$current.withValue(log) {
            let found = try Self.roundTrip(depth: depth)
            #expect(found == depth)
        }
        #expect(count.value == 2 * depth)
    }

    @Test("types have the task-local values of the caller, however deep and on whatever thread")
    func taskLocals() throws {
        let depth = 20_000
        let log = ThreadLog()
        try ThreadLog.$current.withValue(log) {
            let found = try Self.roundTrip(depth: depth, limits: .trusted)
            #expect(found == depth)
        }
        #expect(log.threads.count == 2 * depth)
        #expect(log.threadCount > 1)
    }

    @Test("coders continue on another thread in time where the stack of the caller is small")
    func smallStack() throws {
        let depth = 400
        let document = try PlistEncoder().encodeDocument(VisitedArray(depth: depth))
        try onThread(stackSize: 64 << 10) {
            let log = ThreadLog()
            try ThreadLog.$current.withValue(log) {
                let root = try PlistDecoder().decode(VisitedArray.self, from: document.root)
                #expect(root.depth == depth)
            }
            #expect(log.threads.count == depth)
            #expect(log.threads.last != ThreadLog.thread)
        }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import PropertyListCodable
import TestSupport
import Testing

/// Nested arrays that record the thread on which they are coded.
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
        "types are encoded and decoded on the thread of the caller at ordinary depths",
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

    @Test(
        "types may assume main-actor isolation if the caller runs on the main actor",
        arguments: [15, 200])
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

    @Test("types have the task-local values of the caller, at any depth and on any thread")
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

    @Test("coders continue on another thread before a small stack of the caller overflows")
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

@Suite(
    "Nesting of Codable types without threads",
    .enabled(if: !packageHasThreads, "the package has threads"))
struct SingleThreadTests {
    private func check(_ error: (any Error)?, _ log: ThreadLog) throws {
        let error = try #require(error as? PropertyListError)
        #expect(error.code == .depthLimitExceeded)
        #expect(error.what.contains("the stack has no room for more"), "\(error)")
        #expect(error.recovery == "use a thread with a larger stack, or nest less")
        #expect(!log.threads.isEmpty)
        #expect(Set(log.threads) == [ThreadLog.thread])
    }

    @Test("a few nested values are encoded and decoded")
    func few() throws {
        let document = try PlistEncoder().encodeDocument(VisitedArray(depth: 3))
        #expect(try PlistDecoder().decode(VisitedArray.self, from: document).depth == 3)
    }

    @Test(
        "encoding more nested values than the stack has room for is an error",
        arguments: [10_000, 100_000])
    func encoding(depth: Int) throws {
        let log = ThreadLog()
        let encoder = PlistEncoder()
        encoder.limits = .trusted
        let error = ThreadLog.$current.withValue(log) {
            #expect(throws: EncodingError.self) {
                try encoder.encodeDocument(VisitedArray(depth: depth))
            }
        }
        guard case .invalidValue(_, let context) = error else { throw NoError() }
        try check(context.underlyingError, log)
    }

    @Test(
        "decoding more nested values than the stack has room for is an error",
        arguments: [10_000, 100_000])
    func decoding(depth: Int) throws {
        let log = ThreadLog()
        let open = String(repeating: "<array>", count: depth)
        let close = String(repeating: "</array>", count: depth)
        let text = "<?xml version=\"1.0\"?><plist version=\"1.0\">\(open)\(close)</plist>"
        let error = ThreadLog.$current.withValue(log) {
            #expect(throws: DecodingError.self) {
                try PlistDecoder(limits: .trusted).decode(VisitedArray.self, from: Array(text.utf8))
            }
        }
        guard case .dataCorrupted(let context) = error else { throw NoError() }
        try check(context.underlyingError, log)
    }

    private struct NoError: Error {}
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import KeyedArchive
import PropertyList
import TestSupport
import Testing

/// An object whose initializer calls `ThreadLog.visit()`. The visitor of the log may decode another
/// archive.
private struct Matryoshka: KeyedCodable {
    static let archivedClass: ArchivedClass = "Matryoshka"

    init() {}
    func encode(with coder: KeyedEncoder) {}
    init(coder: KeyedDecoder) throws { try ThreadLog.visit() }
}

@Suite("Threads of decoding initializers and encoding methods")
struct CoderThreadTests {
    private static let allowed = ClassRegistry.foundation.adding(Link.self)

    private static func archive(_ count: Int, limits: ParsingLimits = .default) throws -> [UInt8] {
        try KeyedArchiver.archive(Link.list(count), allowing: allowed, limits: limits)
    }

    private static func read(_ bytes: [UInt8], limits: ParsingLimits = .default) throws -> [Int] {
        try KeyedUnarchiver.unarchive(
            Link.self, from: bytes, allowing: allowed, limits: limits
        ).values
    }

    @Test("coding runs on the thread of the caller at ordinary depths", arguments: [15, 200])
    func callersThread(depth: Int) throws {
        try onThread(stackSize: 8 << 20) {
            let log = ThreadLog()
            try ThreadLog.$current.withValue(log) {
                let bytes = try Self.archive(depth)
                #expect(try Self.read(bytes) == Array(0..<depth))
            }
            #expect(log.threads == Array(repeating: ThreadLog.thread, count: 2 * depth))
        }
    }

    @Test(
        "coding may assume the isolation of the main actor if called on the main actor",
        arguments: [15, 200])
    @MainActor
    func mainActor(depth: Int) throws {
        let count = MainActorCount()
        let log = ThreadLog { MainActor.assumeIsolated { count.increment() } }
        try ThreadLog.$current.withValue(log) {
            let bytes = try Self.archive(depth)
            #expect(try Self.read(bytes) == Array(0..<depth))
        }
        #expect(count.value == 2 * depth)
    }

    @Test("coding has the task-local values of the caller, at any depth and on any thread")
    func taskLocals() throws {
        let depth = Exhaustive.size(100_000, inDebug: 20_000)
        let log = ThreadLog()
        try ThreadLog.$current.withValue(log) {
            let bytes = try Self.archive(depth, limits: .trusted)
            #expect(try Self.read(bytes, limits: .trusted) == Array(0..<depth))
        }
        #expect(log.threads.count == 2 * depth)
        // No single stack is large enough for all calls.
        #expect(log.threadCount > 1)
    }

    @Test("coding continues on another thread before a small stack of the caller overflows")
    func smallStack() throws {
        let depth = 400
        let bytes = try Self.archive(depth)
        // The archive is parsed here, so that only the decoding begins on the small stack.
        let archive = try KeyedUnarchiver(parsing: bytes, allowing: Self.allowed)
        nonisolated(unsafe) let unarchiver = archive
        try onThread(stackSize: 64 << 10) {
            let log = ThreadLog()
            try ThreadLog.$current.withValue(log) {
                let values = try unsafe unarchiver.unarchive(Link.self).values
                #expect(values == Array(0..<depth))
            }
            #expect(log.threads.count == depth)
            #expect(log.threads.last != ThreadLog.thread)
        }
    }

    @Test("the remaining stack is measured even if initializers decode further archives")
    func archivesWithinArchives() throws {
        let allowed = ClassRegistry.foundation.adding(Matryoshka.self)
        let bytes = try KeyedArchiver.archive(Matryoshka(), allowing: allowed)
        let depth = 2000
        try onThread(stackSize: 512 << 10) {
            // Each call decodes separately, and knows nothing of the calls around it.
            let counter = Counter()
            let log = ThreadLog {
                counter.value += 1
                guard counter.value < depth else { return }
                _ = try KeyedUnarchiver.unarchive(Matryoshka.self, from: bytes, allowing: allowed)
            }
            try ThreadLog.$current.withValue(log) {
                _ = try KeyedUnarchiver.unarchive(Matryoshka.self, from: bytes, allowing: allowed)
            }
            #expect(log.threads.count == depth)
            #expect(log.threadCount > 1)
        }
    }

    /// `@unchecked Sendable`: one thread at a time counts, while others wait for it.
    private final class Counter: @unchecked Sendable {
        var value = 0
    }

    @Test("errors reach the caller from any thread")
    func errors() throws {
        let depth = Exhaustive.size(50_000, inDebug: 10_000)
        let bytes = try Self.archive(depth, limits: .trusted)
        let counter = Counter()
        let log = ThreadLog {
            counter.value += 1
            if counter.value == depth { throw Refusal() }
        }
        ThreadLog.$current.withValue(log) {
            #expect(throws: Refusal.self) { try Self.read(bytes, limits: .trusted) }
        }
        #expect(log.threads.count == depth)
    }

    private struct Refusal: Error {}
}

@Suite("Nested calls without threads", .enabled(if: !packageHasThreads, "the package has threads"))
struct SingleThreadTests {
    private static let allowed = ClassRegistry.foundation.adding(Link.self)

    /// Returns an archive of a list.
    private static func archive(_ count: UInt32) throws -> [UInt8] {
        let objects: [PropertyListValue] = (0..<count).map { place in
            let next = place == count - 1 ? 0 : place + 2
            return .dictionary([
                "$class": .uid(PropertyListUID(count + 1)),
                "value": .integer(PropertyListInteger(Int(place))),
                "next": .uid(PropertyListUID(next)),
            ])
        }
        return try Archives.make(objects + [Archives.describe("Link")])
    }

    private func check(_ error: KeyedArchiveError?, _ log: ThreadLog) throws {
        #expect(error?.code == .depthLimitExceeded)
        #expect(error?.what.contains("the stack has no room for more") == true, "\(error as Any)")
        #expect(error?.recovery == "use a thread with a larger stack, or nest less")
        #expect(!log.threads.isEmpty)
        #expect(Set(log.threads) == [ThreadLog.thread])
    }

    @Test("a few nested objects are encoded and decoded")
    func few() throws {
        let bytes = try KeyedArchiver.archive(Link.list(3), allowing: Self.allowed)
        let list = try KeyedUnarchiver.unarchive(Link.self, from: bytes, allowing: Self.allowed)
        #expect(list.values == [0, 1, 2])
    }

    @Test(
        "encoding more nested objects than the stack has room for is an error",
        arguments: [10_000, 100_000])
    func writing(depth: Int) throws {
        let log = ThreadLog()
        let list = Link.list(depth)
        let error = ThreadLog.$current.withValue(log) {
            #expect(throws: KeyedArchiveError.self) {
                try KeyedArchiver.archive(list, allowing: Self.allowed, limits: .trusted)
            }
        }
        try check(error, log)
    }

    @Test(
        "decoding more nested objects than the stack has room for is an error",
        arguments: [10_000, 100_000])
    func reading(depth: UInt32) throws {
        let log = ThreadLog()
        let bytes = try Self.archive(depth)
        let error = ThreadLog.$current.withValue(log) {
            #expect(throws: KeyedArchiveError.self) {
                try KeyedUnarchiver.unarchive(
                    Link.self, from: bytes, allowing: Self.allowed, limits: .trusted)
            }
        }
        try check(error, log)
    }
}

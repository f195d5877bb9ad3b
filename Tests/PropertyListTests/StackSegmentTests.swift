// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CallStack

/// Calls itself recursively, as coders do.
private final class Caller {
    var stack = StackSegment()
    // The threads of the calls, outermost first.
    private(set) var threads: [ObjectIdentifier] = []

    struct NoStack: Error {}
    struct AtTheEnd: Error {}

    // The stack size of additional threads.
    private let threadSize: Int

    init(threadSize: Int = 256 << 20) { self.threadSize = threadSize }

    /// Makes nested calls.
    ///
    /// - Returns: `depth`, the number of calls without the outermost one.
    func descend(_ depth: Int, throwing: Bool = false) throws -> Int {
        if stack.isUsedUp {
            guard
                let count = try StackSegment.run(
                    for: self, \.stack, threadSize: threadSize,
                    { try self.callHere(depth, throwing) })
            else { throw NoStack() }
            return count
        }
        return try callHere(depth, throwing)
    }

    @inline(never)
    private func callHere(_ depth: Int, _ throwing: Bool) throws -> Int {
        threads.append(ThreadLog.thread)
        // Keeps some data in the stack frame.
        let text = String(repeating: "x", count: depth % 7)
        if depth == 0 {
            if throwing { throw AtTheEnd() }
            return text.utf8.count
        }
        return try descend(depth - 1, throwing: throwing) + (text.utf8.count == depth % 7 ? 1 : 0)
    }

    /// The number of threads that made the calls.
    var threadCount: Int { Set(threads).count }
}

@Suite("StackSegment")
struct StackSegmentTests {
    @Test("calls stay on their thread while its stack has room")
    func roomy() throws {
        try onThread(stackSize: 8 << 20) {
            let caller = Caller()
            let count = try caller.descend(1000)
            #expect(count == 1000)
            #expect(Set(caller.threads) == [ThreadLog.thread])
        }
    }

    @Test(
        "calls continue on another thread before the stack overflows, and return",
        arguments: [64, 128, 512, 8192])
    func small(size: Int) throws {
        try onThread(stackSize: size << 10) {
            let caller = Caller()
            let count = try caller.descend(400_000)
            #expect(count == 400_000)
            #expect(caller.threads.last != ThreadLog.thread)
            // Later calls use the outer segment again.
            let before = caller.threads.count
            _ = try caller.descend(0)
            #expect(caller.threads.suffix(from: before) == [ThreadLog.thread])
        }
    }

    @Test("calls continue across many threads with small stacks")
    func manyThreads() throws {
        let caller = Caller(threadSize: 1 << 20)
        #expect(try caller.descend(400_000) == 400_000)
        #expect(caller.threadCount > 2)
    }

    @Test("an error is thrown if no further stack is available, and calls work again afterwards")
    func noFurtherStack() throws {
        try onThread(stackSize: 512 << 10) {
            // No system has enough memory for these stacks.
            let caller = Caller(threadSize: 1 << 60)
            #expect(throws: Caller.NoStack.self) { try caller.descend(400_000) }
            #expect(Set(caller.threads) == [ThreadLog.thread])
            #expect(caller.threads.count < 400_000)
            let count = try caller.descend(100)
            #expect(count == 100)
        }
    }

    @Test("calls on the main thread use its stack first, and then other threads")
    @MainActor
    func mainThread() throws {
        let caller = Caller()
        #expect(try caller.descend(200) == 200)
        #expect(Set(caller.threads) == [ThreadLog.thread])
        #expect(try caller.descend(400_000) == 400_000)
        #expect(caller.threadCount > 1)
    }

    @Test("an error reaches the caller from any thread")
    func errors() throws {
        let caller = Caller()
        #expect(throws: Caller.AtTheEnd.self) { try caller.descend(400_000, throwing: true) }
        #expect(caller.threadCount > 1)
    }

    @Test("calls that move to another thread use the stack of that thread")
    func handedOver() throws {
        let caller = Caller()
        #expect(try caller.descend(10) == 10)
        nonisolated(unsafe) let sameCaller = caller
        let thread = try onThread(stackSize: 8 << 20) {
            let count = try unsafe sameCaller.descend(10)
            #expect(count == 10)
            return ThreadLog.thread
        }
        #expect(caller.threads.suffix(11) == Array(repeating: thread, count: 11)[...])
    }

    @Test("the cancellation of a task is visible on other threads")
    func cancelled() async throws {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            let caller = CancellationCaller()
            return try caller.descend(400_000)
        }
        task.cancel()
        #expect(try await task.value)
    }
}

/// Calls itself recursively, and finally checks whether the task is cancelled.
private final class CancellationCaller {
    var stack = StackSegment()
    private struct NoStack: Error {}

    func descend(_ depth: Int) throws -> Bool {
        guard stack.isUsedUp else { return try callHere(depth) }
        return try StackSegment.run(for: self, \.stack, orThrow: NoStack()) {
            try callHere(depth)
        }
    }

    @inline(never)
    private func callHere(_ depth: Int) throws -> Bool {
        let isCancelled = depth == 0 ? Task.isCancelled : try descend(depth - 1)
        return isCancelled
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

// Full Foundation: threads.
import Foundation

/// Whether this build of the package makes threads.
#if NO_THREADS || os(WASI)
public let packageHasThreads = false
#else
public let packageHasThreads = true
#endif

/// Runs a closure on a thread with a stack of this size, and waits for it.
public func onThread<R: Sendable>(
    stackSize: Int, _ body: @escaping @Sendable () throws -> R
) throws -> R {
    let outcome = Outcome<R>()
    let thread = Thread {
        outcome.result = Result { try body() }
        outcome.done.signal()
    }
    thread.stackSize = stackSize
    thread.start()
    outcome.done.wait()
    guard let result = outcome.result else { throw ThreadHasNotRun() }
    return try result.get()
}

private struct ThreadHasNotRun: Error {}

/// `@unchecked Sendable`: read only after the semaphore says that the writer is done.
private final class Outcome<R: Sendable>: @unchecked Sendable {
    var result: Result<R, any Error>?
    let done = DispatchSemaphore(value: 0)
}

/// Notes on which threads code runs that a coder calls.
///
/// It is a task-local value: code that does not have it there is not noted.
///
/// `@unchecked Sendable`: one thread at a time visits, while others wait for it.
public final class ThreadLog: @unchecked Sendable {
    @TaskLocal public static var current: ThreadLog?

    /// The threads, in the order of the visits.
    public private(set) var threads: [ObjectIdentifier] = []
    private let visitor: @Sendable () throws -> Void

    /// - Parameter visitor: What each visit calls.
    public init(_ visitor: @escaping @Sendable () throws -> Void = {}) { self.visitor = visitor }

    /// The code that calls, on the thread that calls.
    public static func visit() throws {
        guard let log = current else { return }
        log.threads.append(thread)
        try log.visitor()
    }

    /// The thread that calls.
    public static var thread: ObjectIdentifier { ObjectIdentifier(Thread.current) }

    /// How many threads were visited.
    public var threadCount: Int { Set(threads).count }
}

/// A count that only the main actor may change.
@MainActor
public final class MainActorCount {
    public private(set) var value = 0

    public nonisolated init() {}

    public func increment() { value += 1 }
}

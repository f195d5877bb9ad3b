// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

// Threads need the full Foundation.
import Foundation

/// Whether this build of the package creates threads.
#if NO_THREADS || os(WASI)
public let packageHasThreads = false
#else
public let packageHasThreads = true
#endif

/// Runs a closure on a thread with the given stack size, and waits for it.
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

/// `@unchecked Sendable`: read only after the semaphore reports that the writer is done.
private final class Outcome<R: Sendable>: @unchecked Sendable {
    var result: Result<R, any Error>?
    let done = DispatchSemaphore(value: 0)
}

/// Records the threads on which a coder calls other code.
///
/// The log is a task-local value. Visits without that value are not recorded.
///
/// `@unchecked Sendable`: one thread at a time visits, while the others wait for it.
public final class ThreadLog: @unchecked Sendable {
    @TaskLocal public static var current: ThreadLog?

    /// The threads, in the order of the visits.
    public private(set) var threads: [ObjectIdentifier] = []
    private let visitor: @Sendable () throws -> Void

    /// - Parameter visitor: A closure that each visit calls.
    public init(_ visitor: @escaping @Sendable () throws -> Void = {}) { self.visitor = visitor }

    /// Records the calling thread and calls the visitor.
    public static func visit() throws {
        guard let log = current else { return }
        log.threads.append(thread)
        try log.visitor()
    }

    /// The calling thread.
    public static var thread: ObjectIdentifier { ObjectIdentifier(Thread.current) }

    /// The number of different threads in the log.
    public var threadCount: Int { Set(threads).count }
}

/// A counter that only the main actor may change.
@MainActor
public final class MainActorCount {
    public private(set) var value = 0

    public nonisolated init() {}

    public func increment() { value += 1 }
}

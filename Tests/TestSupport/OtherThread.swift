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

/// `@unchecked Sendable`: `result` is written once, before `done` is signaled, and read afterwards.
private final class Outcome<R: Sendable>: @unchecked Sendable {
    var result: Result<R, any Error>?
    let done = DispatchSemaphore(value: 0)
}

/// Records the threads on which a coder calls other code.
///
/// The other code calls ``visit()``. The log is a task-local value. Calls without it are not
/// recorded.
///
/// `@unchecked Sendable`: only one thread at a time calls `visit()`, while the others wait for it.
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

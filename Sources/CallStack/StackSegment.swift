// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The part of a thread's stack that nested calls may use.
///
/// Archived objects and `Codable` values read and write their fields in nested calls, as deep as
/// the values are nested: a linked list of 100,000 nodes needs 100,000 levels. Calls stay on the
/// caller's thread until its stack is nearly used up. The next call then runs on a new thread with
/// a large stack, while the caller's thread waits. `ParsingLimits` bounds the depth.
///
/// The new thread has the task-local values of the caller, except on Apple systems before macOS 15
/// and iOS 18. It does not have the isolation of the main actor, which belongs to the main thread.
package struct StackSegment {
    private static let size = 256 << 20
    // The bytes above the frame that created the segment. They are included because calls may begin
    // in an outer frame.
    private static let slack: UInt = 64 << 10

    // The segment: `extent` bytes from `floor` upwards. While the current frame is within the
    // segment, the next call stays on the same stack.
    private let floor: UInt
    private let extent: UInt
    // The bytes below `floor` that may be used between two checks.
    private let margin: UInt

    /// Creates the segment for the caller's stack.
    package init() {
        self = Self.ofThread() ?? StackSegment(room: ThreadStack.unmeasuredRoom)
    }

    /// Creates a segment of the next `room` bytes of the caller's stack.
    private init(room: UInt) {
        let position = ThreadStack.position()
        self.init(floor: position > room ? position &- room : 0, margin: room / 4, position)
    }

    private init(floor: UInt, margin: UInt, _ position: UInt) {
        self.floor = floor
        self.margin = margin
        extent = position > floor ? (position &- floor) &+ Self.slack : 0
    }

    /// Returns the segment for the caller's stack; nil if the bounds of the stack are unknown.
    private static func ofThread() -> StackSegment? {
        ThreadStack.floor().map { floor, margin in
            StackSegment(floor: floor, margin: margin, ThreadStack.position())
        }
    }

    /// A Boolean value indicating whether the next call should be made by
    /// ``run(for:_:orThrow:_:)``.
    package var isUsedUp: Bool { ThreadStack.position() &- floor >= extent }

    /// A Boolean value indicating whether the calls since the last check have used half of the
    /// bytes that are kept free for them. A program's own recursive calls cannot move to another
    /// thread, so the coder must stop them with an error.
    package var isExhausted: Bool {
        let position = ThreadStack.position()
        if position &- floor < extent { return false }
        // The coder may have been passed to another thread, which has its own stack.
        let here = Self.ofThread() ?? self
        return position < here.floor && here.floor &- position > here.margin
    }

    /// Makes a call on this thread if its stack has room, otherwise on a new thread while this one
    /// waits.
    ///
    /// - Parameters:
    ///   - owner: The coder that makes the calls.
    ///   - stack: The coder's segment, which becomes that of the stack on which the call runs.
    ///     After a call on a new thread, the previous segment is restored.
    ///   - error: The error if no thread can be created, or the platform has no threads.
    ///   - body: The call.
    /// - Returns: The result of the call.
    /// - Throws: The error of the call, or `error`.
    package static func run<Owner: AnyObject, R>(
        for owner: Owner, _ stack: ReferenceWritableKeyPath<Owner, StackSegment>,
        orThrow error: @autoclosure () -> any Error, _ body: () throws -> R
    ) throws -> R {
        guard let result = try run(for: owner, stack, threadSize: size, body) else {
            throw error()
        }
        return result
    }

    /// Makes a call on this thread if its stack has room, otherwise on a new thread with a stack of
    /// `threadSize` bytes. Returns nil if no thread can be created.
    static func run<Owner: AnyObject, R>(
        for owner: Owner, _ stack: ReferenceWritableKeyPath<Owner, StackSegment>,
        threadSize: Int, _ body: () throws -> R
    ) throws -> R? {
        // The coder may have been passed to another thread, which has its own stack.
        if let here = ofThread(), !here.isUsedUp {
            owner[keyPath: stack] = here
            return try body()
        }
        let outer = owner[keyPath: stack]
        defer { owner[keyPath: stack] = outer }
        return try onThread(of: threadSize) {
            owner[keyPath: stack] = $0
            return try body()
        }
    }

    private static func onThread<R>(
        of size: Int, _ body: (StackSegment) throws -> R
    ) throws -> R? {
        var result: Result<R, any Error>?
        let hasRun = withoutActuallyEscaping(body) { body in
            join(Call(size) { segment in result = Result { try body(segment) } })
        }
        return hasRun ? try result?.get() : nil
    }
}

// MARK: - Threads

extension StackSegment {
    /// A call that is made once, or dropped.
    ///
    /// `@unchecked Sendable`: the thread that creates the call starts the thread that makes it, and
    /// waits for that thread.
    private final class Call: @unchecked Sendable {
        /// The size of the stack.
        let size: Int
        // Nil after the call. The task may outlive `onThread(of:_:)`, from which the closure must
        // not escape.
        private var body: ((StackSegment) -> Void)?

        init(_ size: Int, _ body: @escaping (StackSegment) -> Void) {
            self.size = size
            self.body = body
        }

        func make() {
            guard let body = take() else { return }
            body(StackSegment.ofThread() ?? StackSegment(room: room))
        }

        // The part of a new stack with unknown bounds that calls may use, in bytes.
        private var room: UInt {
            let whole = UInt(bitPattern: size)
            return whole &- ThreadStack.reservedSize(of: whole)
        }

        func drop() { _ = take() }

        private func take() -> ((StackSegment) -> Void)? {
            defer { body = nil }
            return body
        }
    }

    /// Makes a call on a new thread.
    ///
    /// - Returns: False if no thread could be created; the call was then not made.
    private static func join(_ call: Call) -> Bool {
        if #available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *) {
            return joinTask(call)
        }
        return ThreadStack.run(stackSize: call.size) { call.make() }
    }

    /// Makes a call on a new thread and in a task, because only a task copies the task-local
    /// values.
    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    private static func joinTask(_ call: Call) -> Bool {
        let executor = ThreadExecutor()
        let task = Task(executorPreference: executor) { call.make() }
        if Task.isCancelled { task.cancel() }
        if ThreadStack.run(stackSize: call.size, { executor.runJobs() }) { return true }
        // Without a thread, the task still has to end.
        call.drop()
        executor.runJobs()
        return false
    }

    /// An executor that runs a task on the thread that calls ``runJobs()``.
    ///
    /// `@unchecked Sendable`: the thread that creates the task starts the thread that runs it, and
    /// waits for that thread. The task never suspends, so nothing else adds jobs.
    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
    private final class ThreadExecutor: TaskExecutor, @unchecked Sendable {
        private var jobs: [UnownedJob] = []

        func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

        func runJobs() {
            while let job = jobs.popLast() {
                // SAFETY: the job was removed, so it runs once; the executor lives while it runs.
                unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            }
        }
    }
}

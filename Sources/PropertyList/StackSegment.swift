// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PlatformC

/// Where the calls of a deep graph go on when the stack they began on is used up.
///
/// Objects of an archive and `Codable` values write and read themselves, and their fields, by calls
/// within calls: a list of 100,000 linked nodes is that deep. After some depth the next call is made on a thread with a large stack
/// of its own, while this one waits, and so on. The depth itself is bounded by `ParsingLimits`.
package struct StackSegment {
    // A stack is used up to here before the next one is taken: little of one whose size is not
    // known (512 KiB is the least that a platform gives a thread), nearly all of one of ours.
    private static let firstAllowance = 96 << 10
    private static let size = 256 << 20
    private static let margin = 1 << 20

    private let start: Int
    private let allowance: Int

    /// The stack of the caller, from here on.
    package init() { self.init(allowance: Self.firstAllowance) }

    private init(allowance: Int) {
        start = Self.position()
        self.allowance = allowance
    }

    /// Whether the next call should be made by ``run(_:)``.
    package var isUsedUp: Bool {
        let distance = start &- Self.position()
        return distance > allowance || distance < -allowance
    }

    /// Makes a call on a stack of its own, which it is told, and waits for it.
    ///
    /// - Returns: what the call returns; nil where the system has no memory for a stack.
    package static func run<R>(_ body: (StackSegment) throws -> R) throws -> R? {
        var result: Result<R, any Error>?
        let isDone = withoutActuallyEscaping(body) { body in
            join(Call { segment in result = Result { try body(segment) } })
        }
        return isDone ? try result?.get() : nil
    }

    /// What the thread does.
    private final class Call {
        let body: (StackSegment) -> Void
        init(_ body: @escaping (StackSegment) -> Void) { self.body = body }
    }

    private static func join(_ call: Call) -> Bool {
        // SAFETY: the attributes are initialized and destroyed here; the thread gets a reference of
        // its own to the call and gives it up; it is joined, so that it ends before this returns.
        unsafe withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { attributes in
            guard let attributes = attributes.baseAddress else { return false }
            unsafe pthread_attr_init(attributes)
            defer { unsafe pthread_attr_destroy(attributes) }
            guard unsafe pthread_attr_setstacksize(attributes, size) == 0 else { return false }
            let argument = unsafe Unmanaged.passRetained(call)
            #if canImport(Darwin) || canImport(Musl)
            var thread: pthread_t?
            #else
            var thread = pthread_t()
            #endif
            guard unsafe pthread_create(&thread, attributes, main, argument.toOpaque()) == 0 else {
                unsafe argument.release()
                return false
            }
            #if canImport(Darwin) || canImport(Musl)
            guard let thread = unsafe thread else { return false }
            return unsafe pthread_join(thread, nil) == 0
            #else
            return pthread_join(thread, nil) == 0
            #endif
        }
    }

    #if canImport(Darwin)
    private static let main: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? =
        { argument in
            unsafe begin(argument)
            return nil
        }
    #else
    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
        { argument in
            if let argument = unsafe argument { unsafe begin(argument) }
            return nil
        }
    #endif

    private static func begin(_ argument: UnsafeMutableRawPointer) {
        // SAFETY: the argument is the retained call that `join` passed.
        let call = unsafe Unmanaged<Call>.fromOpaque(argument).takeRetainedValue()
        call.body(StackSegment(allowance: size - margin))
    }

    /// The address that the stack has reached, about.
    @inline(never)
    private static func position() -> Int {
        var mark: UInt8 = 0
        // SAFETY: the address is looked at as a number only.
        return unsafe withUnsafeMutablePointer(to: &mark) { Int(bitPattern: $0) }
    }
}

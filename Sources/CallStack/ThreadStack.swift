// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PlatformC

#if os(Linux) || os(Android)
internal import CSystemFiles
#elseif os(Windows)
internal import WinSDK
#endif

// This file has all platform-specific code for threads and their stacks:
//
// | platform | bounds of a stack | threads | thread-local numbers |
// |---|---|---|---|
// | Apple | `pthread_get_stackaddr_np`, `pthread_get_stacksize_np` | POSIX | POSIX |
// | Linux, Android | main thread: `RLIMIT_STACK`; others: `pthread_getattr_np` | POSIX | POSIX |
// | Windows | `GetCurrentThreadStackLimits` | `CreateThread` | `TlsAlloc` |
// | WebAssembly | unknown | none | variables |
//
// The compiler flag `NO_THREADS` builds the package without threads for any platform, as for
// WebAssembly. Use the flag to test that case on other platforms (`Scripts/platforms`,
// `SingleThreadTests`), and to build for a platform that is not in the table.

/// The stacks of threads. All of them grow towards lower addresses.
enum ThreadStack {
    // The part of a stack with unknown bounds that calls may use, in bytes from the outermost call.
    #if NO_THREADS || os(WASI)
    // WebAssembly has a stack of 128 KiB by default.
    static let unmeasuredRoom: UInt = 48 << 10
    #else
    // A thread has 512 KiB or more by default; with Musl 128 KiB.
    static let unmeasuredRoom: UInt = 96 << 10
    #endif

    // The bytes kept free for code that runs between two checks of the stack: the package's own
    // code, and the initializers of a program's types.
    private static let reserve: UInt = 256 << 10

    /// The bounds of a stack.
    private struct Bounds {
        let lowest: UInt
        let size: UInt

        func contains(_ address: UInt) -> Bool { address &- lowest < size }

        /// The lowest address at which calls are made. Half of a small stack is kept free.
        var floor: UInt { lowest &+ ThreadStack.reservedSize(of: size) }
    }

    /// Returns the number of bytes of a stack that are kept free for code between two checks.
    static func reservedSize(of size: UInt) -> UInt { min(size / 2, reserve) }

    /// Returns the approximate address that the stack has reached.
    @inline(never)
    static func position() -> UInt {
        #if os(Linux) || os(Android)
        // A sanitizer may keep local variables elsewhere.
        return keyed_frame_address()
        #else
        var mark: UInt8 = 0
        // SAFETY: the address is used only as a number.
        return unsafe withUnsafeMutablePointer(to: &mark) { UInt(bitPattern: $0) }
        #endif
    }
}

// MARK: - Bounds

extension ThreadStack {
    /// Returns the lowest address at which the current thread makes calls, and a margin: half of
    /// the bytes that are kept free below that address. Returns nil if the address is unknown.
    ///
    /// The address is unknown on a platform without threads. It is also unknown in a fiber, because
    /// the fiber runs on memory outside the thread's own stack.
    static func floor() -> (floor: UInt, margin: UInt)? {
        guard let bounds = Self.bounds(), bounds.contains(position()) else { return nil }
        return (bounds.floor, reservedSize(of: bounds.size) / 2)
    }
}

#if NO_THREADS || os(WASI)
extension ThreadStack {
    private static func bounds() -> Bounds? { nil }
}
#elseif os(Linux) || os(Android)
extension ThreadStack {
    // The assumed maximum size of the main thread's stack. The kernel keeps 128 MiB free for it.
    private static let largestOfMain: UInt = 64 << 20

    // The bounds of the current thread's stack; the size is 0 before they are measured. Each thread
    // measures them once, because that takes a system call.
    private static let knownLowest = ThreadNumber()
    private static let knownSize = ThreadNumber()

    private static func bounds() -> Bounds? {
        guard let knownLowest, let knownSize else { return measured() }
        let known = Bounds(lowest: knownLowest.value, size: knownSize.value)
        if known.size > 0 { return known }
        guard let bounds = measured() else { return nil }
        knownLowest.value = bounds.lowest
        knownSize.value = bounds.size
        return bounds
    }

    private static func measured() -> Bounds? { ofMainThread() ?? ofOtherThread() }

    /// Returns the bounds of the main thread's stack; nil on another thread.
    ///
    /// That stack grows up to the resource limit `RLIMIT_STACK`. The C library is not used, because
    /// it reads a file for these bounds, or returns the current size.
    private static func ofMainThread() -> Bounds? {
        let top = keyed_stack_top()
        let size = min(keyed_stack_limit(), largestOfMain)
        guard top > size else { return nil }
        let bounds = Bounds(lowest: top &- size, size: size)
        return bounds.contains(position()) ? bounds : nil
    }

    private static func ofOtherThread() -> Bounds? {
        // SAFETY: the attributes are initialized by the first call and destroyed here; the address
        // is used only as a number.
        unsafe withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) {
            attributes -> Bounds? in
            guard let attributes = attributes.baseAddress else { return nil }
            guard unsafe pthread_getattr_np(pthread_self(), attributes) == 0 else { return nil }
            defer { unsafe pthread_attr_destroy(attributes) }
            var lowest: UnsafeMutableRawPointer?
            var size = 0
            guard unsafe pthread_attr_getstack(attributes, &lowest, &size) == 0 else { return nil }
            return Bounds(
                lowest: UInt(bitPattern: lowest), size: UInt(truncatingIfNeeded: size))
        }
    }
}
#elseif canImport(Darwin)
extension ThreadStack {
    private static func bounds() -> Bounds? {
        // SAFETY: the thread is the calling one; the address is used only as a number.
        let top = unsafe UInt(bitPattern: pthread_get_stackaddr_np(pthread_self()))
        let size = unsafe UInt(truncatingIfNeeded: pthread_get_stacksize_np(pthread_self()))
        guard size > 0, top > size else { return nil }
        return Bounds(lowest: top &- size, size: size)
    }
}
#elseif os(Windows)
extension ThreadStack {
    private static func bounds() -> Bounds? {
        var (lowest, top): (ULONG_PTR, ULONG_PTR) = (0, 0)
        // SAFETY: the variables are valid for the call.
        unsafe GetCurrentThreadStackLimits(&lowest, &top)
        guard top > lowest else { return nil }
        return Bounds(
            lowest: UInt(truncatingIfNeeded: lowest), size: UInt(truncatingIfNeeded: top &- lowest))
    }
}
#else
#error("the stacks of this platform are unknown; build with `-Xswiftc -DNO_THREADS`")
#endif

// MARK: - Thread-local numbers

#if NO_THREADS || os(WASI)
/// A thread-local number, initially 0.
///
/// `@unchecked Sendable`: there is only one thread.
final class ThreadNumber: @unchecked Sendable {
    var value: UInt = 0

    init?() {}
}
#elseif os(Windows)
/// A thread-local number, initially 0.
struct ThreadNumber: Sendable {
    private let index: DWORD

    /// Creates a number; nil if the system has no free thread-local slot.
    init?() {
        index = TlsAlloc()
        if index == .max { return nil }
    }

    var value: UInt {
        // SAFETY: a number stored as a pointer, which is never dereferenced here.
        get { unsafe UInt(bitPattern: TlsGetValue(index)) }
        nonmutating set {
            // SAFETY: as above.
            _ = unsafe TlsSetValue(index, UnsafeMutableRawPointer(bitPattern: newValue))
        }
    }
}
#else
/// A thread-local number, initially 0.
struct ThreadNumber: Sendable {
    private let key: pthread_key_t

    /// Creates a number; nil if the system has no free thread-local slot.
    init?() {
        var key = pthread_key_t()
        // SAFETY: the variable is valid for the call. The values are numbers and need no
        // destructor.
        guard unsafe pthread_key_create(&key, nil) == 0 else { return nil }
        self.key = key
    }

    var value: UInt {
        // SAFETY: a number stored as a pointer, which is never dereferenced here.
        get { unsafe UInt(bitPattern: pthread_getspecific(key)) }
        nonmutating set {
            // SAFETY: as above.
            _ = unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue))
        }
    }
}
#endif

// MARK: - Threads

#if NO_THREADS || os(WASI)
extension ThreadStack {
    /// Does nothing, because the platform has no threads.
    ///
    /// - Returns: False.
    static func run(stackSize: Int, _ body: @escaping () -> Void) -> Bool { false }
}
#elseif os(Windows)
extension ThreadStack {
    /// Runs a closure on a new thread with a stack of this size, and waits for it.
    ///
    /// - Returns: False if the system could not create the thread; `body` then did not run.
    static func run(stackSize: Int, _ body: @escaping () -> Void) -> Bool {
        // SAFETY: the thread receives its own reference to the work and releases it. This function
        // waits for the thread, which thus ends before it returns.
        let argument = unsafe Unmanaged.passRetained(Work(body))
        let flags = DWORD(STACK_SIZE_PARAM_IS_A_RESERVATION)
        guard
            let thread = unsafe CreateThread(
                nil, SIZE_T(stackSize), main, argument.toOpaque(), flags, nil)
        else {
            unsafe argument.release()
            return false
        }
        defer { unsafe CloseHandle(thread) }
        return unsafe WaitForSingleObject(thread, INFINITE) == WAIT_OBJECT_0
    }

    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> DWORD = { argument in
        if let argument = unsafe argument { unsafe begin(argument) }
        return 0
    }
}
#else
extension ThreadStack {
    /// Runs a closure on a new thread with a stack of this size, and waits for it.
    ///
    /// - Returns: False if the system could not create the thread; `body` then did not run.
    static func run(stackSize: Int, _ body: @escaping () -> Void) -> Bool {
        // SAFETY: the attributes are initialized and destroyed here. The thread receives its own
        // reference to the work and releases it. This function joins the thread, which thus ends
        // before it returns.
        unsafe withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { attributes in
            guard let attributes = attributes.baseAddress else { return false }
            unsafe pthread_attr_init(attributes)
            defer { unsafe pthread_attr_destroy(attributes) }
            guard unsafe pthread_attr_setstacksize(attributes, stackSize) == 0 else { return false }
            let argument = unsafe Unmanaged.passRetained(Work(body))
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
}
#endif

#if !(NO_THREADS || os(WASI))
extension ThreadStack {
    /// The work of a thread.
    private final class Work {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }

    private static func begin(_ argument: UnsafeMutableRawPointer) {
        // SAFETY: the argument is the retained work that `run` passed.
        let work = unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
        work.body()
    }
}
#endif

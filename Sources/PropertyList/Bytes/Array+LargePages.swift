// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PlatformC

/// Allocation of large buffers that are written once from beginning to end.
///
/// The kernel maps new memory page by page at first use. For a large output this takes as long as
/// writing it. Linux can map 2 MiB at a time on request.
extension Array where Element: BitwiseCopyable {
    /// The minimum size in bytes for which the system call pays off.
    private static var leastSize: Int { 4 << 20 }

    /// Reserves capacity, and asks for large pages where the system has them. The request is only a
    /// hint.
    mutating func reserveLargeCapacity(_ capacity: Int) {
        reserveCapacity(capacity)
        #if os(Linux)
        let (size, overflow) = capacity.multipliedReportingOverflow(
            by: MemoryLayout<Element>.stride)
        if !overflow, size >= Self.leastSize { adviseLargePages(size) }
        #endif
    }

    /// Makes room for `number` more elements. Large arrays grow in large pages.
    @inline(__always)
    mutating func makeRoom(for number: Int = 1) {
        if capacity &- count < number { grow(for: number) }
    }

    @inline(never)
    private mutating func grow(for number: Int) {
        reserveLargeCapacity(Swift.max(count &+ number, count &* 2, 16))
    }

    #if os(Linux)
    private mutating func adviseLargePages(_ size: Int) {
        let page = Int(getpagesize())
        // SAFETY: the array has reserved `size` bytes from its first element on, and only whole
        // pages within them are passed. The advice neither reads nor changes them, and it may fail.
        unsafe withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return }
            let skipped = (page &- Int(bitPattern: start) % page) % page
            _ = unsafe madvise(start + skipped, (size &- skipped) / page * page, MADV_HUGEPAGE)
        }
    }
    #endif
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PlatformC

/// Room for much that is written once from the beginning to the end.
///
/// Memory that is new to a process is given page by page, each at its first use, and for a large
/// output that takes as long as writing it. Linux can give 2 MiB at a time, where it is asked to.
extension Array where Element: BitwiseCopyable {
    /// The size in bytes below which a call is not worth its cost.
    private static var leastSize: Int { 4 << 20 }

    /// Reserves capacity, with large pages where there are such. An advice: it changes nothing else.
    mutating func reserveLargeCapacity(_ capacity: Int) {
        reserveCapacity(capacity)
        #if os(Linux)
        let (size, overflow) = capacity.multipliedReportingOverflow(
            by: MemoryLayout<Element>.stride)
        if !overflow, size >= Self.leastSize { adviseLargePages(size) }
        #endif
    }

    /// Makes room for `number` more elements; what is large grows in large pages.
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
        // SAFETY: the array has reserved `size` bytes from its first element on, of which the whole
        // pages are named; the advice neither reads nor changes them, and it may fail.
        unsafe withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return }
            let skipped = (page &- Int(bitPattern: start) % page) % page
            _ = unsafe madvise(start + skipped, (size &- skipped) / page * page, MADV_HUGEPAGE)
        }
    }
    #endif
}

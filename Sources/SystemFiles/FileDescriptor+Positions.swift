// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PlatformC

extension FileDescriptor {
    /// Reads `count` bytes at `offset`, or fewer if the file ends earlier.
    package func bytes(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            // SAFETY: the buffer belongs to the array; the part passed lies within it.
            let result = unsafe bytes.withUnsafeMutableBytes { buffer in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                return unsafe pread(
                    rawValue, rest.baseAddress, rest.count, off_t(offset + filled))
            }
            if result == 0 { break }
            if result < 0 {
                let error = SystemError.last
                if error.isInterruption { continue }
                throw error
            }
            filled += result
        }
        bytes.removeLast(count - filled)
        return bytes
    }
}

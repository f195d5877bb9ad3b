// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PlatformC

/// Formats a number with six decimal places, like C's `%f`.
func fixedPointText(_ value: Double) -> String {
    // The largest number has 309 digits before the point.
    var buffer = [CChar](repeating: 0, count: 512)
    // SAFETY: the function writes at most `buffer.count` characters, including a final NUL.
    _ = unsafe withVaList([value]) { unsafe vsnprintf(&buffer, buffer.count, "%f", $0) }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)

// `Array.span` requires version 26 of Apple's systems. This declaration shadows it, so the rest of
// the package uses the same code on all systems. `ArraySlice.span` is available on all of them.

extension Array where Element: BitwiseCopyable {
    /// The elements of the array.
    @inline(__always)
    package var span: Span<Element> {
        @_lifetime(borrow self)
        borrowing get {
            let all = self[...]
            // SAFETY: the slice shares the storage of the array, which lives as long as the array
            // is borrowed. Only an array of objects may be bridged from Objective-C and have other
            // storage.
            return unsafe _overrideLifetime(all.span, borrowing: self)
        }
    }
}

#endif

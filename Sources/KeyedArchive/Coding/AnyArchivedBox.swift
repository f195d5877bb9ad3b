// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import CallStack

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A box for the value of an ``AnyArchived``. It releases nested boxes in a loop, because releasing
/// a hundred thousand nested objects recursively would overflow the stack.
final class AnyArchivedBox {
    /// The values of the boxes that are released during the release of an outer box.
    private final class Release {
        private var values: [any KeyedDecodable] = []

        var isEmpty: Bool { values.isEmpty }

        func add(_ value: any KeyedDecodable) { values.append(value) }

        /// Removes and returns the values. Releasing them may call `add`, so the caller releases
        /// them after this method has returned.
        func removeAll() -> [any KeyedDecodable] {
            let removed = values
            values = []
            return removed
        }
    }

    // The release of the outermost box on a thread.
    private static let outermost = ThreadLocal<Release>()

    private(set) var value: any KeyedDecodable

    init(_ value: any KeyedDecodable) { self.value = value }

    deinit {
        if isPlain { return }
        if let release = Self.outermost.object {
            release.add(value)
        } else {
            releaseValue()
        }
    }

    /// Releases the value, then the values of the boxes in it, and so on.
    private func releaseValue() {
        let release = Release()
        Self.outermost.provide(release) {
            value = ArchivedNull()
            while !release.isEmpty { _ = release.removeAll() }
        }
    }

    /// A Boolean value indicating whether the value is of a common type that contains no other
    /// values. Checking for conformances instead would take a hundred times as long.
    private var isPlain: Bool {
        let type = Swift.type(of: value)
        return type == String.self || type == ArchivedNumber.self || type == Data.self
            || type == Date.self
    }
}

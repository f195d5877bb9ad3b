// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A box for the value of an ``AnyArchived``. It releases nested collections in a loop, because
/// releasing a hundred thousand nested arrays recursively would overflow the stack.
final class AnyArchivedBox {
    private(set) var value: any KeyedDecodable

    init(_ value: any KeyedDecodable) { self.value = value }

    deinit {
        if isPlain { return }
        var pending = emptied()
        while var box = pending.popLast() {
            if isKnownUniquelyReferenced(&box) { pending += box.emptied() }
        }
    }

    /// A Boolean value indicating whether the value is of a common type that contains no other
    /// values. Checking for conformances instead would take a hundred times as long.
    private var isPlain: Bool {
        let type = Swift.type(of: value)
        return type == String.self || type == ArchivedNumber.self || type == Data.self
            || type == Date.self
    }

    /// Clears a collection and returns the boxes of its elements; returns none for other values.
    private func emptied() -> [AnyArchivedBox] {
        let boxes = (value as? any AnyArchivedCollection)?.boxes ?? []
        if !boxes.isEmpty { value = ArchivedNull() }
        return boxes
    }
}

/// A collection whose elements are values of any class.
protocol AnyArchivedCollection {
    /// The boxes of its elements.
    var boxes: [AnyArchivedBox] { get }
}

extension Array: AnyArchivedCollection where Element == AnyArchived {
    var boxes: [AnyArchivedBox] { map(\.box) }
}

extension ArchivedSet: AnyArchivedCollection where Element == AnyArchived {
    var boxes: [AnyArchivedBox] { elements.map(\.box) }
}

extension ArchivedOrderedSet: AnyArchivedCollection where Element == AnyArchived {
    var boxes: [AnyArchivedBox] { elements.map(\.box) }
}

extension ArchivedCountedSet: AnyArchivedCollection where Element == AnyArchived {
    var boxes: [AnyArchivedBox] { elements.map(\.element.box) }
}

extension ArchivedPairs: AnyArchivedCollection where Key == AnyArchived, Value == AnyArchived {
    var boxes: [AnyArchivedBox] { entries.map(\.key.box) + entries.map(\.value.box) }
}

extension Mutable: AnyArchivedCollection where Value: AnyArchivedCollection {
    var boxes: [AnyArchivedBox] { value.boxes }
}

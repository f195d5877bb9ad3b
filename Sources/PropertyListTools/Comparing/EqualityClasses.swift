// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

/// Gives equal values of several documents the same number, so that two of them are compared by
/// comparing numbers, however large they are and however often they share parts.
///
/// Each distinct value is entered into a table by what it is made of: a scalar by its content, a
/// container by the numbers of its children. Dictionaries and sets are equal in any order. Linear but
/// for the sorting of keys.
struct EqualityClasses {
    /// The content of a value.
    private enum Content: Hashable {
        case bits(PropertyListKind, UInt64, isNegative: Bool)
        case bytes(PropertyListKind, [UInt8])
        case children(PropertyListKind, [UInt32])
        /// A reference into the objects of an archive, whatever number that has.
        case reference(UInt32)
    }

    private let isOrdered: Bool
    private var numbers: [Content: UInt32] = [:]

    /// An empty table; where `isOrdered`, dictionaries whose keys stand in another order differ.
    init(isOrdered: Bool = false) { self.isOrdered = isOrdered }

    /// The numbers of all values that the root of a document leads to, by record; 0 for others.
    ///
    /// `targets` holds, for a keyed archive, what a UID refers to, by the number of the object: UIDs are then
    /// equal where those are; without it, where their numbers are.
    mutating func add(
        _ document: PropertyListDocument, targets: [UInt32]? = nil
    ) -> [UInt32] {
        let store = document.storage.store
        var classes = [UInt32](repeating: 0, count: store.records.count)
        var pending: [(node: UInt32, isComplete: Bool)] = [(document.storage.root, false)]
        while let (node, isComplete) = pending.popLast() {
            if classes[Int(node)] != 0 { continue }
            let record = store.records[Int(node)]
            if record.isContainer, !isComplete {
                pending.append((node, true))
                for place in record.childRange where classes[Int(store.children[place])] == 0 {
                    pending.append((store.children[place], false))
                }
            } else {
                classes[Int(node)] = number(of: content(record, store, classes, targets))
            }
        }
        return classes
    }

    private mutating func number(of content: Content) -> UInt32 {
        let next = UInt32(truncatingIfNeeded: numbers.count + 1)
        if let known = numbers[content] { return known }
        numbers[content] = next
        return next
    }

    private func content(
        _ record: NodeRecord, _ store: NodeStore, _ classes: [UInt32], _ targets: [UInt32]?
    ) -> Content {
        switch record.kind {
        case .string, .data:
            var bytes: [UInt8] = []
            store.appendText(of: record, to: &bytes)
            return .bytes(record.kind, bytes)
        case .array, .set, .dictionary:
            return .children(record.kind, children(record, store, classes))
        case .uid:
            guard let targets else { break }
            guard let number = Int(exactly: record.payload), number < targets.count else {
                return .reference(0)
            }
            return .reference(targets[number])
        case .real:
            // The many bits of NaN are one value, and a width is no matter of the value.
            let value = Double(bitPattern: record.payload)
            let bits = value.isNaN ? Double.nan.bitPattern : record.payload
            return .bits(.real, bits, isNegative: false)
        default: break
        }
        return .bits(record.kind, record.payload, isNegative: record.isNegative)
    }

    private func children(
        _ record: NodeRecord, _ store: NodeStore, _ classes: [UInt32]
    ) -> [UInt32] {
        let numbers = record.childRange.map { classes[Int(store.children[$0])] }
        switch record.kind {
        case .set: return numbers.sorted()
        case .dictionary where !isOrdered:
            let count = record.count
            let pairs = (0..<count).map { (numbers[$0], numbers[count + $0]) }.sorted { $0 < $1 }
            return pairs.map(\.0) + pairs.map(\.1)
        default: return numbers
        }
    }
}

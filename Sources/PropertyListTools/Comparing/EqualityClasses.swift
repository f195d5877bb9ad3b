// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

/// Assigns the same number to equal values of several documents. Comparing two values then means
/// comparing two numbers, however large the values are and however often they share parts.
///
/// Each distinct value is entered into a table by its content: a scalar by its bits or bytes, a
/// container by the numbers of its children. Sets are equal in any order of their members. By
/// default, dictionaries are equal in any order of their entries. The work is linear, except for
/// sorting keys and the members of sets.
struct EqualityClasses {
    /// The content of a value.
    private enum Content: Hashable {
        case bits(PropertyListKind, UInt64, isNegative: Bool)
        case bytes(PropertyListKind, [UInt8])
        case children(PropertyListKind, [UInt32])
        /// A reference to an object of an archive, by the equality class of that object.
        case reference(UInt32)
    }

    private let isOrdered: Bool
    private var numbers: [Content: UInt32] = [:]

    /// Creates an empty table. If `isOrdered` is true, dictionaries whose keys are in different
    /// orders differ.
    init(isOrdered: Bool = false) { self.isOrdered = isOrdered }

    /// Returns the equality classes of all values reachable from the root of a document, indexed by
    /// record; 0 for all other records.
    ///
    /// For a keyed archive, `targets` holds the equality class of each object, indexed by object
    /// number. UIDs are then equal if they refer to equal objects. Without `targets`, UIDs are
    /// equal if their numbers are.
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
            // All NaN bit patterns are one value. The width of a real is not part of its value.
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

extension EqualityClasses {
    /// Returns the positions of the elements of `classes` without an equal counterpart in `others`.
    /// Each counterpart matches only one of several equal elements. Linear.
    static func unmatched(_ classes: [UInt32], in others: [UInt32]) -> [Int] {
        zip(classes.indices, counterparts(of: classes, in: others))
            .filter { $0.1 == nil }.map(\.0)
    }

    /// Returns the position of the counterpart of each element of `classes` in `others`; nil for an
    /// element without one. Equal elements are matched in their order. Linear.
    static func counterparts(of classes: [UInt32], in others: [UInt32]) -> [Int?] {
        var rest: [UInt32: [Int]] = [:]
        for (position, number) in others.enumerated().reversed() {
            rest[number, default: []].append(position)
        }
        return classes.map { rest[$0]?.popLast() }
    }
}

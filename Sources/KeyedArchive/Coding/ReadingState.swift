// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// The state of decoding one archive: the objects under construction, the fields requested so far, and the
/// resolved classes.
///
/// A value, so that each step of the reader is one access to it.
struct ReadingState {
    /// The class of an object and the shape of its dictionary: all such objects have a field in the same position.
    struct Layout: Equatable {
        private let bits: UInt64

        /// The layout of the objects of a class in dictionaries of a shape, which is not 0.
        init(classIndex: Int, shape: UInt16) {
            bits = UInt64(truncatingIfNeeded: classIndex) << 16 | UInt64(shape)
        }

        fileprivate static let none = Layout(classIndex: 0, shape: 0)

        /// The slot among `count`, a power of two.
        fileprivate func slot(_ count: Int) -> Int {
            Int(truncatingIfNeeded: bits ^ bits >> 16) & (count &- 1)
        }
    }

    /// A field that objects of a layout were asked for.
    struct FieldStep {
        let key: KnownKey
        /// The position of the key in the object, or ``missing``.
        let position: UInt32

        /// The position of a field that the objects do not have.
        static let missing = UInt32.max
        /// The position of a field that no object of the layout was asked for at this step.
        static let unknown = UInt32.max - 1
    }

    /// The requests to one object so far.
    struct Progress {
        /// The number of fields.
        var step = 0
        /// The number of values without a key.
        var unkeyedCount = 0
    }

    /// The fields that objects of one layout were asked for, in the order of asking.
    private struct KnownFields {
        var layout = Layout.none
        var steps: [FieldStep] = []
    }

    private static let slotCount = 64

    /// The objects that are being made, outermost first.
    private(set) var open: [UInt32] = []
    private(set) var progress = Progress()
    /// By class: what is known of it.
    var lookups: [ClassLookup]
    // By object: whether it is being made.
    private var isUnderWay: [Bool]
    // A slot remembers the last layout that fell into it and no other.
    private var knownFields: [KnownFields] = []
    private var visits = 0
    private let visitLimit: Int

    init(objectCount: Int, classCount: Int, visitLimit: Int) {
        open.reserveCapacity(8)
        lookups = [ClassLookup](repeating: ClassLookup(), count: classCount)
        isUnderWay = [Bool](repeating: false, count: objectCount)
        self.visitLimit = visitLimit
    }

    /// Counts a reference that is followed, or several.
    ///
    /// - Throws: `expansionLimitExceeded`.
    mutating func charge(_ count: Int = 1) throws(KeyedArchiveError) {
        visits &+= count
        if visits > visitLimit { throw expansionExceeded() }
    }

    /// The number of values that may still be visited.
    var remainingVisits: Int { max(0, visitLimit &- visits) }

    /// Resets the counter.
    mutating func restart() { visits = 0 }

    @inline(never)
    func expansionExceeded() -> KeyedArchiveError {
        KeyedArchiveError(
            .expansionLimitExceeded,
            what: "shared objects expand to more than \(visitLimit) values",
            recovery: "raise `ParsingLimits.expansion` if the archive is genuine")
    }

    func isUnderWay(_ object: UInt32) -> Bool { isUnderWay[Int(object)] }

    /// Begins to make an object, and returns the progress of the one around it.
    mutating func begin(_ object: UInt32) -> Progress {
        let outer = progress
        progress = Progress()
        isUnderWay[Int(object)] = true
        open.append(object)
        return outer
    }

    /// Finishes the innermost object under construction.
    mutating func end(_ outer: Progress) {
        if let object = open.popLast() { isUnderWay[Int(object)] = false }
        progress = outer
    }

    /// Counts a field that an object is asked for.
    ///
    /// - Returns: the step in the order of asking, and the position of the field, if an object of the layout was
    ///   asked for the same key at this step before.
    @inline(__always)
    mutating func ask(_ key: String, _ layout: Layout) -> (step: Int, position: UInt32) {
        let step = progress.step
        progress.step &+= 1
        if knownFields.isEmpty { return (step, FieldStep.unknown) }
        let slot = layout.slot(Self.slotCount)
        guard knownFields[slot].layout == layout, step < knownFields[slot].steps.count,
            knownFields[slot].steps[step].key.isSame(as: key)
        else { return (step, FieldStep.unknown) }
        return (step, knownFields[slot].steps[step].position)
    }

    /// Notes the position of a field.
    mutating func learn(_ field: FieldStep, at step: Int, _ layout: Layout) {
        if knownFields.isEmpty {
            knownFields = Array(repeating: KnownFields(), count: Self.slotCount)
        }
        let slot = layout.slot(Self.slotCount)
        if knownFields[slot].layout != layout {
            // Only the first request of an object replaces what another layout has left.
            if step > 0 { return }
            knownFields[slot] = KnownFields(layout: layout)
        }
        if step < knownFields[slot].steps.count {
            knownFields[slot].steps[step] = field
        } else if step == knownFields[slot].steps.count {
            knownFields[slot].steps.append(field)
        }
    }

    /// Counts a value without a key.
    mutating func countUnkeyed() { progress.unkeyedCount &+= 1 }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// Which objects of an archive are being made, what they have been asked for, and what has been found
/// out about their classes.
///
/// A value, so that each step of the reader is one access to it.
struct ReadingState {
    /// A field that objects of a class were asked for.
    struct FieldStep {
        var key: KnownKey
        /// The number of the key in the document.
        var keyNumber: UInt32
        /// How many keys stand before it in the object.
        var offset: UInt32
    }

    /// What an object has been asked for so far.
    struct Progress {
        /// How many fields.
        var step = 0
        /// How many values without a key.
        var unkeyedCount = 0
    }

    /// The objects that are being made, outermost first.
    private(set) var open: [UInt32] = []
    private(set) var progress = Progress()
    /// By class: what is known of it.
    var lookups: [ClassLookup]
    // By object: whether it is being made.
    private var isUnderWay: [Bool]
    // By class: the fields that its objects were asked for, in the order of asking.
    private var layouts: [[FieldStep]]
    private var visits = 0
    private let visitLimit: Int

    init(objectCount: Int, classCount: Int, visitLimit: Int) {
        open.reserveCapacity(8)
        lookups = [ClassLookup](repeating: ClassLookup(), count: classCount)
        isUnderWay = [Bool](repeating: false, count: objectCount)
        layouts = [[FieldStep]](repeating: [], count: classCount)
        self.visitLimit = visitLimit
    }

    /// Counts a reference that is followed, or several.
    ///
    /// - Throws: `expansionLimitExceeded`.
    mutating func charge(_ count: Int = 1) throws(KeyedArchiveError) {
        visits &+= count
        if visits > visitLimit { throw expansionExceeded() }
    }

    /// How many more values may be visited.
    var remainingVisits: Int { max(0, visitLimit &- visits) }

    /// Counts anew.
    mutating func restart() { visits = 0 }

    @inline(never)
    func expansionExceeded() -> KeyedArchiveError {
        KeyedArchiveError(
            .expansionLimitExceeded,
            what: "shared objects expand to more than \(visitLimit) values",
            recovery: "raise `ParsingLimits.expansion` if the archive is genuine")
    }

    func isUnderWay(_ object: UInt32) -> Bool { isUnderWay[Int(object)] }

    /// Begins to make an object, and returns how far the one around it is.
    mutating func begin(_ object: UInt32) -> Progress {
        let outer = progress
        progress = Progress()
        isUnderWay[Int(object)] = true
        open.append(object)
        return outer
    }

    /// Ends making the innermost object.
    mutating func end(_ outer: Progress) {
        if let object = open.popLast() { isUnderWay[Int(object)] = false }
        progress = outer
    }

    /// Counts a field that an object is asked for.
    ///
    /// - Returns: its place in the order of asking; and if an object of the class was asked for the
    ///   same key at this place before, how many keys stood before it in that, and its number.
    mutating func ask(
        _ key: String, classIndex: Int
    ) -> (place: Int, offset: UInt32, keyNumber: UInt32) {
        let place = progress.step
        progress.step &+= 1
        guard place < layouts[classIndex].count, layouts[classIndex][place].key.isSame(as: key)
        else {
            return (place, .max, 0)
        }
        let known = layouts[classIndex][place]
        return (place, known.offset, known.keyNumber)
    }

    /// Notes where a field was found.
    mutating func learn(_ found: FieldStep, at place: Int, classIndex: Int) {
        if place < layouts[classIndex].count {
            layouts[classIndex][place] = found
        } else if place == layouts[classIndex].count {
            layouts[classIndex].append(found)
        }
    }

    /// Counts a value without a key.
    mutating func countUnkeyed() { progress.unkeyedCount &+= 1 }
}

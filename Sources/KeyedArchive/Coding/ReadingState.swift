// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import CallStack
@_spi(Tables) internal import PropertyList

/// The state of decoding one archive: the objects under construction, the fields requested so far,
/// and the resolved classes.
///
/// It is a struct, so each call of a mutating method is a single access to one stored property of
/// the reader.
struct ReadingState {
    /// The class of an object and the shape of its dictionary. Objects of one layout have each
    /// field in the same position.
    struct Layout: Equatable {
        private let bits: UInt64

        /// Creates the layout of a class and a shape, which must not be 0.
        init(_ number: ClassNumber, shape: UInt16) {
            bits = UInt64(number.value) << 16 | UInt64(shape)
        }

        /// The absence of a layout.
        fileprivate static let none = Layout(ClassNumber(value: 0), shape: 0)

        /// Returns the slot of the layout among `count`, a power of two.
        fileprivate func slot(_ count: Int) -> Int {
            Int(truncatingIfNeeded: bits ^ bits >> 16) & (count &- 1)
        }
    }

    /// A requested field of the objects of a layout, and the step that followed it.
    private struct FieldStep {
        let layout: Layout
        let key: KnownKey
        /// The position of the key in the object, or ``missing``.
        let position: UInt32
        /// The index of the next step plus one; 0 is none.
        var next: UInt32
    }

    /// The position of a field that the objects of a layout do not have.
    static let missing = UInt32.max
    /// The result of ``ask(_:)`` for a field whose position is not cached for the layout at this
    /// step.
    static let unknown = UInt32.max - 1

    /// The progress of reading the fields of one object.
    struct Progress {
        /// The object under construction; `.max` for none.
        fileprivate var object = UInt32.max
        /// The object's layout; ``Layout/none`` if its positions are not cached.
        fileprivate var layout = Layout.none
        /// The index of the last step plus one; 0 is none.
        fileprivate var last: UInt32 = 0
        /// The index of the expected step plus one; 0 is none.
        fileprivate var next: UInt32 = 0
        /// The position after that of the last field found without cached positions.
        fileprivate var position: UInt32 = 0
        /// The number of values without a key that have been read.
        var unkeyedCount = 0
    }

    /// The cached answers for one class, which are checked at each reference to its objects.
    private struct Grant {
        /// A Boolean value indicating whether the program's registry allows the class.
        var isListed = false
        /// The number of the last root whose type allows the class; 0 is none.
        var root: UInt32 = 0
        /// A type that can be read from the class.
        var acceptedType: ObjectIdentifier?
        /// The subtype of ``requestedType`` that objects of the class become where that type is
        /// requested.
        var subtype: Any.Type?
        var requestedType: ObjectIdentifier?
    }

    private static let slotCount = 64

    /// The objects under construction, outermost first.
    private(set) var open: [UInt32] = []
    private(set) var progress = Progress()
    // By class: the results of lookups.
    private var lookups: [ClassLookup]
    // By class: whether its objects are known to be allowed.
    private var grants: [Grant]
    /// The number of roots so far, including the one that is being read.
    private(set) var rootCount: UInt32 = 0
    /// A Boolean value indicating whether the archive chose the class of an enclosing object.
    /// Within it, only the registry's classes are allowed.
    var isBelowAny = false
    /// The stack that nested calls may use.
    var stack = StackSegment()
    /// Long strings and data by node. Each is copied once, however often it is referred to.
    var longContents = LongContents()
    /// The objects created for the root that is being read, in order.
    var newlyMade: [UInt32] = []
    /// The number of deferred references. The reader stores them, because releasing them may run
    /// code of a program.
    var deferredCount = 0
    // By object: whether it is under construction.
    private var isUnderConstruction: [Bool]
    // The steps of all layouts, each linked to the one that followed it the last time.
    private var steps: [FieldStep] = []
    // By slot of a layout: the index of the first step plus one; 0 is none.
    private var firstSteps: [UInt32] = []
    private var visits = 0
    private let visitLimit: Int

    init(objectCount: Int, classCount: Int, visitLimit: Int) {
        open.reserveCapacity(8)
        lookups = .repeated(ClassLookup(), count: classCount)
        grants = .repeated(Grant(), count: classCount)
        isUnderConstruction = .repeated(false, count: objectCount)
        self.visitLimit = visitLimit
    }

    /// Charges `count` visited values.
    ///
    /// - Throws: `expansionLimitExceeded`.
    mutating func charge(_ count: Int = 1) throws(KeyedArchiveError) {
        visits &+= count
        if visits > visitLimit { throw expansionExceeded() }
    }

    /// The number of values that may still be visited.
    var remainingVisits: Int { max(0, visitLimit &- visits) }

    /// Begins reading a root, with the full budget.
    mutating func restart() {
        visits = 0
        rootCount &+= 1
        stack = StackSegment()
    }

    @inline(never)
    func expansionExceeded() -> KeyedArchiveError { .expansionExceeded(visitLimit) }

    func isUnderConstruction(_ object: UInt32) -> Bool { isUnderConstruction[Int(object)] }

    /// Begins the construction of an object, and returns the progress of the enclosing one.
    ///
    /// `layout` is that of the object; nil if its positions are not cached.
    mutating func begin(_ object: UInt32, _ layout: Layout?) -> Progress {
        let outer = progress
        progress = Progress(object: object, layout: layout ?? .none)
        if let layout, !firstSteps.isEmpty {
            progress.next = firstSteps[layout.slot(Self.slotCount)]
        }
        isUnderConstruction[Int(object)] = true
        open.append(object)
        return outer
    }

    /// Finishes the innermost object under construction.
    mutating func end(_ outer: Progress) {
        isUnderConstruction[Int(open.removeLast())] = false
        progress = outer
    }

    /// Returns whether positions are cached for an object: it is the innermost one under
    /// construction, and has a layout.
    @inline(__always)
    func caches(_ object: UInt32?) -> Bool {
        progress.object == object && progress.layout != .none
    }

    /// Returns the cached position of a field that is requested from the innermost object:
    /// ``missing`` if objects of the layout lack the field, ``unknown`` if no position is cached. A
    /// position is cached if the field was requested at this step the last time, from an object of
    /// the same layout.
    @inline(__always)
    mutating func ask(_ key: String) -> UInt32 {
        if progress.next == 0 { return Self.unknown }
        let place = Int(truncatingIfNeeded: progress.next &- 1)
        guard steps[place].layout == progress.layout, steps[place].key.isSame(as: key) else {
            return Self.unknown
        }
        progress.last = progress.next
        progress.next = steps[place].next
        return steps[place].position
    }

    /// Returns the position after that of the field found last in an object; nil unless the object
    /// is the innermost one under construction.
    func expectedPosition(in object: UInt32?) -> UInt32? {
        progress.object == object ? progress.position : nil
    }

    /// Records the position of a field of the innermost object.
    mutating func found(at position: UInt32) { progress.position = position &+ 1 }

    /// Caches the position of a field for which ``ask(_:)`` returned ``unknown``, in place of the
    /// expected step if there is one.
    mutating func learn(_ position: UInt32, of key: String) {
        let layout = progress.layout
        let expected = Int(truncatingIfNeeded: progress.next) &- 1
        if expected >= 0 {
            steps[expected] = FieldStep(
                layout: layout, key: KnownKey(key), position: position, next: steps[expected].next)
            progress.last = progress.next
            progress.next = steps[expected].next
            return
        }
        steps.append(FieldStep(layout: layout, key: KnownKey(key), position: position, next: 0))
        let new = UInt32(truncatingIfNeeded: steps.count)
        if progress.last > 0 {
            steps[Int(truncatingIfNeeded: progress.last &- 1)].next = new
        } else {
            if firstSteps.isEmpty { firstSteps = .repeated(0, count: Self.slotCount) }
            firstSteps[layout.slot(Self.slotCount)] = new
        }
        progress.last = new
    }

    /// Counts a value without a key.
    mutating func countUnkeyed() { progress.unkeyedCount &+= 1 }
}

// MARK: - Classes

extension ReadingState {
    /// Returns whether objects of a class are known to be allowed here.
    @inline(__always)
    func isGranted(_ number: ClassNumber) -> Bool {
        let grant = grants[Int(number.value)]
        return grant.isListed || !isBelowAny && grant.root == rootCount && rootCount > 0
    }

    /// Returns the answer of the program's registry for a class.
    func listed(_ number: ClassNumber) -> ClassLookup.Answer { lookups[Int(number.value)].listed }

    /// Stores the answer of the program's registry for a class.
    mutating func setListed(_ answer: ClassLookup.Answer, _ number: ClassNumber) {
        lookups[Int(number.value)].listed = answer
        grants[Int(number.value)].isListed = answer.isAllowed
    }

    /// Returns the answer of the types requested at this root for a class; nil if it is not known.
    func requested(_ number: ClassNumber) -> ClassLookup.Answer? {
        let lookup = lookups[Int(number.value)]
        return lookup.root == rootCount ? lookup.requested : nil
    }

    /// Stores the answer of the types requested at this root for a class.
    mutating func setRequested(_ answer: ClassLookup.Answer, _ number: ClassNumber) {
        lookups[Int(number.value)].setRequested(answer, root: rootCount)
        grants[Int(number.value)].root = answer.isAllowed ? rootCount : 0
        grants[Int(number.value)].acceptedType = nil
        grants[Int(number.value)].requestedType = nil
    }

    /// Returns whether a type is known to be readable from a class.
    @inline(__always)
    func accepts(_ type: Any.Type, _ number: ClassNumber) -> Bool {
        grants[Int(number.value)].acceptedType == ObjectIdentifier(type)
    }

    /// Records that a type can be read from a class.
    mutating func accept(_ type: Any.Type, _ number: ClassNumber) {
        grants[Int(number.value)].acceptedType = ObjectIdentifier(type)
    }

    /// Returns the subtype that objects of a class become where `T` is requested; nil if it is not
    /// known.
    @inline(__always)
    func subtype<T>(of _: T.Type, _ number: ClassNumber) -> T.Type? {
        let grant = grants[Int(number.value)]
        guard grant.requestedType == ObjectIdentifier(T.self), let subtype = grant.subtype else {
            return nil
        }
        return subtype as? T.Type
    }

    /// Records the subtype that objects of a class become where `T` is requested.
    mutating func accept<T>(subtype: T.Type, _ number: ClassNumber) {
        grants[Int(number.value)].requestedType = ObjectIdentifier(T.self)
        grants[Int(number.value)].subtype = subtype
    }
}

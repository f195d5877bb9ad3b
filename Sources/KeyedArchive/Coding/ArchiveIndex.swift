// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
@_spi(Tables) internal import PropertyList

/// The classified entries of an archive, each with its class and whether it is shared. All
/// references are known to be valid.
struct ArchiveIndex {
    /// An entry of `$objects`.
    struct Entry {
        let node: UInt32
        fileprivate(set) var classNumber: ClassNumber
        /// The number of references to the entry; 2 means two or more.
        fileprivate var references: UInt8

        /// A Boolean value indicating whether there is more than one reference to the entry.
        var isShared: Bool { references > 1 }
    }

    private var entries: [Entry] = []
    /// The described classes that have objects, in the order of their first objects.
    private(set) var classes: [ArchivedClass] = []
    // By described class: the number of its objects, capped at 255.
    private var objectCounts: [UInt8] = []
    /// The node of the dictionary of the roots.
    let top: UInt32

    /// The number of entries.
    var count: Int { entries.count }

    /// Classifies every entry. Linear.
    ///
    /// - Throws: `danglingReference`, `malformedObject`, `malformedClass`,
    ///   `expansionLimitExceeded`, `invalidPropertyList`. Of several flaws, a dangling reference in
    ///   the roots is reported first, then the flaw of the first flawed entry.
    init(
        _ contents: ArchiveContents, _ table: DocumentTable, _ limits: ParsingLimits
    ) throws(KeyedArchiveError) {
        top = contents.topNumber
        var scan = Scan(contents, table, limits)
        try entries.append(addingCapacity: table[contents.objectsNumber].count) {
            output throws(KeyedArchiveError) in
            scan.describeClasses(table, &output)
            var entries = output.mutableSpan
            try scan.countReferences(in: contents.topNumber, nil, table, &entries)
            for number in entries.indices { try scan.read(number, table, &entries) }
        }
        classes = scan.classes
        objectCounts = scan.objectCounts
    }

    /// Returns the class with this number: a class of plain values, or one that the archive
    /// describes.
    func archivedClass(_ number: ClassNumber) -> ArchivedClass {
        number.isLeaf
            ? ArchivedClass.leaves[Int(number.value)]
            : classes[Int(number.value &- ClassNumber.firstDescribed)]
    }

    /// The number of classes, including those of plain values.
    var classCount: Int { classes.count &+ ArchivedClass.leaves.count }

    /// Returns the entry `object`.
    @inline(__always)
    func entry(of object: UInt32) -> Entry { entries[Int(object)] }

    /// Returns the class of the entry `object`, or a constant for an entry that is not an object.
    func classNumber(of object: UInt32) -> ClassNumber { entries[Int(object)].classNumber }

    /// Returns the node of the entry `object`.
    func node(of object: UInt32) -> UInt32 { entries[Int(object)].node }

    /// Returns whether a described class has enough objects that caching field positions pays off.
    @inline(__always)
    func isCommon(_ number: ClassNumber) -> Bool {
        objectCounts[Int(number.value &- ClassNumber.firstDescribed)] > 3
    }

    /// Returns whether there is more than one reference to the entry.
    func isShared(_ object: UInt32) -> Bool { entries[Int(object)].isShared }

    /// The scan that builds the index.
    ///
    /// The entries are changed through a span, because each change of an array would check that its
    /// storage is uniquely referenced. The functions take the table as a parameter, because a
    /// stored table would have to be copied before spans of its arrays could be used.
    private struct Scan {
        let contents: ArchiveContents
        private(set) var classes: [ArchivedClass] = []
        private(set) var objectCounts: [UInt8] = []
        // By entry: the number of the class it describes, once known; 0 is none.
        private var numbers: [UInt32]
        // The containers within objects that are still to be visited, and the number of visits to
        // each container and each object with many fields. On a second visit to a container, the
        // objects that it references are marked as shared. There is no third visit, which bounds
        // the work.
        private var pending: [UInt32] = []
        private var visitCounts: [UInt8] = []
        private var keys: EntryKeys
        private var budget: DescriptionBudget
        // The maximum number of fields of an object whose visits are not counted.
        private static let mostFields = 64

        init(_ contents: ArchiveContents, _ table: DocumentTable, _ limits: ParsingLimits) {
            budget = DescriptionBudget(table, limits)
            self.contents = contents
            keys = EntryKeys(contents, table)
            numbers = .repeated(0, count: table[contents.objectsNumber].count)
        }

        /// Appends all entries, and marks those that describe classes, because an object may
        /// precede its class.
        mutating func describeClasses(
            _ table: DocumentTable, _ output: inout OutputSpan<Entry>
        ) {
            let places = table[contents.objectsNumber].valueRange
            for place in places {
                let node = table.child(place)
                let record = table[node]
                let isDescription =
                    record.kind == .dictionary && keys.form(of: record, table).hasName
                output.append(
                    Entry(
                        node: node, classNumber: isDescription ? .description : .null,
                        references: 0))
            }
        }

        /// Classifies an entry, and counts its references.
        @inline(__always)
        mutating func read(
            _ number: Int, _ table: DocumentTable, _ entries: inout MutableSpan<Entry>
        ) throws(KeyedArchiveError) {
            let entry = entries[number]
            if entry.classNumber == .description { return }
            let record = table[entry.node]
            let kind =
                record.kind == .dictionary
                ? objectKind(of: record, table, entries)
                : EntryKind.plain(record.kind) { table.isNull(record) }
            switch kind {
            case .object(let description):
                let known = numbers[Int(description)]
                entries[number].classNumber =
                    known == 0
                    ? try newClass(description, entries[Int(description)].node, table)
                    : ClassNumber(value: known)
                countObject(of: entries[number].classNumber)
                if record.count > Self.mostFields, hasTwoVisits(entry.node, table) { return }
                try countReferences(
                    in: entry.node, UInt32(truncatingIfNeeded: number), table, &entries)
            case .leaf(let constant): entries[number].classNumber = constant
            case .null, .classDescription: break
            case .malformed(let flaw):
                let entry = PropertyListUID(UInt32(truncatingIfNeeded: number))
                throw flaw.error(of: entry, count: entries.count)
            }
        }

        /// Reads the description of a class, and returns the number of the class.
        @inline(never)
        private mutating func newClass(
            _ description: UInt32, _ node: UInt32, _ table: DocumentTable
        ) throws(KeyedArchiveError) -> ClassNumber {
            if classes.isEmpty {
                // Most archives have few classes, so the arrays never grow.
                classes.reserveCapacity(8)
                objectCounts.reserveCapacity(8)
            }
            let number = ClassNumber.firstDescribed &+ UInt32(classes.count)
            classes.append(
                try contents.archivedClass(PropertyListUID(description), node, table, &budget))
            objectCounts.append(0)
            numbers[Int(description)] = number
            return ClassNumber(value: number)
        }

        @inline(__always)
        private mutating func countObject(of number: ClassNumber) {
            let place = Int(number.value &- ClassNumber.firstDescribed)
            if objectCounts[place] < .max { objectCounts[place] &+= 1 }
        }

        /// Returns the kind of a dictionary that describes no class.
        @inline(__always)
        private mutating func objectKind(
            of record: NodeRecord, _ table: DocumentTable,
            _ entries: borrowing MutableSpan<Entry>
        ) -> EntryKind {
            let value = keys.form(of: record, table).classValue(of: record, table)
            return .object(classValue: value, count: entries.count) {
                entries[Int($0)].classNumber == .description
            }
        }

        // MARK: References

        /// Counts the references in one object and in the containers within it.
        @inline(__always)
        mutating func countReferences(
            in container: UInt32, _ object: UInt32?, _ table: DocumentTable,
            _ entries: inout MutableSpan<Entry>
        ) throws(KeyedArchiveError) {
            try countReferences(ofOne: container, object, table, &entries)
            while let node = pending.popLast() {
                try countReferences(ofOne: node, object, table, &entries)
            }
        }

        private mutating func countReferences(
            ofOne container: UInt32, _ object: UInt32?, _ table: DocumentTable,
            _ entries: inout MutableSpan<Entry>
        ) throws(KeyedArchiveError) {
            let records = table.records.span
            let values = table.children.span.extracting(records[Int(container)].valueRange)
            for index in values.indices {
                let record = records[Int(values[index])]
                if record.kind == .uid {
                    guard record.payload < UInt64(entries.count) else {
                        throw dangling(record.payload, object, count: entries.count)
                    }
                    let target = Int(truncatingIfNeeded: record.payload)
                    if entries[target].references < 2 { entries[target].references &+= 1 }
                } else if record.isContainer {
                    visitLater(values[index], table)
                }
            }
        }

        @inline(never)
        private mutating func visitLater(_ container: UInt32, _ table: DocumentTable) {
            if !hasTwoVisits(container, table) { pending.append(container) }
        }

        /// Returns whether a container has been visited twice. Otherwise counts a visit.
        @inline(never)
        private mutating func hasTwoVisits(_ container: UInt32, _ table: DocumentTable) -> Bool {
            if visitCounts.isEmpty { visitCounts = .repeated(0, count: table.count) }
            if visitCounts[Int(container)] == 2 { return true }
            visitCounts[Int(container)] &+= 1
            return false
        }

        @inline(never)
        private func dangling(
            _ uid: UInt64, _ object: UInt32?, count: Int
        ) -> KeyedArchiveError {
            let reference = object.map { PropertyListUID($0) }
            return KeyedArchiveError(
                .danglingReference,
                what:
                    "expected a reference to one of \(count) objects, found one to object \(uid)",
                object: reference, path: reference.map(ArchiveContents.path))
        }
    }
}

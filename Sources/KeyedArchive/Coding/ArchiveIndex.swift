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
    // By described class: the number of its objects, at most 255.
    private var objectCounts: [UInt8] = []
    /// The node of the dictionary of the roots.
    let top: UInt32

    /// The number of entries.
    var count: Int { entries.count }

    /// Classifies every entry. Linear.
    ///
    /// - Throws: `danglingReference`, `malformedObject`, `malformedClass`,
    ///   `expansionLimitExceeded`.
    init(
        _ contents: ArchiveContents, _ table: DocumentTable, _ limits: ParsingLimits
    ) throws(KeyedArchiveError) {
        top = contents.topNumber
        var scan = Scan(contents, table, limits)
        try scan.describeClasses()
        try scan.readEntries()
        try scan.countReferences(from: top)
        entries = scan.entries
        classes = scan.classes
        objectCounts = scan.objectCounts
    }

    /// Returns a class by its number. It is the class of a plain value, or one that the archive
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

    /// Returns whether a class has enough objects that caching field positions pays off.
    func isCommon(_ classIndex: Int) -> Bool {
        objectCounts[classIndex &- Int(ClassNumber.firstDescribed)] > 3
    }

    /// Returns whether there is more than one reference to the entry.
    func isShared(_ object: UInt32) -> Bool { entries[Int(object)].isShared }

    /// The scan that builds the index.
    private struct Scan {
        let contents: ArchiveContents
        let table: DocumentTable
        var entries: [Entry] = []
        var classes: [ArchivedClass] = []
        var objectCounts: [UInt8] = []
        private let classKey: UInt32?
        private let nameKey: UInt32?
        private var descriptionCount = 0
        // The containers within objects that are still to be visited, and the number of visits to
        // each. A second visit marks the objects it refers to as shared. There is no third, which
        // bounds the work.
        private var pending: [UInt32] = []
        private var looks: [UInt8]
        // By shape: the form of its dictionaries, once known.
        private var forms: [Form?]
        private var budget: DescriptionBudget

        /// The keys that make a dictionary an object or a class description.
        struct Form {
            /// The position of `$class`; nil if it is missing.
            let classPosition: Int?
            let hasName: Bool
        }

        init(_ contents: ArchiveContents, _ table: DocumentTable, _ limits: ParsingLimits) {
            budget = DescriptionBudget(table, limits)
            self.contents = contents
            self.table = table
            looks = [UInt8](repeating: 0, count: table.count)
            forms = [Form?](repeating: nil, count: table.shapeCount + 1)
            classKey = table.keyNumber(of: ArchiveFormat.classKey)
            nameKey = table.keyNumber(of: ArchiveFormat.classNameKey)
        }

        /// Marks the entries that describe classes, because an object may precede its class.
        mutating func describeClasses() throws(KeyedArchiveError) {
            let objects = table[contents.objectsNumber]
            entries.reserveCapacity(objects.count)
            for place in objects.valueRange {
                let node = table.child(place)
                let record = table[node]
                let isDescription = record.kind == .dictionary && form(of: record).hasName
                if isDescription { descriptionCount &+= 1 }
                entries.append(
                    Entry(
                        node: node, classNumber: isDescription ? .description : .null,
                        references: 0))
            }
        }

        private mutating func form(of record: NodeRecord) -> Form {
            let shape = Int(record.shape)
            if shape != 0, let known = forms[shape] { return known }
            let place = classKey.flatMap { table.place(ofKey: $0, in: record) }
            let form = Form(
                classPosition: place.map { $0 &- record.keyRange.lowerBound },
                hasName: nameKey.flatMap { table.place(ofKey: $0, in: record) } != nil)
            if shape != 0 { forms[shape] = form }
            return form
        }

        mutating func readEntries() throws(KeyedArchiveError) {
            // By entry: the number of the class it describes, once known; 0 is none.
            var numbers = [UInt32](repeating: 0, count: entries.count)
            classes.reserveCapacity(min(descriptionCount, 64))
            objectCounts.reserveCapacity(min(descriptionCount, 64))
            for number in entries.indices where entries[number].classNumber != .description {
                let record = table[entries[number].node]
                let kind =
                    record.kind == .dictionary
                    ? objectKind(of: record) : EntryKind.plain(record.kind) { isNull(record) }
                switch kind {
                case .object(let description):
                    entries[number].classNumber = try classNumber(description, &numbers)
                case .leaf(let constant): entries[number].classNumber = constant
                case .null, .classDescription: break
                case .malformed(let flaw):
                    let entry = PropertyListUID(UInt32(truncatingIfNeeded: number))
                    throw flaw.error(of: entry, count: entries.count)
                }
            }
        }

        /// Returns the number of the class that an entry describes, and counts another object of
        /// it.
        private mutating func classNumber(
            _ description: UInt32, _ numbers: inout [UInt32]
        ) throws(KeyedArchiveError) -> ClassNumber {
            if numbers[Int(description)] == 0 {
                numbers[Int(description)] = ClassNumber.firstDescribed &+ UInt32(classes.count)
                classes.append(
                    try contents.archivedClass(
                        PropertyListUID(description), entries[Int(description)].node, table,
                        &budget))
                objectCounts.append(0)
            }
            let number = numbers[Int(description)]
            let place = Int(number &- ClassNumber.firstDescribed)
            if objectCounts[place] < .max { objectCounts[place] &+= 1 }
            return ClassNumber(value: number)
        }

        /// Returns the kind of a dictionary that describes no class.
        private mutating func objectKind(of record: NodeRecord) -> EntryKind {
            let value = form(of: record).classPosition.map {
                table[table.child(record.valueRange.lowerBound &+ $0)]
            }
            return .object(classValue: value, count: entries.count) {
                entries[Int($0)].classNumber == .description
            }
        }

        private func isNull(_ record: NodeRecord) -> Bool {
            // `$null` has five characters, of one or two bytes each.
            let length = table.contentLength(of: record)
            if length != 5, length != 10 { return false }
            return table.isString(record, ArchiveFormat.null)
        }

        // MARK: References

        mutating func countReferences(from top: UInt32) throws(KeyedArchiveError) {
            // Accesses to a local variable need no exclusivity checks.
            var entries = entries
            self.entries = []
            // A copy, whose spans stay valid while `self` changes.
            let table = table
            try countReferences(in: top, nil, table, &entries)
            for number in entries.indices
            where entries[number].classNumber.isObject && !entries[number].classNumber.isLeaf {
                try countReferences(
                    in: entries[number].node, UInt32(truncatingIfNeeded: number), table,
                    &entries)
            }
            self.entries = entries
        }

        /// Counts the references in one object and in the containers within it.
        @inline(__always)
        private mutating func countReferences(
            in container: UInt32, _ object: UInt32?, _ table: DocumentTable,
            _ entries: inout [Entry]
        ) throws(KeyedArchiveError) {
            try countReferences(ofOne: container, object, table, &entries)
            while let node = pending.popLast() {
                try countReferences(ofOne: node, object, table, &entries)
            }
        }

        private mutating func countReferences(
            ofOne container: UInt32, _ object: UInt32?, _ table: DocumentTable,
            _ entries: inout [Entry]
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
                    let child = Int(values[index])
                    if looks[child] == 2 { continue }
                    looks[child] &+= 1
                    pending.append(values[index])
                }
            }
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

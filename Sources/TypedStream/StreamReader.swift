// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// An object whose end has not been read yet, with its position in the group that contains it.
///
/// The type is declared outside of ``StreamReader``. Otherwise it would be generic, and the runtime
/// would look up the metadata of `[OpenObject]` for each stream.
private struct OpenObject: BitwiseCopyable {
    let entry: UInt32
    /// The index of the group that contains the object.
    let group: UInt32
    /// The index of the object in that group.
    let value: UInt32
    /// The number of suspended runs around the object.
    let runs: UInt32
}

/// A reader that parses a stream from front to back, checks every item and assigns a table index to
/// each literal.
///
/// A stream does not store the lengths of its items, so the meaning of a byte depends on all bytes
/// before it. The reader therefore visits every value and passes each item to a sink.
struct StreamReader<Sink: StreamSink>: ~Copyable {
    let source: StreamBytes
    let version: UInt8
    let limits: TypedStreamLimits
    private(set) var systemVersion: Int64 = 0
    /// The offset of the first group.
    private(set) var start = 0
    var tables: StreamTables
    var sink: Sink
    /// The offset of the next byte.
    var place: Int
    /// The offset of the group or value being read.
    private(set) var itemStart = 0
    private var open: [OpenObject] = []
    /// The runs of types around the current one, innermost last.
    private var runs: [TypeRun] = []
    /// The number of groups begun in the innermost object.
    private var groups: UInt32 = 0
    /// The number of values begun in the innermost group.
    private var values: UInt32 = 0

    /// Creates a reader and reads the system version, which ends the header.
    init(
        _ source: StreamBytes, version: UInt8, limits: TypedStreamLimits, sink: Sink
    ) throws(TypedStreamError) {
        self.source = source
        self.version = version
        self.limits = limits
        place = StreamHeader.signatureEnd
        self.sink = sink
        tables = StreamTables(
            size: source.bytes.count, isOldVersion: version == StreamHeader.oldVersion)
        open.reserveCapacity(4)
        itemStart = place
        systemVersion = try takeInteger(.systemVersion)
        start = place
    }

    var isOldVersion: Bool { version == StreamHeader.oldVersion }

    /// Reads all groups in linear time.
    mutating func readGroups() throws(TypedStreamError) {
        while true {
            itemStart = place
            guard let head = source.byte(at: place) else {
                if open.isEmpty { return }
                throw truncated(.objectEnd)
            }
            if head == Tag.end, !open.isEmpty {
                take(1)
                try endObject()
            } else {
                groups &+= 1
                values = 0
                let first = try readType()
                let type = tables.types[first]
                // A fast path, because most groups have one value.
                if type.encodingSize == 1 {
                    try readValue(first, type.code)
                } else {
                    try readValues(TypeRun(first..<first &+ Int(type.encodingSize)))
                }
            }
        }
    }

    /// Ends the open objects where the unreadable item begins, and discards the table entries of
    /// that item.
    ///
    /// - Returns: The table index of the object whose end tag is right before the item, or nil.
    mutating func salvage() -> Int? {
        tables.cut(at: itemStart)
        let complete = tables.entries.lastIndex {
            $0.kind == .object && Int($0.other) == itemStart
        }
        for object in open where Int(object.entry) < tables.entries.count {
            tables.entries[Int(object.entry)].other = UInt32(truncatingIfNeeded: itemStart)
        }
        return complete
    }

    /// The path to the group or value being read, or nil outside of groups.
    var path: TypedStreamPath? {
        guard groups > 0 else { return nil }
        var steps: [TypedStreamPath.Component] = []
        for object in open {
            steps.append(.group(Int(object.group)))
            steps.append(.value(Int(object.value)))
        }
        steps.append(.group(Int(groups) - 1))
        if values > 0 { steps.append(.value(Int(values) - 1)) }
        return TypedStreamPath(steps)
    }

    // MARK: - Groups

    /// Reads the only value of a group. If the value is a new object, reads only its beginning.
    @inline(__always)
    private mutating func readValue(_ type: Int, _ code: UInt8) throws(TypedStreamError) {
        values = 1
        itemStart = place
        if code == TypeCode.object {
            _ = try readObject(within: nil)
        } else {
            try readScalar(type, code)
        }
    }

    /// Reads values until the group is complete or an object begins.
    @inline(never)
    private mutating func readValues(_ first: TypeRun) throws(TypedStreamError) {
        var run = first
        while true {
            if let index = run.take(tables.types) {
                let type = tables.types[index]
                if type.size > 1 {
                    if type.code == TypeCode.array { try checkRoom(for: type) }
                    if !run.isAtEnd { runs.append(run) }
                    run = .content(of: index, tables.types)
                    continue
                }
                beginValue()
                if type.code == TypeCode.object {
                    if try readObject(within: run) { return }
                } else {
                    try readScalar(index, type.code)
                }
            } else {
                let around = Int(open.last?.runs ?? 0)
                guard runs.count > around, let last = runs.popLast() else { return }
                run = last
            }
        }
    }

    /// Begins the next value of the innermost group.
    @inline(__always)
    private mutating func beginValue() {
        values &+= 1
        itemStart = place
    }

    private mutating func checkRoom(for array: TypeRecord) throws(TypedStreamError) {
        let left = source.bytes.count &- place
        if Int(clamping: array.minimum) <= left { return }
        // The array begins with the next value. The value before it is complete.
        beginValue()
        throw fail(
            .invalidLength,
            "expected at least \(array.minimum) bytes for \(array.count) elements, found \(left)")
    }

    /// Reads nil, a reference, or the beginning of an object.
    ///
    /// - Returns: A Boolean value indicating whether an object began.
    @inline(__always)
    private mutating func readObject(within run: TypeRun?) throws(TypedStreamError) -> Bool {
        guard source.byte(at: place) == Tag.new else {
            if source.byte(at: place) == Tag.null { take(1) } else { try takeReference(.object) }
            return false
        }
        guard open.count < limits.depth else {
            throw fail(
                .depthLimitExceeded, "expected at most \(limits.depth) nested objects, found more",
                recovery: "raise `TypedStreamLimits.depth` for a trusted file")
        }
        if let run, !run.isAtEnd { runs.append(run) }
        let entry = tables.entries.count
        tables.entries.append(TableEntry(.object, at: place))
        take(1)
        guard let `class` = try takeClass() else {
            throw fail(.unexpectedNil, "expected the class of an object, found nil", at: place - 1)
        }
        tables.entries[entry].target = UInt32(truncatingIfNeeded: `class`)
        if isOldVersion { try takeIndexedSize() }
        open.append(
            OpenObject(
                entry: UInt32(truncatingIfNeeded: entry), group: groups &- 1, value: values &- 1,
                runs: UInt32(truncatingIfNeeded: runs.count)))
        groups = 0
        values = 0
        return true
    }

    /// Ends the innermost object and continues the group that contains it.
    private mutating func endObject() throws(TypedStreamError) {
        guard let object = open.popLast() else { return }
        tables.entries[Int(object.entry)].other = UInt32(truncatingIfNeeded: place)
        groups = object.group &+ 1
        values = object.value &+ 1
        let around = Int(open.last?.runs ?? 0)
        if runs.count > around, let run = runs.popLast() { try readValues(run) }
    }

    // MARK: - Bytes

    /// Consumes bytes that are known to exist.
    @inline(__always)
    mutating func take(_ count: Int) {
        sink.append(place..<place &+ count, of: source)
        place &+= count
    }

    /// Consumes an integer.
    @inline(__always)
    mutating func takeInteger(_ what: StreamItem) throws(TypedStreamError) -> Int64 {
        guard let (value, end) = source.integer(at: place) else { throw noInteger(what) }
        sink.appendInteger(value, from: place..<end, of: source)
        place = end
        return value
    }
}

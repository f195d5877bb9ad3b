// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The forms of typed JSON: objects whose single key names the kind of the value.
///
///     {"$integer": "9007199254740993"}     decimal, without "+"
///     {"$real": "1"}                       decimal, "nan", "+infinity", "-infinity"
///     {"$float": "0.5"}                    the same, of 32 bits
///     {"$date": "2026-11-21T09:40:00.5Z"}  ISO 8601 in UTC
///     {"$data": "AQI="}                    Base64
///     {"$uid": 3}                          the index as a number
///     {"$set": [1, 2]}                     the elements
///     {"$dictionary": {"$date": 1}}        a dictionary that looks like one of these forms
///     {"$pairs": [[1, "a"], ["b", "c"]]}   a dictionary with a key that is not a string
///     {"$realBits": "7ff8000000000001"}    the bits of a NaN other than "nan"
///     {"$floatBits": "7fc00001"}           the same, of 32 bits
///     {"$dateBits": "7ff0000000000000"}    the bits of the seconds since 2001
///
/// An object with further keys is an ordinary dictionary. The list is frozen, because a new form
/// would change the meaning of existing files.
enum JSONForm: String {
    case integer = "$integer"
    case real = "$real"
    case float = "$float"
    case date = "$date"
    case data = "$data"
    case uid = "$uid"
    case set = "$set"
    case dictionary = "$dictionary"
    case pairs = "$pairs"
    case realBits = "$realBits"
    case floatBits = "$floatBits"
    case dateBits = "$dateBits"

    /// Creates the form with the key `key`, or returns nil.
    init?(_ key: NodeRecord, _ store: NodeStore) {
        guard key.kind == .string, store.contentRange(of: key).count <= "$dictionary".utf8.count,
            store.withContent(of: key, { $0.count > 3 && $0[0] == UInt8(ascii: "$") })
        else { return nil }
        self.init(rawValue: store.string(of: key))
    }
}

/// The pass that converts the objects of typed JSON to the values that they represent.
struct JSONFormPass {
    private var store: NodeStore
    private let salvages: Bool
    private var problem: PropertyListError?
    // Dictionaries that are literal contents of a `$dictionary` form.
    private var literals: Set<UInt32> = []

    /// Converts the dictionaries of `store`, each container before its contents. Linear.
    ///
    /// - Parameters:
    ///   - store: the dictionaries and all other values.
    ///   - salvages: true to keep dictionaries that do not match their form, because the readable
    ///     part of the text may end inside one.
    /// - Returns: the error of the first dictionary that is kept for this reason.
    /// - Throws: `wrongKind`, with the path, for a value that does not match its form;
    ///   `sizeLimitExceeded`.
    static func run(
        _ store: inout NodeStore, salvages: Bool
    ) throws(PropertyListError) -> PropertyListError? {
        var pass = JSONFormPass(store: store, salvages: salvages)
        store = NodeStore(bytes: [])
        for node in pass.store.records.indices {
            try pass.convert(UInt32(truncatingIfNeeded: node))
        }
        store = pass.store
        return pass.problem
    }

    private init(store: NodeStore, salvages: Bool) {
        self.store = store
        self.salvages = salvages
    }

    private mutating func convert(_ node: UInt32) throws(PropertyListError) {
        let record = store.records[Int(node)]
        guard record.kind == .dictionary, record.count == 1, !literals.contains(node) else {
            return
        }
        let place = record.keyRange.lowerBound
        let key = store.records[Int(store.children[place])]
        guard let form = JSONForm(key, store) else { return }
        let child = store.children[record.valuePlace(ofKeyAt: place)]
        if let converted = try value(form, child, at: record.offset) {
            store.records[Int(node)] = converted
        } else if !salvages {
            throw mismatch(form, child, in: node)
        } else if problem == nil {
            // One problem is enough: finding the path takes linear time.
            problem = mismatch(form, child, in: node)
        }
    }

    private func mismatch(
        _ form: JSONForm, _ child: UInt32, in node: UInt32
    ) -> PropertyListError {
        PropertyListError(
            .wrongKind, format: .json,
            what: "expected a valid value for `\(form.rawValue)`, found an invalid value of "
                + "kind \(store.records[Int(child)].kind)",
            location: SourceText.location(Int(store.records[Int(node)].offset), store, .json),
            path: PathSearch.path(to: node, in: store),
            recovery: .init(
                .readStrictly, "parse with the mapping `strict` if this is an ordinary dictionary"))
    }

    /// Returns the record of the value, or nil if `child` does not match the form.
    private mutating func value(
        _ form: JSONForm, _ child: UInt32, at offset: UInt32
    ) throws(PropertyListError) -> NodeRecord? {
        let record = store.records[Int(child)]
        switch form {
        case .set:
            guard record.kind == .array else { return nil }
            return NodeRecord(kind: .set, offset: offset, payload: record.payload)
        case .dictionary:
            guard record.kind == .dictionary else { return nil }
            literals.insert(child)
            // The outer record takes over the entries. The inner record becomes empty, because
            // nothing refers to it any more.
            store.records[Int(child)].payload = 0
            return NodeRecord(kind: .dictionary, offset: offset, payload: record.payload)
        case .uid:
            guard record.kind == .integer, !record.isNegative, record.payload <= UInt32.max else {
                return nil
            }
            return NodeRecord(kind: .uid, offset: offset, payload: record.payload)
        case .pairs: return pairs(record, at: offset)
        case .data:
            guard record.kind == .string else { return nil }
            return try data(record, at: offset)
        default:
            guard record.kind == .string else { return nil }
            return store.withContent(of: record) { Self.scalar(form, $0, at: offset) }
        }
    }

    /// Returns a dictionary of the pairs in an array. ``DictionaryPass`` checks its keys.
    private mutating func pairs(_ record: NodeRecord, at offset: UInt32) -> NodeRecord? {
        guard record.kind == .array else { return nil }
        let first = UInt32(truncatingIfNeeded: store.children.count)
        let pairs = record.childRange.map { store.records[Int(store.children[$0])] }
        guard pairs.allSatisfy({ $0.kind == .array && $0.count == 2 }) else { return nil }
        for position in 0..<2 {
            for pair in pairs {
                store.children.append(store.children[pair.valueRange.lowerBound &+ position])
            }
        }
        return .container(.dictionary, from: first, count: record.count, offset: offset)
    }

    private mutating func data(
        _ record: NodeRecord, at offset: UInt32
    ) throws(PropertyListError) -> NodeRecord? {
        let text = Array(store.content(of: record))
        let start = store.decoded.count
        do { try Base64.decode(text.span, lenient: false, into: &store.decoded) } catch {
            return nil
        }
        return try store.decodedRecord(.data, from: start, at: Int(offset), .json)
    }

    private static func scalar(
        _ form: JSONForm, _ text: Span<UInt8>, at offset: UInt32
    ) -> NodeRecord? {
        func record(_ kind: PropertyListKind, _ bits: UInt64?, header: UInt16 = 0) -> NodeRecord? {
            bits.map { NodeRecord(kind: kind, offset: offset, header: header, payload: $0) }
        }
        switch form {
        case .integer: return integer(text, at: offset)
        case .real: return record(.real, real(text)?.bitPattern, header: 8)
        case .realBits: return record(.real, bits(text, digits: 16), header: 8)
        case .float:
            let single = float(text).map { PropertyListReal.widened($0.bitPattern) }
            return record(.real, single, header: 4)
        case .floatBits:
            let single = bits(text, digits: 8).map {
                PropertyListReal.widened(UInt32(truncatingIfNeeded: $0))
            }
            return record(.real, single, header: 4)
        case .date: return record(.date, DateText.parse(text)?.bitPattern)
        case .dateBits: return record(.date, bits(text, digits: 16))
        case .data, .uid, .set, .dictionary, .pairs: return nil
        }
    }

    private static func integer(_ text: Span<UInt8>, at offset: UInt32) -> NodeRecord? {
        // XML also has hexadecimal integers and a plus sign.
        let isDecimal = text.indices.allSatisfy { text[$0] == 0x2D || text[$0] &- 0x30 < 10 }
        guard isDecimal, case .value(let magnitude, let isNegative) = IntegerText.parse(text) else {
            return nil
        }
        var record = NodeRecord(
            kind: .integer, offset: offset, payload: isNegative ? 0 &- magnitude : magnitude)
        record.isNegative = isNegative
        return record
    }

    /// Parses a number or the name of one. As for a JSON number, returns nil for a number that
    /// would be rounded to infinity or zero.
    private static func real(_ text: Span<UInt8>) -> Double? {
        RealText.parseInRange(text) ?? RealText.parseSpecial(text)
    }

    private static func float(_ text: Span<UInt8>) -> Float? {
        guard let value = real(text) else { return nil }
        let single = Float(value)
        return single.isFinite == value.isFinite && single.isZero == value.isZero ? single : nil
    }

    private static func bits(_ text: Span<UInt8>, digits: Int) -> UInt64? {
        text.count == digits ? HexText.number(text) : nil
    }
}

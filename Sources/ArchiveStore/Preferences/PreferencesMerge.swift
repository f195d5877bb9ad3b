// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// What a file of preferences holds.
struct PreferencesContents: Equatable {
    let values: PropertyListDictionary
    let format: PropertyListFormat
}

/// The new contents of a file of preferences: what it holds, with those changes that it can hold.
struct PreferencesMerge {
    /// The keys that were set or removed, and the values of those that were set.
    typealias Changes = (values: PropertyListDictionary, keys: KeyValueTable.Unsaved)

    /// What the file held; nil where there was none.
    let found: PreferencesContents?
    private(set) var values = PropertyListDictionary()
    /// The keys whose changes are among the values.
    private(set) var keys: KeyValueTable.Unsaved = [:]
    /// The bytes of the new file; nil where the file holds the values already.
    private(set) var bytes: [UInt8]?
    /// The reason why another change is not among the values.
    private(set) var refusal: StoreError?

    private let changes: Changes
    private let options: FileOptions
    private let limits: ParsingLimits

    /// Merges all changes, or where the file cannot hold all of them, those it can hold.
    ///
    /// - Parameter tried: the keys that an earlier search for changes that fit has tried in vain, and then those
    ///   that this one has tried.
    /// - Throws: `unsupportedValue` where the file cannot be written even as it is.
    init(
        _ changes: Changes, into found: PreferencesContents?, _ options: FileOptions,
        _ limits: ParsingLimits, _ tried: inout Set<ExactText>
    ) throws(StoreError) {
        (self.changes, self.found, self.options, self.limits) = (changes, found, options, limits)
        do throws(StoreError) {
            try choose(changes.keys)
            tried = []
        } catch {
            guard error.code == .unsupportedValue else { throw error }
            try chooseFitting(error, &tried)
        }
    }

    private mutating func choose(_ keys: KeyValueTable.Unsaved) throws(StoreError) {
        self.keys = keys
        values = merged(keys)
        let isSame = values == found?.values || found == nil && values.isEmpty
        bytes = isSame ? nil : try bytes(keys)
    }

    private func merged(_ keys: KeyValueTable.Unsaved) -> PropertyListDictionary {
        (found?.values ?? [:]).applying(keys, from: changes.values)
    }

    private func bytes(_ keys: KeyValueTable.Unsaved) throws(StoreError) -> [UInt8] {
        try PlainFile.bytes(of: .dictionary(merged(keys)), options(keys), limits)
    }

    /// The options for a file with new values for `keys`, which keeps what else it holds.
    private func options(_ keys: KeyValueTable.Unsaved) -> FileOptions {
        guard let found, mayBecomeBinary else { return options }
        var kept = PropertyListDictionary()
        for (key, value) in found.values where keys[ExactText(key)] == nil { kept[key] = value }
        return PlainFile.isExactInXML(.dictionary(kept), limits) ? options : binaryOptions
    }

    /// Whether the file may hold values of other programs that XML cannot hold.
    private var mayBecomeBinary: Bool {
        options.format == .xml && found.map { $0.format != .xml } ?? false
    }

    private var binaryOptions: FileOptions {
        FileOptions(format: .binary, isPrivate: options.isPrivate)
    }
}

// MARK: Changes that do not fit together

extension PreferencesMerge {
    private mutating func chooseFitting(
        _ refusal: StoreError, _ tried: inout Set<ExactText>
    ) throws(StoreError) {
        func chosen(_ keys: [ExactText]) -> KeyValueTable.Unsaved {
            let keys = Set(keys)
            return changes.keys.filter { keys.contains($0.key) }
        }
        let (candidates, alone) = candidates(after: tried)
        let fitting = try FittingKeys(
            candidates, fileSize: found.flatMap { try? size(of: $0.values) } ?? 0
        ) { keys throws(StoreError) in _ = try bytes(chosen(keys)) }
        // When each has had its turn, the smaller ones are first again.
        tried = fitting.untried.isEmpty ? [] : tried.union(fitting.leftOut)
        try choose(chosen(fitting.chosen))
        self.refusal = alone ?? fitting.refusal ?? refusal
    }

    /// The changes that a file could hold by themselves, and the refusal of the first of the others.
    ///
    /// Removals are first, then the values that make the file grow least. Those in `tried` are last.
    private func candidates(
        after tried: Set<ExactText>
    ) -> (keys: [FittingKeys.Candidate], refusal: StoreError?) {
        var refusal: StoreError?
        var sized: [(candidate: FittingKeys.Candidate, growth: Int)] = []
        for key in changes.keys.keys.sorted() {
            guard let value = changes.values[key.text] else {
                sized.append((.init(key: key, size: 0, isRemoval: true), .min))
                continue
            }
            do throws(StoreError) {
                let new = try size(of: [key.text: value])
                let old = found?.values[key.text].flatMap { try? size(of: [key.text: $0]) }
                sized.append((.init(key: key, size: new, isRemoval: false), new - (old ?? 0)))
            } catch {
                refusal = refusal ?? (error.path == nil ? error.at(key: key.text) : error)
            }
        }
        func order(_ one: (candidate: FittingKeys.Candidate, growth: Int)) -> (Int, Int, ExactText)
        {
            (tried.contains(one.candidate.key) ? 1 : 0, one.growth, one.candidate.key)
        }
        sized.sort { order($0) < order($1) }
        return (sized.map(\.candidate), refusal)
    }

    /// The size in bytes of a file with these values alone, in the first format that can hold them.
    private func size(of values: PropertyListDictionary) throws(StoreError) -> Int {
        do throws(StoreError) { return try size(of: values, options) } catch {
            if mayBecomeBinary, let size = try? size(of: values, binaryOptions) { return size }
            throw error
        }
    }

    private func size(
        of values: PropertyListDictionary, _ options: FileOptions
    ) throws(StoreError) -> Int {
        try PlainFile.bytes(of: .dictionary(values), options, limits).count
    }
}

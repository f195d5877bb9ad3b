// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList
internal import SystemFiles

/// The values in a preferences file, and its format.
struct PreferencesContents: Equatable {
    let values: PropertyListDictionary
    let format: PropertyListFormat
}

/// The new contents of a preferences file: its current values with the changes that it can hold.
struct PreferencesMerge {
    /// The keys that were set or removed, and a dictionary with the new values.
    typealias Changes = (values: PropertyListDictionary, keys: KeyValueTable.Unsaved)

    /// The previous contents of the file, or nil if there was no file.
    let found: PreferencesContents?
    private(set) var values = PropertyListDictionary()
    /// The keys whose changes are included in the values.
    private(set) var keys: KeyValueTable.Unsaved = [:]
    /// The bytes of the new file, or nil if the file already has the values.
    private(set) var bytes: [UInt8]?
    /// The reason why a change is not included. If several are not, the reason for one of them.
    private(set) var refusal: StoreError?
    /// The keys of the changes that were not tried for lack of time. Those that have waited longest
    /// come first.
    private(set) var waiting: [ExactText] = []

    private let changes: Changes
    private let options: FileOptions
    private let limits: ParsingLimits

    /// Merges all changes, or those that fit if the file cannot hold all of them.
    ///
    /// The changes of `waiting`, which an earlier merge had no time to try, are tried first. The
    /// search for changes that fit ends at the deadline, on the clock of `Environment.uptime`.
    init(
        _ changes: Changes, into found: PreferencesContents?, _ options: FileOptions,
        _ limits: ParsingLimits, first waiting: [ExactText], until deadline: Double
    ) throws(StoreError) {
        (self.changes, self.found, self.options, self.limits) = (changes, found, options, limits)
        let start = Environment.uptime
        do throws(StoreError) { try choose(changes.keys) } catch {
            guard error.code == .unsupportedValue else { throw error }
            // Values are first tried individually. This may take as long as the attempt with the
            // whole file did, or half of the remaining time, whichever is longer.
            let now = Environment.uptime
            let turns = Turns(waiting)
            let candidates = candidates(
                turns, until: now + max((deadline - now) / 2, now - start))
            try chooseFitting(error, candidates, turns, until: deadline)
        }
    }

    /// Chooses the changes to some keys. If the file cannot hold them, the previous choice stays.
    private mutating func choose(_ keys: KeyValueTable.Unsaved) throws(StoreError) {
        let values = (found?.values ?? [:]).applying(keys, from: changes.values)
        let isSame = values == found?.values || found == nil && values.isEmpty
        bytes = isSame ? nil : try PlainFile.bytes(of: .dictionary(values), options(keys), limits)
        (self.keys, self.values) = (keys, values)
    }

    /// Returns the options for a file with new values for `keys`. They preserve all other values of
    /// the file.
    private func options(_ keys: KeyValueTable.Unsaved) -> FileOptions {
        guard let found, mayBecomeBinary else { return options }
        var kept = PropertyListDictionary()
        for (key, value) in found.values where keys[ExactText(key)] == nil { kept[key] = value }
        return PlainFile.isExactInXML(.dictionary(kept), limits) ? options : binaryOptions
    }

    /// A Boolean value indicating whether the file may contain values of other programs that XML
    /// cannot hold.
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
        _ refusal: StoreError, _ tried: Candidates, _ turns: Turns, until deadline: Double
    ) throws(StoreError) {
        var candidates = tried
        if try chooseAllButRefused(refusal, &candidates, until: deadline) {
            self.refusal = candidates.firstRefusal
            return
        }
        let fitting = try FittingKeys(
            removals: candidates.removals,
            additions: ordered(candidates.additions, turns, until: deadline),
            areRefusedTogether: candidates.untried.isEmpty, until: deadline
        ) { keys throws(StoreError) in try choose(only(keys)) }
        // The last successful attempt chose all fitting changes together. If there is none, the
        // current values of the file are chosen.
        if fitting.chosen.isEmpty { try choose([:]) }
        let untried = fitting.untried + candidates.untried
        self.waiting =
            untried.filter { turns[$0] < .max }.sorted { turns[$0] < turns[$1] }
            + untried.filter { turns[$0] == .max }
        // The path of an error about the whole file is dropped, because it may name a value that
        // was chosen or that is waiting.
        self.refusal = (candidates.firstRefusal ?? fitting.refusal ?? refusal.withoutPath)
            .mentioning(waiting: untried.count)
    }

    /// Chooses all changes except values that cannot be written even alone. Each attempt tries all
    /// changes that are not known to be refused. If it fails because of another refused value, the
    /// error names that value, and the next attempt leaves it out. This is fast, because usually
    /// only one or two values are refused.
    ///
    /// - Returns: A Boolean value indicating whether all other changes fit.
    private mutating func chooseAllButRefused(
        _ refusal: StoreError, _ candidates: inout Candidates, until deadline: Double
    ) throws(StoreError) -> Bool {
        // The error for all changes together, unless refused changes are already known.
        var next: StoreError? = candidates.refused.isEmpty ? refusal : nil
        for _ in 0..<Self.mostWholeFiles {
            if let next {
                guard Environment.uptime < deadline, moveRefused(next, in: &candidates) else {
                    return false
                }
            }
            do throws(StoreError) {
                try choose(changes.keys.filter { candidates.refused[$0.key] == nil })
                return true
            } catch {
                guard error.code == .unsupportedValue else { throw error }
                next = error
            }
        }
        return false
    }

    /// Moves the change that an error names from `untried` to `refused`, if its value cannot be
    /// written even alone.
    ///
    /// - Returns: A Boolean value indicating whether a change was moved. A value that fits by
    ///   itself may still be too large together with others.
    private func moveRefused(_ refusal: StoreError, in candidates: inout Candidates) -> Bool {
        guard case .key(let name)? = refusal.path?.components.first,
            let value = changes.values[name],
            let place = candidates.untried.firstIndex(of: ExactText(name)),
            (try? size(of: [name: value])) == nil
        else { return false }
        candidates.refused[candidates.untried.remove(at: place)] = refusal
        return true
    }

    private static let mostWholeFiles = 9

    private func only(_ keys: [ExactText]) -> KeyValueTable.Unsaved {
        let keys = Set(keys)
        return changes.keys.filter { keys.contains($0.key) }
    }

    /// The changes, grouped by the result of trying each one alone.
    private struct Candidates {
        var removals: [ExactText] = []
        /// The values that a file can hold, each with the size in bytes of a file with that value
        /// alone, and whether only the binary format can hold it.
        var additions: [(key: ExactText, bytes: Int, isBinary: Bool)] = []
        /// The keys that were not tried for lack of time. Those that waited before come first.
        var untried: [ExactText] = []
        /// The values that no file can hold, with the reasons.
        var refused: [ExactText: StoreError] = [:]

        var firstRefusal: StoreError? { refused.min { $0.key < $1.key }?.value }
    }

    /// The positions of changes among those that waited, or `Int.max` for other changes.
    private struct Turns {
        private let places: [ExactText: Int]

        init(_ waiting: [ExactText]) {
            places = Dictionary(
                zip(waiting, waiting.indices), uniquingKeysWith: { first, _ in first })
        }

        subscript(_ key: ExactText) -> Int { places[key] ?? .max }
    }

    /// Tries each value by itself, beginning with those that waited before. The first value is
    /// tried even after the deadline.
    private func candidates(_ turns: Turns, until deadline: Double) -> Candidates {
        var result = Candidates()
        for key in changes.keys.keys.sorted(by: { (turns[$0], $0) < (turns[$1], $1) }) {
            guard let value = changes.values[key.text] else {
                result.removals.append(key)
                continue
            }
            let isFirst = result.additions.isEmpty && result.refused.isEmpty
            if !isFirst, Environment.uptime >= deadline {
                result.untried.append(key)
                continue
            }
            do throws(StoreError) {
                let (bytes, isBinary) = try size(of: [key.text: value])
                result.additions.append((key, bytes, isBinary))
            } catch {
                result.refused[key] = error.path == nil ? error.at(key: key.text) : error
            }
        }
        return result
    }

    /// Returns the keys of values in the order in which they are tried. Keys that waited before
    /// come first, and values that only the binary format can hold come last. Of the other values,
    /// those that add least to the size of the file come first, as far as there is time to compute
    /// this.
    private func ordered(
        _ additions: [(key: ExactText, bytes: Int, isBinary: Bool)], _ turns: Turns,
        until deadline: Double
    ) -> [ExactText] {
        func growth(_ key: ExactText, _ bytes: Int) -> Int {
            guard Environment.uptime < deadline, let value = found?.values[key.text],
                let old = try? size(of: [key.text: value])
            else { return bytes }
            return bytes - old.bytes
        }
        let orders = additions.map {
            (turns[$0.key], $0.isBinary ? 1 : 0, growth($0.key, $0.bytes))
        }
        return zip(additions.map(\.key), orders)
            .sorted { $0.1 == $1.1 ? $0.0 < $1.0 : $0.1 < $1.1 }.map(\.0)
    }

    /// Returns the size in bytes of a file with only these values, and whether only the binary
    /// format can hold them.
    private func size(
        of values: PropertyListDictionary
    ) throws(StoreError) -> (bytes: Int, isBinary: Bool) {
        func size(_ options: FileOptions) throws(StoreError) -> Int {
            try PlainFile.bytes(of: .dictionary(values), options, limits).count
        }
        do throws(StoreError) { return (try size(options), false) } catch {
            if mayBecomeBinary, let bytes = try? size(binaryOptions) { return (bytes, true) }
            throw error
        }
    }
}

extension StoreError {
    /// This error without its path.
    fileprivate var withoutPath: StoreError {
        StoreError(code, what: what, file: file, recovery: recovery, underlying: underlying)
    }

    /// Returns this error with the number of changes that were not tried.
    fileprivate func mentioning(waiting count: Int) -> StoreError {
        if count == 0 { return self }
        let others = count == 1 ? "1 further change waits" : "\(count) further changes wait"
        return StoreError(
            code, what: "\(what); \(others) for the next call", file: file, path: path,
            recovery: recovery, underlying: underlying)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList
internal import SystemFiles

/// The values in a file of preferences, and its format.
struct PreferencesContents: Equatable {
    let values: PropertyListDictionary
    let format: PropertyListFormat
}

/// The new contents of a file of preferences: what it holds, with those changes that it can hold.
struct PreferencesMerge {
    /// The keys that were set or removed, and the values of those that were set.
    typealias Changes = (values: PropertyListDictionary, keys: KeyValueTable.Unsaved)

    /// The contents of the file before; nil where there was none.
    let found: PreferencesContents?
    private(set) var values = PropertyListDictionary()
    /// The keys whose changes are among the values.
    private(set) var keys: KeyValueTable.Unsaved = [:]
    /// The bytes of the new file; nil where the file holds the values already.
    private(set) var bytes: [UInt8]?
    /// The reason why another change is not among the values.
    private(set) var refusal: StoreError?
    /// The keys of the changes that there was no time to try, those first that wait longest.
    private(set) var waiting: [ExactText] = []

    private let changes: Changes
    private let options: FileOptions
    private let limits: ParsingLimits

    /// Merges all changes, or where the file cannot hold all of them, those it can hold.
    ///
    /// Changes that an earlier merge had no time to try, those in `waiting`, are tried before others. The search for
    /// changes that fit ends at the deadline, on the clock of `Environment.uptime`. `unsupportedValue` is thrown where
    /// the file cannot be written even as it is.
    init(
        _ changes: Changes, into found: PreferencesContents?, _ options: FileOptions,
        _ limits: ParsingLimits, first waiting: [ExactText], until deadline: Double
    ) throws(StoreError) {
        (self.changes, self.found, self.options, self.limits) = (changes, found, options, limits)
        let start = Environment.uptime
        do throws(StoreError) { try choose(changes.keys) } catch {
            guard error.code == .unsupportedValue else { throw error }
            // Values are tried by themselves for as long as a whole file takes, or half of the time.
            let now = Environment.uptime
            let turns = Turns(waiting)
            let candidates = candidates(
                turns, until: now + max((deadline - now) / 2, now - start))
            try chooseFitting(error, candidates, turns, until: deadline)
        }
    }

    /// Chooses the changes of some keys; where the file cannot hold them, the choice stays what it was.
    private mutating func choose(_ keys: KeyValueTable.Unsaved) throws(StoreError) {
        let values = (found?.values ?? [:]).applying(keys, from: changes.values)
        let isSame = values == found?.values || found == nil && values.isEmpty
        bytes = isSame ? nil : try PlainFile.bytes(of: .dictionary(values), options(keys), limits)
        (self.keys, self.values) = (keys, values)
    }

    /// The options for a file with new values for `keys`, which keeps what else it holds.
    private func options(_ keys: KeyValueTable.Unsaved) -> FileOptions {
        guard let found, mayBecomeBinary else { return options }
        var kept = PropertyListDictionary()
        for (key, value) in found.values where keys[ExactText(key)] == nil { kept[key] = value }
        return PlainFile.isExactInXML(.dictionary(kept), limits) ? options : binaryOptions
    }

    /// A Boolean value that says whether the file may hold values of other programs that XML cannot
    /// hold.
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
        // The last choice that fitted is that of all.
        if fitting.chosen.isEmpty { try choose([:]) }
        let untried = fitting.untried + candidates.untried
        self.waiting =
            untried.filter { turns[$0] < .max }.sorted { turns[$0] < turns[$1] }
            + untried.filter { turns[$0] == .max }
        // A file without room names a value that may be chosen, or wait.
        self.refusal = (candidates.firstRefusal ?? fitting.refusal ?? refusal.withoutPath)
            .mentioning(waiting: untried.count)
    }

    /// Chooses all changes but those that are refused by themselves. Of those that were not tried by themselves, the
    /// errors of whole files name the refused ones: mostly one value or two are refused, and all others fit.
    ///
    /// - Returns: Whether all others fit.
    private mutating func chooseAllButRefused(
        _ refusal: StoreError, _ candidates: inout Candidates, until deadline: Double
    ) throws(StoreError) -> Bool {
        // The error is that of all changes.
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

    /// Moves the change that an error names from those that were not tried to those that are refused by themselves.
    ///
    /// - Returns: Whether there is such a change. Beside others a value may be too much that is not by itself.
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

    /// The changes by what a file with each of them alone says of it.
    private struct Candidates {
        var removals: [ExactText] = []
        /// The values that a file can hold, with the size of a file with each alone in bytes, and whether only a binary
        /// one can hold it.
        var additions: [(key: ExactText, bytes: Int, isBinary: Bool)] = []
        /// The keys for which there was no time, those first that waited.
        var untried: [ExactText] = []
        /// The values that no file can hold, with the reasons.
        var refused: [ExactText: StoreError] = [:]

        var firstRefusal: StoreError? { refused.min { $0.key < $1.key }?.value }
    }

    /// The place of a change among those that waited; a large number for others.
    private struct Turns {
        private let places: [ExactText: Int]

        init(_ waiting: [ExactText]) {
            places = Dictionary(
                zip(waiting, waiting.indices), uniquingKeysWith: { first, _ in first })
        }

        subscript(_ key: ExactText) -> Int { places[key] ?? .max }
    }

    /// Tries each value by itself, those first that waited. The first one is tried whatever the time.
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

    /// The keys of values in the order in which they are tried. Those that waited are first, and those that only binary
    /// can hold are last. Of the others those are first that make the file grow least, as far as there is time to
    /// tell.
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

    /// The size in bytes of a file with these values alone, and whether only a binary one can hold them.
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
    /// The same error of no value in particular.
    fileprivate var withoutPath: StoreError {
        StoreError(code, what: what, file: file, recovery: recovery, underlying: underlying)
    }

    /// The same error, with the number of changes that there was no time to try.
    fileprivate func mentioning(waiting count: Int) -> StoreError {
        if count == 0 { return self }
        let others = count == 1 ? "1 further change waits" : "\(count) further changes wait"
        return StoreError(
            code, what: "\(what); \(others) for the next call", file: file, path: path,
            recovery: recovery, underlying: underlying)
    }
}

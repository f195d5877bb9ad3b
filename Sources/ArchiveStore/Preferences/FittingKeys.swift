// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList
internal import SystemFiles

/// A search for a set of changes that a file can hold together.
///
/// The search tries changes in their order, together with those chosen before. It halves the number
/// of changes per attempt after each failure, and doubles it after each success. A change that does
/// not fit by itself is left out. Each attempt serializes a whole file, so the search ends at a
/// deadline.
struct FittingKeys {
    /// The keys of the chosen changes, which fit together.
    private(set) var chosen: [ExactText] = []
    /// The keys of the changes that were not tried before the deadline.
    private(set) var untried: [ExactText] = []
    private var leftOut: [(key: ExactText, refusal: StoreError)] = []
    /// The number of all changes.
    private let total: Int
    private let deadline: Double

    /// Chooses changes that fit together, preferring earlier ones.
    ///
    /// The search tries the group of removals first, then the group of additions. Even after the
    /// deadline, it tries each group once, or half of the group if the whole is known not to fit.
    /// If that attempt fails, it still accepts or rejects the first change of the group.
    ///
    /// - Parameters:
    ///   - removals: The keys that are removed. Sometimes only all removals together free enough
    ///     room.
    ///   - additions: The keys that get values.
    ///   - areRefusedTogether: A Boolean value indicating whether all changes together are known
    ///     not to fit.
    ///   - deadline: The time to stop the search, on the clock of `Environment.uptime`.
    ///   - require: A function that throws `unsupportedValue` for changes that do not fit together.
    /// - Throws: The errors of `require` with other codes.
    init(
        removals: [ExactText], additions: [ExactText], areRefusedTogether: Bool,
        until deadline: Double,
        _ require: ([ExactText]) throws(StoreError) -> Void
    ) throws(StoreError) {
        total = removals.count + additions.count
        self.deadline = deadline
        if !areRefusedTogether,
            try refusal(of: (removals + additions)[...], require) == nil
        {
            chosen = removals + additions
            return
        }
        try add(removals[...], require)
        try add(additions[...], require)
        try addAgain(require)
    }

    /// The reason why the first change that was left out does not fit.
    var refusal: StoreError? { leftOut.first?.refusal }

    /// Retries the changes that were left out, because changes chosen later may have made room.
    private mutating func addAgain(
        _ require: ([ExactText]) throws(StoreError) -> Void
    ) throws(StoreError) {
        if chosen.isEmpty || isOver { return }
        let (again, waiting) = (leftOut, untried)
        leftOut = []
        try add(again.map(\.key)[...], require)
        // Changes without time for a retry keep their earlier refusal.
        let late = Set(untried.dropFirst(waiting.count))
        leftOut += again.filter { late.contains($0.key) }
        untried = waiting
    }

    private mutating func add(
        _ keys: ArraySlice<ExactText>, _ require: ([ExactText]) throws(StoreError) -> Void
    ) throws(StoreError) {
        var rest = keys
        var count = keys.count
        while let first = rest.first {
            if isOver, rest.startIndex > keys.startIndex { break }
            // All changes together are known not to fit, so only half of the rest is tried.
            let isAll = chosen.count + min(count, rest.count) == total
            let next = rest.prefix(isAll ? max(rest.count / 2, 1) : count)
            let refusal = try refusal(of: next, require)
            if refusal != nil, next.count > 1 {
                count = isOver ? 1 : next.count / 2
                continue
            }
            if let refusal {
                leftOut.append((first, refusal.at(key: first.text)))
            } else {
                chosen += next
            }
            rest = rest.dropFirst(next.count)
            count = refusal == nil ? 2 * next.count : 1
        }
        untried += rest
    }

    private var isOver: Bool { Environment.uptime >= deadline }

    private func refusal(
        of keys: ArraySlice<ExactText>, _ require: ([ExactText]) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreError? {
        do throws(StoreError) {
            try require(chosen + keys)
            return nil
        } catch {
            guard error.code == .unsupportedValue else { throw error }
            return error
        }
    }
}

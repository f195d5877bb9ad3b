// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList
internal import SystemFiles

/// A search for changes that a file can hold together.
///
/// Changes are tried in their order beside those that were chosen before: half as many at once after each failure,
/// twice as many after each success. One that does not fit by itself is left out. Each attempt makes a whole file, so
/// the search ends at a deadline.
struct FittingKeys {
    /// The keys of the changes that fit together.
    private(set) var chosen: [ExactText] = []
    /// The keys of the changes for which there was no time.
    private(set) var untried: [ExactText] = []
    private var leftOut: [(key: ExactText, refusal: StoreError)] = []
    private let deadline: Double

    /// Chooses those of some changes that fit, the first ones rather than the last ones.
    ///
    /// Whatever the time, all removals are tried together, then all other changes, and of each the first is decided.
    ///
    /// - Parameters:
    ///   - removals: the keys that are removed. They may make room only together.
    ///   - additions: the keys that get values.
    ///   - areRefusedTogether: whether it is known that not all of them fit.
    ///   - deadline: when to end, on the clock of `Environment.uptime`.
    ///   - require: throws `unsupportedValue` for changes that do not fit together.
    /// - Throws: what `require` throws with another code.
    init(
        removals: [ExactText], additions: [ExactText], areRefusedTogether: Bool,
        until deadline: Double,
        _ require: ([ExactText]) throws(StoreError) -> Void
    ) throws(StoreError) {
        self.deadline = deadline
        if !areRefusedTogether,
            try refusal(of: (removals + additions)[...], require) == nil
        {
            chosen = removals + additions
            return
        }
        try add(removals[...], atMost: removals.count, require)
        // All together are not tried twice.
        let isHalf = areRefusedTogether && removals.isEmpty
        try add(additions[...], atMost: isHalf ? additions.count / 2 : additions.count, require)
        try addAgain(require)
    }

    /// The reason why the first of the changes does not fit that are neither chosen nor untried.
    var refusal: StoreError? { leftOut.first?.refusal }

    /// Tries again what was left out: changes that were chosen later may have made room.
    private mutating func addAgain(
        _ require: ([ExactText]) throws(StoreError) -> Void
    ) throws(StoreError) {
        if chosen.isEmpty || isOver { return }
        let (again, waiting) = (leftOut, untried)
        leftOut = []
        try add(again.map(\.key)[...], atMost: again.count, require)
        // A change that there is no time to try again has been refused already.
        let late = Set(untried.dropFirst(waiting.count))
        leftOut += again.filter { late.contains($0.key) }
        untried = waiting
    }

    private mutating func add(
        _ keys: ArraySlice<ExactText>, atMost most: Int,
        _ require: ([ExactText]) throws(StoreError) -> Void
    ) throws(StoreError) {
        var rest = keys
        var count = max(most, 1)
        while let first = rest.first {
            if isOver, rest.startIndex > keys.startIndex { break }
            let next = rest.prefix(count)
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

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// A search for changes that a file can hold together.
///
/// Changes that fit are chosen at once. Others are divided by halves: one that does not fit beside those that were
/// chosen before it is left out. The search ends after ``mostAttempts``, each of which makes a whole file.
struct FittingKeys {
    private static let mostAttempts = 200

    /// The keys of the changes that fit together.
    private(set) var chosen: [ExactText] = []
    /// The reason why the first of the others does not fit.
    private(set) var refusal: StoreError?
    private var attempts = 0
    private var leftOut: [ExactText] = []

    /// Chooses those of some keys that fit, the first ones rather than the last ones.
    ///
    /// - Parameters:
    ///   - removals: the keys that are removed. They make room for others only together, or not at all.
    ///   - additions: the keys that get values.
    ///   - require: throws `unsupportedValue` for changes that do not fit together.
    /// - Throws: An error of `require` other than `unsupportedValue`.
    init(
        removals: [ExactText], additions: [ExactText],
        _ require: ([ExactText]) throws(StoreError) -> Void
    ) throws(StoreError) {
        guard try refusal(of: (removals + additions)[...], require) != nil else {
            chosen = removals + additions
            return
        }
        try add([additions[...], removals[...]], require)
        // Changes that were chosen later may have made room.
        let again = leftOut
        (leftOut, refusal) = ([], nil)
        try add([again[...]], require)
    }

    /// `keys` begin with those that are last.
    private mutating func add(
        _ keys: [ArraySlice<ExactText>], _ require: ([ExactText]) throws(StoreError) -> Void
    ) throws(StoreError) {
        var open = keys
        while let next = open.popLast() {
            guard let first = next.first else { continue }
            guard let refusal = try refusal(of: next, require) else {
                chosen += next
                continue
            }
            if next.count == 1 || attempts == Self.mostAttempts {
                leftOut += next
                self.refusal = self.refusal ?? refusal.at(key: first.text)
            } else {
                let middle = next.startIndex + next.count / 2
                open.append(next[middle...])
                open.append(next[..<middle])
            }
        }
    }

    private mutating func refusal(
        of keys: ArraySlice<ExactText>, _ require: ([ExactText]) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreError? {
        attempts = min(attempts + 1, Self.mostAttempts)
        do throws(StoreError) {
            try require(chosen + keys)
            return nil
        } catch {
            guard error.code == .unsupportedValue else { throw error }
            return error
        }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A search for changes that a file can hold together.
///
/// Changes are tried in their order beside those that were chosen before: as many at once as fitted before, twice as
/// many after each success, half as many after each failure. One that does not fit by itself is left out. Each
/// attempt makes a whole file, so the search ends after ``mostAttempts`` of them, or when they made
/// ``mostBytes``. The first change is decided in any case.
struct FittingKeys {
    /// A change that a file could hold by itself.
    struct Candidate {
        let key: ExactText
        /// The size in bytes of a file with nothing else.
        let size: Int
        let isRemoval: Bool
    }

    private static let mostAttempts = 200
    private static let mostBytes = 64 << 20

    /// The keys of the changes that fit together.
    private(set) var chosen: [ExactText] = []
    /// The keys of the changes that do not fit beside those.
    private(set) var leftOut: Set<ExactText> = []
    /// The keys of the changes for which there was no attempt left.
    private(set) var untried: [ExactText] = []
    /// The reason why the first of the others does not fit.
    private(set) var refusal: StoreError?

    private var attempts = 0
    private var bytes = 0
    private var fileSize: Int

    /// Chooses those of some changes that fit, the first ones rather than the last ones.
    ///
    /// - Parameters:
    ///   - candidates: the changes, removals first. Removals may make room only together.
    ///   - fileSize: the size of the file without them, in bytes.
    ///   - require: throws `unsupportedValue` for changes that do not fit together.
    init(
        _ candidates: [Candidate], fileSize: Int,
        _ require: ([ExactText]) throws(StoreError) -> Void
    ) throws(StoreError) {
        self.fileSize = fileSize
        let removals = candidates.prefix { $0.isRemoval }
        try add(candidates[...], atOnce: removals.count, require)
        // Changes that were chosen later may have made room.
        if untried.isEmpty, !chosen.isEmpty {
            let again = candidates.filter { leftOut.contains($0.key) }
            (leftOut, refusal) = ([], nil)
            try add(again[...], atOnce: 1, require)
        }
    }

    private mutating func add(
        _ candidates: ArraySlice<Candidate>, atOnce count: Int,
        _ require: ([ExactText]) throws(StoreError) -> Void
    ) throws(StoreError) {
        var rest = candidates
        var count = max(count, 1)
        while !rest.isEmpty, !isOver {
            let next = rest.prefix(count)
            guard let refusal = try refusal(of: next, require) else {
                chosen += next.map(\.key)
                fileSize += next.reduce(0) { $0 + $1.size }
                rest = rest.dropFirst(count)
                count *= 2
                continue
            }
            if let only = next.first, next.count == 1 {
                leftOut.insert(only.key)
                self.refusal = self.refusal ?? refusal.at(key: only.key.text)
                rest = rest.dropFirst()
            }
            count = max(next.count / 2, 1)
        }
        untried += rest.map(\.key)
    }

    private var isOver: Bool {
        (attempts >= Self.mostAttempts || bytes >= Self.mostBytes)
            && !(chosen.isEmpty && leftOut.isEmpty)
    }

    private mutating func refusal(
        of candidates: ArraySlice<Candidate>,
        _ require: ([ExactText]) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreError? {
        attempts += 1
        bytes += fileSize + candidates.reduce(0) { $0 + $1.size }
        do throws(StoreError) {
            try require(chosen + candidates.map(\.key))
            return nil
        } catch {
            guard error.code == .unsupportedValue else { throw error }
            return error
        }
    }
}

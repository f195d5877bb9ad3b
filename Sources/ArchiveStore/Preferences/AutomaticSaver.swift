// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList
internal import SystemFiles

/// Saves the changes of preferences some time after the first of them, and again where that fails.
///
/// Nothing runs while there are no changes: a task is made for each time of saving. It ends with the process.
final class AutomaticSaver: Sendable {
    private struct State {
        /// Whether a task is waiting to save.
        var isScheduled = false
        /// The number of failures since changes were last saved.
        var failures = 0
        /// The time of the first of them, on the clock of `Environment.uptime`.
        var firstFailure = 0.0
        /// The kind of the failure that was reported last.
        var reported: StoreError.Code?
    }

    // The seconds that a task waits for other programs and threads. It has a thread that others need too.
    private static let patience = 0.1
    private static let longestPause = 60.0

    private let delay: Double
    private let onFailure: FailureHandler
    private let state = Guarded(State())

    init(delay: Double, _ onFailure: FailureHandler) {
        self.delay = delay
        self.onFailure = onFailure
    }

    /// Sees to it that a change that was just made is saved. The preferences live until then.
    func noteChange(of preferences: Preferences) { schedule(preferences, after: delay) }

    /// Makes a task that saves after some seconds, unless there is one already.
    private func schedule(_ preferences: Preferences, after seconds: Double) {
        let isFirst = state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard isFirst else { return }
        // Before the task, which removes them.
        UnsavedPreferences.all.add(preferences)
        Task.detached(priority: .utility) {
            try? await Task.sleep(nanoseconds: UInt64(seconds * 1e9))
            self.save(preferences)
        }
    }

    private func save(_ preferences: Preferences) {
        // A change from here on makes a new task.
        state.withLock { $0.isScheduled = false }
        do throws(StoreError) {
            try preferences.save(within: Self.patience)
            state.withLock { state in
                (state.failures, state.reported) = (0, nil)
            }
            UnsavedPreferences.all.removeIfSaved(preferences)
        } catch {
            if isToBeReported(error, patience: preferences.timeout) { onFailure(error) }
            // Values that the file cannot hold are tried again when something is changed.
            if error.code != .unsupportedValue || preferences.hasUntriedChanges {
                schedule(preferences, after: pause)
            }
        }
    }

    /// Counts a failure. Of several in a row with the same code the first one is reported. Other programs may keep
    /// the file locked for as long as `synchronize()` would wait.
    private func isToBeReported(_ error: StoreError, patience: Double) -> Bool {
        let now = Environment.uptime
        return state.withLock { state in
            if state.failures == 0 { state.firstFailure = now }
            state.failures += 1
            if error.code == .busy, now - state.firstFailure < patience { return false }
            defer { state.reported = error.code }
            return state.reported != error.code
        }
    }

    /// The seconds until the next attempt: twice as many after each failure.
    private var pause: Double {
        let failures = state.withLock { min($0.failures, 16) }
        return min(max(delay, Self.patience) * Double(1 << failures), Self.longestPause)
    }
}

/// The preferences whose changes are to be saved when the program ends.
///
/// Saving at the end takes a function that the C library calls. It is registered with the first change of the first
/// preferences that are saved without a call.
final class UnsavedPreferences: Sendable {
    static let all = UnsavedPreferences()

    // The seconds that a program takes longer to end, at most, for all preferences together, where others keep files
    // locked.
    private static let patience = 2.0

    private let preferences = Guarded<[ObjectIdentifier: Preferences]>([:])
    private let process = Environment.processNumber

    private init() { Environment.onExit { UnsavedPreferences.all.save() } }

    /// Adds preferences, which live until their changes are saved.
    func add(_ new: Preferences) {
        preferences.withLock { $0[ObjectIdentifier(new)] = new }
    }

    /// Removes preferences, unless they have been changed since they were saved.
    func removeIfSaved(_ saved: Preferences) {
        // The preferences are released after the lock.
        _ = preferences.withLock { preferences in
            saved.isUnsaved ? nil : preferences.removeValue(forKey: ObjectIdentifier(saved))
        }
    }

    private func save() {
        // A child that was forked off has a copy of the changes, but they are the parent's.
        guard process == Environment.processNumber else { return }
        let deadline = Environment.deadline(after: Self.patience)
        for preferences in preferences.withLock({ Array($0.values) }) {
            do throws(StoreError) {
                try preferences.save(within: max(deadline - Environment.uptime, 0))
            } catch {
                preferences.onFailure(error)
            }
        }
    }
}

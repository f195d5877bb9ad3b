// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList
internal import SystemFiles

/// A saver of changed preferences. It saves them when a delay since the first change has passed,
/// and retries if saving fails.
///
/// Each save has a task of its own, so nothing runs while there are no changes. A task does not
/// outlive the process.
final class AutomaticSaver: Sendable {
    private struct State {
        /// A Boolean value indicating whether a task is waiting to save.
        var isScheduled = false
        /// A Boolean value indicating whether the preferences are in ``UnsavedPreferences/all``. It
        /// may be false although they are.
        var isListed = false
        /// The number of failures since the last successful save.
        var failures = 0
        /// The time of the first of these failures, on the clock of `Environment.uptime`.
        var firstFailure = 0.0
        /// The code of the failure reported last.
        var reported: StoreError.Code?
    }

    // The seconds that a task waits for other programs and threads. A waiting task blocks a thread
    // that other tasks need.
    private static let patience = 0.1
    private static let longestPause = 60.0

    private let delay: Double
    private let onFailure: FailureHandler
    private let state = Guarded(State())

    init(delay: Double, _ onFailure: FailureHandler) {
        self.delay = delay
        self.onFailure = onFailure
    }

    /// Schedules saving a change that was just made. The preferences stay in memory until they are
    /// saved.
    func noteChange(of preferences: Preferences) { schedule(preferences, after: delay) }

    /// Starts a task that saves after some seconds, unless one is already waiting.
    private func schedule(_ preferences: Preferences, after seconds: Double) {
        let (isScheduled, isListed) = state.withLock { state in
            defer { (state.isScheduled, state.isListed) = (true, true) }
            return (state.isScheduled, state.isListed)
        }
        // The preferences are added before the task starts, because the task removes them. They are
        // added again if `synchronize()` has removed them while the task waits.
        if !isListed { UnsavedPreferences.all.add(preferences) }
        if isScheduled { return }
        Task.detached(priority: .utility) {
            try? await Task.sleep(nanoseconds: UInt64(seconds * 1e9))
            self.save(preferences)
        }
    }

    /// Removes preferences from the list of those that are saved at exit, unless they have changed
    /// since they were saved. Afterwards, a change adds them again.
    func unlistIfSaved(_ preferences: Preferences) {
        // A change after this line adds the preferences, and they are then not removed.
        state.withLock { $0.isListed = false }
        UnsavedPreferences.all.removeIfSaved(preferences)
    }

    private func save(_ preferences: Preferences) {
        // From here on, a change schedules a new task.
        state.withLock { $0.isScheduled = false }
        do throws(StoreError) {
            try preferences.save(within: Self.patience)
            state.withLock { state in
                (state.failures, state.reported) = (0, nil)
            }
            unlistIfSaved(preferences)
        } catch {
            if isToBeReported(error, patience: preferences.timeout) { onFailure(error) }
            // Values that the file cannot hold are tried again only after another change.
            if error.code != .unsupportedValue || preferences.hasUntriedChanges {
                schedule(preferences, after: pause)
            }
        }
    }

    /// Counts a failure and returns whether to report it. Of several failures in a row with the
    /// same code, only the first one is reported. A locked file is reported only after the time
    /// that `synchronize()` would wait for it.
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

    /// The pause before the next attempt, in seconds. It doubles after each failure, up to
    /// `longestPause`.
    private var pause: Double {
        let failures = state.withLock { min($0.failures, 16) }
        return min(max(delay, Self.patience) * Double(1 << failures), Self.longestPause)
    }
}

/// The preferences whose unsaved changes are saved when the program exits.
///
/// An exit handler saves them. It is registered at the first change to any preferences that are
/// saved automatically.
final class UnsavedPreferences: Sendable {
    static let all = UnsavedPreferences()

    // The maximum number of seconds that saving delays the exit while other programs keep files
    // locked. The limit applies to all preferences together.
    private static let patience = 2.0

    private let preferences = Guarded<[ObjectIdentifier: Preferences]>([:])
    private let process = Environment.processIdentifier

    private init() { Environment.onExit { UnsavedPreferences.all.save() } }

    /// Adds preferences, which stay in memory until their changes are saved.
    func add(_ new: Preferences) {
        preferences.withLock { $0[ObjectIdentifier(new)] = new }
    }

    /// Removes preferences, unless they have changed since they were saved.
    func removeIfSaved(_ saved: Preferences) {
        // The preferences are released after the lock.
        _ = preferences.withLock { preferences in
            saved.isUnsaved ? nil : preferences.removeValue(forKey: ObjectIdentifier(saved))
        }
    }

    private func save() {
        // A forked child has a copy of the changes, but only its parent saves them.
        guard process == Environment.processIdentifier else { return }
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

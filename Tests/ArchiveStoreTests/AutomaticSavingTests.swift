// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import SystemFiles
import TestSupport
import Testing

@testable import ArchiveStore

@Suite("Automatic saving of preferences")
struct AutomaticSavingTests {
    private let folder: TemporaryFolder
    private let failures = Failures()

    init() throws { folder = try TemporaryFolder() }

    /// Collects the failures that a handler received.
    private final class Failures: Sendable {
        private let errors = Guarded<[StoreError]>([])

        var all: [StoreError] { errors.copy }

        var handler: FailureHandler {
            FailureHandler { error in
                if let error = error as? StoreError { self.errors.withLock { $0.append(error) } }
            }
        }
    }

    private func preferences(
        _ saving: Preferences.Saving = .automatic(after: 0.01), timeout: Double = 30
    ) throws -> Preferences {
        try Preferences(
            domain: "a", folder: folder.path, timeout: timeout, saving: saving,
            onFailure: failures.handler)
    }

    private var stored: PropertyListDictionary {
        get throws {
            try Preferences(domain: "a", folder: folder.path, saving: .onRequest).storedValues
        }
    }

    /// Waits at most two minutes for a condition. The limit is generous, because saving waits
    /// longer after each failure.
    ///
    /// This function blocks the thread. A suspended task would resume only after all tests that are
    /// ready to run, which takes minutes.
    private func wait(until condition: () throws -> Bool) throws {
        for _ in 0..<12_000 {
            if try condition() { return }
            Thread.sleep(forTimeInterval: 0.01)
        }
        Issue.record("the condition was still false after two minutes")
    }

    @Test("changes are saved after a delay, including changes made during a save")
    func later() throws {
        let store = try preferences()
        for number in 0..<20 {
            store["\(number)"] = number
            Thread.sleep(forTimeInterval: 0.005)
        }
        store.removeValue(forKey: "0")
        try wait { try stored.count == 19 && !store.isUnsaved }
        #expect(failures.all.isEmpty)
    }

    // Inlined into the test, this function makes the optimizer of Swift 6.3 crash.
    @inline(never)
    private func change() throws { try preferences().set(1, forKey: "a") }

    @Test("changes are saved after the last reference to the preferences is gone")
    func released() throws {
        try change()
        try wait { try stored == ["a": 1] }
    }

    @Test("preferences are released once their changes are saved")
    func notRetained() throws {
        weak var released: Preferences?
        do {
            let store = try preferences()
            released = store
            store["a"] = 1
        }
        try wait { released == nil }
        do {
            let store = try preferences(.automatic(after: 0))
            released = store
            store["a"] = 2
            try store.synchronize()
        }
        try wait { released == nil }
        #expect(try stored == ["a": 2])
    }

    @Test("without automatic saving, only explicit calls save")
    func onRequest() throws {
        weak var released: Preferences?
        do {
            let store = try preferences(.onRequest)
            released = store
            store["a"] = 1
            #expect(try stored.isEmpty)
            try store.synchronize()
            #expect(try stored == ["a": 1])
            store["b"] = 2
        }
        // Pending automatic saving would keep the preferences in memory.
        #expect(released == nil)
        #expect(try stored == ["a": 1])
    }

    @Test("changes by other programs are visible after saving")
    func others() throws {
        let store = try preferences()
        let other = try preferences(.onRequest)
        other["b"] = 2
        try other.synchronize()
        store["a"] = 1
        try wait { store.integer(forKey: "b") == 2 }
        #expect(try stored == ["b": 2, "a": 1])
    }

    @Test("a failure is reported once, and saving resumes when its cause is gone")
    func failure() throws {
        let store = try preferences()
        let lock = store.file + ".lock"
        try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: false)
        store["a"] = 1
        try wait { !failures.all.isEmpty }
        Thread.sleep(forTimeInterval: 0.5)
        #expect(failures.all.count == 1 && failures.all.first?.code == .fileAccess)
        #expect(failures.all.first?.file == lock)
        #expect(store.integer(forKey: "a") == 1 && store.isUnsaved)
        try FileManager.default.removeItem(atPath: lock)
        try wait { try stored == ["a": 1] }
        #expect(failures.all.count == 1)
    }

    @Test("a value that the file cannot hold is reported, and all others are saved")
    func unsupported() throws {
        let store = try preferences()
        store["when"] = Date(timeIntervalSinceReferenceDate: .infinity)
        store["a"] = 1
        try wait { !failures.all.isEmpty }
        try wait { try stored == ["a": 1] }
        #expect(failures.all.map(\.code) == [.unsupportedValue])
        #expect(failures.all.first?.path?.description == "when")
        store["when"] = Date(timeIntervalSinceReferenceDate: 1)
        try wait { try stored.count == 2 }
        #expect(failures.all.count == 1)
    }

    @Test("a lock held by another program is not reported before the timeout")
    func locked() throws {
        let store = try preferences(timeout: 1)
        let lock = try FileLock(
            creating: store.file + ".lock", mode: 0o600, for: store.file,
            deadline: Environment.deadline(after: 10))
        let start = Environment.uptime
        store["a"] = 1
        try wait { !failures.all.isEmpty }
        #expect(Environment.uptime - start >= 1)
        #expect(failures.all.map(\.code) == [.busy])
        lock.release()
        try wait { try stored == ["a": 1] }
    }

    @Test("invalid delays for saving are replaced by valid ones")
    func delays() {
        #expect(Preferences.Saving.automatic == .automatic(after: .nan))
        #expect(Preferences.Saving.automatic(after: -1) == .automatic(after: 0))
        #expect(Preferences.Saving.automatic(after: .infinity).delay == 86_400)
        #expect(Preferences.Saving.onRequest.delay == nil)
    }

    #if Stores
    @Test("changes are saved when a program returns from main or calls exit")
    func atExit() throws {
        for end in ["return", "exit", "synchronized"] {
            let (status, output) = try Program.run("StorePeer", ["unsaved", folder.path, end])
            #expect(status == 0 && output.isEmpty, "\(output)")
            #expect(try stored == ["a": .string(end)])
        }
        let (status, output) = try Program.run("StorePeer", ["unsaved", folder.path, "_exit"])
        #expect(status == 0 && output.isEmpty, "\(output)")
        #expect(try stored == ["a": "synchronized"])
    }

    #if os(Linux)
    @Test("a forked child does not save the changes of its parent")
    func fork() throws {
        let (status, output) = try Program.run("StorePeer", ["unsaved", folder.path, "fork"])
        #expect(status == 0 && output.isEmpty, "\(output)")
        #expect(try stored.isEmpty)
    }
    #endif

    @Test("a failure at exit prints one line on standard error, and the program exits soon")
    func failureAtExit() throws {
        let lock = try preferences().file + ".lock"
        try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: false)
        let (status, output) = try Program.run("StorePeer", ["unsaved", folder.path, "return"])
        #expect(status == 0)
        #expect(output.hasPrefix("store: ") && output.contains(lock), "\(output)")
        #expect(output.filter { $0 == "\n" }.count == 1, "\(output)")
        try FileManager.default.removeItem(atPath: lock)
        let held = try FileLock(
            creating: lock, mode: 0o600, for: lock, deadline: Environment.deadline(after: 10))
        defer { held.release() }
        let start = Environment.uptime
        let busy = try Program.run("StorePeer", ["unsaved", folder.path, "return"])
        #expect(Environment.uptime - start < 20)
        #expect(busy.status == 0 && busy.output.hasPrefix("store: "), "\(busy.output)")
        #expect(try stored.isEmpty)
    }

    @Test(
        "a failure at exit with no reader on standard error does not kill the program with a signal"
    )
    func brokenPipe() throws {
        let lock = try preferences().file + ".lock"
        try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: false)
        for redirection in ["2> >(exit)", "2>&-"] {
            let (status, output) = try Program.run(
                URL(filePath: "/bin/bash"),
                [
                    "-c",
                    "(sleep 0.3; exec \"$0\" unsaved \"$1\" return) \(redirection); echo $?",
                    Program.url("StorePeer").path, folder.path,
                ], in: [:])
            #expect(status == 0 && output == "0\n", "\(output)")
        }
    }
    #endif
}

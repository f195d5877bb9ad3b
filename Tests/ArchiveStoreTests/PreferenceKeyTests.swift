// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveStore
import Foundation
import KeyedArchive
import PropertyList
import PropertyListCodable
import TestSupport
import Testing

@Suite("Typed keys of preferences")
struct PreferenceKeyTests {
    private enum Theme: String { case light, dark }
    private enum Size: Int, Codable, PropertyListConvertible { case small = 1, large }
    private struct Sides: OptionSet, Codable {
        let rawValue: Int
        static let left = Sides(rawValue: 1)
        static let right = Sides(rawValue: 2)
    }
    private struct Window: Codable, Equatable {
        var title: String
        var theme: [String: Int] = [:]
    }
    /// A type whose values can be neither encoded nor decoded.
    private struct Secretive: Codable, Equatable {
        init() {}
        init(from decoder: any Decoder) throws { throw CocoaError(.coderReadCorrupt) }
        func encode(to encoder: any Encoder) throws { throw CocoaError(.coderInvalidValue) }
    }

    private enum Keys {
        static let site = Preferences.Key<URL>("site", default: URL(fileURLWithPath: "/"))
        static let device = Preferences.Key<UUID?>("device")
        static let theme = Preferences.Key<Theme>("theme", default: .light)
        static let lastTheme = Preferences.Key<Theme?>("lastTheme")
        static let size = Preferences.Key<Size>("size", default: .small)
        static let lastSize = Preferences.Key<Size?>("lastSize")
        static let sides = Preferences.Key<Sides>("sides", default: [])
        static let windows = Preferences.Key<[Window]>("windows", default: [])
        static let main = Preferences.Key<Window?>("main")
        static let small = Preferences.Key<Int8>("small", default: 0)
        static let any = Preferences.Key<PropertyListValue>("any", default: [])
        static let maybeAny = Preferences.Key<PropertyListValue?>("maybeAny")
        static let volume = Preferences.Key<Double>("volume", default: 0.5)
        static let secretive = Preferences.Key<Secretive>("secretive", default: Secretive())
    }

    private let failures = Guarded<[StoreError]>([])

    private func cache() -> MemoryCache {
        MemoryCache(
            onFailure: FailureHandler { [failures] error in
                if let error = error as? StoreError { failures.withLock { $0.append(error) } }
            })
    }

    @Test("values of all kinds round-trip, also through a file; a missing value gives the default")
    func values() throws {
        let folder = try TemporaryFolder()
        let memory = cache()
        let file = try Preferences(domain: "a", folder: folder.path, saving: .onRequest)
        let id = UUID()
        for store in [memory, file] as [any KeyValueStore] {
            #expect(store[Keys.site] == URL(fileURLWithPath: "/"))
            #expect(store[Keys.device] == nil && store[Keys.theme] == .light)
            store[Keys.site] = try #require(URL(string: "https://example.com/a?b=c"))
            store[Keys.device] = id
            store[Keys.theme] = .dark
            store[Keys.lastTheme] = .dark
            store[Keys.size] = .large
            store[Keys.lastSize] = .large
            store[Keys.sides] = [.left, .right]
            store[Keys.windows] = [Window(title: "a", theme: ["b": 1]), Window(title: "c")]
            store[Keys.main] = Window(title: "main")
            store[Keys.small] = -8
            store[Keys.any] = ["mixed", 1]
            store[Keys.maybeAny] = 2
            store[Keys.volume] = 1
            try store.synchronize()
        }
        let again = try Preferences(domain: "a", folder: folder.path, saving: .onRequest)
        for store in [memory, file, again] as [any KeyValueStore] {
            #expect(store[Keys.site].absoluteString == "https://example.com/a?b=c")
            #expect(store[Keys.device] == id)
            #expect(store[Keys.theme] == .dark && store[Keys.lastTheme] == .dark)
            #expect(store[Keys.size] == .large && store[Keys.lastSize] == .large)
            #expect(store[Keys.sides] == [.left, .right])
            #expect(
                store[Keys.windows] == [Window(title: "a", theme: ["b": 1]), Window(title: "c")])
            #expect(store[Keys.main] == Window(title: "main"))
            #expect(store[Keys.small] == -8 && store[Keys.volume] == 1)
            #expect(store[Keys.any] == ["mixed", 1] && store[Keys.maybeAny] == 2)
            #expect(store.string(forKey: "theme") == "dark" && store.integer(forKey: "size") == 2)
        }
        #expect(failures.copy.isEmpty)
    }

    @Test(
        "nil removes the stored value; registered defaults take precedence over the key's default")
    func defaults() throws {
        let store = cache()
        store.register(defaults: ["volume": 0.75, "device": .string(UUID().uuidString)])
        #expect(store[Keys.volume] == 0.75)
        store[Keys.volume] = 0.25
        #expect(store[Keys.volume] == 0.25)
        store.removeValue(for: Keys.volume)
        #expect(store[Keys.volume] == 0.75)
        store[Keys.lastTheme] = .dark
        store[Keys.main] = Window(title: "main")
        store[Keys.maybeAny] = 1
        store[Keys.lastTheme] = nil
        store[Keys.main] = nil
        store[Keys.maybeAny] = nil
        #expect(store.storedValues.isEmpty && store[Keys.device] != nil)
    }

    @Test(
        "a stored value of another type reads as the default, and `value(for:)` throws the reason")
    func otherTypes() throws {
        let store = cache()
        store["theme"] = "purple"
        store["volume"] = "loud"
        store["windows"] = [["title": 1]]
        #expect(store[Keys.theme] == .light && store[Keys.volume] == 0.5)
        #expect(store[Keys.windows] == [])
        let theme = #expect(throws: StoreError.self) { try store.value(for: Keys.theme) }
        #expect(
            theme?.description
                == "store: expected Theme, found a stored value of kind string, in theme "
                + "(read it with `value(forKey:)`, or remove it with `removeValue(for:)`)")
        let windows = #expect(throws: StoreError.self) { try store.value(for: Keys.windows) }
        #expect(windows?.code == .unsupportedValue && windows?.underlying is DecodingError)
        #expect(windows?.path?.description == "windows[0].title")
        #expect(windows?.description.contains("expected String") == true)
        #expect(failures.copy.isEmpty)
    }

    @Test("a value that cannot be stored is reported or thrown, and the old value is kept")
    func refused() throws {
        let store = cache()
        store[Keys.any] = 1
        store[Keys.any] = [1, .null]
        #expect(store[Keys.any] == 1)
        #expect(failures.copy.map(\.code) == [.unsupportedValue])
        #expect(failures.copy.first?.path?.description == "any[1]")
        let error = #expect(throws: StoreError.self) {
            try store.set(Secretive(), for: Keys.secretive)
        }
        #expect(error?.path?.description == "secretive" && error?.underlying is CocoaError)
        store[Keys.secretive] = Secretive()
        #expect(failures.copy.count == 2)
    }

    @Test(
        "URLs are read in each form that UserDefaults uses, and written as it writes them")
    func urls() throws {
        let store = cache()
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: #require(NSURL(string: "https://example.com/")),
            requiringSecureCoding: true)
        store["archived"] = archive
        store["path"] = "/srv/a b"
        store["home"] = "~/a"
        store["text"] = "https://example.com/b"
        store["neither"] = "a/b"
        store["junk"] = Data([1, 2])
        #expect(store.url(forKey: "archived")?.absoluteString == "https://example.com/")
        #expect(store.url(forKey: "path")?.path == "/srv/a b")
        #expect(store.url(forKey: "path")?.isFileURL == true)
        #expect(store.url(forKey: "home")?.path == NSHomeDirectory() + "/a")
        #expect(store.url(forKey: "text")?.host() == "example.com")
        #expect(store.url(forKey: "neither") == nil && store.url(forKey: "junk") == nil)
        store["relative"] = URL(string: "c", relativeTo: URL(string: "https://d/e/"))
        #expect(store.url(forKey: "relative")?.absoluteString == "https://d/e/c")
        let written = try NSKeyedUnarchiver.unarchivedObject(
            ofClass: NSURL.self, from: #require(store.data(forKey: "relative")))
        #expect(written?.absoluteString == "https://d/e/c")
        store["list"] = [URL(fileURLWithPath: "/a"), URL(fileURLWithPath: "/b")]
        #expect(store.value([URL].self, forKey: "list")?.map(\.path) == ["/a", "/b"])
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveStore
import Foundation
import PropertyList
import TestSupport
import Testing

@Suite("Caches of objects")
struct ObjectCacheTests {
    @Test("objects are set, read, replaced and removed")
    func values() {
        let cache = ObjectCache<String, [Int]>()
        cache["a"] = [1]
        cache.set([2], forKey: "b", cost: 5)
        cache.set([3], forKey: "b", cost: 7)
        #expect(cache["a"] == [1] && cache["b"] == [3] && cache["c"] == nil)
        #expect(cache.count == 2 && cache.cost == 7)
        cache["b"] = nil
        #expect(cache["b"] == nil && cache.count == 1 && cache.cost == 0)
        cache.removeAll()
        #expect(cache.count == 0 && cache["a"] == nil)
    }

    @Test("a full cache evicts the least recently used objects")
    func limits() {
        let cache = ObjectCache<Int, Int>(countLimit: 3, costLimit: 10)
        for number in 0..<3 { cache.set(number, forKey: number, cost: 2) }
        #expect(cache[0] == 0)
        cache.set(3, forKey: 3, cost: 2)
        #expect(cache[1] == nil && cache[0] == 0 && cache[2] == 2 && cache[3] == 3)
        cache.set(4, forKey: 4, cost: 7)
        #expect(cache[0] == nil && cache[2] == nil && cache[3] == 3 && cache[4] == 4)
        #expect(cache.cost == 9)
        // An object over the limit is not kept, and the object that it replaces is removed.
        cache.set(5, forKey: 4, cost: 11)
        #expect(cache[4] == nil && cache[3] == 3 && cache.cost == 2)
    }

    @Test("negative, zero and huge limits and costs do not trap")
    func oddNumbers() {
        for limit in [0, -1, Int.min] {
            let few = ObjectCache<Int, Int>(countLimit: limit)
            few[1] = 1
            #expect(few.count == 0)
            let cheap = ObjectCache<Int, Int>(costLimit: limit)
            cheap.set(1, forKey: 1, cost: 1)
            cheap.set(2, forKey: 2, cost: -5)
            #expect(cheap[1] == nil && cheap[2] == 2 && cheap.cost == 0)
        }
        let dear = ObjectCache<Int, Int>(costLimit: .max)
        let free = ObjectCache<Int, Int>()
        for number in 0..<5 {
            dear.set(number, forKey: number, cost: .max)
            free.set(number, forKey: number, cost: .max)
        }
        #expect(dear.count == 1 && dear.cost == .max && free.count == 5)
        for number in 0..<5 {
            #expect(free.cost == .max)
            free[number] = nil
        }
        #expect(free.cost == 0)
    }

    @Test("a cache behaves like a simple model under random operations")
    func model() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix64(seed: seed)
        let cache = ObjectCache<Int, Int>(countLimit: 8, costLimit: 40)
        var model: [(key: Int, value: Int, cost: Int)] = []
        for step in 0..<20_000 {
            let key = Int.random(in: 0..<16, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let place = model.firstIndex { $0.key == key }
                #expect(cache[key] == place.map { model[$0].value }, "seed \(seed)")
                if let place { model.append(model.remove(at: place)) }
            case 1:
                cache[key] = nil
                model.removeAll { $0.key == key }
            default:
                let cost = Int.random(in: 0...12, using: &random)
                cache.set(step, forKey: key, cost: cost)
                model.removeAll { $0.key == key }
                model.append((key, step, cost))
                while model.count > 8 || model.reduce(0, { $0 + $1.cost }) > 40 {
                    model.removeFirst()
                }
            }
            #expect(cache.count == model.count, "seed \(seed)")
            #expect(cache.cost == model.reduce(0) { $0 + $1.cost }, "seed \(seed)")
        }
    }

    /// Uses its cache in its deinitializer.
    private final class Clinging: Hashable, Sendable {
        let number: Int
        let cache: ObjectCache<Clinging, Clinging>
        let ends: Guarded<Int>

        init(_ number: Int, _ cache: ObjectCache<Clinging, Clinging>, _ ends: Guarded<Int>) {
            self.number = number
            self.cache = cache
            self.ends = ends
        }

        static func == (left: Clinging, right: Clinging) -> Bool { left.number == right.number }

        func hash(into hasher: inout Hasher) { hasher.combine(number) }

        deinit {
            _ = cache.count
            ends.withLock { $0 += 1 }
        }
    }

    @Test("keys and objects that use the cache in their deinitializers do not deadlock")
    func endings() {
        let cache = ObjectCache<Clinging, Clinging>(countLimit: 2)
        let ends = Guarded(0)
        func clinging(_ number: Int) -> Clinging { Clinging(number, cache, ends) }
        for number in 0..<5 { cache[clinging(number)] = clinging(-number) }
        // Three keys and three objects.
        #expect(ends.copy == 6)
        cache[clinging(4)] = clinging(-4)
        cache[clinging(3)] = nil
        cache.removeAll()
        // Seven keys and six objects.
        #expect(ends.copy == 13)
    }

    @Test("many threads can use one cache")
    func threads() async {
        let cache = ObjectCache<Int, Int>(countLimit: 100)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<2000 {
                        cache[number % 150] = task
                        _ = cache[(number * 7) % 150]
                    }
                }
            }
        }
        #expect(cache.count <= 100 && cache.count > 0)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// Objects by their keys that do not outlive the process, within limits of their number and cost; like `NSCache`.
///
/// ```swift
/// let images = ObjectCache<String, Picture>(costLimit: 1 << 20)
/// images.set(picture, forKey: "anna", cost: picture.bytes.count)
/// let cached = images["anna"]
/// ```
///
/// When a limit is exceeded, those objects are removed that have not been read or set for longest. Each call takes
/// constant time, apart from the removals. All threads may use a cache.
///
/// The limits are exact, unlike those of `NSCache`, and nothing else is removed: not when the system runs low on
/// memory, and not when an app goes to the background. Call ``removeAll()`` then.
public final class ObjectCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The most objects that are kept; nil is no limit.
    public let countLimit: Int?
    /// The highest sum of the costs of the objects that are kept; nil is no limit.
    public let costLimit: Int?
    private let table = Guarded(CacheTable<Key, Value>())

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - countLimit: the most objects that are kept; nil is no limit. A negative number is 0.
    ///   - costLimit: the highest sum of costs that is kept; nil is no limit. A negative number is 0.
    public init(countLimit: Int? = nil, costLimit: Int? = nil) {
        self.countLimit = countLimit
        self.costLimit = costLimit
    }

    /// The object of a key; nil where there is none. An object that is set by the subscript has no cost. Setting nil
    /// removes the object.
    public subscript(key: Key) -> Value? {
        get { table.withLock { $0.value(key) } }
        set { set(newValue, forKey: key, cost: 0) }
    }

    /// Keeps an object, instead of the one that the key has; nil removes it.
    ///
    /// - Parameters:
    ///   - value: the object.
    ///   - key: the key.
    ///   - cost: the cost of the object, such as its size in bytes; a negative one is 0. An object that exceeds the
    ///     limit by itself is not kept, and neither is the one that the key had.
    public func set(_ value: Value?, forKey key: Key, cost: Int = 0) {
        // Objects are released after the lock: they may use the cache when they end.
        let removed = table.withLock { table -> [Value] in
            var removed = table.remove(key).map { [$0] } ?? []
            guard let value else { return removed }
            let cost = max(cost, 0)
            if let costLimit, cost > max(costLimit, 0) { return removed }
            table.insert(value, key, cost)
            while table.exceeds(countLimit, costLimit), let oldest = table.removeOldest() {
                removed.append(oldest)
            }
            return removed
        }
        _ = removed
    }

    /// Removes all objects. Linear in their number.
    public func removeAll() {
        let removed = table.withLock { table in
            defer { table = CacheTable() }
            return table
        }
        _ = removed
    }

    /// The number of objects.
    public var count: Int { table.withLock { $0.count } }

    /// The sum of the costs of the objects.
    public var cost: Int { table.withLock { $0.cost } }
}

/// Objects by their keys, in the order in which they were used last.
private struct CacheTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// An object, and the places of those that were used just before and after it.
    private struct Entry {
        let key: Key
        let value: Value
        let cost: Int
        var older: Int?
        var newer: Int?
    }

    private var places: [Key: Int] = [:]
    // Free places are nil.
    private var entries: [Entry?] = []
    private var free: [Int] = []
    private var oldest: Int?
    private var newest: Int?
    // Without a limit of cost the sum may be beyond what fits.
    private var sum: UInt = 0

    var cost: Int { Int(clamping: sum) }

    var count: Int { places.count }

    /// Whether a limit is exceeded.
    func exceeds(_ countLimit: Int?, _ costLimit: Int?) -> Bool {
        countLimit.map { count > $0 } ?? false
            || costLimit.map { sum > UInt(clamping: $0) } ?? false
    }

    mutating func value(_ key: Key) -> Value? {
        guard let place = places[key], let entry = entries[place] else { return nil }
        unlink(place)
        link(place)
        return entry.value
    }

    mutating func insert(_ value: Value, _ key: Key, _ cost: Int) {
        let entry = Entry(key: key, value: value, cost: cost)
        let place = free.popLast() ?? entries.count
        if place == entries.count { entries.append(entry) } else { entries[place] = entry }
        places[key] = place
        link(place)
        sum &+= UInt(clamping: cost)
    }

    mutating func remove(_ key: Key) -> Value? {
        guard let place = places.removeValue(forKey: key) else { return nil }
        unlink(place)
        guard let entry = entries[place] else { return nil }
        entries[place] = nil
        free.append(place)
        sum &-= UInt(clamping: entry.cost)
        return entry.value
    }

    mutating func removeOldest() -> Value? {
        oldest.flatMap { entries[$0]?.key }.flatMap { remove($0) }
    }

    /// Makes an entry the newest one.
    private mutating func link(_ place: Int) {
        entries[place]?.older = newest
        entries[place]?.newer = nil
        if let newest { entries[newest]?.newer = place }
        newest = place
        if oldest == nil { oldest = place }
    }

    private mutating func unlink(_ place: Int) {
        guard let entry = entries[place] else { return }
        if let older = entry.older {
            entries[older]?.newer = entry.newer
        } else {
            oldest = entry.newer
        }
        if let newer = entry.newer {
            entries[newer]?.older = entry.older
        } else {
            newest = entry.older
        }
    }
}

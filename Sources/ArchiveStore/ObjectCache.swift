// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// An in-memory cache of objects by key, with limits on their number and their total cost, like
/// `NSCache`.
///
/// ```swift
/// let images = ObjectCache<String, Picture>(costLimit: 1 << 20)
/// images.set(picture, forKey: "anna", cost: picture.bytes.count)
/// let cached = images["anna"]
/// ```
///
/// When a limit is exceeded, the least recently used objects are removed. Each call takes constant
/// time, apart from the removals. A cache can be used from all threads.
///
/// Unlike `NSCache`, the cache enforces its limits exactly and removes objects for no other reason.
/// It does not react when memory is low or when an app goes to the background. Call ``removeAll()``
/// then.
public final class ObjectCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The maximum number of objects; nil means no limit.
    public let countLimit: Int?
    /// The maximum sum of the costs of all objects; nil means no limit.
    public let costLimit: Int?
    private let table = Guarded(CacheTable<Key, Value>())

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - countLimit: The maximum number of objects; nil means no limit. A negative number counts
    ///     as 0.
    ///   - costLimit: The maximum sum of the costs of all objects; nil means no limit. A negative
    ///     number counts as 0.
    public init(countLimit: Int? = nil, costLimit: Int? = nil) {
        self.countLimit = countLimit
        self.costLimit = costLimit
    }

    /// The object for a key, or nil if there is none. An object that is set by the subscript has
    /// cost 0. Setting nil removes the object.
    public subscript(key: Key) -> Value? {
        get { table.withLock { $0.value(key) } }
        set { set(newValue, forKey: key, cost: 0) }
    }

    /// Stores an object under a key, replacing the previous one. Removes the object of the key if
    /// the value is nil.
    ///
    /// - Parameters:
    ///   - value: The object.
    ///   - key: The key.
    ///   - cost: The cost of the object, such as its size in bytes. A negative cost counts as 0. An
    ///     object whose cost alone exceeds the limit is not stored, and the previous object of the
    ///     key is removed.
    public func set(_ value: Value?, forKey key: Key, cost: Int = 0) {
        // Removed objects and their keys are kept until the lock is released, because their
        // deinitializers may use the cache.
        let removed = table.withLock { table -> [CacheTable<Key, Value>.Entry] in
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

    /// Removes all objects.
    ///
    /// - Complexity: Linear in the number of objects.
    public func removeAll() {
        let removed = table.withLock { table in
            defer { table = CacheTable() }
            return table
        }
        _ = removed
    }

    /// The number of objects.
    public var count: Int { table.withLock { $0.count } }

    /// The sum of the costs of the objects, or `Int.max` if it is larger.
    public var cost: Int { table.withLock { $0.cost } }
}

/// A table of objects by key, with a list in the order of their last use.
private struct CacheTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// An object with its key, and the indices of its neighbors in the list.
    struct Entry {
        let key: Key
        let value: Value
        let cost: Int
        var older: Int?
        var newer: Int?
    }

    private var places: [Key: Int] = [:]
    // Unused elements are nil.
    private var entries: [Entry?] = []
    private var free: [Int] = []
    private var oldest: Int?
    private var newest: Int?
    // The low and the high word of the sum of the costs. The high word is 0 if there is a cost
    // limit, because the sum is then at most twice the limit.
    private var sum: UInt = 0
    private var carries = 0

    var cost: Int { carries > 0 ? .max : Int(clamping: sum) }

    var count: Int { places.count }

    /// Returns whether a limit is exceeded.
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
        let (total, overflows) = sum.addingReportingOverflow(UInt(clamping: cost))
        sum = total
        if overflows { carries &+= 1 }
    }

    mutating func remove(_ key: Key) -> Entry? {
        guard let place = places.removeValue(forKey: key) else { return nil }
        unlink(place)
        guard let entry = entries[place] else { return nil }
        entries[place] = nil
        free.append(place)
        let (rest, overflows) = sum.subtractingReportingOverflow(UInt(clamping: entry.cost))
        sum = rest
        if overflows { carries &-= 1 }
        return entry
    }

    mutating func removeOldest() -> Entry? {
        oldest.flatMap { entries[$0]?.key }.flatMap { remove($0) }
    }

    /// Appends an entry to the list as the newest one.
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

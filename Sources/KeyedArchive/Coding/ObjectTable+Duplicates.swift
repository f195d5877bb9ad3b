// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
@_spi(Tables) internal import PropertyList

// Keys that an object is given twice, usually by a class and its superclass.

extension ObjectTable {
    /// Removes the earlier values of duplicate keys from the open object. A key keeps its first
    /// position.
    mutating func dropDuplicates() {
        if hasFewAndDistinctKeys { return }
        var places: [UInt32: Int] = [:]
        var kept: [(key: UInt32, value: UInt32)] = []
        for field in fields[open.start...] {
            if let place = places[field.key] {
                kept[place].value = field.value
            } else {
                places[field.key] = kept.count
                kept.append(field)
            }
        }
        if kept.count < fields.count - open.start {
            fields.replaceSubrange(open.start..., with: kept)
        }
    }

    /// A Boolean value that is true if the open object has at most 16 keys, and no two are equal.
    /// Most objects have so few keys, and comparing all pairs is cheaper than a table.
    private var hasFewAndDistinctKeys: Bool {
        guard fields.count - open.start <= 16 else { return false }
        for place in open.start..<fields.count {
            for earlier in open.start..<place where fields[earlier].key == fields[place].key {
                return false
            }
        }
        return true
    }

    /// Converts an error in assembling the document. For a duplicate key, the error names the class
    /// and the key. Linear in the number of fields of the object, or of roots, and in the number of
    /// classes.
    func duplicate(_ error: PropertyListError) -> KeyedArchiveError {
        guard error.code == .duplicateKey, let path = error.path else {
            return KeyedArchiveError(error)
        }
        guard case .index(let number) = path.components.last, objects.indices.contains(number)
        else {
            return .duplicateKey(key: duplicateKey(in: fields), nil, path)
        }
        let entries = assembler.entries(of: objects[number]) ?? []
        let classNumber = entries.last.flatMap { assembler.uid(of: $0.value) }
        return .duplicateKey(
            key: duplicateKey(in: entries), classNumber.flatMap(className),
            path, object: PropertyListUID(UInt32(truncatingIfNeeded: number)))
    }

    private func duplicateKey(in entries: [(key: UInt32, value: UInt32)]) -> String {
        var seen: Set<UInt32> = []
        let key = entries.first { !seen.insert($0.key).inserted }?.key
        guard let text = key.map({ assembler.text(ofKey: $0) }) else { return "" }
        // The key of an unkeyed root, such as `$0`, has no unescaped form.
        return ArchiveKey.unescaped(text) ?? text
    }
}

extension KeyedArchiveError {
    /// Returns the error for a duplicate key in an object that is being written.
    static func duplicateKey(
        key: String, _ className: String?, _ path: PropertyListPath, object: PropertyListUID? = nil
    ) -> KeyedArchiveError {
        let owner =
            className.map { "an object of class \(printable($0))" } ?? "the list of roots"
        return KeyedArchiveError(
            .duplicateKey, what: "`\(printable(key))` is written twice in \(owner)", object: object,
            path: path,
            recovery: (className == nil
                ? "give each root its own key" : "rename the key in one type of the hierarchy")
                + ", or set `KeyedArchiver.Options.lastDuplicateKeyWins`")
    }
}

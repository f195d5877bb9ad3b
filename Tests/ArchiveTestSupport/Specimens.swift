// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import KeyedArchive
public import PropertyList
public import TestSupport

/// Objects in archives written by Apple's software.
public enum Specimens {
    /// All readable archives of the external collection; empty if there is none.
    public static let archives: [(file: Corpus.File, graph: ArchiveGraph)] =
        Corpus.external("real-archives").compactMap { file in
            let contents = try? ArchiveContents(parsing: file.bytes, options: .appleCompatible)
            guard let contents, let graph = try? ArchiveGraph(contents) else { return nil }
            return (file, graph)
        }

    /// Returns the bytes of the only archive whose name contains `part`.
    public static func bytes(_ part: String) throws -> [UInt8] {
        let found = archives.filter { $0.file.name.contains(part) }
        guard found.count == 1 else {
            throw Mismatch("expected one file whose name contains \(part), found \(found.count)")
        }
        return found[0].file.bytes
    }

    /// Returns the bytes of the first archive in a folder of the collection whose name contains
    /// `part`.
    public static func bytes(_ part: String, in folder: String) throws -> [UInt8] {
        let files = Corpus.external("real-archives/\(folder)").filter { $0.name.contains(part) }
        guard let file = files.first else {
            throw Mismatch("expected a file whose name contains \(part), found none")
        }
        return file.bytes
    }

    /// An archive of the collection whose roots are some of its objects. The keys of the roots are
    /// the numbers of the objects.
    public struct Collected: Sendable, CustomStringConvertible {
        public let name: String
        public let bytes: [UInt8]
        public let keys: [String]

        public var description: String { name }
    }

    /// Returns the archives that contain objects of the given classes, with these objects as the
    /// roots. The names of the archives begin with `prefix`.
    public static func collected(
        _ names: Set<String>, in prefix: String = ""
    ) throws -> [Collected] {
        try archives.compactMap { file, graph in
            guard file.name.hasPrefix(prefix) else { return nil }
            var graph = graph
            var roots = PropertyListDictionary()
            for number in graph.objects.indices.dropFirst() {
                let uid = PropertyListUID(UInt32(number))
                guard case .object = graph[uid], let found = graph.archivedClass(of: uid),
                    names.contains(found.name)
                else { continue }
                roots["\(number)"] = .uid(uid)
            }
            if roots.isEmpty { return nil }
            graph.roots = roots
            return Collected(name: file.name, bytes: try graph.serialized(), keys: roots.keys)
        }
    }

    /// Returns the entries of `$objects`.
    public static func table(_ bytes: [UInt8]) throws -> [PropertyListValue] {
        try Plist(bytes).table()
    }

    /// The property list of an archive.
    private struct Plist {
        let root: PropertyListValue

        init(_ bytes: [UInt8]) throws {
            root = try PropertyListValue(parsing: bytes, options: .appleCompatible)
        }

        func value(_ key: String) throws -> PropertyListValue {
            guard let value = root.dictionary?[key] else { throw Mismatch("there is no `\(key)`") }
            return value
        }

        func table() throws -> [PropertyListValue] {
            try Array(value("$objects").array ?? [])
        }
    }

    /// Returns the objects that the roots reach, in a canonical order and numbering, with plain
    /// values inline. Two archives of the same object graph give equal results.
    ///
    /// `key` selects a single root, which is called `root` in the result.
    public static func graph(
        _ bytes: [UInt8], from key: String? = nil
    ) throws -> [PropertyListValue] {
        try graph(of: Plist(bytes), from: key)
    }

    private static func graph(
        of plist: Plist, from key: String? = nil
    ) throws -> [PropertyListValue] {
        let objects = try plist.table()
        var numbers: [PropertyListUID: Int] = [:]
        var pending: [PropertyListValue] = []
        func renumbered(_ value: PropertyListValue) -> PropertyListValue {
            switch value {
            case .uid(let uid):
                let object = objects[Int(uid.value)]
                guard object.dictionary != nil else { return .array([.string("plain"), object]) }
                if numbers[uid] == nil {
                    numbers[uid] = numbers.count
                    pending.append(object)
                }
                return .uid(PropertyListUID(UInt32(numbers[uid] ?? 0)))
            case .array(let elements): return .array(PropertyListArray(elements.map(renumbered)))
            case .dictionary(let fields):
                var result = PropertyListDictionary()
                for key in fields.keys.sorted() {
                    result[key] = renumbered(fields[key] ?? .null)
                }
                return .dictionary(result)
            default: return value
            }
        }
        let top = try plist.value("$top")
        let roots = key.map { ["root": top.dictionary?[$0] ?? .null] } ?? top
        var graph = [renumbered(roots)]
        var next = 0
        while next < pending.count {
            graph.append(renumbered(pending[next]))
            next += 1
        }
        return graph
    }

    /// Decodes every object of some classes in a folder of the collection, encodes it as an archive
    /// of its own, and compares the object graphs.
    ///
    /// `expected` changes an entry whose encoding is known to differ from the original.
    ///
    /// - Returns: The decoded values.
    public static func compareParts<T: KeyedCodable>(
        _ type: T.Type, of names: Set<String>, in folder: String,
        expected: (PropertyListValue) -> PropertyListValue = { $0 }
    ) throws -> [T] {
        var values: [T] = []
        for archive in try collected(names, in: folder + "/") {
            let unarchiver = try KeyedUnarchiver(parsing: archive.bytes)
            let plist = try Plist(archive.bytes)
            for key in archive.keys {
                let value = try unarchiver.unarchive(type, forKey: key)
                values.append(value)
                let again = try graph(KeyedArchiver.archive(value))
                if try again != graph(of: plist, from: key).map(expected) {
                    throw Mismatch("object \(key) of \(archive) is written as something else")
                }
            }
        }
        return values
    }

    /// Returns a description of the first difference between the object graphs of two archives, or
    /// nil if there is none.
    public static func difference(_ bytes: [UInt8], _ archive: Collected) throws -> String? {
        let (found, expected) = (try graph(bytes), try graph(archive.bytes))
        if let place = zip(found, expected).enumerated().first(where: { $1.0 != $1.1 })?.offset {
            return "\(archive): object \(place) is \(found[place]), not \(expected[place])"
        }
        if found.count == expected.count { return nil }
        return "\(archive): there are \(found.count) objects, not \(expected.count)"
    }

    /// Decodes all roots as `AnyArchived`, and encodes them again. Objects of the class `opaque`
    /// are kept unchanged.
    public static func rewritten(
        _ archive: Collected, allowing registry: ClassRegistry = .foundation, opaque: String = "",
        _ look: (AnyArchived) throws -> Void = { _ in }
    ) throws -> [UInt8] {
        let registry = registry.removing(opaque).keepingUnknownClasses()
        let unarchiver = try KeyedUnarchiver(parsing: archive.bytes, allowing: registry)
        let archiver = KeyedArchiver(allowing: registry)
        for key in archive.keys {
            let value = try unarchiver.unarchive(AnyArchived.self, forKey: key)
            try look(value)
            archiver.roots.encode(value, forKey: key)
        }
        return try archiver.finish()
    }
}

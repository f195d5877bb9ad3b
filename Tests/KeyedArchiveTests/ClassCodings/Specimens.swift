// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive
import PropertyList
import TestSupport
import Testing

/// Objects in archives that Apple's software wrote.
enum Specimens {
    /// All archives of the collection that can be read; empty where it is absent.
    static let archives: [(file: Corpus.File, graph: ArchiveGraph)] =
        Corpus.external("real-archives").compactMap { file in
            let contents = try? ArchiveContents(parsing: file.bytes, options: .appleCompatible)
            guard let contents, let graph = try? ArchiveGraph(contents) else { return nil }
            return (file, graph)
        }

    /// The bytes of the one archive whose name holds `part`.
    static func bytes(_ part: String) throws -> [UInt8] {
        let found = archives.filter { $0.file.name.contains(part) }
        try #require(found.count == 1, "\(found.count) files are called \(part)")
        return found[0].file.bytes
    }

    /// An archive of the collection whose roots are its objects of some classes, by their numbers.
    struct Collected: Sendable, CustomStringConvertible {
        let name: String
        let bytes: [UInt8]
        let keys: [String]

        var description: String { name }
    }

    /// The archives that hold objects of some classes.
    static func collected(_ names: Set<String>) throws -> [Collected] {
        try archives.compactMap { file, graph in
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

    /// The entries of `$objects`.
    static func table(_ bytes: [UInt8]) throws -> [PropertyListValue] {
        let root = try PropertyListValue(parsing: bytes, options: .appleCompatible)
        return Array(try #require(root.dictionary?["$objects"]?.array))
    }

    /// The objects that the roots lead to, in an order and with numbers that depend on nothing but
    /// keys, and plain values where they are referred to: equal where two archives hold the same
    /// graph.
    static func graph(_ bytes: [UInt8]) throws -> [PropertyListValue] {
        let objects = try table(bytes)
        let root = try PropertyListValue(parsing: bytes, options: .appleCompatible)
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
        var graph = [renumbered(try #require(root.dictionary?["$top"]))]
        var next = 0
        while next < pending.count {
            graph.append(renumbered(pending[next]))
            next += 1
        }
        return graph
    }

    /// Expects an archive to hold the same graph as another.
    static func expectSame(
        _ bytes: [UInt8], _ archive: Collected, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let (found, expected) = (try graph(bytes), try graph(archive.bytes))
        #expect(found.count == expected.count, "\(archive)", sourceLocation: sourceLocation)
        if let place = zip(found, expected).enumerated().first(where: { $1.0 != $1.1 })?.offset {
            Issue.record(
                "\(archive): object \(place) is \(found[place]), not \(expected[place])",
                sourceLocation: sourceLocation)
        }
    }

    /// Reads all roots as whatever they are, and writes them again; objects of the class `opaque` are
    /// kept as they are.
    static func rewritten(
        _ archive: Collected, opaque: String = "", _ look: (AnyArchived) throws -> Void = { _ in }
    ) throws -> [UInt8] {
        let registry = ClassRegistry.foundation.removing(opaque).keepingUnknownClasses()
        let unarchiver = try KeyedUnarchiver(parsing: archive.bytes, allowing: registry)
        let archiver = KeyedArchiver(allowing: registry)
        for key in archive.keys {
            let value = try unarchiver.unarchive(AnyArchived.self, forKey: key)
            try look(value)
            try archiver.roots.encode(value, forKey: key)
        }
        return try archiver.finish()
    }
}

/// An archive's root read as `T`.
func read<T: KeyedDecodable>(
    _ type: T.Type = T.self, _ objects: [PropertyListValue],
    allowing registry: ClassRegistry = .foundation
) throws -> T {
    try KeyedUnarchiver.unarchive(type, from: Archives.make(objects), allowing: registry)
}

/// The code of the error of reading an archive's root as `T`.
func refusal<T: KeyedDecodable>(
    _ type: T.Type, _ objects: [PropertyListValue],
    allowing registry: ClassRegistry = .foundation
) -> KeyedArchiveError.Code? {
    archiveError { try read(type, objects, allowing: registry) }?.code
}

/// The table of an archive of `value`, without its first entry.
func written(_ value: some KeyedEncodable) throws -> [PropertyListValue] {
    Array(try Specimens.table(KeyedArchiver.archive(value)).dropFirst())
}

extension PropertyListValue {
    /// A dictionary with some entries changed; `.null` removes one.
    func with(_ changes: PropertyListDictionary) -> PropertyListValue {
        guard case .dictionary(var fields) = self else { return self }
        for key in changes.keys { fields[key] = changes[key] == .null ? nil : changes[key] }
        return .dictionary(fields)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

// The five families at the start of the tables.
extension Family {
    static let library = Family(
        "library", "20,000 tracks of 23 keys: strings, integers, dates, a real and a boolean",
        seed: 7
    ) { builder, random, scale in
        buildLibrary(&builder, &random, tracks: count(20_000, scale))
    }

    static let numbers = Family(
        "numbers", "600,000 numbers, alternating integers and reals", seed: 11
    ) { builder, random, scale in
        builder.beginArray()
        for place in 0..<count(600_000, scale) {
            if place % 2 == 0 {
                builder.real(PropertyListReal(random.real(below: 1_000_000)))
            } else {
                builder.integer(
                    PropertyListInteger(Int.random(in: -1 << 62..<1 << 62, using: &random)))
            }
        }
        builder.end()
    }

    static let strings = Family(
        "strings", "30,000 sentences of 40 words, a third of them not ASCII", seed: 13
    ) { builder, random, scale in
        builder.beginArray()
        for place in 0..<count(30_000, scale) {
            builder.string(random.words(40) + (place % 3 == 0 ? " — naïve café" : ""))
        }
        builder.end()
    }

    static let data = Family(
        "data", "3,000 blobs of 3,000 random bytes", seed: 17
    ) { builder, random, scale in
        builder.beginArray()
        for _ in 0..<count(3_000, scale) {
            builder.data((0..<375).flatMap { _ in withBytes(of: random.next()) })
        }
        builder.end()
    }

    static let archive = Family(
        "archive",
        "a keyed archive of 100,000 objects of a class with a string, an integer and a boolean",
        seed: 19
    ) { random, scale in
        Save.samples(count(100_000, scale), &random)
    }

    private static func withBytes(of word: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
    }
}

// Families that are large, wide, deep, small or cross-linked.
extension Family {
    static let large = Family(
        "large", "the library with 690,000 tracks, 200 MB in binary", seed: 23
    ) { builder, random, scale in
        buildLibrary(&builder, &random, tracks: count(690_000, scale))
    }

    static let wide = Family(
        "wide", "a dictionary of 1,000,000 keys", seed: 29
    ) { builder, random, scale in
        builder.beginDictionary()
        for place in 0..<count(1_000_000, scale) {
            builder.key(wideKey(place))
            builder.integer(PropertyListInteger(random.below(1 << 40)))
        }
        builder.end()
    }

    static let deep = Family(
        "deep", "100 chains of 511 nested arrays and dictionaries, the deepest accepted nesting",
        seed: 31
    ) { builder, random, scale in
        builder.beginArray()
        for _ in 0..<count(100, scale) { buildChain(&builder, depth: 511, random.below(1_000)) }
        builder.end()
    }

    static let small = Family(
        "small", "2,000 separate keyed archives of 1 KB", seed: 37
    ) { builder, random, scale in
        builder.beginArray()
        for _ in 0..<count(2_000, scale) {
            builder.data((try? Profile.sample(&random).archived()) ?? [])
        }
        builder.end()
    }

    static let classes = Family(
        "classes", "a keyed archive of 20,000 objects that share 5,000 parts of 50 classes",
        seed: 41
    ) { random, scale in
        Assembly.samples(count(20_000, scale), &random)
    }

    /// Returns a key of the wide dictionary.
    static func wideKey(_ place: Int) -> String { "key \(place)" }
}

extension Family {
    private static func buildChain(_ builder: inout DocumentBuilder, depth: Int, _ value: Int) {
        for level in 0..<depth {
            if level % 2 == 0 {
                builder.beginArray()
            } else {
                builder.beginDictionary()
                builder.key("next")
            }
        }
        builder.integer(PropertyListInteger(value))
        for _ in 0..<depth { builder.end() }
    }

    private static func buildLibrary(
        _ builder: inout DocumentBuilder, _ random: inout Random, tracks: Int
    ) {
        builder.beginDictionary()
        builder.key("Major Version")
        builder.integer(1)
        builder.key("Tracks")
        builder.beginDictionary()
        for number in 0..<tracks {
            builder.key(String(number))
            buildTrack(&builder, &random, number)
        }
        builder.end()
        builder.end()
    }

    private static func buildTrack(
        _ builder: inout DocumentBuilder, _ random: inout Random, _ number: Int
    ) {
        builder.beginDictionary()
        let texts = [
            ("Name", random.words(3)), ("Artist", random.words(2)),
            ("Album Artist", random.words(2)), ("Composer", random.words(2)),
            ("Album", random.words(3)),
            ("Genre", ["Rock", "Jazz", "Électronique"][random.below(3)]),
            ("Kind", "MPEG audio file"), ("Persistent ID", random.hexadecimal()),
        ]
        for (key, text) in texts {
            builder.key(key)
            builder.string(text)
        }
        let integers = [
            ("Track ID", number), ("Size", random.below(10_000_000)),
            ("Total Time", random.below(500_000)), ("Disc Number", 1), ("Disc Count", 1),
            ("Track Number", number % 20), ("Track Count", 20), ("Year", 1950 + random.below(74)),
            ("Bit Rate", 256), ("Sample Rate", 44_100), ("Play Count", random.below(100)),
        ]
        for (key, integer) in integers {
            builder.key(key)
            builder.integer(PropertyListInteger(integer))
        }
        for key in ["Date Modified", "Date Added"] {
            builder.key(key)
            builder.date(PropertyListDate(secondsSince2001: random.date()))
        }
        builder.key("Rating")
        builder.real(PropertyListReal(random.real(below: 100)))
        builder.key("Compilation")
        builder.boolean(random.below(2) == 0)
        builder.end()
    }
}

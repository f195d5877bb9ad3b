// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyedArchive

/// The superclass of the fifty part classes.
class Part: KeyedCodable {
    class var archivedClass: ArchivedClass { "DWPart" }
    class var ordinal: Int { -1 }
    let title: String, weight: Double, count: Int

    required init(_ random: inout Random) {
        title = random.words(2)
        weight = random.real(below: 100)
        count = random.below(1_000)
    }

    required init(title: String, weight: Double, count: Int) {
        self.title = title
        self.weight = weight
        self.count = count
    }

    func encode(with coder: KeyedEncoder) {
        coder.encode(title, forKey: "title")
        coder.encode(weight, forKey: "weight")
        coder.encode(count, forKey: "count")
    }

    required init(coder: KeyedDecoder) throws {
        title = try coder.decode(forKey: "title")
        weight = try coder.decode(forKey: "weight")
        count = try coder.decode(forKey: "count")
    }
}

/// An assembly of parts that other assemblies share.
final class Assembly: KeyedCodable {
    static let archivedClass: ArchivedClass = "DWAssembly"
    let number: Int, first: Part, second: Part, third: Part

    init(number: Int, _ first: Part, _ second: Part, _ third: Part) {
        self.number = number
        self.first = first
        self.second = second
        self.third = third
    }

    func encode(with coder: KeyedEncoder) {
        coder.encode(number, forKey: "number")
        coder.encode(first, forKey: "first")
        coder.encode(second, forKey: "second")
        coder.encode(third, forKey: "third")
    }

    init(coder: KeyedDecoder) throws {
        number = try coder.decode(forKey: "number")
        first = try coder.decode(forKey: "first")
        second = try coder.decode(forKey: "second")
        third = try coder.decode(forKey: "third")
    }
}

extension Part {
    /// A registry of the part classes and Foundation's classes.
    static let registry = classes.reduce(into: ClassRegistry.foundation.adding(Part.self)) {
        $0.add($1)
    }

    var checksum: UInt64 {
        partChecksum(Self.ordinal, title, weight, count)
    }
}

extension Assembly {
    static func samples(_ count: Int, _ random: inout Random) -> [Assembly] {
        let parts = (0..<max(1, count / 4)).map { number in
            Part.classes[number % Part.classes.count].init(&random)
        }
        return (0..<count).map { number in
            Assembly(
                number: number, parts[random.below(parts.count)], parts[random.below(parts.count)],
                parts[random.below(parts.count)])
        }
    }

    var checksum: UInt64 {
        assemblyChecksum(number, first.checksum, second.checksum, third.checksum)
    }
}

func partChecksum(_ ordinal: Int, _ title: String, _ weight: Double, _ count: Int) -> UInt64 {
    var sum = Checksum.integer(ordinal)
    sum = Checksum.appending(Checksum.string(title), to: sum)
    sum = Checksum.appending(Checksum.real(weight), to: sum)
    return Checksum.appending(Checksum.integer(count), to: sum)
}

func assemblyChecksum(
    _ number: Int, _ first: UInt64, _ second: UInt64, _ third: UInt64
) -> UInt64 {
    var sum = Checksum.appending(first, to: Checksum.integer(number))
    sum = Checksum.appending(second, to: sum)
    return Checksum.appending(third, to: sum)
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// ``Part`` as a class for Foundation.
class FoundationPart: NSObject, NSSecureCoding {
    class var supportsSecureCoding: Bool { true }
    class var ordinal: Int { -1 }
    let title: String, weight: Double, count: Int

    required init(_ part: Part) {
        title = part.title
        weight = part.weight
        count = part.count
    }

    func encode(with coder: NSCoder) {
        coder.encode(title as NSString, forKey: "title")
        coder.encode(weight, forKey: "weight")
        coder.encode(count, forKey: "count")
    }

    required init?(coder: NSCoder) {
        guard let title = coder.decodeObject(of: NSString.self, forKey: "title") else { return nil }
        self.title = title as String
        weight = coder.decodeDouble(forKey: "weight")
        count = coder.decodeInteger(forKey: "count")
    }

    var checksum: UInt64 { partChecksum(Self.ordinal, title, weight, count) }
}

/// ``Assembly`` as a class for Foundation.
final class FoundationAssembly: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let number: Int, first: FoundationPart, second: FoundationPart, third: FoundationPart

    private init(number: Int, _ parts: [FoundationPart]) {
        self.number = number
        first = parts[0]
        second = parts[1]
        third = parts[2]
    }

    func encode(with coder: NSCoder) {
        coder.encode(number, forKey: "number")
        coder.encode(first, forKey: "first")
        coder.encode(second, forKey: "second")
        coder.encode(third, forKey: "third")
    }

    init?(coder: NSCoder) {
        guard let first = Self.part(coder, "first"), let second = Self.part(coder, "second"),
            let third = Self.part(coder, "third")
        else { return nil }
        number = coder.decodeInteger(forKey: "number")
        self.first = first
        self.second = second
        self.third = third
    }

    private static func part(_ coder: NSCoder, _ key: String) -> FoundationPart? {
        coder.decodeObject(of: partClasses, forKey: key) as? FoundationPart
    }

    // Converted once, because converting the list for each part would take longer than reading the
    // part.
    private static let partClasses: [AnyClass] = FoundationPart.classes

    var checksum: UInt64 {
        assemblyChecksum(number, first.checksum, second.checksum, third.checksum)
    }

    /// Returns assemblies for Foundation, which share their parts as the originals do.
    static func twins(of assemblies: [Assembly]) -> [FoundationAssembly] {
        var twins: [ObjectIdentifier: FoundationPart] = [:]
        func twin(_ part: Part) -> FoundationPart {
            let known = twins[ObjectIdentifier(part)]
            let twin = known ?? FoundationPart.classes[type(of: part).ordinal].init(part)
            if known == nil { twins[ObjectIdentifier(part)] = twin }
            return twin
        }
        return assemblies.map {
            FoundationAssembly(
                number: $0.number, [twin($0.first), twin($0.second), twin($0.third)])
        }
    }
}

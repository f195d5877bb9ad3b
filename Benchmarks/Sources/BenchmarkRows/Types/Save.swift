// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyedArchive

/// A class of an app, ported to this library.
final class Save: KeyedCodable {
    static let archivedClass: ArchivedClass = "DWSave"
    let name: String, age: Int, sex: Bool

    init(name: String, age: Int, sex: Bool) {
        self.name = name
        self.age = age
        self.sex = sex
    }

    func encode(with coder: KeyedEncoder) {
        coder.encode(name, forKey: "name")
        coder.encode(age, forKey: "age")
        coder.encode(sex, forKey: "sex")
    }

    init(coder: KeyedDecoder) throws {
        name = try coder.decode(forKey: "name")
        age = try coder.decode(forKey: "age")
        sex = try coder.decode(forKey: "sex")
    }
}

/// The same class before porting.
final class FoundationSave: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let name: String, age: Int, sex: Bool

    init(_ save: Save) {
        name = save.name
        age = save.age
        sex = save.sex
    }

    func encode(with coder: NSCoder) {
        coder.encode(name as NSString, forKey: "name")
        coder.encode(age, forKey: "age")
        coder.encode(sex, forKey: "sex")
    }

    init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
        self.name = name as String
        age = coder.decodeInteger(forKey: "age")
        sex = coder.decodeBool(forKey: "sex")
    }
}

extension Save {
    static func samples(_ count: Int, _ random: inout Random) -> [Save] {
        (0..<count).map { number in
            Save(name: "name \(number)", age: random.below(100), sex: random.below(2) == 0)
        }
    }

    var checksum: UInt64 { saveChecksum(name, age, sex) }
}

extension FoundationSave {
    var checksum: UInt64 { saveChecksum(name, age, sex) }
}

private func saveChecksum(_ name: String, _ age: Int, _ sex: Bool) -> UInt64 {
    var sum = Checksum.string(name)
    sum = Checksum.appending(Checksum.integer(age), to: sum)
    return Checksum.appending(Checksum.boolean(sex), to: sum)
}

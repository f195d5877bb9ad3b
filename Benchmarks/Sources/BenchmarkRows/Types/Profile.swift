// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyedArchive
import PropertyList

/// The typical contents of an app's small archive: a session, a profile or a setting.
final class Profile: KeyedCodable {
    static let archivedClass: ArchivedClass = "DWProfile"
    let identifier: String, name: String, mail: String, born: Date, level: Int, score: Double
    let tags: [String], token: Data

    init(_ random: inout Random) {
        identifier = random.hexadecimal()
        name = random.words(3)
        mail = random.words(1) + "@example.org"
        born = Date(timeIntervalSinceReferenceDate: random.date())
        level = random.below(100)
        score = random.real(below: 1)
        tags = (0..<8).map { _ in random.words(2) }
        token = Data((0..<160).map { _ in UInt8(random.below(256)) })
    }

    init(
        identifier: String, name: String, mail: String, born: Date, level: Int, score: Double,
        tags: [String], token: Data
    ) {
        self.identifier = identifier
        self.name = name
        self.mail = mail
        self.born = born
        self.level = level
        self.score = score
        self.tags = tags
        self.token = token
    }

    func encode(with coder: KeyedEncoder) {
        coder.encode(identifier, forKey: "identifier")
        coder.encode(name, forKey: "name")
        coder.encode(mail, forKey: "mail")
        coder.encode(born, forKey: "born")
        coder.encode(level, forKey: "level")
        coder.encode(score, forKey: "score")
        coder.encode(tags, forKey: "tags")
        coder.encode(token, forKey: "token")
    }

    init(coder: KeyedDecoder) throws {
        identifier = try coder.decode(forKey: "identifier")
        name = try coder.decode(forKey: "name")
        mail = try coder.decode(forKey: "mail")
        born = try coder.decode(forKey: "born")
        level = try coder.decode(forKey: "level")
        score = try coder.decode(forKey: "score")
        tags = try coder.decode(forKey: "tags")
        token = try coder.decode(forKey: "token")
    }
}

/// The same class for Foundation.
final class FoundationProfile: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let identifier: String, name: String, mail: String, born: Date, level: Int, score: Double
    let tags: [String], token: Data

    init(_ profile: Profile) {
        identifier = profile.identifier
        name = profile.name
        mail = profile.mail
        born = profile.born
        level = profile.level
        score = profile.score
        tags = profile.tags
        token = profile.token
    }

    func encode(with coder: NSCoder) {
        coder.encode(identifier as NSString, forKey: "identifier")
        coder.encode(name as NSString, forKey: "name")
        coder.encode(mail as NSString, forKey: "mail")
        coder.encode(born as NSDate, forKey: "born")
        coder.encode(level, forKey: "level")
        coder.encode(score, forKey: "score")
        coder.encode(tags as NSArray, forKey: "tags")
        coder.encode(token as NSData, forKey: "token")
    }

    init?(coder: NSCoder) {
        guard let identifier = coder.decodeObject(of: NSString.self, forKey: "identifier"),
            let name = coder.decodeObject(of: NSString.self, forKey: "name"),
            let mail = coder.decodeObject(of: NSString.self, forKey: "mail"),
            let born = coder.decodeObject(of: NSDate.self, forKey: "born"),
            let tags = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "tags"),
            let token = coder.decodeObject(of: NSData.self, forKey: "token")
        else { return nil }
        self.identifier = identifier as String
        self.name = name as String
        self.mail = mail as String
        self.born = born as Date
        level = coder.decodeInteger(forKey: "level")
        score = coder.decodeDouble(forKey: "score")
        self.tags = tags as? [String] ?? []
        self.token = token as Data
    }
}

extension Profile {
    static func sample(_ random: inout Random) -> Profile { Profile(&random) }

    func archived() throws -> [UInt8] { try KeyedArchiver.archive(self) }

    var checksum: UInt64 {
        profileChecksum([identifier, name, mail] + tags, born, level, score, token)
    }
}

extension FoundationProfile {
    var checksum: UInt64 {
        profileChecksum([identifier, name, mail] + tags, born, level, score, token)
    }
}

private func profileChecksum(
    _ texts: [String], _ born: Date, _ level: Int, _ score: Double, _ token: Data
) -> UInt64 {
    var sum: UInt64 = 0
    for text in texts { sum = Checksum.appending(Checksum.string(text), to: sum) }
    sum = Checksum.appending(
        Checksum.date(secondsSince2001: born.timeIntervalSinceReferenceDate), to: sum)
    sum = Checksum.appending(Checksum.integer(level), to: sum)
    sum = Checksum.appending(Checksum.real(score), to: sum)
    return Checksum.appending(token.withUnsafeBytes { Checksum.data($0) }, to: sum)
}

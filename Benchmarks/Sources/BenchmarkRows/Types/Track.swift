// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The structures that the library is decoded into and encoded from, by both pairs of coders.
struct Library: Codable, Sendable {
    var majorVersion: Int
    var tracks: [String: Track]

    enum CodingKeys: String, CodingKey {
        case majorVersion = "Major Version"
        case tracks = "Tracks"
    }
}

struct Track: Codable, Sendable {
    var id, size, totalTime, discNumber, trackNumber, trackCount, year: Int
    var bitRate, sampleRate, playCount: Int
    var discCount: Int?
    var name, artist, album, genre, kind, persistentID: String
    var albumArtist, composer: String?
    var dateModified, dateAdded: Date
    var rating: Double
    var isCompilation: Bool

    enum CodingKeys: String, CodingKey {
        case id = "Track ID"
        case size = "Size"
        case totalTime = "Total Time"
        case discNumber = "Disc Number"
        case trackNumber = "Track Number"
        case trackCount = "Track Count"
        case year = "Year"
        case bitRate = "Bit Rate"
        case sampleRate = "Sample Rate"
        case playCount = "Play Count"
        case discCount = "Disc Count"
        case name = "Name"
        case artist = "Artist"
        case album = "Album"
        case genre = "Genre"
        case kind = "Kind"
        case persistentID = "Persistent ID"
        case albumArtist = "Album Artist"
        case composer = "Composer"
        case dateModified = "Date Modified"
        case dateAdded = "Date Added"
        case rating = "Rating"
        case isCompilation = "Compilation"
    }
}

extension Library {
    var checksum: UInt64 {
        var sum = Checksum.integer(majorVersion)
        for (key, track) in tracks {
            sum &+= Checksum.entry(Checksum.string(key), track.checksum)
        }
        return sum
    }
}

extension Track {
    fileprivate var checksum: UInt64 {
        var sum: UInt64 = 0
        for number in [
            id, size, totalTime, discNumber, trackNumber, trackCount, year, bitRate, sampleRate,
            playCount, discCount ?? -1,
        ] {
            sum = Checksum.appending(Checksum.integer(number), to: sum)
        }
        for text in [
            name, artist, album, genre, kind, persistentID, albumArtist ?? "", composer ?? "",
        ] {
            sum = Checksum.appending(Checksum.string(text), to: sum)
        }
        for date in [dateModified, dateAdded] {
            sum = Checksum.appending(
                Checksum.date(secondsSince2001: date.timeIntervalSinceReferenceDate), to: sum)
        }
        sum = Checksum.appending(Checksum.real(rating), to: sum)
        return Checksum.appending(Checksum.boolean(isCompilation), to: sum)
    }
}

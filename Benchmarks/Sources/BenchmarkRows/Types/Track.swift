// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The input `library` as structures, which the rows `decode` and `encode` use.
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
    // Visits the fields one by one without building lists, so that only the coders are measured.
    fileprivate var checksum: UInt64 {
        var sum: UInt64 = 0
        func add(_ field: UInt64) { sum = Checksum.appending(field, to: sum) }
        func add(_ number: Int) { add(Checksum.integer(number)) }
        func add(_ text: String) { add(Checksum.string(text)) }
        func add(_ date: Date) {
            add(Checksum.date(secondsSince2001: date.timeIntervalSinceReferenceDate))
        }
        add(id)
        add(size)
        add(totalTime)
        add(discNumber)
        add(trackNumber)
        add(trackCount)
        add(year)
        add(bitRate)
        add(sampleRate)
        add(playCount)
        add(discCount ?? -1)
        add(name)
        add(artist)
        add(album)
        add(genre)
        add(kind)
        add(persistentID)
        add(albumArtist ?? "")
        add(composer ?? "")
        add(dateModified)
        add(dateAdded)
        add(Checksum.real(rating))
        add(Checksum.boolean(isCompilation))
        return sum
    }
}

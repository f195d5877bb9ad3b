// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive
import PropertyList

/// A saved game that clients send.
final class Save: KeyedCodable {
    static let archivedClass: ArchivedClass = "Save"

    let player: String
    let level: Int

    init(coder: KeyedDecoder) throws {
        player = try coder.decode(forKey: "player")
        level = try coder.decode(forKey: "level")
        guard (1...100).contains(level) else {
            throw coder.error("expected a level from 1 to 100, found \(level)", forKey: "level")
        }
    }

    func encode(with coder: KeyedEncoder) {
        coder.encode(player, forKey: "player")
        coder.encode(level, forKey: "level")
    }
}

/// An endpoint that accepts keyed archives from strangers.
enum SaveEndpoint {
    /// The size of the largest accepted body, in bytes.
    static let maximumSize = 1 << 20

    /// Reads a body, and returns the status and the text of the response.
    ///
    /// Nothing but arrays, strings, numbers and `Save` can come out of the archive. The limits bound time and memory.
    static func response(to body: some Sequence<UInt8>) -> (status: Int, text: String) {
        do {
            let saves = try KeyedUnarchiver.unarchive(
                [Save].self, from: body, allowing: ClassRegistry(String.self), limits: .untrusted)
            return (200, saves.map { "\($0.player): level \($0.level)" }.joined(separator: ", "))
        } catch let error as KeyedArchiveError where error.isLimit {
            return (413, error.what)
        } catch let error as KeyedArchiveError where error.code == .classNotAllowed {
            return (403, error.what)
        } catch let error as KeyedArchiveError {
            return (422, error.what)
        } catch {
            return (500, "The archive could not be read.")
        }
    }
}

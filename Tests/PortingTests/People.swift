// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyedArchive

final class Author: KeyedCodable {
    static let archivedClass: ArchivedClass = "Sketch.Author"
    var name: String, email: String?

    func encode(with coder: KeyedEncoder) {
        coder.encode(name, forKey: "name")
        coder.encode(email, forKey: "email")
    }

    init(coder: KeyedDecoder) throws {
        name = try coder.decode(forKey: "name")
        email = try coder.decode(forKey: "email")
    }
}

/// A tree: a comment refers to its replies, and each reply to its comment.
final class Comment: KeyedCodable {
    static let archivedClass: ArchivedClass = "Sketch.Comment"
    weak var parent: Comment?
    weak var subject: Graphic?
    var author: Author, text: String, date: Date, replies: [Comment]

    func encode(with coder: KeyedEncoder) {
        coder.encodeConditionalObject(parent, forKey: "parent")
        coder.encodeConditionalObject(subject, forKey: "subject")
        coder.encode(author, forKey: "author")
        coder.encode(text, forKey: "text")
        coder.encode(date, forKey: "date")
        coder.encode(replies, forKey: "replies")
    }

    init(coder: KeyedDecoder) throws {
        author = try coder.decode(forKey: "author")
        text = try coder.decode(forKey: "text")
        date = try coder.decode(forKey: "date")
        replies = try coder.decode(forKey: "replies")
        try coder.decodeReference(forKey: "parent") { [weak self] in self?.parent = $0 }
        try coder.decodeReference(forKey: "subject") { [weak self] in self?.subject = $0 }
    }
}

final class History: KeyedCodable {
    static let archivedClass: ArchivedClass = "Sketch.History"
    var last: Revision?

    func encode(with coder: KeyedEncoder) { coder.encode(last, forKey: "last") }
    init(coder: KeyedDecoder) throws { last = try coder.decode(forKey: "last") }
}

/// A list: each revision refers to the previous one.
final class Revision: KeyedCodable {
    static let archivedClass: ArchivedClass = "Sketch.Revision"
    let number: Int64, author: Author
    var previous: Revision?

    func encode(with coder: KeyedEncoder) {
        coder.encode(number, forKey: "number")
        coder.encode(author, forKey: "author")
        coder.encode(previous, forKey: "previous")
    }

    init(coder: KeyedDecoder) throws {
        number = try coder.decodeInt64(forKey: "number")
        author = try coder.decode(forKey: "author")
        try coder.decodeReference(forKey: "previous") { [weak self] in self?.previous = $0 }
    }
}

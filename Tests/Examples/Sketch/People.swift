// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import Foundation

public final class Author: Model {
    public var name: String, email: String?

    public init(_ name: String) {
        self.name = name
        super.init()
    }
    public required init?(coder: NSCoder) { nil }

    public override func encode(with coder: NSCoder) {
        coder.encode(name, forKey: "name")
        coder.encode(email, forKey: "email")
    }
}

/// A tree: a comment refers to its replies, and each reply to its comment.
public final class Comment: Model {
    public weak var parent: Comment?
    public weak var subject: Graphic?
    public var author: Author, text: String, date: Date, replies: [Comment] = []

    public init(_ text: String, by author: Author, on date: Date) {
        self.text = text
        self.author = author
        self.date = date
        super.init()
    }
    public required init?(coder: NSCoder) { nil }

    public override func encode(with coder: NSCoder) {
        coder.encodeConditionalObject(parent, forKey: "parent")
        coder.encodeConditionalObject(subject, forKey: "subject")
        coder.encode(author, forKey: "author")
        coder.encode(text, forKey: "text")
        coder.encode(date, forKey: "date")
        coder.encode(replies, forKey: "replies")
    }
}

public final class History: Model {
    public var last: Revision?

    public override func encode(with coder: NSCoder) { coder.encode(last, forKey: "last") }
}

/// A list: each revision refers to the previous one.
public final class Revision: Model {
    public var number: Int64, author: Author, previous: Revision?

    public init(_ number: Int64, by author: Author, after previous: Revision?) {
        self.number = number
        self.author = author
        self.previous = previous
        super.init()
    }
    public required init?(coder: NSCoder) { nil }

    public override func encode(with coder: NSCoder) {
        coder.encode(number, forKey: "number")
        coder.encode(author, forKey: "author")
        coder.encode(previous, forKey: "previous")
    }
}

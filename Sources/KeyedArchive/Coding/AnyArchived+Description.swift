// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension AnyArchived: CustomStringConvertible {
    /// The value on one line, for debugging, as in `{name: "Anna", ages: [7, 8]}`. Data is shown as
    /// its size, and a value of a type without a description as the name of the type.
    ///
    /// A description of more than 1,000 scalars is truncated, and ends in `…`. Not recursive.
    public var description: String {
        var description = AnyDescription()
        return description.text(of: self)
    }
}

extension ArchivedNumber: CustomStringConvertible {
    /// The number, or `true` or `false`.
    public var description: String {
        switch self {
        case .boolean(let value): value.description
        case .integer(let value): value.description
        case .real(let value): value.description
        }
    }
}

/// The description of a value, of bounded length.
private struct AnyDescription {
    private static let longest = 1000

    /// A part of the description that is still to be appended.
    private enum Piece {
        case text(String)
        case key(AnyArchived)
        case value(AnyArchived)
    }

    private var text = ""
    // A stack: the next piece is the last.
    private var pending: [Piece] = []

    mutating func text(of value: AnyArchived) -> String {
        pending = [.value(value)]
        while let piece = pending.popLast() {
            switch piece {
            case .text(let part): text += part
            case .key(let key):
                pending.append(.text(": "))
                if let name = key.stringValue {
                    text += Self.printable(name)
                } else {
                    describe(key)
                }
            case .value(let value): describe(value)
            }
            // Counting scalars takes linear time, so it is skipped while there are too few bytes.
            if text.utf8.count > Self.longest, text.unicodeScalars.count > Self.longest {
                return Self.beginning(of: text)
            }
        }
        return text
    }

    private mutating func describe(_ value: AnyArchived) {
        switch value.content {
        case let value as String: text += "\"\(Self.printable(value))\""
        case let value as Data: text += "<\(value.count) \(value.count == 1 ? "byte" : "bytes")>"
        case let value as Date:
            let seconds = value.timeIntervalSinceReferenceDate
            text += PropertyListDate(secondsSince2001: seconds).description
        case let list as any ArchivedList:
            let brackets = list.kind == .array ? ("[", "]") : ("{(", ")}")
            describe(list.anyElements.prefix(Self.longest).map { [.value($0)] }, in: brackets)
        case let pairs as any ArchivedEntries:
            let entries = pairs.anyEntries.prefix(Self.longest)
            describe(entries.map { [.key($0.key), .value($0.value)] }, in: ("{", "}"))
        case let value as OpaqueObject:
            text += Self.printable(value.archivedClass?.name ?? "OpaqueObject")
        case let value as any CustomStringConvertible: text += Self.printable(value.description)
        case let value: text += "\(type(of: value))"
        }
    }

    private mutating func describe(_ elements: [[Piece]], in brackets: (String, String)) {
        text += brackets.0
        pending.append(.text(brackets.1))
        for (place, pieces) in elements.enumerated().reversed() {
            pending += pieces.reversed()
            if place > 0 { pending.append(.text(", ")) }
        }
    }

    private static func printable(_ text: String) -> String {
        TerminalText.escaped(String(text.unicodeScalars.prefix(longest + 1)))
    }

    private static func beginning(of text: String) -> String {
        String(text.unicodeScalars.prefix(longest)) + "…"
    }
}

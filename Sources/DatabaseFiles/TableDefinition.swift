// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The columns of a table, parsed from its `CREATE TABLE` statement.
///
/// The parser only splits the statement into tokens and executes nothing. It uses these parts:
///
///     CREATE TABLE name ( column [type] [constraints], …, [table constraints] ) [options]
///
/// Generated columns (`AS (…)`) are not stored, unless they are declared `STORED`.
struct TableDefinition: Sendable {
    private struct Column {
        let name: ArraySlice<UInt8>
        var isStored = true
        var isKey = false
    }

    private var columns: [Column] = []
    // The column names of a separate `PRIMARY KEY (…)` constraint.
    private var key: [ArraySlice<UInt8>] = []

    /// Parses a statement. The result is nil if the statement has no complete list of columns, or
    /// too many columns.
    ///
    /// - Complexity: Linear in the length of the statement.
    init?(_ sql: [UInt8]) {
        var tokens = SQLTokens(sql)
        var (depth, isInList) = (0, false)
        var part: [SQLTokens.Token] = []
        while let token = tokens.next() {
            if token.isSymbol("(") {
                depth += 1
                if depth == 1 {
                    isInList = true
                    continue
                }
            }
            guard isInList else { continue }
            if token.isSymbol(")") { depth -= 1 }
            if depth == 0 || depth == 1 && token.isSymbol(",") {
                add(part)
                if columns.count > StoredTable.mostColumns { return nil }
                part.removeAll(keepingCapacity: true)
                if depth == 0 { break }
            } else {
                // Keep nested tokens too: a parenthesis after `AS` marks a generated column, and a
                // primary key lists its columns in parentheses.
                part.append(token)
            }
        }
        if columns.isEmpty || depth > 0 { return nil }
    }

    /// Adds a column or a table constraint.
    private mutating func add(_ part: [SQLTokens.Token]) {
        guard let first = part.first else { return }
        if ["constraint", "primary", "unique", "check", "foreign"].contains(where: first.isWord) {
            return addConstraint(part)
        }
        var column = Column(name: first.text)
        var depth = 0
        for (index, token) in part.enumerated().dropFirst() {
            depth += token.isSymbol("(") ? 1 : token.isSymbol(")") ? -1 : 0
            guard depth == 0 else { continue }
            let next = index + 1 < part.count ? part[index + 1] : nil
            if token.isWord("primary"), next?.isWord("key") == true { column.isKey = true }
            if token.isWord("as"), next?.isSymbol("(") == true { column.isStored = false }
            if token.isWord("stored") { column.isStored = true }
        }
        columns.append(column)
    }

    /// Extracts the columns of a primary key from a table constraint.
    private mutating func addConstraint(_ part: [SQLTokens.Token]) {
        let words = part.drop { !$0.isWord("primary") }.dropFirst()
        guard words.first?.isWord("key") == true else { return }
        var (depth, isFirst) = (0, false)
        for token in words.dropFirst() {
            if token.isSymbol("(") {
                depth += 1
                isFirst = true
                continue
            }
            if token.isSymbol(")") { depth -= 1 }
            if depth == 0 { return }
            if isFirst { key.append(token.text) }
            isFirst = depth == 1 && token.isSymbol(",")
        }
    }

    /// Returns the names of the columns, in the order in which rows store them. A table without
    /// rowids stores its primary key first.
    func storedColumns(hasRowIDs: Bool) -> [String] {
        let stored = columns.filter(\.isStored)
        if hasRowIDs { return stored.map { String(decoding: $0.name, as: UTF8.self) } }
        let places = Dictionary(
            stored.enumerated().map { (lowercased($1.name), $0) },
            uniquingKeysWith: { first, _ in first })
        var order = key.compactMap { places[lowercased($0)] }
        order += stored.indices.filter { stored[$0].isKey }
        order += stored.indices
        var seen: Set<Int> = []
        return order.filter { seen.insert($0).inserted }
            .map { String(decoding: stored[$0].name, as: UTF8.self) }
    }
}

/// Returns the bytes with ASCII letters in lower case.
private func lowercased(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
}

/// A tokenizer for SQL.
///
/// A token is a word or number, a quoted name, or a symbol of one byte. White space and comments
/// are skipped. Quoted names have the form `"…"`, `'…'`, `` `…` `` or `[…]`. In the first three
/// forms, a quote within the name is doubled.
struct SQLTokens {
    struct Token: Equatable {
        enum Kind { case word, quoted, symbol }
        let kind: Kind
        /// The bytes of the token, without quotes.
        let text: ArraySlice<UInt8>

        /// Returns whether this token is unquoted and equals `word`, ignoring ASCII case. `word`
        /// must be in lower case.
        func isWord(_ word: String) -> Bool {
            kind == .word && text.count == word.utf8.count
                && lowercased(text).elementsEqual(word.utf8)
        }

        func isSymbol(_ symbol: Unicode.Scalar) -> Bool {
            kind == .symbol && text.first == UInt8(ascii: symbol)
        }
    }

    private let sql: [UInt8]
    private var index = 0

    init(_ sql: [UInt8]) { self.sql = sql }

    /// Returns the next token, or nil at the end. An unclosed quote extends to the end of the
    /// statement.
    mutating func next() -> Token? {
        skipBlanks()
        guard index < sql.count else { return nil }
        let byte = sql[index]
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"): return quoted(by: byte)
        case UInt8(ascii: "["): return bracketed()
        case _ where Self.isWordByte(byte): return word()
        default:
            index += 1
            return Token(kind: .symbol, text: sql[index - 1..<index])
        }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...0xFF, UInt8(ascii: "_"),
            UInt8(ascii: "$"):
            true
        default: false
        }
    }

    private mutating func skipBlanks() {
        while index < sql.count {
            switch sql[index] {
            case 0x09, 0x0A, 0x0C, 0x0D, 0x20: index += 1
            case UInt8(ascii: "-") where starts("--"): skip(through: "\n")
            case UInt8(ascii: "/") where starts("/*"):
                index += 2
                skip(through: "*/")
            default: return
            }
        }
    }

    private func starts(_ text: String) -> Bool { sql[index...].starts(with: text.utf8) }

    private mutating func skip(through end: String) {
        while index < sql.count, !starts(end) { index += 1 }
        index = min(sql.count, index + end.utf8.count)
    }

    private mutating func word() -> Token {
        let start = index
        while index < sql.count, Self.isWordByte(sql[index]) { index += 1 }
        return Token(kind: .word, text: sql[start..<index])
    }

    private mutating func quoted(by quote: UInt8) -> Token {
        var text: [UInt8] = []
        index += 1
        while index < sql.count {
            if sql[index] == quote {
                index += 1
                guard index < sql.count, sql[index] == quote else { break }
            }
            text.append(sql[index])
            index += 1
        }
        return Token(kind: .quoted, text: text[...])
    }

    private mutating func bracketed() -> Token {
        let start = index + 1
        while index < sql.count, sql[index] != UInt8(ascii: "]") { index += 1 }
        defer { index = min(sql.count, index + 1) }
        return Token(kind: .quoted, text: sql[start..<index])
    }
}

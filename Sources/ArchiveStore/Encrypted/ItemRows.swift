// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

internal import PropertyList
internal import Crypto
internal import GRDB

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The table `item`, with one row per item.
///
/// The attributes are not encrypted, so that SQLite can search for them. They are authenticated
/// together with the data, and a row with altered attributes cannot be read. Strings are stored as
/// blobs of their UTF-8 bytes: SQLite compares these exactly, and they may contain U+0000. Dates
/// are stored as seconds since 2001. The column `service` contains the bytes of the item's subject,
/// which may be a server.
struct ItemRows {
    static let tableDefinition = """
        CREATE TABLE item (id INTEGER PRIMARY KEY, service BLOB NOT NULL, account BLOB NOT NULL, \
        synchronizable INTEGER NOT NULL, label BLOB, description BLOB, comment BLOB, \
        creator INTEGER, type INTEGER, generic BLOB, invisible INTEGER NOT NULL, \
        negative INTEGER NOT NULL, accessibility BLOB NOT NULL, created REAL NOT NULL, \
        modified REAL NOT NULL, sealed BLOB NOT NULL) STRICT
        """
    static let indexDefinition =
        "CREATE UNIQUE INDEX itemIdentity ON item (service, account, synchronizable)"

    let database: Database
    let header: StoreHeader
    let dataKey: SymmetricKey

    // MARK: Reading

    /// Returns the items that match, authenticated and decrypted.
    func items(matching query: ItemQuery, limit: Int) throws -> [Item] {
        if !isOfGroup(query) { return [] }
        let filter = ItemFilter(query)
        let statement = try database.cachedStatement(
            sql: "SELECT * FROM item\(filter.condition) ORDER BY id LIMIT ?")
        // A negative limit means no limit in SQLite.
        let rows = try Row.fetchCursor(
            statement,
            arguments: filter.arguments + [query.hasAddressParts ? -1 : Int64(max(0, limit))])
        var items: [Item] = []
        while items.count < limit, let row = try rows.next() {
            if let item = try item(row, matching: query) { items.append(item) }
        }
        return items
    }

    private func isOfGroup(_ query: ItemQuery) -> Bool {
        query.accessGroup.map { ExactText($0) == ExactText(header.accessGroup) } ?? true
    }

    /// Returns the item of a row, or nil if its subject does not match.
    private func item(_ row: Row, matching query: ItemQuery) throws(StoreError) -> Item? {
        let columns = RowReader<ItemColumn>(row)
        let attributes: ItemAttributes
        let sealed: [UInt8]
        do {
            attributes = try ItemAttributes(columns, accessGroup: header.accessGroup)
            sealed = try columns.bytes(.sealed)
        } catch {
            throw Self.altered(try? columns.subject(), ": \(error.what)")
        }
        if !query.matches(attributes.subject) { return nil }
        let context = attributes.context(store: header.identifier)
        guard let data = Sealing.open(sealed, dataKey, context: context) else {
            throw Self.altered(attributes.subject, "")
        }
        return Item(attributes, data: data)
    }

    private static func altered(_ subject: ItemSubject?, _ details: String) -> StoreError {
        let subject = subject.map { " of the \($0.printable)" } ?? ""
        return StoreError(
            .alteredItem,
            what: "an item\(subject) was altered outside of the store\(details)",
            recovery: "restore it from a backup, save it again, or delete it")
    }

    // MARK: Writing

    func insert(_ item: Item) throws {
        try item.attributes.identity.requireSize()
        try StoreHeader.raiseVersion(for: item, in: database)
        let columns = try columns(of: item)
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        try execute(
            "INSERT INTO item (\(Self.columnNames)) VALUES (\(marks))",
            StatementArguments(columns), item)
    }

    func replace(_ identity: ItemIdentity, with item: Item) throws {
        try item.attributes.identity.requireSize()
        try StoreHeader.raiseVersion(for: item, in: database)
        let columns = try columns(of: item)
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        let arguments = StatementArguments(columns) + ItemFilter(ItemQuery(identity)).arguments
        try execute(
            "UPDATE item SET (\(Self.columnNames)) = (\(marks)) "
                + "WHERE service = ? AND account = ? AND synchronizable = ?", arguments, item)
        if database.changesCount == 0 {
            throw StoreError.notFound(ItemQuery(identity, accessGroup: header.accessGroup))
        }
    }

    /// Removes items without reading them, which makes it possible to remove altered ones.
    ///
    /// - Returns: The number of items removed.
    @discardableResult
    func remove(matching query: ItemQuery) throws -> Int {
        if !isOfGroup(query) { return 0 }
        let filter = ItemFilter(query)
        if query.hasAddressParts { return try removeRows(filter, query) }
        try database.cachedStatement(sql: "DELETE FROM item\(filter.condition)")
            .execute(arguments: filter.arguments)
        return database.changesCount
    }

    /// Removes the rows of internet passwords whose addresses match. SQLite cannot compare the
    /// parts of an address itself.
    ///
    /// A row with a malformed address is removed too, because reading it with the same query throws
    /// `alteredItem`. The SQL condition compared at most the server; the other parts are unknown.
    private func removeRows(_ filter: ItemFilter, _ query: ItemQuery) throws -> Int {
        let found = try Row.fetchAll(
            database.cachedStatement(sql: "SELECT id, service FROM item\(filter.condition)"),
            arguments: filter.arguments)
        var count = 0
        for row in found {
            // Both columns have the same positions as in the whole table.
            let subject = try? RowReader<ItemColumn>(row).subject()
            if let subject, !query.matches(subject) { continue }
            try database.cachedStatement(sql: "DELETE FROM item WHERE id = ?")
                .execute(arguments: [row[0] as DatabaseValue])
            count += 1
        }
        return count
    }

    private func execute(
        _ sql: String, _ arguments: StatementArguments, _ item: Item
    ) throws {
        do {
            try database.cachedStatement(sql: sql).execute(arguments: arguments)
        } catch let error as DatabaseError
            where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE
        {
            throw StoreError.duplicate(item.attributes.identity, in: header.accessGroup)
        }
    }

    private static let columnNames = """
        service, account, synchronizable, label, description, comment, creator, type, generic, \
        invisible, negative, accessibility, created, modified, sealed
        """

    private func columns(of item: Item) throws(StoreError) -> [(any DatabaseValueConvertible)?] {
        let attributes = item.attributes
        let context = attributes.context(store: header.identifier)
        let sealed = try Sealing.seal(item.data, dataKey, context: context)
        return [
            Data(attributes.subject.bytes), blob(attributes.account), attributes.isSynchronizable,
            blob(attributes.label), blob(attributes.itemDescription), blob(attributes.comment),
            (attributes.creator?.rawValue).map { Int64($0) },
            (attributes.type?.rawValue).map { Int64($0) }, attributes.generic.map { Data($0) },
            attributes.isInvisible, attributes.isNegative, blob(attributes.accessibility.rawValue),
            attributes.created.timeIntervalSinceReferenceDate,
            attributes.modified.timeIntervalSinceReferenceDate, Data(sealed),
        ]
    }

    private func blob(_ text: String?) -> Data? { text.map { Data($0.utf8) } }
}

/// The columns in the order of the table.
private enum ItemColumn: Int {
    case id, service, account, synchronizable, label, description, comment, creator, type, generic
    case invisible, negative, accessibility, created, modified, sealed
}

extension ItemAttributes {
    fileprivate init(_ columns: RowReader<ItemColumn>, accessGroup: String) throws(StoreError) {
        self.init(
            try columns.subject(), account: try columns.text(.account), accessGroup: accessGroup)
        isSynchronizable = try columns.boolean(.synchronizable)
        label = try columns.optionalText(.label)
        itemDescription = try columns.optionalText(.description)
        comment = try columns.optionalText(.comment)
        creator = try columns.code(.creator)
        type = try columns.code(.type)
        generic = try columns.optionalBytes(.generic)
        isInvisible = try columns.boolean(.invisible)
        isNegative = try columns.boolean(.negative)
        guard let accessibility = Accessibility(rawValue: try columns.text(.accessibility)) else {
            throw RowReader<ItemColumn>.malformed(.accessibility)
        }
        self.accessibility = accessibility
        created = Date(timeIntervalSinceReferenceDate: try columns.real(.created))
        modified = Date(timeIntervalSinceReferenceDate: try columns.real(.modified))
    }
}

extension RowReader<ItemColumn> {
    fileprivate func subject() throws(StoreError) -> ItemSubject {
        guard let subject = ItemSubject(try bytes(.service)) else { throw Self.malformed(.service) }
        return subject
    }

    fileprivate func code(_ column: ItemColumn) throws(StoreError) -> FourCharacterCode? {
        guard let number = try optionalInteger(column) else { return nil }
        guard let code = UInt32(exactly: number) else { throw Self.malformed(column) }
        return FourCharacterCode(rawValue: code)
    }
}

/// A query as an SQL condition. The columns of the index come first, in their order.
///
/// If the query has parts of an address, the condition contains the server but no other part. An
/// encoded address begins with the server, so the index finds the rows of a server.
private struct ItemFilter {
    private(set) var condition = ""
    private(set) var arguments = StatementArguments()

    init(_ query: ItemQuery) {
        add("service", query.service.map { Data($0.utf8) })
        add("service", query.address.map { Data(ItemSubject.server($0).bytes) })
        addClass(of: query)
        add("account", query.account.map { Data($0.utf8) })
        add("synchronizable", query.isSynchronizable)
        add("label", query.label.map { Data($0.utf8) })
        add("creator", (query.creator?.rawValue).map { Int64($0) })
        add("type", (query.type?.rawValue).map { Int64($0) })
        add("generic", query.generic.map { Data($0) })
        add("accessibility", query.accessibility.map { Data($0.rawValue.utf8) })
    }

    private mutating func addClass(of query: ItemQuery) {
        let mark = Data([ServerAddress.mark])
        if query.itemClass == .genericPassword { add("service", mark, by: "<") }
        if let server = query.server {
            let bytes = ServerAddress.prefix(of: server)
            add("service", Data(bytes), by: ">=")
            // The byte after the server is 0 or 1, so `FF` in its place gives an upper bound.
            add("service", Data(bytes + [ServerAddress.mark]), by: "<")
        } else if query.itemClass == .internetPassword || query.hasAddressParts {
            add("service", mark, by: ">=")
        }
    }

    private mutating func add(
        _ column: String, _ value: (some DatabaseValueConvertible)?, by operation: String = "="
    ) {
        guard let value else { return }
        condition += condition.isEmpty ? " WHERE " : " AND "
        condition += "\(column) \(operation) ?"
        arguments += [value]
    }
}

#endif

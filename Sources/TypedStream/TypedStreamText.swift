// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension TypedStreamDocument {
    /// The text of the first string in the stream, without its attributes; nil if there is no string, and for a
    /// string that is nil.
    ///
    /// A string is an object of the class `NSString` or `NSMutableString`, by exact name. An attributed string
    /// begins with its string: for the stream of one, such as `attributedBody` in the database of Messages, this
    /// is its text.
    ///
    /// - Complexity: Linear in the text and in the number of objects before it.
    /// - Throws: `invalidString` where the text is not UTF-8, `wrongKind` where the object does not hold its text as
    ///   version 1 of the class does, and ``problem`` where a salvaged document ends before the text does.
    public func firstText() throws(TypedStreamError) -> String? {
        for (number, entry) in storage.tables.entries.enumerated() where entry.kind == .object {
            if storage.isString(entry) {
                var fields = FieldCursor(TypedStreamObject(storage, number: number))
                return try fields.text().map(storage.text)
            }
        }
        return nil
    }
}

extension TypedStreamDocument.Storage {
    /// Whether an object is a string whose contents have a known form.
    fileprivate func isString(_ object: TableEntry) -> Bool {
        let name = tables.strings[Int(tables.entries[Int(object.target)].target)].range
        return source.bytes.isText("NSString", at: name)
            || source.bytes.isText("NSMutableString", at: name)
    }
}

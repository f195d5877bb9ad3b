// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension TypedStreamDocument {
    /// Returns the text of the first string in the stream, without its attributes. Returns nil if
    /// there is no string or if the string is nil.
    ///
    /// A string is an object of exactly the class `NSString` or `NSMutableString`. An attributed
    /// string begins with such an object. So the result for a stream with an attributed string,
    /// such as `attributedBody` in the Messages database, is the text of the attributed string.
    ///
    /// - Complexity: Linear in the length of the text and in the number of objects before it.
    /// - Throws: `invalidString` if the text is not UTF-8, `wrongKind` if the object does not have
    ///   the form of version 1 of its class, and ``problem`` if a salvaged document ends before the
    ///   text does.
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
    /// Returns whether an object has exactly the class `NSString` or `NSMutableString`, of any
    /// version.
    fileprivate func isString(_ object: TableEntry) -> Bool {
        let name = tables.strings[Int(tables.entries[Int(object.target)].target)].range
        return source.bytes.isText("NSString", at: name)
            || source.bytes.isText("NSMutableString", at: name)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

extension PropertyListDictionary {
    /// Writes the dictionary to a file as a property list. The file is replaced atomically; see
    /// ``FileOptions``.
    ///
    /// ```swift
    /// let settings: PropertyListDictionary = ["name": "Anna", "age": 36]
    /// try settings.write(toFile: path)
    /// let back = try PropertyListDictionary(contentsOfFile: path)
    /// ```
    ///
    /// - Throws: ``StoreError`` with `unsupportedValue` and the path of the value, if a value is
    ///   not a string, number, boolean, date, data, array or dictionary, if a date is infinite or
    ///   not a number, or if a value could not be read back within `limits`. Also `outOfSpace` and
    ///   `fileAccess`, and `misuse` for a format other than binary or XML.
    public func write(
        toFile path: String, options: FileOptions = FileOptions(format: .xml),
        limits: ParsingLimits = .default
    ) throws(StoreError) {
        try PlainFile.write(.dictionary(self), to: path, options, limits)
    }

    /// Reads a dictionary from a property list in any format.
    ///
    /// - Throws: ``StoreError`` with `fileMissing`, `fileAccess` or `invalidContents`, or with
    ///   `unsupportedValue` for values that ``write(toFile:options:limits:)`` would refuse.
    public init(
        contentsOfFile path: String, limits: ParsingLimits = .default
    ) throws(StoreError) {
        let value = try PlainFile.read(path, limits)
        guard let dictionary = value.dictionary else {
            throw PlainFile.wrongRoot(value, "a dictionary", path)
        }
        self = dictionary
    }
}

extension PropertyListArray {
    /// Writes the array to a file as a property list. The file is replaced atomically; see
    /// ``FileOptions``.
    ///
    /// - Throws: The errors of `PropertyListDictionary.write(toFile:options:limits:)`.
    public func write(
        toFile path: String, options: FileOptions = FileOptions(format: .xml),
        limits: ParsingLimits = .default
    ) throws(StoreError) {
        try PlainFile.write(.array(self), to: path, options, limits)
    }

    /// Reads an array from a property list in any format.
    ///
    /// - Throws: The errors of `PropertyListDictionary.init(contentsOfFile:limits:)`.
    public init(
        contentsOfFile path: String, limits: ParsingLimits = .default
    ) throws(StoreError) {
        let value = try PlainFile.read(path, limits)
        guard let array = value.array else { throw PlainFile.wrongRoot(value, "an array", path) }
        self = array
    }
}

/// Functions that read and write property list files. They accept only the kinds of values that XML
/// supports.
enum PlainFile {
    static func write(
        _ value: PropertyListValue, to path: String, _ options: FileOptions,
        _ limits: ParsingLimits
    ) throws(StoreError) {
        try WholeFile.replace(
            path, with: bytes(of: value, options, limits), isPrivate: options.isPrivate)
    }

    /// Returns the contents of the file that stores a value. Refuses a value that could not be read
    /// back: a binary file stores equal values once, so a small file may expand beyond the limits.
    ///
    /// - Throws: `unsupportedValue`; `misuse` for a format other than binary or XML.
    static func bytes(
        of value: PropertyListValue, _ options: FileOptions, _ limits: ParsingLimits
    ) throws(StoreError) -> [UInt8] {
        try options.requireLosslessFormat()
        try PlainKinds.require(value)
        do {
            let bytes = try serialize(
                PropertyListDocument(value, limits: limits), options, limits)
            _ = try PropertyListValue(parsing: bytes, limits: limits)
            return bytes
        } catch {
            let isLost = error.code == .unrepresentableValue && options.format == .xml
            throw StoreError(
                .unsupportedValue, what: error.what, path: error.path,
                recovery: isLost ? "use the format `.binary`, which can hold it" : error.recovery,
                underlying: error)
        }
    }

    private static func serialize(
        _ document: PropertyListDocument, _ options: FileOptions, _ limits: ParsingLimits
    ) throws(PropertyListError) -> [UInt8] {
        guard options.format == .xml else {
            return try BinaryPropertyList.serialize(document, limits: limits)
        }
        var layout = XMLPropertyList.Options()
        // Like Apple's XML writer, drop fractions of seconds and the widths of reals.
        layout.allowedLosses = [.fractionsOfSeconds, .realWidths]
        return try XMLPropertyList.serialize(document, options: layout, limits: limits).bytes
    }

    static func read(_ path: String, _ limits: ParsingLimits) throws(StoreError)
        -> PropertyListValue
    {
        try document(path, limits).value
    }

    /// Returns the value in a file, and the format of the file.
    static func document(
        _ path: String, _ limits: ParsingLimits
    ) throws(StoreError) -> (value: PropertyListValue, format: PropertyListFormat) {
        let bytes = try WholeFile.read(path, limits: limits)
        let value: PropertyListValue
        let format: PropertyListFormat
        do {
            // Parsing checks the size before anything else.
            value = try PropertyListValue(parsing: bytes, limits: limits)
            format = try PropertyListFormat.detect(bytes)
        } catch {
            throw .invalidContents(error, file: path)
        }
        do { try PlainKinds.require(value) } catch { throw error.at(file: path) }
        return (value, format)
    }

    /// Returns whether XML can represent a value without any loss except the widths of reals. The
    /// result is also true if the value cannot be serialized for another reason, such as a limit.
    static func isExactInXML(_ value: PropertyListValue, _ limits: ParsingLimits) -> Bool {
        var layout = XMLPropertyList.Options()
        layout.allowedLosses = [.realWidths]
        do {
            let document = try PropertyListDocument(value, limits: limits)
            _ = try XMLPropertyList.serialize(document, options: layout, limits: limits)
            return true
        } catch {
            return error.code != .unrepresentableValue
        }
    }

    static func wrongRoot(
        _ value: PropertyListValue, _ expected: String, _ path: String
    ) -> StoreError {
        StoreError(
            .invalidContents,
            what: "expected \(expected) as the root, found a value of kind \(value.kind)",
            file: path,
            recovery: "use `PropertyListDocument` for other kinds")
    }
}

extension StoreError {
    /// Returns this error with the path of the file.
    func at(file: String) -> StoreError {
        StoreError(
            code, what: what, file: file, path: path, recovery: recovery, underlying: underlying)
    }

    /// Returns this error with a key as its path.
    func at(key: String) -> StoreError {
        StoreError(
            code, what: what, file: file, path: PropertyListPath([.key(key)]), recovery: recovery,
            underlying: underlying)
    }
}

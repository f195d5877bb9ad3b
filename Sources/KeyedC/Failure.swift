// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import CKeyed
internal import InlinePropertyList
internal import KeyedArchive
internal import NIBArchive
internal import PropertyList
internal import TypedStream

/// An error of the library, in the form that a C caller receives as a `keyed_error`.
struct Failure: Error {
    let code: String
    let message: String
    let path: String?
    let location: PropertyListError.Location?
    let isLimit: Bool

    init(_ error: PropertyListError) {
        code = error.code.description
        message = error.descriptionWithoutRecovery + Self.advice(for: error)
        path = error.path?.description
        location = error.location
        isLimit = error.isLimit
    }

    /// Creates the failure for an error in an archive. The location is that of the underlying error
    /// or of the object.
    init(_ error: KeyedArchiveError, in document: PropertyListDocument?) {
        if let cause = error.propertyListError {
            self = Failure(cause)
        } else {
            self = Self.failure(error, document)
        }
    }

    private static func failure(
        _ error: KeyedArchiveError, _ document: PropertyListDocument?
    ) -> Failure {
        let object = error.object.map { Int(clamping: $0.value) }
        let location = object.flatMap { document?.root["$objects"]?[$0]?.location }
        let path = error.path?.description ?? object.map { "@\($0)" }
        var text = "keyed archive: \(error.what)"
        if let location { text += " at \(location)" }
        if let path { text += ", in \(path)" }
        if error.isLimit { text += limitAdvice }
        return Failure(
            code: error.code.description, message: text, path: path, location: location,
            isLimit: error.isLimit)
    }

    private init(
        code: String, message: String, path: String?, location: PropertyListError.Location?,
        isLimit: Bool
    ) {
        self.code = code
        self.message = message
        self.path = path
        self.location = location
        self.isLimit = isLimit
    }

    init(_ error: TypedStreamError) {
        self.init(
            "\(error.code)", "typedstream: \(error.what)", error.byteOffset, error.isLimit)
    }

    init(_ error: NIBArchiveError) {
        self.init(
            "\(error.code)", "NIBArchive: \(error.what)", error.byteOffset, error.isLimit)
    }

    init(_ error: InlinePropertyListError, _ format: StaticString) {
        self.init(
            "\(error.code)", "\(format): \(error.what)", error.byteOffset, error.isLimit)
    }

    init(_ code: String, _ what: String, _ offset: Int? = nil, _ isLimit: Bool = false) {
        self.code = code
        message =
            what + (offset.map { " at byte \($0)" } ?? "") + (isLimit ? Self.limitAdvice : "")
        path = nil
        location = offset.map { .byte($0) }
        self.isLimit = isLimit
    }

    private static let limitAdvice = " (choose a higher preset of limits if the file is trusted)"

    /// Returns advice for C callers, because the library's own advice mentions Swift API.
    private static func advice(for error: PropertyListError) -> String {
        switch error.recoveryCode {
        case .raiseLimits: limitAdvice
        case .allowLeniency: " (the option `lenient` may accept it)"
        case .chooseMapping: " (another JSON mode can represent it)"
        default: ""
        }
    }

    /// Stores the error for a C caller, unless the caller passed NULL.
    func store(
        _ place: UnsafeMutablePointer<UnsafeMutablePointer<keyed_error>?>?
    ) {
        guard let place = unsafe place else { return }
        var appendix = Appendix()
        let code = appendix.add(code)
        let message = appendix.add(message)
        let path = path.map { appendix.add($0) }
        let size = unsafe MemoryLayout<keyed_error>.size
        let block = unsafe Block.allocate(size: size + appendix.bytes.count)
        let end = unsafe block + size
        unsafe appendix.copy(to: end)
        let texts = unsafe end.assumingMemoryBound(to: CChar.self)
        // SAFETY: the block has room for the structure, and all strings are in it.
        let error = unsafe block.bindMemory(to: keyed_error.self, capacity: 1)
        unsafe error.initialize(
            to: keyed_error(
                code: texts + code, message: texts + message, path: path.map { unsafe texts + $0 },
                offset: location.map { Int64($0.byte) } ?? -1,
                line: Int32(clamping: location?.line ?? 0),
                column: Int32(clamping: location?.column ?? 0), is_limit: isLimit ? 1 : 0))
        unsafe place.pointee = error
    }
}

/// The out parameter through which a C caller receives an error.
typealias ErrorPlace = UnsafeMutablePointer<UnsafeMutablePointer<keyed_error>?>?

/// Returns the result of `body`. If `body` throws, stores the failure and returns nil.
func guarded<Result>(
    _ place: ErrorPlace, _ body: () throws(Failure) -> Result?
) -> Result? {
    do { return try body() } catch {
        unsafe error.store(place)
        return nil
    }
}

/// Returns the result of `body`. If `body` throws, throws its error as a ``Failure``.
func convertingErrors<Result>(
    _ body: () throws(PropertyListError) -> Result
) throws(Failure) -> Result {
    do { return try body() } catch { throw Failure(error) }
}

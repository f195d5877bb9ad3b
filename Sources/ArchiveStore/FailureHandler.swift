// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList
internal import SystemFiles

/// Takes the failures that no call can throw: those of ``Preferences`` that are saved without a call, and those
/// of values that are set by a subscript.
///
/// ```swift
/// let preferences = try Preferences(
///     domain: "com.example.player",
///     onFailure: FailureHandler { error in log.append("\(error)") })
/// ```
///
/// A handler may be called on any thread, also while the program ends. No lock of the library is held then.
public struct FailureHandler: Sendable {
    private let body: @Sendable (any Error) -> Void

    /// Creates a handler.
    public init(_ body: @escaping @Sendable (any Error) -> Void) { self.body = body }

    /// Writes the description of each error to standard error, as one line. Descriptions hold no values.
    public static let standardError = FailureHandler { error in
        Environment.log(TerminalText.escaped("\(error)"))
    }

    /// Takes a failure.
    func callAsFunction(_ error: any Error) { body(error) }
}

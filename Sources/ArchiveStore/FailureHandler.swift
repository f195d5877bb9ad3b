// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList
internal import SystemFiles

/// A handler for failures that no call can throw: those of saving ``Preferences`` in the
/// background, and those of setting values by a subscript.
///
/// ```swift
/// let preferences = try Preferences(
///     domain: "com.example.player",
///     onFailure: FailureHandler { error in log.append("\(error)") })
/// ```
///
/// A handler may be called on any thread, even while the program exits. The library holds no lock
/// during the call.
public struct FailureHandler: Sendable {
    private let body: @Sendable (any Error) -> Void

    /// Creates a handler that calls a function with each error.
    public init(_ body: @escaping @Sendable (any Error) -> Void) { self.body = body }

    /// A handler that writes the description of each error to standard error, as one line.
    /// Descriptions contain no values.
    public static let standardError = FailureHandler { error in
        Environment.log(TerminalText.escaped("\(error)"))
    }

    /// Reports a failure.
    func callAsFunction(_ error: any Error) { body(error) }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// In this module, because `PropertyList` does not depend on Foundation.

extension PropertyListError: LocalizedError {
    /// A description of the error and its location, without ``recovery``.
    public var errorDescription: String? { descriptionWithoutRecovery }
    /// A description of the error alone.
    public var failureReason: String? { what }
    /// The suggested fix, such as the option or limit that makes the input acceptable.
    public var recoverySuggestion: String? { recovery }
}

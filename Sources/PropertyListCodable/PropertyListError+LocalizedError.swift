// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// Here, because the module of property lists does without Foundation.

extension PropertyListError: LocalizedError {
    /// The fault and its place, without ``recovery``.
    public var errorDescription: String? { descriptionWithoutRecovery }
    /// The fault.
    public var failureReason: String? { what }
    /// The option or limit that lets the input pass.
    public var recoverySuggestion: String? { recovery }
}

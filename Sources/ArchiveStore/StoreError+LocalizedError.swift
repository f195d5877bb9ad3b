// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension StoreError: LocalizedError {
    /// The full message without ``recovery``.
    public var errorDescription: String? { descriptionWithoutRecovery }
    /// The problem, without its location.
    public var failureReason: String? { what }
    /// The suggested fix.
    public var recoverySuggestion: String? { recovery }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension StoreError: LocalizedError {
    /// The problem, its file and its place, without ``recovery``.
    public var errorDescription: String? { descriptionWithoutRecovery }
    /// The problem.
    public var failureReason: String? { what }
    /// A way to mend it.
    public var recoverySuggestion: String? { recovery }
}

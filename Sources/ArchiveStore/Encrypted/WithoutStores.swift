// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if !Stores

/// The encrypted database, which requires the package trait `Stores`.
@available(
    *, unavailable, message: "depend on the package with `traits: [\"Stores\"]` for encrypted items"
)
public enum EncryptedItemDatabase {}

/// The key of an encrypted database, which requires the package trait `Stores`.
@available(
    *, unavailable, message: "depend on the package with `traits: [\"Stores\"]` for encrypted items"
)
public enum MasterKey {}

#endif

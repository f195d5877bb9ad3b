// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// When an item may be read, as Apple's keychain enforces it in hardware.
///
/// Off Apple's hardware it is kept, shown and authenticated, and nothing more is enforced: whoever has
/// the key of a store reads its items at any time. What is enforced everywhere: items of this device
/// only stay out of ``ItemStore/backup(matching:)``.
public enum Accessibility: String, Sendable, Hashable, CaseIterable {
    // The raw values are those of Apple's constants.

    /// While the device is unlocked.
    case whenUnlocked = "ak"
    /// From the first unlocking after it was started.
    case afterFirstUnlock = "ck"
    /// Always.
    case always = "dk"
    /// While a device with a passcode is unlocked; never on another device.
    case whenPasscodeSetThisDeviceOnly = "akpu"
    /// While the device is unlocked; never on another.
    case whenUnlockedThisDeviceOnly = "aku"
    /// From the first unlocking after it was started; never on another device.
    case afterFirstUnlockThisDeviceOnly = "cku"
    /// Always; never on another device.
    case alwaysThisDeviceOnly = "dku"

    /// A Boolean value that says whether the item is for this device only.
    public var isThisDeviceOnly: Bool { rawValue.hasSuffix("u") }
}

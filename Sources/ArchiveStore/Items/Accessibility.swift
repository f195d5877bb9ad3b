// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The condition under which an item may be read. Apple's keychain enforces it in hardware.
///
/// Other databases store the value, and encrypted ones also authenticate it, but none enforces it:
/// anyone with the key of a store can read its items at any time. One rule applies everywhere:
/// ``ItemStore/backup(matching:)`` leaves out items for this device only.
public enum Accessibility: String, Sendable, Hashable, CaseIterable {
    // The raw values are those of Apple's constants.

    /// While the device is unlocked.
    case whenUnlocked = "ak"
    /// After the device has been unlocked once since it was started.
    case afterFirstUnlock = "ck"
    /// Always.
    case always = "dk"
    /// While a device with a passcode is unlocked; never on another device.
    case whenPasscodeSetThisDeviceOnly = "akpu"
    /// While the device is unlocked; never on another device.
    case whenUnlockedThisDeviceOnly = "aku"
    /// After the device has been unlocked once since it was started; never on another device.
    case afterFirstUnlockThisDeviceOnly = "cku"
    /// Always; never on another device.
    case alwaysThisDeviceOnly = "dku"

    /// A Boolean value indicating whether the item is for this device only.
    public var isThisDeviceOnly: Bool { rawValue.hasSuffix("u") }
}

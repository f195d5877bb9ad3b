// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

//! How much memory is resident, in bytes: as `Sources/bench-row/ResidentMemory.swift` looks at it.

/// Now.
pub fn current() -> u64 {
    status("VmRSS:")
}

/// Begins to look for the peak anew.
pub fn reset_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The most that was resident since then.
pub fn peak() -> u64 {
    status("VmHWM:")
}

fn status(name: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(name));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number.and_then(|number| number.parse::<u64>().ok()).unwrap_or(0) << 10
}

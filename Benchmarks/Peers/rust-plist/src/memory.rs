// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

//! The resident memory of this process in bytes, measured as in
//! `Sources/bench-row/ResidentMemory.swift`.

/// Returns the resident memory at present.
pub fn current() -> u64 {
    status("VmRSS:")
}

/// Resets the peak to the resident memory at present.
pub fn reset_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Returns the peak of the resident memory since the last call of `reset_peak`.
pub fn peak() -> u64 {
    status("VmHWM:")
}

fn status(name: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(name));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number.and_then(|number| number.parse::<u64>().ok()).unwrap_or(0) << 10
}

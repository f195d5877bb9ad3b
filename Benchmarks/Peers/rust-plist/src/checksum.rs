// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

//! The checksum of a property list, as `Sources/BenchmarkRows/Checksum.swift` describes it.

use plist::{Date, Dictionary, Value};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const P: u64 = 0x9E37_79B9_7F4A_7C15;
const Q: u64 = 0xC2B2_AE3D_27D4_EB4F;

#[derive(Clone, Copy)]
enum Tag {
    Boolean = 1,
    Integer,
    Real,
    Date,
    Data,
    String,
    Uid,
    Array,
    Dictionary,
}

/// The checksum of a value and of all values in it.
pub fn checksum(value: &Value) -> u64 {
    match value {
        Value::String(text) => content(Tag::String, text.as_bytes()),
        Value::Integer(number) => scalar(Tag::Integer, integer_bits(number)),
        Value::Dictionary(entries) => dictionary(entries),
        Value::Array(elements) => array(elements),
        Value::Boolean(flag) => scalar(Tag::Boolean, u64::from(*flag)),
        Value::Real(number) => scalar(Tag::Real, number.to_bits()),
        Value::Date(date) => scalar(Tag::Date, seconds_since_2001(date).to_bits()),
        Value::Data(bytes) => content(Tag::Data, bytes),
        Value::Uid(uid) => scalar(Tag::Uid, uid.get()),
        // `Value` may get further cases; no file of the benchmark holds one.
        _ => 0,
    }
}

/// The checksum of integers that were looked up, in order.
pub fn checksum_of_integers<'a>(values: impl Iterator<Item = &'a Value>) -> u64 {
    values.fold(0, |sum, value| appending(checksum(value), sum))
}

fn dictionary(entries: &Dictionary) -> u64 {
    if let Some(uid) = uid_in_xml(entries) {
        return scalar(Tag::Uid, uid);
    }
    let sum = entries.iter().fold(0u64, |sum, (key, value)| {
        let entry = content(Tag::String, key.as_bytes())
            .wrapping_mul(3)
            .wrapping_add(checksum(value));
        sum.wrapping_add(mix(entry))
    });
    scalar(Tag::Dictionary, sum.wrapping_add(entries.len() as u64))
}

/// The UID that a dictionary `{CF$UID: n}` stands for: rust-plist leaves it a dictionary.
fn uid_in_xml(entries: &Dictionary) -> Option<u64> {
    if entries.len() != 1 {
        return None;
    }
    entries.get("CF$UID")?.as_unsigned_integer()
}

fn array(elements: &[Value]) -> u64 {
    let sum = elements
        .iter()
        .fold(0, |sum, element| appending(checksum(element), sum));
    scalar(Tag::Array, sum.wrapping_add(elements.len() as u64))
}

fn appending(element: u64, sum: u64) -> u64 {
    sum.wrapping_mul(31).wrapping_add(element)
}

fn integer_bits(number: &plist::Integer) -> u64 {
    match number.as_signed() {
        Some(signed) => signed as u64,
        None => number.as_unsigned().unwrap_or(0),
    }
}

fn seconds_since_2001(date: &Date) -> f64 {
    let epoch = UNIX_EPOCH + Duration::from_secs(978_307_200);
    let time: SystemTime = (*date).into();
    match time.duration_since(epoch) {
        Ok(after) => after.as_secs_f64(),
        Err(error) => -error.duration().as_secs_f64(),
    }
}

fn mix(bits: u64) -> u64 {
    let folded = (bits ^ bits >> 32).wrapping_mul(0x9FB2_1C65_1E98_DF25);
    folded ^ folded >> 29
}

fn scalar(tag: Tag, bits: u64) -> u64 {
    mix(bits.wrapping_add((tag as u64).wrapping_mul(P)))
}

fn content(tag: Tag, bytes: &[u8]) -> u64 {
    let length = (bytes.len() as u64).wrapping_mul(Q);
    mix(fold(bytes)
        .wrapping_add(length)
        .wrapping_add((tag as u64).wrapping_mul(P)))
}

/// The bytes as one little-endian number modulo 2⁶⁴ − 1.
fn fold(bytes: &[u8]) -> u64 {
    let mut words = bytes.chunks_exact(8);
    let mut sum = 0u64;
    for word in &mut words {
        sum = add(u64::from_le_bytes(word.try_into().unwrap()), sum);
    }
    let mut tail = [0u8; 8];
    tail[..words.remainder().len()].copy_from_slice(words.remainder());
    sum = add(u64::from_le_bytes(tail), sum);
    // 2⁶⁴ − 1 is 0 modulo itself.
    if sum == u64::MAX { 0 } else { sum }
}

fn add(word: u64, sum: u64) -> u64 {
    let (partial, carried) = sum.overflowing_add(word);
    partial.wrapping_add(u64::from(carried))
}

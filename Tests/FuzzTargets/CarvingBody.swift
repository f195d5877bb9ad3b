// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import PropertyListTools

/// Searches the input for property lists. The results must be ordered and valid, and property lists
/// must not overlap, unless nested ones are sought. A search in portions must find the same ranges.
public func fuzzCarving(_ bytes: [UInt8]) throws {
    let setup = FuzzSetup(bytes)
    for findsNested in [false, true] {
        let carver = PropertyListCarver(
            setup.input, options: setup.options, limits: setup.limits, findsNested: findsNested)
        let items = Array(carver)
        try check(items, setup, apart: !findsNested)
        var portions = carver
        var ranges: [Range<Int>] = []
        while portions.position < setup.input.count {
            while let item = portions.next(before: portions.position + 5) {
                ranges.append(item.range)
            }
        }
        try BrokenProperty.check(
            ranges == items.map(\.range), "a search in portions finds different ranges")
    }
}

private func check(_ items: [CarvedItem], _ setup: FuzzSetup, apart: Bool) throws {
    var last = 0
    for item in items {
        try BrokenProperty.check(
            item.range.lowerBound >= last && item.range.upperBound <= setup.input.count,
            "\(item.range) is out of order or outside the input")
        guard case .propertyList(let document) = item.content else {
            last = item.range.lowerBound
            continue
        }
        last = apart ? item.range.upperBound : item.range.lowerBound
        let again = try BrokenProperty.require("what was found does not parse") {
            try PropertyListDocument(
                parsing: setup.input[item.range], options: setup.options, limits: setup.limits)
        }
        try BrokenProperty.check(
            again.nodeCount == document.nodeCount,
            "what was found parses as a different property list")
    }
}

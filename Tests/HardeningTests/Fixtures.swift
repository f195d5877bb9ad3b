// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import FuzzTargets
import PropertyList
import TestSupport

/// The files of `Fixtures` that stand for input: not what is expected of them, not the fuzz inputs,
/// which begin with bytes of their own.
let fixtures = Corpus.files(in: Corpus.fixtures).filter { file in
    let last = file.name.split(separator: "/").last ?? ""
    let isInput = !last.hasPrefix(".") && !last.hasSuffix(".md") && !last.hasSuffix(".expected")
    return isInput && !file.name.hasPrefix("fuzz/")
}

/// Those that are read strictly within the default limits.
let readable = fixtures.filter { (try? PropertyListValue(parsing: $0.bytes)) != nil }

/// The fuzz targets that read their input, other than those that build something as it says, and the
/// verbs of the command, whose runs take a millisecond each.
let readingTargets = fuzzTargets.filter {
    !["build", "encode", "archive", "verbs"].contains($0.name)
}

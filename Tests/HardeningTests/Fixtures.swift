// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import FuzzTargets
import PropertyList
import TestSupport

/// The files of `Fixtures` that are inputs. Expectations are left out, and so are fuzz inputs,
/// which begin with option bytes.
let fixtures = Corpus.files(in: Corpus.fixtures).filter { file in
    let last = file.name.split(separator: "/").last ?? ""
    let isInput = !last.hasPrefix(".") && !last.hasSuffix(".md") && !last.hasSuffix(".expected")
    return isInput && !file.name.hasPrefix("fuzz/")
}

/// The fixtures that parse strictly within the default limits.
let readable = fixtures.filter { (try? PropertyListValue(parsing: $0.bytes)) != nil }

/// The fuzz targets that read their input. Targets that build from a script are left out, and so
/// are the verbs of the command, whose runs take a millisecond each.
let readingTargets = fuzzTargets.filter {
    !["build", "encode", "archive", "verbs"].contains($0.name)
}

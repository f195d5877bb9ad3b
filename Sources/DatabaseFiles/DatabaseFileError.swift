// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The reason why a database, or a part of one, cannot be read.
package struct DatabaseFileError: Error, Equatable, CustomStringConvertible {
    /// The defect, as `expected X, found Y` where two things are compared.
    package let what: String

    package init(_ what: String) { self.what = what }

    package var description: String { what }
}

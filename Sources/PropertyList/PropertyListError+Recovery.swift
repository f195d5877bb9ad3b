// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension PropertyListError {
    /// A code for the suggested fix of an error, for programs that offer the fix themselves.
    ///
    /// The set of codes is open, so a new code breaks no `switch`.
    public struct RecoveryCode: Hashable, Sendable {
        let name: StaticName
        private init(_ name: StaticString) { self.name = StaticName(name) }

        /// Raise a limit in ``ParsingLimits``, if the file is trusted.
        public static let raiseLimits = RecoveryCode("raiseLimits")
        /// Parse with ``PropertyListError/recoveryOptions``.
        public static let allowLeniency = RecoveryCode("allowLeniency")
        /// Allow the loss in ``XMLPropertyList/Options/allowedLosses``.
        public static let allowLoss = RecoveryCode("allowLoss")
        /// Name the encoding of the text.
        public static let nameEncoding = RecoveryCode("nameEncoding")
        /// Choose a form in ``OpenStepPropertyList/Options/scalars``.
        public static let chooseScalars = RecoveryCode("chooseScalars")
        /// Choose a mapping in ``JSONPropertyList/Options/mapping``.
        public static let chooseMapping = RecoveryCode("chooseMapping")
        /// Parse as ``JSONPropertyList/Mapping/strict``.
        public static let readStrictly = RecoveryCode("readStrictly")
        /// Parse the file, serialize it again, and edit the new file.
        public static let rewrite = RecoveryCode("rewrite")
        /// Convert the file to the binary format.
        public static let convertToBinary = RecoveryCode("convertToBinary")
        /// Search the database for property lists. It is not a property list itself.
        public static let searchDatabase = RecoveryCode("searchDatabase")
        /// Read the file with the product `ArchiveImport`.
        public static let importArchive = RecoveryCode("importArchive")
        /// Check that this is the right input. If it is, carve the property lists out of it.
        public static let searchFile = RecoveryCode("searchFile")
        /// Change a ``PropertyListValue`` instead of a file.
        public static let changeValue = RecoveryCode("changeValue")
    }

    /// A recovery: text for people, and a code for programs that offer the same action.
    package struct Recovery: Sendable, ExpressibleByStringInterpolation {
        package let text: String
        let code: RecoveryCode?
        let leniency: ParsingOptions

        package init(_ code: RecoveryCode?, _ text: String) {
            self.text = text
            self.code = code
            leniency = []
        }

        /// The recovery for input whose end is missing.
        static let cutOff: Recovery = "the file may be truncated: copy or download it again"

        /// Creates a recovery from its text, without a code.
        package init(stringLiteral text: String) { self.init(nil, text) }

        /// Creates a recovery that suggests enabling all options in `leniency`.
        ///
        /// `other` is a broader option that the text offers as an alternative.
        init(allowing leniency: ParsingOptions, orInstead other: ParsingOptions = []) {
            let names = [leniency, other].filter { !$0.isEmpty }
                .map { $0.names.joined(separator: "` and `.") }.joined(separator: "` or `.")
            let isOne = max(leniency.names.count, other.names.count) == 1
            text = "`ParsingOptions.\(names)` \(isOne ? "accepts" : "accept") it"
            code = .allowLeniency
            self.leniency = leniency
        }
    }
}

extension PropertyListError.RecoveryCode: CustomStringConvertible {
    /// The name of the code, such as `raiseLimits`.
    public var description: String { name.text.description }
}

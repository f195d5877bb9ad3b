// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The text that Apple's encoders write for nil, as archives have it for their null object.
enum NullText {
    static let text = "$null"
}

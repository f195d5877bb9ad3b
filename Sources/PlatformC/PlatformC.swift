// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

// The C library of the platform. The rest of the package imports this module instead of a specific
// C library.

#if canImport(Darwin)
@_exported public import Darwin
#elseif canImport(Musl)
@_exported public import Musl
#elseif canImport(Android)
@_exported public import Android
#elseif canImport(WASILibc)
@_exported public import WASILibc
#elseif canImport(ucrt)
@_exported public import ucrt
#else
@_exported public import Glibc
#endif

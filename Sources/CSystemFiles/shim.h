// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

// The functions for extended attributes of files, which Swift does not import from the C library.

#ifndef KEYED_SYSTEM_FILES_SHIM_H
#define KEYED_SYSTEM_FILES_SHIM_H

#if defined(__linux__)
#include <sys/xattr.h>
#endif

#endif

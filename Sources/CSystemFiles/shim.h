// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

// Functions that Swift does not import from the C library: those for extended attributes of files, and the one
// that flushes a file system.

#ifndef KEYED_SYSTEM_FILES_SHIM_H
#define KEYED_SYSTEM_FILES_SHIM_H

#if defined(__linux__)
#include <sys/xattr.h>

/// Waits until everything on the file system of an open file is on the disk. Declared here because the C library
/// does so only for programs that ask for its extensions.
extern int syncfs(int descriptor);
#endif

#endif

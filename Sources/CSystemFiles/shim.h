// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

// Functions that Swift does not import from the C library: extended attributes of files, the flush of a file
// system, and the bounds of stacks.

#ifndef KEYED_SYSTEM_FILES_SHIM_H
#define KEYED_SYSTEM_FILES_SHIM_H

#if defined(__linux__)
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/xattr.h>

/// Waits until everything on the file system of an open file is on disk. Declared here because the C library declares
/// it only if its extensions are enabled.
extern int syncfs(int descriptor);

#if !defined(__ANDROID__)
// Glibc and Musl declare this function only if all extensions are enabled.
extern int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes);
#endif

// Returns an address in the highest page of the main thread's stack, where the kernel stores the path of the program,
// or 0 if the kernel does not provide it.
static inline unsigned long keyed_stack_top(void) { return getauxval(AT_EXECFN); }

// Returns the maximum size of the main thread's stack, or 0 if the system does not report it.
static inline unsigned long keyed_stack_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0) return 0;
    return limit.rlim_cur > (unsigned long)-1 ? (unsigned long)-1 : (unsigned long)limit.rlim_cur;
}

// Returns the address of the caller's stack frame.
static inline unsigned long keyed_frame_address(void) {
    return (unsigned long)__builtin_frame_address(0);
}
#endif

#endif

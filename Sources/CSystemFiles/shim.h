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

/// Waits until everything on the file system of an open file is on the disk. Declared here because the C library
/// does so only for programs that ask for its extensions.
extern int syncfs(int descriptor);

#if !defined(__ANDROID__)
// The headers of Glibc and Musl declare it only for programs that ask for all extensions.
extern int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes);
#endif

// An address in the last page of the main thread's stack, where the kernel puts the name of the program; 0 where
// the kernel does not tell.
static inline unsigned long keyed_stack_top(void) { return getauxval(AT_EXECFN); }

// The size to which the main thread's stack may grow; 0 where it is not known.
static inline unsigned long keyed_stack_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0) return 0;
    return limit.rlim_cur > (unsigned long)-1 ? (unsigned long)-1 : (unsigned long)limit.rlim_cur;
}

// The address of the frame that calls.
static inline unsigned long keyed_frame_address(void) {
    return (unsigned long)__builtin_frame_address(0);
}
#endif

#endif

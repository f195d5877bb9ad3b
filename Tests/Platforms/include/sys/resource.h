// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#pragma once
#pragma clang assume_nonnull begin
#define RLIMIT_STACK 3
typedef unsigned long long rlim_t;

struct rlimit {
    rlim_t rlim_cur, rlim_max;
};

int getrlimit(int resource, struct rlimit *limit);
#pragma clang assume_nonnull end

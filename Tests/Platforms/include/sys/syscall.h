// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#pragma once
#define SYS_gettid 186
#define SYS_futex 202

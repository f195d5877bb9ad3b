// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#pragma once
#define FUTEX_TRYLOCK_PI 8
#define FUTEX_LOCK_PI_PRIVATE 134
#define FUTEX_UNLOCK_PI_PRIVATE 135

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#pragma once
#include "Darwin.h"
#if defined(__APPLE__)
extern int *__error(void);
#define errno (*__error())
#else
extern int *__errno_location(void);
#define errno (*__errno_location())
#endif

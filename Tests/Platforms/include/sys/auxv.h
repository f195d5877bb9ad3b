// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#pragma once
#define AT_EXECFN 31
unsigned long getauxval(unsigned long type);

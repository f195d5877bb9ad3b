// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#pragma once
#include "Darwin.h"
#pragma clang assume_nonnull begin
size_t strlen(const char *text);
int memcmp(const void *first, const void *second, size_t count);
void *memset(void *bytes, int value, size_t count);
void *memcpy(void *target, const void *source, size_t count);
char *_Nullable strrchr(const char *text, int character);
char *strcpy(char *target, const char *source);
char *strncpy(char *target, const char *source, size_t count);
#pragma clang assume_nonnull end

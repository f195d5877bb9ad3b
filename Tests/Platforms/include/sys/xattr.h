// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#pragma once
#include "../Darwin.h"
#pragma clang assume_nonnull begin
ssize_t getxattr(const char *path, const char *name, void *_Nullable value, size_t size);
ssize_t lgetxattr(const char *path, const char *name, void *_Nullable value, size_t size);
ssize_t flistxattr(int file, char *_Nullable names, size_t size);
ssize_t fgetxattr(int file, const char *name, void *_Nullable value, size_t size);
int fsetxattr(int file, const char *name, const void *_Nullable value, size_t size, int flags);
int fremovexattr(int file, const char *name);
#pragma clang assume_nonnull end

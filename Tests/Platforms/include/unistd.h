#pragma once
#include "Darwin.h"
#define NULL ((void *)0)
long syscall(long number, ...);

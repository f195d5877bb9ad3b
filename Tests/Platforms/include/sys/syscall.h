#pragma once
#define SYS_gettid 186
#define SYS_futex 202

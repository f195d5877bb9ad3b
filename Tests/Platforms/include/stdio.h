#pragma once
#include "Darwin.h"
typedef struct keyed_file FILE;

#pragma once
#include "Darwin.h"

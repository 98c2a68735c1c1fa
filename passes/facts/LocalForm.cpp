// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/facts/LocalForm.h"

#include "passes/facts/LocalForm.cpp.inc"

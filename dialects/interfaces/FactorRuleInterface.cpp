// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/interfaces/FactorRuleInterface.h"

#include "dialects/interfaces/FactorRuleInterface.cpp.inc"

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Includes the generated definitions of the interface.
#include "dialects/interfaces/FactorRuleInterface.h"

#include "dialects/interfaces/FactorRuleInterface.cpp.inc"

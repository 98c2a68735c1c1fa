// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interface of ops that have a factor rule, generated from FactorRuleInterface.td.
#pragma once

#include "dialects/interfaces/FactorRule.h"
#include "mlir/IR/OpDefinition.h"

#include "dialects/interfaces/FactorRuleInterface.h.inc"

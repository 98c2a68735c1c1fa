// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialects/interfaces/FactorRule.h"
#include "mlir/IR/OpDefinition.h"

#include "dialects/interfaces/FactorRuleInterface.h.inc"

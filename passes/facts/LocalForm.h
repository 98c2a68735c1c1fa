// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of ops with a local form of their own.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include "passes/facts/LocalForm.h.inc"

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a pins file to the module attributes `dist.pins` (passes/strategy/Pins.h) and `pipe.pins`
// (dialects/pipe/Pins.h).
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "runtime/abi/pins.pb.h"
#include <functional>

namespace pcc::import {

/// Where entry number `index` of a list of the file (`pin`, `stages`) stands, for messages.
using PinPlace = llvm::function_ref<std::string(llvm::StringRef list, int index)>;

/// Adds `pins` to those of `module`, and their mesh if it has none. Diagnoses a bad mesh and fails.
mlir::LogicalResult attachPins(mlir::ModuleOp module, const abi::Pins &pins, PinPlace getPlace);

} // namespace pcc::import

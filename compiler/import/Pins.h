// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a pins file to the module attribute `dist.pins` (passes/strategy/Pins.h).
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "runtime/abi/pins.pb.h"
#include <functional>

namespace pcc::import {

/// Adds `pins` to those of `module`, and their mesh if it has none. `getPlace` says where pin
/// number `index` stands, for messages. Diagnoses a bad mesh and fails.
mlir::LogicalResult attachPins(mlir::ModuleOp module, const abi::Pins &pins,
                               llvm::function_ref<std::string(int index)> getPlace);

} // namespace pcc::import

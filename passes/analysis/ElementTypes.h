// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts element types of tensors to those of the messages in runtime/abi.
#pragma once

#include "mlir/IR/Types.h"
#include "runtime/abi/types.pb.h"

namespace pcc::analysis {

/// Converts an element type of a graph: f64, f32, f16, bf16, i1, or integers of 8 to 64 bits.
abi::ElementType toElementType(mlir::Type type);

} // namespace pcc::analysis

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts element types of tensors to those of the messages in runtime/abi.
#pragma once

#include "mlir/IR/Types.h"
#include "runtime/abi/types.pb.h"

namespace pcc::analysis {

/// Converts an element type of a graph: f32, f16, bf16, i64, i32, i8 or i1.
abi::ElementType toElementType(mlir::Type type);

} // namespace pcc::analysis

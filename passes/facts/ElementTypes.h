// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types of tensors as the messages of runtime/abi know them.
#pragma once

#include "mlir/IR/Types.h"
#include "runtime/abi/types.pb.h"

namespace pcc::facts {

/// Of a type that a graph has: f32, f16, bf16, i64, i32, i8 or i1.
abi::ElementType toElementType(mlir::Type type);

} // namespace pcc::facts

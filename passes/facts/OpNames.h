// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of ops, which live in their locations.
//
//   loc("/fc1/MatMul"("model.onnx":3:0))                     /fc1/MatMul
//   loc(fused["/ln/Sub", "/ln/Pow"])                         /ln/Sub and /ln/Pow: a raised op
//   loc("/fc1/MatMul.grad"("/fc1/MatMul"("model.onnx":3:0))) /fc1/MatMul.grad, from /fc1/MatMul
#pragma once

#include "mlir/IR/Operation.h"

namespace pcc::facts {

/// The first name in `loc`, empty if it has none.
llvm::StringRef getName(mlir::Location loc);
/// The name of `op`, else its mnemonic ("matmul").
llvm::StringRef getName(mlir::Operation *op);
/// All names of `op` itself: of the pieces of a fused location, not of what it was derived from.
llvm::SmallVector<llvm::StringRef> getNames(mlir::Operation *op);
/// The name of the op from which `op` was derived, if it was.
std::optional<llvm::StringRef> getDerivedFrom(mlir::Operation *op);

} // namespace pcc::facts

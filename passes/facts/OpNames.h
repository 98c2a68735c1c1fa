// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of ops, which live in their locations.
//
//   loc("/fc1/MatMul"("model.onnx":3:0))                     /fc1/MatMul
//   loc(fused["/ln/Sub", "/ln/Pow"])                         /ln/Sub and /ln/Pow: a raised op
//   loc("/fc1/MatMul.grad"("/fc1/MatMul"("model.onnx":3:0))) /fc1/MatMul.grad, from /fc1/MatMul
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::facts {

/// The first name in `loc`, empty if it has none.
llvm::StringRef getName(mlir::Location loc);
/// The name of `op`, else its mnemonic ("matmul").
llvm::StringRef getName(mlir::Operation *op);
/// All names of `op` itself: of the pieces of a fused location, not of what it was derived from.
llvm::SmallVector<llvm::StringRef> getNames(mlir::Operation *op);
/// The name of the op from which `op` was derived, if it was.
std::optional<llvm::StringRef> getDerivedFrom(mlir::Operation *op);

/// The names of a module's ops, to give one of its own to an op that must be told from all others.
class UsedNames {
public:
  explicit UsedNames(mlir::ModuleOp module);

  /// Leaves an op with a name of its own as it is; else numbers the name and puts it in front of
  /// the op's location.
  void makeUnique(mlir::Operation *op);

private:
  llvm::StringMap<unsigned> uses;    ///< by name
  llvm::StringMap<unsigned> numbers; ///< by name, the next one to try
};

/// The file and line behind `loc`, as text; empty if unknown.
std::string findPlace(mlir::Location loc);

/// Calls `visit` with every op of `function`, its name, and which of the ops of that name it is,
/// from 0: the two tell all ops of a function apart.
void forEachNumbered(
    mlir::func::FuncOp function,
    llvm::function_ref<void(mlir::Operation *op, llvm::StringRef name, unsigned number)> visit);
/// What tells an op from all others of its program: `forward:/fc1/MatMul#0`.
std::string makeExactName(llvm::StringRef function, llvm::StringRef name, unsigned number);

} // namespace pcc::facts

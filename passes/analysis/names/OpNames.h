// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of ops, which are stored in their locations.
//
// NODE is the location of an imported node, fused<"onnx.node">[NAME("model.onnx":3:0), …]
// (compiler/import/files/Locations.h).
//
//   NODE with the name "/fc1/MatMul"                   /fc1/MatMul
//   NODE with the name "fc1/matmul"("node_MatMul_3")   fc1/matmul and node_MatMul_3
//   fused[NODE, NODE]                                  the names of both nodes: a raised op
//   "/fc1/MatMul.grad"(NODE)                           /fc1/MatMul.grad, derived from the node's op
//
// The second node has a name by modules: the path of a framework's module, `/`, and the kind of op.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::analysis {

/// The first name in `loc`, empty if it has none.
llvm::StringRef getName(mlir::Location loc);
/// The name of `op`, else its mnemonic ("matmul").
llvm::StringRef getName(mlir::Operation *op);
/// Returns all names of `op` itself: the name of each part of a fused location, and the names of
/// nodes under names by modules. Without any, returns the mnemonic. The names of the op from which
/// it was derived are left out.
llvm::SmallVector<llvm::StringRef> getNames(mlir::Operation *op);
/// Returns the innermost module that contains all parts of a fused location: `h.3.attn` for
/// `h.3.attn/softmax` and `h.3.attn.proj/matmul`. Returns nothing if there are fewer than two
/// parts, or if a part has no name by modules.
std::optional<std::string> findCommonModule(mlir::Location loc);
/// The name of the op from which `op` was derived, if it was.
std::optional<llvm::StringRef> getDerivedFrom(mlir::Operation *op);

/// The names of a module's ops, for giving an op a unique name.
class UsedNames {
public:
  explicit UsedNames(mlir::ModuleOp module);

  /// Leaves an op with a unique name as it is. Otherwise adds a number to the name and puts it in
  /// front of the op's location.
  void makeUnique(mlir::Operation *op);

private:
  llvm::StringMap<unsigned> uses;    ///< by name
  llvm::StringMap<unsigned> numbers; ///< by name, the next one to try
};

/// Returns the file and line of `loc` as text; empty if unknown. An imported node has the line of
/// the user's program if the file states it, else its own index in the file.
std::string findSourceLocation(mlir::Location loc);

/// Calls `visit` with every op of `function`, its name, and its number from 0 among the ops of that
/// name. Name and number together identify an op of the function.
void forEachNumbered(
    mlir::func::FuncOp function,
    llvm::function_ref<void(mlir::Operation *op, llvm::StringRef name, unsigned number)> visit);
/// Returns a name that identifies an op in its program: `forward:/fc1/MatMul#0`.
std::string makeExactName(llvm::StringRef function, llvm::StringRef name, unsigned number);

} // namespace pcc::analysis

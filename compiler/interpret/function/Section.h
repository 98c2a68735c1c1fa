// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function of a module, with conversion between external global values and the ranks' values.
#pragma once

#include "compiler/interpret/function/Run.h"
#include "compiler/interpret/rank/Rank.h"

namespace pcc::interpret {

struct Section {
  mlir::func::FuncOp function;
  Signature signature;
  dist::Mesh mesh;
  int64_t stage = 0; ///< stage that runs the function

  /// Finds function `name` of `program`. Emits an error if there is no such function, or if its
  /// types are not supported by the interpreter.
  static mlir::FailureOr<Section> find(mlir::ModuleOp program, llvm::StringRef name);

  llvm::StringRef getName() const { return mlir::func::FuncOp(function).getName(); }
  mlir::Location getLoc() const { return mlir::func::FuncOp(function).getLoc(); }

  /// Returns the mesh of the ranks to run. It has one rank if all ranks would do the same work:
  /// global types, and no op that communicates.
  dist::Mesh meshToRun();

  /// Returns the part of a global argument for `rank`. Distributes partial values over the ranks,
  /// so that no rank's part is empty.
  Tensor localPart(const Binding &binding, const Tensor &global, const Rank &rank) const;

  /// Returns the global value of a result; `values` has the part of each rank of the stage. Emits
  /// an error for ranks that should hold equal copies but do not. If every rank has its own value,
  /// returns the value of the first rank.
  mlir::FailureOr<Tensor> globalValue(const Binding &binding, llvm::ArrayRef<Tensor> values,
                                      const dist::Mesh &mesh);

  /// Returns the results on one rank, with gradients multiplied by their factors.
  mlir::FailureOr<llvm::SmallVector<Tensor>> call(Rank &rank, llvm::ArrayRef<Tensor> arguments,
                                                  const RunOptions &options);
};

/// Returns the ranks that run `sections` of a module with `stages` stages.
World makeWorld(int64_t stages, llvm::ArrayRef<Section *> sections);

/// Emits an error for a global value whose shape or element type differs from the signature.
mlir::LogicalResult checkShape(const Section &section, const Binding &binding,
                               const Tensor &global);

/// Returns `value · factor`, rounded.
Tensor scaled(const Tensor &value, double factor, Precision precision);

} // namespace pcc::interpret

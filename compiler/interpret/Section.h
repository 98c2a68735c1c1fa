// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function of a module between global values outside and the ranks' values inside.
#pragma once

#include "compiler/interpret/Rank.h"
#include "compiler/interpret/Run.h"

namespace pcc::interpret {

struct Section {
  mlir::func::FuncOp function;
  Signature signature;
  dist::Mesh mesh;
  int64_t stage = 0; ///< that runs it

  /// Diagnoses a name that is no function's of `program`, and types that the interpreter does not
  /// hold.
  static mlir::FailureOr<Section> find(mlir::ModuleOp program, llvm::StringRef name);

  llvm::StringRef getName() const { return mlir::func::FuncOp(function).getName(); }
  mlir::Location getLoc() const { return mlir::func::FuncOp(function).getLoc(); }

  /// The mesh, or one rank where all ranks would do the same: global types and no op between ranks.
  dist::Mesh ranksToRun();

  /// What `rank` gets of a global argument. Partial values are dealt out, so that no rank's part is
  /// empty.
  Tensor localPart(const Binding &binding, const Tensor &global, const Rank &rank) const;

  /// The global value of a result of which `values` has the part of each rank of the stage.
  /// Diagnoses ranks that should hold equal copies and do not; of values that are each rank's own
  /// it is the first one's.
  mlir::FailureOr<Tensor> globalValue(const Binding &binding, llvm::ArrayRef<Tensor> values,
                                      const dist::Mesh &mesh);

  /// The results on one rank, gradients times their factors.
  mlir::FailureOr<llvm::SmallVector<Tensor>> call(Rank &rank, llvm::ArrayRef<Tensor> arguments,
                                                  const RunOptions &options);
};

/// The ranks that run `sections` of a module of so many stages.
World makeWorld(int64_t stages, llvm::ArrayRef<Section *> sections);

/// Diagnoses a global value of another shape or element type than the signature says.
mlir::LogicalResult checkShape(const Section &section, const Binding &binding,
                               const Tensor &global);

/// `value · factor`, rounded.
Tensor scaled(const Tensor &value, double factor, Precision precision);

} // namespace pcc::interpret

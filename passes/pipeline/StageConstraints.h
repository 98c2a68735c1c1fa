// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the entries of `pipe.constraints` (dialects/pipe/Constraints.h).
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "passes/analysis/names/ConstraintSubject.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace pcc::pipeline {

/// Parses a layout of layers over stages: parts separated by `|`. A part lists the ops before the
/// first layer (E), layers (t, or t*N), and the ops after the last layer (L).
///
///   E t*2 | t*2 | t L     layers 0 1 | 2 3 | 4
struct StageLayout {
  std::vector<int64_t> layersOfPart;    ///< number of layers by part
  int partOfHead = -1, partOfTail = -1; ///< E and L; −1: not given
  std::string error;                    ///< error message; empty if the text is a layout

  int64_t countParts() const { return int64_t(layersOfPart.size()); }
  int64_t countLayers() const;
  /// Returns the part of layer number `layer`, which must be below countLayers().
  int findPart(int64_t layer) const;

  static StageLayout parse(llvm::StringRef text);
};

struct StageConstraint {
  analysis::ConstraintSubject subject;
  std::optional<int64_t> stage, virtualStage;
  std::optional<bool> recompute;
  bool isAnnotation = false; ///< whether it was an attribute of an op
  std::optional<StageLayout> layout;

  /// Returns true if the constraint names the op itself. A backward op does not match if its
  /// forward op does.
  bool matches(mlir::Operation *op) const;
  /// Returns the module, among those that a constraint on modules matches, to which `op` belongs:
  /// `/h.0` for `/h.0/attn`. For a raised op, the module of the last op that it replaces. Empty if
  /// there is none.
  llvm::StringRef findModule(mlir::Operation *op) const;
  bool isOfModules() const;
  /// Describes the constraint as it was written, for messages: `constraint "/h.0" at
  /// constraints.textproto:3`.
  std::string describe() const { return subject.describe(); }
};

/// Decision of the narrowest constraint on the recomputation of an op.
struct RecomputeDecision {
  const StageConstraint *constraint = nullptr; ///< null: none names the op
  const StageConstraint *opposite = nullptr;   ///< an equally narrow one that says the opposite

  bool recomputes() const { return constraint && *constraint->recompute; }
};

/// All constraints of a module. Passes add one for each op that they annotate, so these are found
/// by the names of ops.
class StageConstraints {
public:
  StageConstraints() = default;

  /// Reads the constraints of `module`; none without the attribute. Emits a diagnostic and fails on
  /// an error.
  static mlir::FailureOr<StageConstraints> read(mlir::ModuleOp module);

  llvm::ArrayRef<StageConstraint> getAll() const { return constraints; }
  /// Returns the constraints that match `op`, as they are ordered.
  llvm::SmallVector<const StageConstraint *> findMatches(mlir::Operation *op) const;
  /// Finds the narrowest constraint on the recomputation of `op`: one that names the op itself,
  /// else the one that matches its longest module path.
  RecomputeDecision decideRecompute(mlir::Operation *op) const;

private:
  void add(StageConstraint constraint);

  std::vector<StageConstraint> constraints;
  llvm::StringMap<llvm::SmallVector<size_t, 1>> byName; ///< constraints with a literal name
  llvm::SmallVector<size_t> others;
};

} // namespace pcc::pipeline

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the points of a step at which gradients are complete. A gradient is complete in the last
// action of the last section that adds to it, after the kernel that computes its last term. Kernels
// of the update that need nothing else can run there:
//
//   @backward   kernel 17 computes the gradient "w", which is summed over all actions
//   @update     kernel 3 reduces the gradient "w" over the ranks: point [@backward, 17]
//
// The collectives of a rank run one after the other, and a reduction is long. Other stages wait for
// the sends of a stage, each for its neighbor, so any delay adds to the step time. Therefore no
// point is before the last collective that a send needs. The first stage, which finishes last,
// sends nothing back.
#pragma once

#include "passes/analysis/Sections.h"
#include "passes/analysis/kernels/Kernels.h"

namespace pcc::schedule {

/// Point of a step at which a value is available: after a kernel of the last action of a section.
struct StepPoint {
  int64_t action = -1; ///< position in the step; -1: available from the beginning
  llvm::StringRef section;
  int64_t behind = -1;

  bool operator<(const StepPoint &other) const {
    return std::tie(action, behind) < std::tie(other.action, other.behind);
  }
};

/// Points of a step at which gradients are complete.
class GradientReadyPoints {
public:
  explicit GradientReadyPoints(mlir::ModuleOp module);
  /// Returns nullopt for other values, and for gradients of several microbatches that are not
  /// summed over actions.
  std::optional<StepPoint> find(graph::RoleAttr role) const;
  /// Returns, for each kernel of a later section, the point at which all of its operands are
  /// available; nullopt if the kernel must stay in its own section.
  llvm::SmallVector<std::optional<StepPoint>>
  findKernelPoints(analysis::Section &section, llvm::ArrayRef<analysis::Kernel> kernels) const;

private:
  using StepPoints = llvm::ArrayRef<std::optional<StepPoint>>;
  void add(analysis::Section &section, unsigned result, int64_t action);
  void keepAfterSendDependencies(analysis::Section &section, int64_t action);
  std::optional<StepPoint> pointOf(analysis::Section &section, mlir::Value value,
                                   StepPoints before) const;

  llvm::DenseMap<mlir::Attribute, StepPoint> points;
  StepPoint sent; ///< last collective that a send needs
};

} // namespace pcc::schedule

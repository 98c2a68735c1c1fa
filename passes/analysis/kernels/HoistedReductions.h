// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds gradients that ranks sum in place, before the update begins.
//
//   @backward  returns %g as gradient "a" and as gradient "b"
//   @update    all_reduce of gradient "a", hoisted into @backward, in the buffer of %g
//
// A gradient that the caller of the program reads is the sum over the ranks. The buffer of %g is
// therefore read after the all_reduce, for "a" and for "b", and no reader sums the ranks' values
// again. The emitted results (passes/lower/program/Boundary.cpp) and the proof of the memory plan
// (passes/schedule/memory/MemoryPlanChecker.h) both follow this rule.
#pragma once

#include "dialects/dist/Dist.h"
#include "passes/analysis/Sections.h"
#include "passes/analysis/kernels/Kernels.h"

namespace pcc::analysis {

/// Hoisted collectives that reduce one buffer in place.
struct HoistedReduction {
  llvm::SmallVector<dist::AllReduceOp, 1> reduces; ///< in the order in which they run
  llvm::StringRef section; ///< section in whose last action the last of them runs
};

/// The in-place reductions of a program whose memory is planned.
class HoistedReductions {
public:
  explicit HoistedReductions(llvm::MutableArrayRef<Section> sections);

  /// Returns the reduction of the buffer that holds a gradient; null if there is none.
  const HoistedReduction *find(graph::RoleAttr gradient) const;

private:
  void addSources(Section &section);
  mlir::Value sourceOf(Section &section, mlir::Value value) const;
  void addReduction(Section &section, dist::AllReduceOp reduce, llvm::StringRef runsIn);

  /// By role: the value that a section returns, traced to the op that computes it. Gradients that
  /// are accumulated over actions have a buffer for each role, and are not here.
  llvm::DenseMap<mlir::Attribute, mlir::Value> sources;
  llvm::DenseMap<mlir::Value, HoistedReduction> byValue;
  llvm::DenseMap<mlir::Attribute, HoistedReduction> byAccumulatedRole;
};

} // namespace pcc::analysis

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates the cost of one section, op by op. Part of StepCost.
#pragma once

#include "compiler/plan/cost/StepCost.h"
#include "dialects/dist/Dist.h"
#include "passes/analysis/Sections.h"
#include "passes/analysis/cost/CollectiveCost.h"
#include "passes/analysis/cost/Cost.h"
#include "passes/analysis/cost/KernelShares.h"
#include "passes/analysis/cost/OpCostModel.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Regex.h"

namespace pcc::plan {

/// Data on which the costs of all sections depend.
struct CostContext {
  const abi::Cluster &cluster;
  const dist::Mesh &mesh;
  const CostOptions &options;
  /// Ratio of a matmul's time on the slowest device to its time on a typical device.
  double slowest = 1;

  /// Returns the fraction of an overlapped collective's time that does not count.
  double getHiddenShare() const { return 1 - cluster.device().collective_share().value(); }
  /// Returns the same fraction for collectives of activations.
  double getHiddenShareOfActivations() const {
    double units = double(cluster.device().matmul().units());
    return options.system.activationUnits > 0 && units > 0
               ? 1 - double(options.system.activationUnits) / units
               : getHiddenShare();
  }
};

/// A collective that may run earlier or later than its position in the program.
struct MovableCollective {
  machine::Traffic traffic;
  machine::GroupLayout group;
  llvm::StringRef gradient; ///< parameter of the gradient that it reduces; empty for a gather
};

/// Regular expression that selects ops by any of their names. An empty expression selects no op.
class NamePattern {
public:
  explicit NamePattern(const std::string &pattern) : isEmpty(pattern.empty()), regex(pattern) {}

  bool matches(mlir::Operation *op) const;

private:
  bool isEmpty;
  llvm::Regex regex;
};

class SectionCostModel {
public:
  /// `f32As`: the element type whose size f32 values have under mixed precision.
  SectionCostModel(analysis::Section section, const CostContext &context, abi::ElementType f32As);

  SectionCost cost();

  /// Returns the elements of parameters that this rank updates. Valid after `cost`.
  double getUpdatedElements() const;
  /// Returns the reductions of gradients in program order. Valid after `cost`.
  llvm::ArrayRef<MovableCollective> getReductions() const { return reductions; }
  llvm::ArrayRef<MovableCollective> getGathers() const { return gathers; }
  /// Returns the seconds from when the gradient of a parameter is ready to the end of the section.
  const llvm::StringMap<double> &getTimesLeft() const { return timesLeft; }

private:
  bool updatesAtOnce() const { return isUpdate && context.options.system.updatesAtOnce; }
  bool isFree(mlir::Operation *op) const;
  analysis::OpCostModel opCostOf(mlir::Operation *op) const;
  double secondsOf(mlir::Operation *op) const;
  void addOp(mlir::Operation *op);
  void addCollective(mlir::Operation *op);
  void addMessage(pipe::SendOp op);
  Seconds &passOf(mlir::Operation *op);
  void spend(mlir::Operation *op, analysis::OpClass opClass, double seconds);
  bool isRecomputed(mlir::Operation *op);
  bool isBackward(mlir::Operation *op) const { return hasPasses && !forward.contains(op); }
  double sumSeconds();
  void findTimesLeft();
  int64_t countBytes(mlir::Value value) const;
  double scaleOf(mlir::Type type) const;

  // SectionOverlap.cpp
  double *findRoom(mlir::Operation *product);
  double hide(mlir::Operation *op, double seconds, int64_t members);
  double hideInputGradient(mlir::Operation *op, double seconds);
  void gatherAgain(mlir::Operation *op, double seconds);

  analysis::Section section;
  const CostContext &context;
  abi::ElementType f32As;
  NamePattern recompute, wide;
  bool isUpdate;
  GivenKernels given;
  analysis::KernelShares shares;
  /// Ops on which the loss depends. In a stage: all ops of its forward section, no op of its
  /// backward sections.
  llvm::DenseSet<mlir::Operation *> forward;
  bool hasPasses = false; ///< whether ops outside of `forward` are the backward pass
  SectionCost result;
  double clock = 0; ///< seconds since the section began
  llvm::DenseMap<mlir::Operation *, double> doneAt;
  // For matmuls: seconds in which collectives may overlap with them, and in which memory is idle.
  llvm::DenseMap<mlir::Operation *, double> room, idleMemory;
  std::vector<MovableCollective> reductions, gathers;
  llvm::StringMap<int64_t> updated; ///< elements of gradients after their reductions
  llvm::StringMap<double> timesLeft;
};

} // namespace pcc::plan

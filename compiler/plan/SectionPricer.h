// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prices one section, op by op. Part of StepPrice.
#pragma once

#include "compiler/plan/KnownKernels.h"
#include "dialects/dist/Dist.h"
#include "passes/facts/CollectivePrice.h"
#include "passes/facts/Cost.h"
#include "passes/facts/KernelShares.h"
#include "passes/facts/OpPrice.h"
#include "passes/facts/Sections.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Regex.h"

namespace pcc::plan {

/// What the prices of all sections depend on.
struct Pricing {
  const abi::Cluster &cluster;
  const dist::Mesh &mesh;
  const PriceOptions &options;
  /// How much longer a product takes on the slowest device than on most.
  double slowest = 1;

  /// What of a collective that runs beside computation does not count.
  double getHiddenShare() const { return 1 - cluster.device().collective_share().value(); }
  /// The same of a collective of activations.
  double getHiddenShareOfActivations() const {
    double units = double(cluster.device().product().units());
    return options.activationUnits > 0 && units > 0 ? 1 - double(options.activationUnits) / units
                                                    : getHiddenShare();
  }
};

/// A collective that need not run where it stands.
struct MovableCollective {
  machine::Traffic traffic;
  machine::Group group;
  llvm::StringRef gradient; ///< the parameter of a gradient that it reduces; empty for a gather
};

/// Ops that a regular expression describes by one of their names; an empty one describes none.
class NamePattern {
public:
  explicit NamePattern(const std::string &pattern) : isEmpty(pattern.empty()), regex(pattern) {}

  bool matches(mlir::Operation *op) const;

private:
  bool isEmpty;
  llvm::Regex regex;
};

class SectionPricer {
public:
  /// `f32As`: what f32 counts as.
  SectionPricer(facts::Section section, const Pricing &pricing, abi::ElementType f32As);

  SectionPrice price();

  /// Elements of parameters that this rank updates, filled by `price`.
  double getUpdatedElements() const;
  /// Filled by `price`, in program order.
  llvm::ArrayRef<MovableCollective> getReductions() const { return reductions; }
  llvm::ArrayRef<MovableCollective> getGathers() const { return gathers; }
  /// Seconds from when the gradient of a parameter is ready to the end of the section.
  const llvm::StringMap<double> &getTimesLeft() const { return timesLeft; }

private:
  bool isAtOnce() const { return isUpdate && pricing.options.updatesAtOnce; }
  bool isFree(mlir::Operation *op) const;
  facts::OpPrice priceOf(mlir::Operation *op) const;
  double secondsOf(mlir::Operation *op) const;
  void addOp(mlir::Operation *op);
  void addCollective(mlir::Operation *op);
  void addMessage(pipe::SendOp op);
  Seconds &passOf(mlir::Operation *op);
  void spend(mlir::Operation *op, facts::OpClass opClass, double seconds);
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

  facts::Section section;
  const Pricing &pricing;
  abi::ElementType f32As;
  NamePattern recompute, wide, views;
  bool isUpdate;
  KnownKernels known;
  facts::KernelShares shares;
  /// What the loss depends on; of a stage all of its forward section, none of its backward ones.
  llvm::DenseSet<mlir::Operation *> forward;
  bool hasPasses = false; ///< whether what is not `forward` is the backward pass
  SectionPrice result;
  double clock = 0; ///< seconds since the section began
  llvm::DenseMap<mlir::Operation *, double> doneAt;
  // Of products: seconds in which collectives may run beside them, and in which memory is idle.
  llvm::DenseMap<mlir::Operation *, double> room, idleMemory;
  std::vector<MovableCollective> reductions, gathers;
  llvm::StringMap<int64_t> updated; ///< elements of gradients, behind their reductions
  llvm::StringMap<double> timesLeft;
};

} // namespace pcc::plan

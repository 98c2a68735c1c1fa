// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prices one section, op by op. Part of StepPrice.
#pragma once

#include "compiler/plan/StepPrice.h"
#include "dialects/dist/Dist.h"
#include "passes/facts/CollectivePrice.h"
#include "passes/facts/Cost.h"
#include "passes/facts/KernelShares.h"
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
};

/// A collective that need not run where it stands.
struct MovableCollective {
  machine::Traffic traffic;
  machine::Group group;
  llvm::StringRef gradient; ///< the parameter of a gradient that it reduces; empty for a gather
};

class SectionPricer {
public:
  /// `f32As`: what f32 counts as.
  SectionPricer(facts::Section section, const Pricing &pricing, abi::ElementType f32As);

  SectionPrice price();

  /// Filled by `price`, in program order.
  llvm::ArrayRef<MovableCollective> getReductions() const { return reductions; }
  llvm::ArrayRef<MovableCollective> getGathers() const { return gathers; }
  /// Seconds from when the gradient of a parameter is ready to the end of the section.
  const llvm::StringMap<double> &getTimesLeft() const { return timesLeft; }

private:
  void addOp(mlir::Operation *op);
  void addCollective(mlir::Operation *op);
  Seconds &passOf(mlir::Operation *op);
  void spend(mlir::Operation *op, facts::OpClass opClass, double seconds);
  bool isRecomputed(mlir::Operation *op);
  double hide(mlir::Operation *op, double seconds, int64_t members);
  void findTimesLeft();
  int64_t countBytes(mlir::Value value) const;
  double scaleOf(mlir::Type type) const;

  facts::Section section;
  const Pricing &pricing;
  abi::ElementType f32As;
  facts::KernelShares shares;
  llvm::Regex recompute;
  llvm::DenseSet<mlir::Operation *> forward; ///< what the loss depends on
  bool hasLoss = false;
  SectionPrice result;
  double clock = 0; ///< seconds since the section began
  llvm::DenseMap<mlir::Operation *, double> doneAt;
  llvm::DenseMap<mlir::Operation *, double> room; ///< of products, for what may run beside them
  std::vector<MovableCollective> reductions, gathers;
  llvm::StringMap<double> timesLeft;
};

} // namespace pcc::plan

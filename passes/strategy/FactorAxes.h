// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mesh axes over which each factor of an op is split.
#pragma once

#include "dialects/dist/Sharding.h"
#include "dialects/interfaces/FactorRule.h"
#include "mlir/IR/Operation.h"

namespace pcc::strategy {

/// Each axis splits at most one factor; each factor is divided evenly.
class FactorAxes {
public:
  /// Of `op`, which has a factor rule; no factor is split yet.
  FactorAxes(mlir::Operation *op, const dist::Mesh &mesh);

  /// Splits every factor as given; legal by checkStrategy.
  void give(llvm::ArrayRef<dist::AxisList> given) { axes.assign(given.begin(), given.end()); }
  /// Takes over the cuts of one operand or result where they are possible and nothing stands
  /// against them.
  void takeOperand(unsigned operand, const dist::Sharding &sharding);
  void takeResult(unsigned result, const dist::Sharding &sharding);
  /// Gives up splits behind a factor of the same dimension that is not split to its end: such
  /// blocks would not be contiguous.
  void settle();

  /// The cuts of one tensor; after settle.
  dist::Sharding project(const TensorFactors &dims) const;
  const FactorRule &getRule() const { return rule; }
  llvm::ArrayRef<dist::AxisList> getAxes() const { return axes; }
  bool uses(llvm::StringRef axis) const;
  /// Whether the op can be split by `factor` at all.
  bool maySplit(unsigned factor) const { return isSplittable[factor]; }
  /// Into how many parts the op's work is cut.
  int64_t getNumParts() const;

private:
  void take(const TensorFactors &dims, const dist::Sharding &sharding);
  void takeDim(const DimFactors &factors, const dist::AxisList &wanted);
  bool isFilled(unsigned factor) const;
  bool settleDim(const DimFactors &factors);

  FactorRule rule;
  const dist::Mesh *mesh; ///< never null
  llvm::SmallVector<bool> isSplittable;
  llvm::SmallVector<dist::AxisList, 4> axes; ///< by factor, slowest first
};

} // namespace pcc::strategy

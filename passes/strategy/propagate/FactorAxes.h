// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mesh axes over which each factor of an op is split.
#pragma once

#include "dialects/dist/Sharding.h"
#include "dialects/interfaces/FactorRule.h"
#include "mlir/IR/Operation.h"

namespace pcc::strategy {

/// Assignment of mesh axes to factors. Each axis splits at most one factor; each factor is divided
/// evenly.
class FactorAxes {
public:
  /// Starts with no factor of `op` split. `op` must have a factor rule.
  FactorAxes(mlir::Operation *op, const dist::Mesh &mesh);

  /// Splits every factor as given; checkStrategy has verified that the splits are legal.
  void setAxes(llvm::ArrayRef<dist::AxisList> given) { axes.assign(given.begin(), given.end()); }
  /// Adopts the cuts of one operand or result as far as they are legal and do not conflict with
  /// existing splits.
  void takeOperand(unsigned operand, const dist::Sharding &sharding);
  void takeResult(unsigned result, const dist::Sharding &sharding);
  /// Drops the splits of factors that follow a partly split factor of the same dimension, because
  /// their blocks would not be contiguous.
  void settle();

  /// Returns the cuts of one tensor; call settle first.
  dist::Sharding project(const TensorFactors &dims) const;
  const FactorRule &getRule() const { return rule; }
  llvm::ArrayRef<dist::AxisList> getAxes() const { return axes; }
  bool uses(llvm::StringRef axis) const;
  /// Whether the op can be split by `factor`.
  bool maySplit(unsigned factor) const { return isSplittable[factor]; }
  /// Number of parts into which the op's work is cut.
  int64_t getNumParts() const;

private:
  void take(const TensorFactors &dims, const dist::Sharding &sharding);
  void takeDim(const DimFactors &factors, const dist::AxisList &wanted);
  /// Whether the factor is split to single elements, so that the next factor of a dimension may be
  /// split.
  bool isFilled(unsigned factor) const;
  bool settleDim(const DimFactors &factors);

  FactorRule rule;
  const dist::Mesh *mesh; ///< never null
  llvm::SmallVector<bool> isSplittable;
  llvm::SmallVector<dist::AxisList, 4> axes; ///< axes of each factor, slowest first
};

} // namespace pcc::strategy

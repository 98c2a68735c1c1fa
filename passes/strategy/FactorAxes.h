// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mesh axes over which each factor of an op is split.
#pragma once

#include "dialects/dist/Sharding.h"
#include "dialects/interfaces/FactorRule.h"

namespace pcc::strategy {

/// Each axis splits at most one factor; each factor is divided evenly.
class FactorAxes {
public:
  /// `isSplittable` says of each factor whether it may be split at all.
  FactorAxes(const FactorRule &rule, const dist::Mesh &mesh, llvm::ArrayRef<bool> isSplittable);

  /// Takes over the cuts of one tensor where they are possible and nothing stands against them.
  void take(const TensorFactors &dims, const dist::Sharding &sharding);
  /// Gives up splits behind a factor of the same dimension that is not split to its end: such
  /// blocks would not be contiguous.
  void settle();

  /// The cuts of one tensor; after settle.
  dist::Sharding project(const TensorFactors &dims) const;
  llvm::ArrayRef<dist::AxisList> getAxes() const { return axes; }
  bool uses(llvm::StringRef axis) const;

private:
  void takeDim(const DimFactors &factors, const dist::AxisList &wanted);
  bool isFilled(unsigned factor) const;
  bool settleDim(const DimFactors &factors);

  const FactorRule &rule;
  const dist::Mesh &mesh;
  llvm::ArrayRef<bool> isSplittable;
  llvm::SmallVector<dist::AxisList, 4> axes; ///< by factor, slowest first
};

} // namespace pcc::strategy

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the cheapest split of one op for given shardings of its operands.
//
//   op       ([i,k],[k,j]) -> ([i,j]) {reduce k: sum}     8x64, 64x64 on tp=4
//   given    [tp, _] and [tp, _]
//   follow operand 0   i over tp; operand 1 gathered       3072 elements
//   follow operand 1   k over tp; operand 0 exchanged, the result partial    384 + 768 elements
//
// The cost of a split is counted in bytes. It is the number of bytes moved by its reshards and by
// the reduction of its result, plus its operations divided by a fixed number of operations per
// byte.
#pragma once

#include "passes/analysis/reshard/ReshardPlanner.h"
#include "passes/strategy/propagate/OpSharding.h"

namespace pcc::strategy {

class OpSplitter {
public:
  OpSplitter(mlir::Operation *op, analysis::ReshardPlanner &planner)
      : op(op), planner(planner), mesh(planner.getMesh()) {}

  /// Sets the sharding in which an operand is produced. Operands that are not set arrive as the op
  /// wants them. `forms` are the shardings in which other ops take the operand. They cost nothing,
  /// because a value is resharded once for all its users.
  void setOperand(unsigned operand, const dist::Sharding &made,
                  llvm::ArrayRef<dist::Sharding> forms = {});
  /// Sets the sharding in which the first user wants the first result.
  void setWish(const dist::Sharding &sharding) { wish = sharding; }

  /// Forbids carrying: partial operands are summed before the op.
  void forbidCarrying() { carries = false; }
  /// Declares that the result leaves the function partial and is not summed, whatever its size.
  void leavePartial() { isSummed = false; }

  /// Returns the cheapest split that follows one operand or the wish, then the remaining sources as
  /// far as they are compatible.
  OpSharding choose() const;
  /// Returns the split by given axes of the factors.
  OpSharding follow(llvm::ArrayRef<dist::AxisList> factors) const;

private:
  struct Known {
    dist::Sharding made;
    std::vector<dist::Sharding> forms;
  };

  /// Operand or wish that a split can follow.
  struct Source {
    std::optional<unsigned> operand;
    dist::Sharding sharding;
    int64_t bytes;
  };

  std::vector<Source> listSources() const;
  FactorAxes followFrom(llvm::ArrayRef<Source> sources, size_t first) const;
  OpSharding assemble(const FactorAxes &factors) const;
  double getCost(const FactorAxes &factors, const OpSharding &sharding) const;
  double getOperandCost(unsigned operand, const dist::Sharding &wanted) const;
  double getReshardCost(mlir::Value value, const dist::Sharding &from,
                        const dist::Sharding &to) const;
  bool mayCarry(unsigned operand) const;

  mlir::Operation *op;
  analysis::ReshardPlanner &planner;
  const dist::Mesh &mesh;
  std::vector<std::optional<Known>> operands;
  std::optional<dist::Sharding> wish;
  bool carries = true, isSummed = true;
};

} // namespace pcc::strategy

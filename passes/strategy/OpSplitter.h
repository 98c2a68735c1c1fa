// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How to split one op whose operands come as they are, at the least cost.
//
//   op       ([i,k],[k,j]) -> ([i,j]) {reduce k: sum}     8x64, 64x64 on tp=4
//   comes    [tp, _] and [tp, _]
//   follow operand 0   i over tp; operand 1 gathered       3072 elements
//   follow operand 1   k over tp; operand 0 exchanged, the result partial    384 + 768 elements
//
// The cost of a way is counted in bytes: what its reshards and the reduction of its result move,
// and its work at so many operations a byte.
#pragma once

#include "passes/facts/ReshardPlanner.h"
#include "passes/strategy/OpSharding.h"

namespace pcc::strategy {

class OpSplitter {
public:
  OpSplitter(mlir::Operation *op, facts::ReshardPlanner &planner)
      : op(op), planner(planner), mesh(planner.getMesh()) {}

  /// What is known of an operand; the others are made as the op wants them. `forms` are what other
  /// ops take it as: a value is resharded once for all of them, so they cost nothing.
  void setOperand(unsigned operand, const dist::Sharding &made,
                  llvm::ArrayRef<dist::Sharding> forms = {});
  /// How the first user wants the first result.
  void setWish(const dist::Sharding &sharding) { wish = sharding; }

  /// Lets no partial operand go on as it is.
  void forbidCarrying() { carries = false; }
  /// Says that the result leaves the function partial: nothing is summed, however large it is.
  void leavePartial() { isSummed = false; }

  /// The cheapest split that follows one operand or the wish, and then the others as far as they
  /// agree with it.
  OpSharding choose() const;
  /// The split by given axes of the factors.
  OpSharding follow(llvm::ArrayRef<dist::AxisList> factors) const;

private:
  struct Known {
    dist::Sharding made;
    std::vector<dist::Sharding> forms;
  };

  /// An operand, or the wish, to be followed.
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
  facts::ReshardPlanner &planner;
  const dist::Mesh &mesh;
  std::vector<std::optional<Known>> operands;
  std::optional<dist::Sharding> wish;
  bool carries = true, isSummed = true;
};

} // namespace pcc::strategy

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans the way from one sharding to another: a list of steps that have costs and can be emitted.
//
//   from                   to        steps (mesh dp=2, tp=4)
//   [_, _] partial(sum: dp) [_, _]    all_reduce over dp
//   [_, _] partial(sum: dp) [dp, _]   reduce_scatter over dp, axis 0
//   [_, _]                 [tp, _]   slice along dimension 0 over tp
//   [tp, _]                [_, tp]   all_to_all over tp, dimension 0 to 1
//   [dp.tp, _]             [tp.dp, _] collective_permute over dp, tp
//   [dp.tp, _]             [tp, dp]   block_exchange over dp, tp
//
// A plan is a shortest path over shardings, whose edges are single steps. Greedy plans are wrong
// for some pairs: to gather an axis first can cost more than to exchange it. The effort of planning
// depends on the number of mesh axes that the two shardings use in different ways, not on the
// ranks.
#pragma once

#include "dialects/dist/Sharding.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace pcc::analysis {

enum class StepKind {
  Mask,          ///< replicated to partial: coordinate 0 keeps the value, the others a neutral one
  Slice,         ///< each rank keeps its block
  AllGather,     ///< the fastest axes of a dimension are joined
  AllToAll,      ///< the fastest axes of one dimension become the fastest of another
  ReduceScatter, ///< partial axes become the fastest of a dimension
  AllReduce,     ///< partial axes are summed away
  CollectivePermute, ///< any cut to one of equal blocks over the same axes
  BlockExchange,     ///< any cut to any other
};

/// The name of the step as it is printed: `all_reduce`, …
llvm::StringRef stringify(StepKind kind);

/// One step of a plan.
struct ReshardStep {
  StepKind kind;
  dist::AxisList axes;  ///< axes of the group
  int64_t fromDim = -1; ///< joined by AllGather, AllToAll
  int64_t toDim = -1;   ///< cut by Slice, AllToAll, ReduceScatter
  dist::Sharding from, to;
  int64_t operandElements = 0; ///< of one rank's block before the step
  int64_t resultElements = 0;  ///< of one rank's block after the step
  int64_t elements = 0;        ///< received by the busiest rank
  int64_t messages = 0;        ///< maximum number of ranks from which one rank receives

  /// Prints `all_to_all(tp: 0 -> 1)`.
  std::string str() const;
  bool isLocal() const { return kind == StepKind::Mask || kind == StepKind::Slice; }
  bool isExchange() const {
    return kind == StepKind::CollectivePermute || kind == StepKind::BlockExchange;
  }
};

/// Cost of a step, in any unit; must not be negative.
using ReshardStepCost = llvm::function_ref<double(const ReshardStep &)>;

/// Returns the elements received by the busiest rank. Ties are broken by the number of steps that
/// communicate, then by the number of local ones.
double costByElements(const ReshardStep &step);

/// A list of steps; empty if there is nothing to do.
struct ReshardPlan {
  std::vector<ReshardStep> steps;
  double cost = 0;

  /// Elements received by the busiest rank, summed over the steps.
  int64_t getReceived() const;
  /// Prints `all_to_all(tp: 0 -> 1), slice(dp: 0)`.
  std::string str() const;
};

/// Whether an exchange of blocks may lead to cuts other than the target's. In elements that never
/// pays. In time it pays if ranks share the work of a slow link and gather over a fast one.
enum class Waypoints { None, All };

/// Returns the cheapest plan. Both shardings are legal for `shape`.
ReshardPlan planReshard(const dist::Sharding &from, const dist::Sharding &to,
                        llvm::ArrayRef<int64_t> shape, const dist::Mesh &mesh,
                        ReshardStepCost cost = costByElements,
                        Waypoints waypoints = Waypoints::None);

/// Returns a plan of few steps at once, without a search: sums are reduced, then blocks exchanged
/// or sliced. Never cheaper than planReshard.
ReshardPlan planDirectReshard(const dist::Sharding &from, const dist::Sharding &to,
                              llvm::ArrayRef<int64_t> shape, const dist::Mesh &mesh,
                              ReshardStepCost cost);

/// Whether a rank needs only its own block of `from` to make that of `to`, which is another one.
bool isLocal(const dist::Sharding &from, const dist::Sharding &to);

/// Returns the sharding without axes of one rank, which mean nothing.
dist::Sharding dropTrivialAxes(const dist::Sharding &sharding, const dist::Mesh &mesh);
/// Returns the mesh without axes of one rank.
dist::Mesh dropTrivialAxes(const dist::Mesh &mesh);

} // namespace pcc::analysis

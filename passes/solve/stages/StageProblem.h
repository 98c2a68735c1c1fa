// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Balanced cuts of a chain of layers into the stages of a pipeline.
//
//   layers    time   held   live   hand-over       2 stages, limit 12; stage 0 keeps 2 microbatches
//   embed        1      4      1           1       live, stage 1 keeps 1:
//   block        4      2      1           1       embed block | block head
//   block        4      2      1           1       Both stages take 5 + 1. They hold 6 + 2·2 and
//   head         1      4      1           0       6 + 1·2.
//
// The time of a stage is the time of its layers plus the hand-over times at both of its ends. The
// slowest stage sets the pace of the pipeline. The memory of a stage must fit into a device: its
// held bytes, plus its live bytes for each microbatch that it keeps live.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace pcc::stages {

struct Layer {
  double time = 0;     ///< forward and backward of a microbatch
  int64_t held = 0;    ///< bytes: parameters, gradients, states
  int64_t live = 0;    ///< bytes that a microbatch keeps from its forward to its backward
  double handOver = 0; ///< time to pass a microbatch on after this layer, and its gradient back
  std::string name = {};
};

struct StageProblem {
  std::vector<Layer> layers;
  int stages = 1;
  std::vector<int64_t> microbatches; ///< by stage: maximum number of live microbatches
  int64_t limit = std::numeric_limits<int64_t>::max(); ///< bytes of a device

  /// Returns the hand-over time before `layer`; 0 at both ends of the chain.
  double handOverBefore(int layer) const;
  /// Returns `'block 1'`, or `layer 3` for a layer without a name.
  std::string describe(int layer) const;
};

/// The first layer of each stage; stage 0 starts with layer 0. No stage is empty.
using StageCuts = std::vector<int>;

struct StageVerdict {
  double slowest = 0;   ///< time of the slowest stage
  double handOvers = 0; ///< sum over all cuts
  std::string error;    ///< reason why the cuts are invalid; empty if they are valid

  bool ok() const { return error.empty(); }
  /// Compares by the slowest stage, then by the hand-over time.
  bool operator<(const StageVerdict &other) const {
    return slowest != other.slowest ? slowest < other.slowest : handOvers < other.handOvers;
  }
};

/// Return the time and the bytes of a stage of the layers first ≤ i < end. The bytes depend on its
/// number `stage`.
double timeOf(const StageProblem &problem, int first, int end);
int64_t bytesOf(const StageProblem &problem, int first, int end, int stage);

/// Returns the cost of `cuts` or their first error: an empty stage or a stage over the limit.
StageVerdict verify(const StageProblem &problem, const StageCuts &cuts);

struct BalancedStages {
  StageCuts cuts;
  std::string error; ///< reason why there are no cuts; names the stage or the layers
  int64_t steps = 0; ///< pairs of stage and layer that the search looked at
};

/// Returns the best cuts. The search looks at each pair of stage and layer at most some 60 times.
/// Among equal cuts, the later stages are as short as possible, the last one first.
BalancedStages balance(const StageProblem &problem);

} // namespace pcc::stages

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where to cut a chain of layers into the stages of a pipeline.
//
//   layers    time   held   live   hands on        2 stages, limit 12, stage 0 keeps 2 live, stage
//   1 embed       1     4      1        1            keeps 1 block       4     2      1        1
//   block       4     2      1        1            embed block | block head: both take 5 + 1, hold
//   head        1     4      1        0            6 + 2·2 and 6 + 1·2
//
// A stage takes the times of its layers and those of handing over at both of its ends; the slowest
// stage sets the pace of the pipeline. What a stage holds, and for each microbatch that it keeps
// live, must fit into a device.
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
  double handOver = 0; ///< time to hand a microbatch on behind this layer, and its gradient back
  int stage = -1;      ///< where the user has put it; −1: anywhere
  std::string name = {};
};

struct StageProblem {
  std::vector<Layer> layers;
  int stages = 1;
  std::vector<int64_t> microbatches; ///< that each stage keeps live at most
  int64_t limit = std::numeric_limits<int64_t>::max();

  /// The time to hand over in front of `layer`; 0 at both ends of the chain.
  double handOverBefore(int layer) const;
  /// `'block 1'`, or `layer 3` for one without a name.
  std::string describe(int layer) const;
};

/// The first layer of each stage; that of stage 0 is layer 0. No stage is empty.
using StageCuts = std::vector<int>;

struct StageVerdict {
  double slowest = 0;   ///< time of the slowest stage
  double handOvers = 0; ///< of all cuts
  std::string error;    ///< why the cuts are none; empty if they are

  bool ok() const { return error.empty(); }
  /// Cuts are better if their slowest stage is faster, or as fast with less to hand over.
  bool operator<(const StageVerdict &other) const {
    return slowest != other.slowest ? slowest < other.slowest : handOvers < other.handOvers;
  }
};

/// The time of a stage of layers first ≤ i < end, and the bytes that it takes as stage `stage`.
double timeOf(const StageProblem &problem, int first, int end);
int64_t bytesOf(const StageProblem &problem, int first, int end, int stage);

/// What `cuts` cost, or the first thing that is wrong with them: an empty stage, a layer in another
/// stage than the user wants, a stage that takes more than the limit.
StageVerdict verify(const StageProblem &problem, const StageCuts &cuts);

struct BalancedStages {
  StageCuts cuts;
  std::string error; ///< why there are no cuts, naming the stage or the layers; empty if there are
};

/// The best cuts, by dynamic programming over (stage, end) in O(stages · layers²) steps.
BalancedStages balance(const StageProblem &problem);

} // namespace pcc::stages

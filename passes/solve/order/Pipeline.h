// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a pipeline is made of: p devices, each with v chunks of the model, and m microbatches that
// go through all p·v stages and back.
//
//   looped, p = 2, v = 2     device 0: stages 0, 2     device 1: stages 1, 3
//   vee,    p = 2, v = 2     device 0: stages 0, 3     device 1: stages 1, 2
//
// A vee turns at the last device, which holds two neighbouring stages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pcc::order {

enum class Placement { Looped, Vee };

struct PipelineShape {
  int devices = 1;
  int64_t microbatches = 1;
  int chunks = 1; ///< of each device; 2 in a vee
  Placement placement = Placement::Looped;

  int stages() const { return devices * chunks; }
  int stageOf(int device, int chunk) const {
    return placement == Placement::Vee && chunk == 1 ? stages() - 1 - device
                                                     : chunk * devices + device;
  }
  int deviceOf(int stage) const {
    return placement == Placement::Vee && stage >= devices ? stages() - 1 - stage : stage % devices;
  }
};

/// A backward pass is one piece of work, or two: the gradients of what the stage read, for which
/// the stage before waits, and those of its weights, for which nobody does.
enum class WorkKind : uint8_t { Forward, Backward, BackwardInput, BackwardWeight, Overlapped };

/// A piece of work of one device. Overlapped is a forward of `microbatch` in `chunk` and a whole
/// backward of the other pair, at the same time.
struct Work {
  WorkKind kind = WorkKind::Forward;
  int64_t microbatch = 0;
  int chunk = 0;
  int64_t backwardMicrobatch = -1;
  int backwardChunk = -1;

  bool operator==(const Work &other) const = default;
};

/// `forward 3`, `backward 3 of chunk 1` where there are several chunks.
std::string describe(const Work &work, const PipelineShape &shape);

/// What each device does, one after the other.
using Order = std::vector<std::vector<Work>>;

/// Empty if every stage does each part of each microbatch once; else what is missing or twice.
std::string check(const PipelineShape &shape, const Order &order);

/// Times in any unit.
struct PipelineTimes {
  struct Stage {
    double forward = 0, backwardInput = 0, backwardWeight = 0;
  };
  std::vector<Stage> stages;
  /// What is saved when a forward and a backward of one device overlap.
  double overlap = 0;
  /// From the end of work to where its result is at another device. It keeps nobody busy.
  double latency = 0;

  /// The same for all stages.
  static PipelineTimes uniform(const PipelineShape &shape, Stage stage, double latency = 0);
};

} // namespace pcc::order

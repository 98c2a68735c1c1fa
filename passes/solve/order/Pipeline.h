// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shape and actions of a pipeline. Each of p devices holds v virtual stages of the model, its
// chunks 0 to v − 1. In this folder, `stage` numbers all p·v virtual stages in the order of the
// model. Each of m microbatches passes all of them forward and backward.
//
//   looped, p = 2, v = 2     device 0: stages 0, 2     device 1: stages 1, 3
//   vee,    p = 2, v = 2     device 0: stages 0, 3     device 1: stages 1, 2
//
// A vee turns at the last device, which holds two neighboring stages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pcc::order {

enum class Placement { Looped, Vee };

struct PipelineShape {
  int devices = 1;
  int64_t microbatches = 1;
  int chunks = 1; ///< virtual stages per device; 2 in a vee
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

/// Kind of an action. A backward pass is one action or two: the gradients of the stage's inputs,
/// which the previous stage needs, and the gradients of its weights, which no stage needs.
enum class PipelineActionKind : uint8_t {
  Forward,
  Backward,
  BackwardInput,
  BackwardWeight,
  Overlapped
};

/// An action of one device. `Overlapped` is a forward of `microbatch` in `chunk`, together with a
/// backward of `backwardMicrobatch` in `backwardChunk`, weight gradients included.
struct PipelineAction {
  PipelineActionKind kind = PipelineActionKind::Forward;
  int64_t microbatch = 0;
  int chunk = 0;
  int64_t backwardMicrobatch = -1;
  int backwardChunk = -1;

  bool operator==(const PipelineAction &other) const = default;
};

/// Returns `forward 3`, or `backward 3 of chunk 1` if there are several chunks.
std::string describe(const PipelineAction &work, const PipelineShape &shape);

/// The actions of each device, in order.
using Order = std::vector<std::vector<PipelineAction>>;

/// Returns an empty string if every stage runs the forward, the input gradients and the weight
/// gradients of each microbatch once. Otherwise returns the first missing or repeated one.
std::string check(const PipelineShape &shape, const Order &order);

/// Maximum numbers of microbatches of a virtual stage that are live at once, by the kind of value
/// that must be kept.
struct LiveCounts {
  int64_t forInput = 0;  ///< from the start of the forward to the end of the input gradients
  int64_t forWeight = 0; ///< from the start of the forward to the end of the weight gradients
  /// From the start of the input gradients to the end of the weight gradients, if these are an
  /// action of their own.
  int64_t delayed = 0;
};

/// Returns the counts by virtual stage. `order` must be complete (check).
std::vector<LiveCounts> countLive(const PipelineShape &shape, const Order &order);

/// Times in any unit.
struct PipelineTimes {
  struct Stage {
    double forward = 0, backwardInput = 0, backwardWeight = 0;
  };
  std::vector<Stage> stages;
  /// Time saved when a forward and a backward of one device overlap.
  double overlap = 0;
  /// Time from the end of an action to the arrival of its result at another device. It occupies no
  /// device.
  double latency = 0;

  /// Returns equal times for all stages.
  static PipelineTimes uniform(const PipelineShape &shape, Stage stage, double latency = 0);
};

} // namespace pcc::order

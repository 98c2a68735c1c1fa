// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the work of a pipeline runs, if each device does what its order says as soon as it can.
//
//   forward of a stage          after that of the stage before
//   backward of the last stage  after its forward; of any other after that of the stage behind it
//   weight gradients            after the input gradients of the same stage
//
// What comes from another device comes later by the latency. A device begins its next piece of
// work when the piece before is done and what it needs is there; so times follow from the order.
#pragma once

#include "passes/solve/order/Pipeline.h"
#include <optional>

namespace pcc::order {

/// Time on every device, moved on piece by piece.
class Clock {
public:
  Clock(const PipelineShape &shape, const PipelineTimes &times);

  /// When all that `work` needs is there; nothing if that is not known yet.
  std::optional<double> ready(int device, const Work &work) const;

  /// Does `work`, which is ready, next; returns when it began.
  double perform(int device, const Work &work);

  double now(int device) const { return clocks[device]; }
  double timeOf(int device, const Work &work) const;

  /// Chunks of microbatches between the beginning of their forward and the end of their backward,
  /// now and at most so far.
  int64_t live(int device) const { return lives[device]; }
  int64_t peakLive(int device) const { return peaks[device]; }

private:
  std::optional<double> forwardReady(int device, int64_t microbatch, int chunk) const;
  std::optional<double> backwardReady(int device, int64_t microbatch, int chunk) const;
  std::optional<double> arrival(const std::vector<double> &ends, int stage, int64_t microbatch,
                                int device) const;
  double &endOf(std::vector<double> &ends, int stage, int64_t microbatch) {
    return ends[stage * shape.microbatches + microbatch];
  }

  const PipelineShape &shape;
  const PipelineTimes &times;
  std::vector<double> forwardEnds, backwardEnds; ///< by stage and microbatch; not done: negative
  std::vector<double> clocks;
  std::vector<int64_t> lives, peaks;
};

struct Span {
  double begin = 0, end = 0;
};

/// When everything ran.
struct Timeline {
  std::vector<std::vector<Span>> spans; ///< by device, as in the order
  std::vector<int64_t> peakLive;        ///< chunks of microbatches, by device
  double end = 0;                       ///< of all
  /// Devices that wait for one another, and for what; empty if everything ran.
  std::string deadlock;

  /// From a device's first beginning to its last end, and what of it is no work.
  double length(int device) const;
  double bubble(int device) const;
  /// The length of the device that takes longest.
  double longest() const;
  /// Its bubble, as a share of its length; of several as long the largest; 0 of nothing. With equal
  /// times in all stages this is the rate that papers print, 1 - m (F + B + W) / longest.
  double bubbleRate() const;
};

/// Runs `order`, which `check` accepts.
Timeline run(const PipelineShape &shape, const Order &order, const PipelineTimes &times);

} // namespace pcc::order

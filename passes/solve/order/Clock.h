// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulation of a pipeline: each device runs the actions of its order as soon as possible.
//
//   forward of a stage          after the forward of the previous stage
//   backward of the last stage  after its forward
//   backward of another stage   after the backward of the next stage
//   weight gradients            after the input gradients of the same stage
//
// Results of another device arrive later by the latency. A device starts its next action when the
// previous one is done and the inputs have arrived. So times follow from the order.
#pragma once

#include "passes/solve/order/Pipeline.h"
#include <optional>

namespace pcc::order {

/// The clocks of all devices, advanced action by action.
class Clock {
public:
  Clock(const PipelineShape &shape, const PipelineTimes &times);

  /// Returns the time at which all inputs of `work` have arrived, or nothing if unknown yet.
  std::optional<double> ready(int device, const PipelineAction &work) const;

  /// Runs `work`, which must be ready, as the next action. Returns its start.
  double perform(int device, const PipelineAction &work);

  double now(int device) const { return clocks[device]; }
  double timeOf(int device, const PipelineAction &work) const;

  /// Return the current and the maximum number of live pairs of microbatch and virtual stage. A
  /// pair is live from the start of its forward to the end of its backward, weight gradients
  /// included.
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
  std::vector<double> forwardEnds, backwardEnds; ///< by stage and microbatch; negative: not done
  std::vector<double> clocks;
  std::vector<int64_t> lives, peaks;
};

struct Span {
  double begin = 0, end = 0;
};

/// Start and end of every action.
struct Timeline {
  std::vector<std::vector<Span>> spans; ///< by device, in the order of its actions
  std::vector<int64_t> peakLive;        ///< by device, see Clock::peakLive
  double end = 0;                       ///< end of all actions
  /// The devices that wait for one another, and for which action; empty if all actions ran.
  std::string deadlock;

  /// Return the time from a device's first start to its last end, and the idle part of it.
  double length(int device) const;
  double bubble(int device) const;
  /// Returns the length of the device that takes longest.
  double longest() const;
  /// Returns the bubble of the device that takes longest, as a fraction of its length; 0 without
  /// actions.
  /// Ties go to the largest bubble. With equal times in all stages this is the rate of the
  /// literature, 1 - m (F + B + W) / longest.
  double bubbleRate() const;
};

/// Simulates `order`, which `check` has accepted.
Timeline run(const PipelineShape &shape, const Order &order, const PipelineTimes &times);

} // namespace pcc::order

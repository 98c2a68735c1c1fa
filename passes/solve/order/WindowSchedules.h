// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules that are defined by two numbers per device. All forwards of a device are numbered from
// 0 in their order, and so are all backwards.
//
//   forward i    before backward j           if and only if i < j + lead
//   backward j   before weight gradients k   if and only if j ≤ k + delay
//
// At most `lead` microbatches are thus between their forward and their backward, and at most lead +
// delay between their forward and their weight gradients.
#pragma once

#include "passes/solve/order/Pipeline.h"

namespace pcc::order {

struct Window {
  int64_t lead = 1;
  int64_t delay = 0;
  bool splitsBackward = false;
};

/// All forwards, then all backwards (Huang et al., "GPipe", NeurIPS 2019).
///
///   p = 2, m = 3     012...aabbcc          digits: forwards; letters: backwards, which take
///                     012aabbcc            twice as long; dots: idle
Window gpipe(const PipelineShape &shape, int device);

/// Alternates a forward and a backward as soon as the first backward is ready (Narayanan et al.,
/// "PipeDream", SOSP 2019, with a flush after the step).
///
///   p = 2, m = 3     01..aa2bb.cc
///                     0aa1bb2cc
Window oneForwardOneBackward(const PipelineShape &shape, int device);

/// 1F1B over v chunks: p microbatches pass one chunk, then the next (Narayanan et al., "Efficient
/// large-scale language model training on GPU clusters using Megatron-LM", SC 2021, section 2.2).
///
///   forwards of a device, p = 2, m = 4, v = 2
///   microbatch   0 1 0 1 2 3 2 3
///   chunk        0 0 1 1 0 0 1 1
Window interleaved(const PipelineShape &shape, int device);

/// Delays weight gradients as long as 1F1B's memory allows (Qi et al., "Zero bubble pipeline
/// parallelism", ICLR 2024, figure 2). Capitals are weight gradients.
///
/// The bubble is (p − 1)(F + B − W) for W ≤ F. With longer weight gradients the first backward
/// comes no sooner, and devices wait (p − 1) B for it.
///
///   p = 2, m = 3     01.aA2bBcC
///                     0a1bA2cBC
Window zeroBubbleOne(const PipelineShape &shape, int device);

/// Uses twice the memory. The last device starts as much later as the first device ends earlier (Qi
/// et al., figure 3).
///
///   p = 2, m = 4     012aA3bBcCdD
///                     0a1b2cA3dBCD
Window zeroBubbleTwo(const PipelineShape &shape, int device);

/// Returns the order in which every device works by its window.
Order expand(const PipelineShape &shape, Window (*windowOf)(const PipelineShape &, int device));

} // namespace pcc::order

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules that two numbers for each device describe. All forwards of a device are numbered from
// 0 in their order, all backwards in theirs.
//
//   forward i    before backward j           if and only if i < j + lead
//   backward j   before weight gradients k   if and only if j ≤ k + delay
//
// So at most `lead` microbatches are under way between a forward and its backward, and at most
// lead + delay until the weight gradients are there as well.
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
///                     012aabbcc            twice as long; dots: nothing
Window gpipe(const PipelineShape &shape, int device);

/// A forward and a backward in turn, as soon as the first backward can be there (Narayanan et al.,
/// "PipeDream", SOSP 2019, with a flush after the step).
///
///   p = 2, m = 3     01..aa2bb.cc
///                     0aa1bb2cc
Window oneForwardOneBackward(const PipelineShape &shape, int device);

/// The same over v chunks: p microbatches go through a chunk, then through the next (Narayanan et
/// al., "Efficient large-scale language model training on GPU clusters using Megatron-LM", SC
/// 2021, section 2.2).
///
///   forwards of a device, p = 2, m = 4, v = 2
///   microbatch   0 1 0 1 2 3 2 3
///   chunk        0 0 1 1 0 0 1 1
Window interleaved(const PipelineShape &shape, int device);

/// Weight gradients wait as long as 1F1B's memory allows (Qi et al., "Zero bubble pipeline
/// parallelism", ICLR 2024, figure 2). Capitals: weight gradients.
///
/// The bubble is (p − 1)(F + B − W) for W ≤ F: with longer weight gradients the first backward
/// comes no sooner, and devices wait (p − 1) B for it.
///
///   p = 2, m = 3     01.aA2bBcC
///                     0a1bA2cBC
Window zeroBubbleOne(const PipelineShape &shape, int device);

/// With twice the memory the last device begins as late as the first one ends early (the same,
/// figure 3).
///
///   p = 2, m = 4     012aA3bBcCdD
///                     0a1b2cA3dBCD
Window zeroBubbleTwo(const PipelineShape &shape, int device);

/// The order in which every device works by its window.
Order expand(const PipelineShape &shape, Window (*windowOf)(const PipelineShape &, int device));

} // namespace pcc::order

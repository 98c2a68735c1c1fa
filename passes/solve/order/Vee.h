// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules of a vee: chunk 0 goes down the devices, chunk 1 comes back, so the first device has
// the first and the last stage, and all devices hold as much.
//
// They are told as phases: a pattern of work, and for how many pieces it goes on. `F0` is the next
// forward of chunk 0, `B1` the next input gradients of chunk 1, `A1` a whole backward, `W` the
// oldest weight gradients that are left, `F0+A1` both at the same time.
#pragma once

#include "passes/solve/order/Pipeline.h"
#include <string_view>

namespace pcc::order {

struct Phase {
  std::string_view pattern; ///< begun anew until there are enough
  int64_t pieces = 0;
};

/// No device idles between its first and its last piece where F = B = W, with 1F1B's memory (Qi et
/// al., "Zero bubble pipeline parallelism", ICLR 2024, section 6; the phases are ours). Weight
/// gradients are not in it: they fill what is left (fillWeights). Needs 2p microbatches.
///
///   p = 2, m = 4     0120aA1bB3aA2cCbB3dcDdCD
///                     0011aA2aA2bB3bB3ccddCCDD
std::vector<Phase> zeroBubbleVee(const PipelineShape &shape, int device);

/// Forwards and backwards of the two chunks overlap (DeepSeek-AI, "DualPipe", 2025, in the form
/// with half of the devices). Needs 2p microbatches.
///
///   phases of device r                                pieces
///   F0                                                2 (p − r − 1)
///   F0 F1                                             2 (r + 1)
///   B1 W F1                                           3 (p − r − 1)
///   F0+A1 F1+A0                                       2 (m − 2p + r + 1); the last device's first
///                                                     pair does not overlap
///   A1 F1+A0                                          2 (p − r − 1)
///   A1 A0, half of the way whole, then split          2 (r + 1)
///   W B0                                              2 (p − r − 1)
///   W                                                 r + 1
std::vector<Phase> dualPipeVee(const PipelineShape &shape, int device);

/// The order of the devices, without work on microbatches that `shape` does not have: `phasesOf` is
/// asked for at least 2p.
Order expand(const PipelineShape &shape,
             std::vector<Phase> (*phasesOf)(const PipelineShape &, int device));

} // namespace pcc::order

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipelines built by hand, in the form in which the compiler links them: one program per stage,
// messages on the stream TRANSFER, activations in rings.

#pragma once

#include "runtime/abi/program.pb.h"

namespace pcc::test {

struct CompileOptions {
  int stages = 2;
  int dataRanks = 2;
  int microBatches = 4;
  /// Layers of the whole net, a multiple of the stages.
  int layers = 4;
  /// Width of every layer.
  int64_t width = 8;
  /// Rows of the whole batch.
  int64_t batch = 32;
  double rate = 0.1;
  /// The first and the last stage sum a shared gradient and average the losses.
  bool shares = false;
  /// Sends are on the stream COMPUTE, where each waits until it is received.
  bool blockingSends = false;
  /// Messages overlap with actions, microbatch by microbatch: rings of messages have one more
  /// place.
  bool early = false;
  /// The last backward of each stage is a section of its own, overlapped with gradient reductions.
  bool lastRuns = false;
  /// The gradients of a stage's weights are summed in one fused collective. With `shares`, two
  /// halves of the shared gradient are fused on the stream COMPUTE, too.
  bool fused = false;
};

/// Makes a multi-layer perceptron without biases whose layers are cut over the stages, in 1F1B
/// order (Narayanan et al., 2021). Input "image" is on the first stage, "label" and the loss on the
/// last. Parameters are "w0", "w1", …; sections are forward, backward, update. With `shares` there
/// is also a parameter "tied" on the first and the last stage, whose gradients are summed over
/// both.
abi::Executable makePipeline(const CompileOptions &options);

} // namespace pcc::test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipelines built by hand, as the compiler would link them: one program per stage, messages on the
// stream TRANSFER, activations in rings.

#ifndef PCC_TEST_UNIT_RUNTIME_PIPELINES_H
#define PCC_TEST_UNIT_RUNTIME_PIPELINES_H

#include "runtime/abi/program.pb.h"

namespace pcc::test {

struct CompileOptions {
  int stages = 2;
  int dataRanks = 2;
  int microBatches = 4;
  /// Of the whole net, a multiple of the stages.
  int layers = 4;
  /// Of every layer.
  int64_t width = 8;
  /// Rows of the whole batch.
  int64_t batch = 32;
  double rate = 0.1;
  /// The first and the last stage sum a gradient that both have, and the mean of the losses.
  bool shares = false;
  /// Sends are on the stream COMPUTE: each waits there until it is received.
  bool blockingSends = false;
  /// Messages come and go by microbatch: one copy more of what is sent or received, so that one is
  /// under way while another is worked on.
  bool early = false;
  /// The last backward of each stage is a section of its own, beside which gradients are reduced.
  bool lastRuns = false;
  /// The gradients of a stage's weights are summed in one message. With `shares` two halves of the
  /// shared one are, in one message of the stream COMPUTE.
  bool fused = false;
};

/// A multi-layer perceptron without biases, its layers cut over the stages, in the order 1F1B
/// (Narayanan et al., 2021): input "image" on the first stage, "label" and the loss on the last;
/// parameters "w0", "w1", …; sections forward, backward, update. With `shares` also a parameter
/// "tied" on the first and the last stage, whose gradients are summed over both.
abi::Executable makePipeline(const CompileOptions &options);

} // namespace pcc::test

#endif // PCC_TEST_UNIT_RUNTIME_PIPELINES_H

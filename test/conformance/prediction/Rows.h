// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Published step times of GPTs, and how each was run. Systems.h describes the systems.
//
//   A  Narayanan et al., "Efficient large-scale language model training on GPU clusters using
//      Megatron-LM", SC 2021, table 1: f16 on A100, everything recomputed
//   B  Megatron-Core's page, "Training speed and scalability": bf16 on H100, fused attention
//   C  Korthikanti et al., "Reducing activation recomputation in large transformer models", MLSys
//      2023: f16 on A100, everything recomputed, or attention alone and positions split
#pragma once

#include "test/conformance/prediction/Model.h"
#include "test/conformance/prediction/Systems.h"

#include <string>
#include <vector>

namespace pcc::conformance {

struct Row {
  std::string name;
  GptShape shape; ///< its batch is the batch of a step
  const char *cluster = "";
  int64_t dataParallel = 1, tensorParallel = 1;
  int64_t slots = 1;
  bool splitsPositions = false, shardsOptimizer = false;
  int stages = 1;
  /// Virtual stages of each stage. 0: the source gives neither these nor the microbatches; the best
  /// that pcc finds are taken.
  int chunks = 1;
  System system;
  double seconds = 0; ///< as published
  /// Whether nobody looked at the row's error while the cost model and Systems.h were written.
  bool isHeldOut = false;
};

/// Lists the rows of the calibration, then the held-out rows.
std::vector<Row> listRows();

} // namespace pcc::conformance

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Training programs for tests: loss = Σ (x·w)², its gradient 2·xᵀ·(x·w), momentum 0.5, rate 0.25.
#pragma once

#include <cstdint>
#include <string>

namespace pcc::interpret {

struct ProgramOptions {
  int64_t ranks = 1; ///< along dp; more than one: types are local, the rows of x are split
  int64_t rows = 8, columns = 3, outputs = 2; ///< x is rows×columns in one microbatch
  int64_t microBatches = 1, copies = 1;
  double gradientScale = 1.0;
  bool reduceGradients = true;    ///< the update sums the gradients of the ranks
  std::string gradientAttributes; ///< more attributes of the gradient's result
};

/// Returns a module with `forward_backward`, `update` and a step `train`.
std::string trainingProgram(const ProgramOptions &options);

} // namespace pcc::interpret

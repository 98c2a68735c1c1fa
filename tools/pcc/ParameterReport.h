// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which parameters the ranks of each pipeline stage hold, and what of them.
#pragma once

#include "runtime/abi/program.pb.h"
#include "llvm/Support/JSON.h"

namespace pcc::cli {

/// A parameter on a rank.
struct HeldParameter {
  std::string name, element;         ///< `f32`
  std::vector<int64_t> shape, slice; ///< of the whole, and on a rank
  bool trainable = false;
  int64_t bytes = 0;      ///< of the slice
  int64_t stateBytes = 0; ///< of the optimizer's states that belong to it
};

struct StageParameters {
  int64_t firstRank = 0, ranks = 1;
  std::vector<HeldParameter> parameters; ///< in the order of the program, states among their owners
};

/// Stage by stage.
std::vector<StageParameters> reportParameters(const abi::Executable &executable);

/// Of each parameter `{"stage", "name", "type", "shape", "slice", "trainable", "bytes",
/// "state_bytes"}`.
llvm::json::Value toJson(const std::vector<StageParameters> &report);
void printTable(const std::vector<StageParameters> &report);

} // namespace pcc::cli

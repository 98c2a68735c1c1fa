// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports the parameters that the ranks of each pipeline stage hold, and their slices.
#pragma once

#include "runtime/abi/program.pb.h"
#include "llvm/Support/JSON.h"

namespace pcc::cli {

/// A parameter on a rank.
struct HeldParameter {
  std::string name, element;         ///< element: `f32`
  std::vector<int64_t> shape, slice; ///< of the whole tensor, and of a rank's slice
  bool trainable = false;
  int64_t bytes = 0;      ///< of the slice
  int64_t stateBytes = 0; ///< of the optimizer states that belong to it
};

struct StageParameters {
  int64_t firstRank = 0, ranks = 1;
  std::vector<HeldParameter> parameters; ///< in program order; states are counted with their owners
};

/// Lists the parameters of each stage.
std::vector<StageParameters> reportParameters(const abi::Executable &executable);

/// Returns a list with one object per parameter:
/// `{"stage", "name", "type", "shape", "slice", "trainable", "bytes", "state_bytes"}`.
llvm::json::Value toJson(const std::vector<StageParameters> &report);
void printTable(const std::vector<StageParameters> &report);

} // namespace pcc::cli

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc checkpoint convert: a checkpoint becomes a safetensors file, and files of torch and of
// MindSpore become a checkpoint. The input's kind follows from its name: `.safetensors` and its
// index, `.ckpt`, a folder with a folder `rank_0`, or a checkpoint of pcc.
#pragma once

#include "tools/pcc/report/ExitCode.h"
#include <string>
#include <vector>

namespace pcc::cli {

struct ConvertOptions {
  std::string input;
  /// Ends in `.safetensors`, or names the folder of a new checkpoint.
  std::string output;
  /// Strategy files of MindSpore, one for each pipeline stage.
  std::vector<std::string> strategies;
  /// Whether a safetensors file gets the optimizer states, too. A checkpoint gets what is there.
  bool withStates = false;
};

/// Converts. Prints errors and warnings.
ExitCode convertCheckpoint(const ConvertOptions &options);

} // namespace pcc::cli

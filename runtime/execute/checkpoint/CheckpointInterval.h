// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The value of `--checkpoint-every`.

#pragma once

#include "runtime/base/Base.h"

#include <string>

namespace pcc::runtime {

/// The interval between two checkpoints in one unit; the others are 0. All 0: none in between.
struct CheckpointInterval {
  int64_t steps = 0, epochs = 0, minutes = 0;
};

/// Parses "100", "100steps", "2epochs" or "10min"; an empty text is no interval. BadUsage names the
/// flag.
Expected<CheckpointInterval> parseCheckpointInterval(const std::string &text);

} // namespace pcc::runtime

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checkpoint with which a run begins. Any layout of the same model can read it.

#pragma once

#include "runtime/abi/checkpoint.pb.h"
#include "runtime/execute/rank/RankExecutor.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace pcc::runtime {

struct ResumePoint {
  std::string path;
  abi::CheckpointManifest manifest;
};

/// Returns the checkpoint that `--resume` names, null for the beginning. `tell` gets a remark on
/// unfinished checkpoints that are newer, and if `latest` finds none. Errors: no complete
/// checkpoint; a damaged manifest; a program with another model (matchModel).
Expected<std::shared_ptr<const ResumePoint>>
findResumePoint(const abi::CheckpointConfig &config, const abi::Executable &executable,
                const std::function<void(const std::string &)> &tell);

/// Checks the shards and sets the rank's parameters to their blocks. Every rank calls it at the
/// same time: the ranks share the check, and nothing is set before all shards are known to be
/// whole. Errors name the file.
Status loadCheckpoint(RankExecutor &rank, const ResumePoint &point);

} // namespace pcc::runtime

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The training of a run: its checkpoints, signals, evaluations and records.

#pragma once

#include "runtime/abi/config.pb.h"
#include "runtime/execute/Train.h"

#include <optional>

namespace pcc::runtime {

/// The checkpoints of a run.
struct RunCheckpoints {
  abi::CheckpointConfig config = {};
  /// Version of the program that writes them.
  std::string pccVersion = {};
};

/// The datasets that a run reads, if any.
struct RunData {
  std::optional<Dataset> training, evaluation;
};

struct TrainProgramOptions {
  const abi::RunConfig &config;
  const RunCheckpoints &checkpoints;
  /// Whether this is the first process, which writes records.
  bool isFirst = true;
  /// Stream for lines of losses and checkpoints; null: none.
  std::FILE *out = nullptr;
  /// Whether the progress is drawn on a terminal.
  bool progressLine = false;
  Tell warn = {};
};

/// Returns whether losses and saved parameters must be finite.
bool mustBeFinite(const abi::RunConfig &config);

/// Prints a line at once, for whoever reads a log; null: nowhere.
void printLine(std::FILE *out, const std::string &line);

/// Trains on `data` from `point` on, with valid options, whose parameters the session has. A signal
/// may end the training if checkpoints are written. Sets `evaluation` if the run evaluates
/// meanwhile. Errors: those of train(), of reading a checkpoint, and of opening what the run
/// writes; no checkpoint to go back to; a fourth return to the same one.
Expected<abi::RunReport> trainProgram(Session &session, const RunData &data,
                                      const std::shared_ptr<const ResumePoint> &point,
                                      const TrainProgramOptions &options,
                                      std::shared_ptr<PeriodicEvaluation> &evaluation);

} // namespace pcc::runtime

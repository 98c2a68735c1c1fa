// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a linked program: load, resume, train, evaluate. `pcc run` and `pcc-run` call it after
// reading their flags.

#pragma once

#include "runtime/abi/checkpoint.pb.h"
#include "runtime/abi/config.pb.h"
#include "runtime/collective/Launch.h"
#include "runtime/execute/Train.h"

#include <optional>

namespace pcc::runtime {

//===-- TrainProgram.cpp ----------------------------------------------------------------------===//

// The training of a run: its checkpoints, signals, evaluations and records.

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

//===-- RunProgram.cpp ------------------------------------------------------------------------===//

/// Checks the options of checkpoints. BadUsage names the flag.
Status checkCheckpointConfig(const abi::CheckpointConfig &config);

/// Checks that this process can write its output files of a run: the parameters and metrics, which
/// the first process writes, and the trace of its own ranks.
Status checkOutputs(const abi::RunConfig &config, const Launch &launch = {});

/// Reads the checkpoint to resume from, trains on `config.data`, writes the parameters to
/// `config.save`, evaluates on `config.eval_data`, and writes the trace, as far as these are given.
/// Loss lines go to `out` (null: nowhere). With `progressLine`, a line on stderr, a terminal, shows
/// the progress. If `launch` has several processes, each runs its own ranks. The first process
/// prints both, and writes parameters and report. Each process writes the trace of its own ranks to
/// a file with its number.
/// If a signal ends the training after a checkpoint, nothing else is saved or
/// evaluated, and the report has the signal. Errors: BadUsage if there is nothing to do; those of
/// openWorld, Session::load, findResumePoint, openDataset, train, evaluate.
Expected<abi::RunReport> runProgram(abi::Executable executable, const abi::RunConfig &config,
                                    std::FILE *out, bool progressLine, const Launch &launch = {},
                                    const RunCheckpoints &checkpoints = {});

/// Returns the exit code of a run whose training `report.stop_signal` ended: 143 for SIGTERM, 130
/// for SIGINT; 0 if no signal did.
int exitCodeOf(const abi::RunReport &report);

/// Returns the report's metrics sorted by name.
std::map<std::string, double> sortedMetrics(const abi::RunReport &report);

/// Returns the report as JSON with every field present.
std::string toJson(const abi::RunReport &report);

} // namespace pcc::runtime

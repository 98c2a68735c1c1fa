// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a linked program: load, resume, train, evaluate. `pcc run` and `pcc-run` call it after
// reading their flags.

#pragma once

#include "runtime/abi/checkpoint.pb.h"
#include "runtime/abi/config.pb.h"
#include "runtime/collective/Launch.h"
#include "runtime/execute/TrainProgram.h"

namespace pcc::runtime {

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

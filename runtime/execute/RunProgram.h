// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A whole run of a linked program: load, train, evaluate. What `pcc run` and `pcc-run` do after
// reading their flags.

#ifndef PCC_RUNTIME_EXECUTE_RUNPROGRAM_H
#define PCC_RUNTIME_EXECUTE_RUNPROGRAM_H

#include "runtime/abi/config.pb.h"
#include "runtime/collective/Launch.h"
#include "runtime/execute/Train.h"

namespace pcc::runtime {

/// Checks that the files which a run is to write can be written: its parameters and its trace.
Status checkOutputs(const abi::RunConfig &config);

/// Trains on `config.data`, writes the parameters to `config.save`, evaluates on
/// `config.eval_data`, and writes the trace, as far as they are given. Loss lines go to `out`
/// (null: nowhere), with `progressBar` a bar to stderr. Of several processes that `launch` knows of
/// each runs its own ranks; lines, bar, parameters and report are the first one's, and each writes
/// its own ranks' trace, under a name with its number. Errors: BadUsage if there is nothing to do;
/// as openWorld, Session::load, openDataset, train, evaluate.
Expected<abi::RunReport> runProgram(abi::Executable executable, const abi::RunConfig &config,
                                    std::FILE *out, bool progressBar, const Launch &launch = {});

/// The report's metrics in the order of their names.
std::map<std::string, double> sortedMetrics(const abi::RunReport &report);

/// The report in JSON, every field present.
std::string toJson(const abi::RunReport &report);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_RUNPROGRAM_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The training loop and evaluation.

#ifndef PCC_RUNTIME_EXECUTE_TRAIN_H
#define PCC_RUNTIME_EXECUTE_TRAIN_H

#include "runtime/abi/report.pb.h"
#include "runtime/data/Dataset.h"
#include "runtime/execute/Session.h"

#include <cstdio>

namespace pcc::runtime {

struct TrainOptions {
  /// Stop after so many steps; 0: no limit but that of epochs.
  int64_t steps = 0;
  /// Passes over the data; 0: one, or as many as `steps` needs.
  int64_t epochs = 0;
  bool shuffle = false;
  uint64_t seed = 0;
  /// A loss that is not finite does not end the run.
  bool continuesNonFinite = false;
  /// As in MonitorOptions.
  int64_t logEvery = 0;
  std::string logDir = {};
  std::FILE *out = nullptr;
  bool progressBar = false;
  /// Called by every rank between epochs, while none runs, with how many are over; not after the
  /// last one. Its error ends the run.
  std::function<Status(RankExecutor &rank, int64_t epochs)> epochDone = {};
};

/// Trains on whole batches; an epoch's incomplete last batch is dropped. Every rank reads its own
/// rows. The first process has the report. Errors: the data do not fit the inputs, hold values that
/// these may not have, or fewer rows than a batch; a loss that is not finite (Failed).
Expected<abi::RunReport> train(Session &session, const Dataset &data, const TrainOptions &options);

/// The program's metrics that `metrics` names (chooseMetrics) over all rows; an incomplete last
/// batch is filled with zeros that do not count. Errors: the data do not fit the inputs, have no
/// rows, or labels that are no classes; a program without a section `forward`, or without metrics.
Expected<std::map<std::string, double>> evaluate(Session &session, const Dataset &data,
                                                 const std::string &metrics = "");

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_TRAIN_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Goes back to a checkpoint when numbers are not finite, and leaves out the batches that led there:
//
//   step       1   …   40      41  42  43              41  42  …
//   batch      1   …   40      41  42  43 (NaN)        44  45  …
//   checkpoint         after 40           goes back ->
//
// Source: Chowdhery et al.: PaLM, JMLR 24 (2023), section 5.1, where training restarts from a
// checkpoint before a spike of the loss and skips the batches around it.

#pragma once

#include "runtime/execute/Train.h"

#include <functional>

namespace pcc::runtime {

/// Makes the options of a training that goes on at a checkpoint, or begins (null).
using MakeTrainOptions =
    std::function<Expected<TrainOptions>(const std::shared_ptr<const ResumePoint> &)>;

/// Trains from `point`, whose parameters the session has, to the end. `tell` gets a line for each
/// return to a checkpoint. The report has the steps that count. Errors: those of train() and of
/// reading a checkpoint; no checkpoint to go back to; a fourth return to the same one.
Expected<abi::RunReport> trainWithRollback(Session &session, const Dataset &data,
                                           std::shared_ptr<const ResumePoint> point,
                                           const MakeTrainOptions &makeOptions, const Tell &tell);

} // namespace pcc::runtime

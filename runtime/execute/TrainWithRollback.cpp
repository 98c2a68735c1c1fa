// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A return is a training that ends early and another one that continues it, as after `--resume`:
// logs and records lose the steps that run again. All processes go the same way, since the ranks
// have agreed on the checkpoint.

#include "runtime/execute/TrainWithRollback.h"

namespace pcc::runtime {
namespace {

/// Returns to the same checkpoint before training fails.
constexpr int64_t maxReturns = 3;

/// Replaces the steps of `whole` from the first one of `part` on.
void append(abi::RunReport &whole, const abi::RunReport &part) {
  auto &steps = *whole.mutable_steps();
  while (part.steps_size() > 0 && !steps.empty() && steps.rbegin()->step() >= part.steps(0).step())
    steps.RemoveLast();
  steps.MergeFrom(part.steps());
  if (part.has_step_seconds())
    *whole.mutable_step_seconds() = part.step_seconds();
}

/// Reads the checkpoint that the ranks have agreed on, and sets the parameters to it.
Expected<std::shared_ptr<const ResumePoint>> goBack(Session &session, const std::string &path) {
  abi::CheckpointConfig config;
  config.set_resume(path);
  auto point = findResumePoint(config, session.executable(), [](const std::string &) {});
  if (!point)
    return point;
  Status status = session.onEveryRank(
      [point = *point](RankExecutor &rank) { return loadCheckpoint(rank, *point); });
  return status.ok() ? point : status;
}

} // namespace

Expected<abi::RunReport> trainWithRollback(Session &session, const Dataset &data,
                                           std::shared_ptr<const ResumePoint> point,
                                           const MakeTrainOptions &makeOptions, const Tell &tell) {
  abi::RunReport whole;
  int64_t returns = 0, leftOut = 0; // to and after the checkpoint `point`
  while (true) {
    Expected<TrainOptions> options = makeOptions(point);
    if (!options)
      return options.status();
    options->leftOut = leftOut;
    Expected<abi::RunReport> part = train(session, data, *options);
    if (!part)
      return part;
    append(whole, *part);
    std::optional<Rollback> rollback;
    if (options->checkpoints)
      rollback = options->checkpoints->takeRollback();
    if (!rollback)
      return whole;
    std::string place =
        fmt::format("step {}: expected a finite loss and finite parameters", rollback->step + 1);
    if (rollback->checkpoint.empty())
      return Status::failed(place + "; there is no checkpoint before it to go back to");
    bool isSame = point && point->path == rollback->checkpoint;
    returns = isSame ? returns + 1 : 1;
    if (returns > maxReturns)
      return Status::failed(fmt::format("{}, also after {} returns to the checkpoint '{}'", place,
                                        maxReturns, rollback->checkpoint));
    Expected<std::shared_ptr<const ResumePoint>> previous = goBack(session, rollback->checkpoint);
    if (!previous)
      return previous.status();
    point = std::move(*previous);
    int64_t batches = rollback->step + 1 - point->manifest.step();
    leftOut = isSame ? leftOut + batches : batches;
    tell(fmt::format("{}; training goes on after step {} from '{}' and leaves out {} batch{}",
                     place, point->manifest.step(), point->path, leftOut,
                     leftOut == 1 ? "" : "es"));
  }
}

} // namespace pcc::runtime

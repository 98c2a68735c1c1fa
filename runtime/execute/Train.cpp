// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every rank runs the same loop on its own thread: read the rows, run the step, report the losses
// that are available. Before a callback at the end of an epoch, all losses are read and all ranks
// meet at a barrier.

#include "runtime/execute/Train.h"
#include "runtime/abi/BufferRings.h"

#include "runtime/data/BatchReader.h"
#include "runtime/data/CheckValues.h"
#include "runtime/execute/monitor/DeferredLossReader.h"
#include "runtime/execute/monitor/Monitor.h"
#include "runtime/execute/rank/InputFeed.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace pcc::runtime {
namespace {

/// State shared by the ranks of a training run, and owned by all of them.
struct Run {
  Run(const Session &session, const Dataset &data, std::vector<int> fieldOf, int64_t batchRows,
      const TrainOptions &options, MonitorOptions monitorOptions)
      : data(data), fieldOf(std::move(fieldOf)), batchRows(batchRows),
        stepsPerEpoch(monitorOptions.stepsPerEpoch), steps(monitorOptions.steps),
        placement(session.world().placement), epochDone(options.epochDone),
        order(data.rows, options.shuffle, options.seed), losses(session.executable()),
        firstRank(monitorOptions.firstRank), allowsNonFiniteLoss(options.allowsNonFiniteLoss),
        deferredLosses(size_t(monitorOptions.ownRanks)),
        monitor(session.executable(), std::move(monitorOptions)) {}

  Status runRank(RankExecutor &rank);
  Status reportLosses(RankExecutor &rank, DeferredLossReader &deferred, int64_t maxUnread);
  Status gatherLoss(RankExecutor &rank, int64_t step, double loss);
  Status checkLoss(int64_t rank, int64_t step, double loss) const;
  Status endEpoch(RankExecutor &rank, int64_t epochs);

  const Dataset &data;
  const std::vector<int> fieldOf;
  const int64_t batchRows, stepsPerEpoch, steps;
  const Placement placement;
  const std::function<Status(RankExecutor &, int64_t)> epochDone;
  RowOrder order;
  const LossReader losses;
  const int64_t firstRank;
  const bool allowsNonFiniteLoss;
  /// By local rank. A destructor waits for the device's work. In a failed run that work may end
  /// only when the session aborts it, so the readers belong to the run and not to a rank's thread.
  std::vector<std::optional<DeferredLossReader>> deferredLosses;
  Monitor monitor;
};

Status Run::runRank(RankExecutor &rank) {
  const abi::BatchPlan &plan = rank.executable().batch();
  int64_t copyRows = batchRows / (int64_t(plan.micro_batches()) * plan.copies());
  BatchReader reader(data, fieldOf, rank.executable(), rank.rank());
  auto parallelFor = [&](int64_t count, const auto &body) { rank.device().parallel(count, body); };
  Expected<InputFeed> feed = InputFeed::make(rank, abi::copiesPerAction(plan));
  Expected<DeferredLossReader> made = DeferredLossReader::make(losses, rank);
  if (!feed || !made)
    return feed ? made.status() : feed.status();
  std::optional<DeferredLossReader> &deferred = deferredLosses[size_t(rank.rank() - firstRank)];
  deferred.emplace(std::move(*made));
  std::shared_ptr<const std::vector<int64_t>> rows;
  int64_t batch = 0;
  StepHooks hooks;
  hooks.fill = [&](const abi::Action &action) {
    if (Status status = feed->wait(); !status.ok())
      return status;
    LocalWork work = rank.atWork("reads its rows");
    int64_t firstCopy = int64_t(action.microbatch()) * plan.copies() + action.copy();
    for (uint32_t copy = 0; copy < abi::copiesPerAction(plan); ++copy) {
      auto addressOf = [&](const abi::Input &input) {
        return feed->at(abi::bufferOfCopy(input, copy));
      };
      reader.read({rows.get(), batch * batchRows + (firstCopy + copy) * copyRows}, addressOf,
                  parallelFor);
    }
    return feed->send();
  };
  hooks.sectionDone = [&](uint32_t section) { return deferred->sectionDone(section); };
  for (int64_t step = 0; step < steps; ++step) {
    batch = step % stepsPerEpoch;
    if (batch == 0) {
      LocalWork work = rank.atWork("orders the rows");
      rows = order.ofEpoch(step / stepsPerEpoch);
    }
    bool endsEpoch = batch + 1 == stepsPerEpoch, isLast = step + 1 == steps;
    Status status = rank.runStep(step, hooks);
    if (status.ok())
      status = deferred->stepDone();
    if (status.ok())
      status = reportLosses(rank, *deferred,
                            isLast || (endsEpoch && epochDone) ? 0 : deferred->maxUnread());
    if (status.ok() && endsEpoch && !isLast)
      status = endEpoch(rank, step / stepsPerEpoch + 1);
    if (!status.ok())
      return status;
  }
  return {};
}

/// Reports losses until at most `maxUnread` steps are unread. Only the first of them is timed: the
/// others are read directly after it, so the time between them is no step's duration.
Status Run::reportLosses(RankExecutor &rank, DeferredLossReader &deferred, int64_t maxUnread) {
  for (bool isTimed = true; deferred.unread() > maxUnread; isTimed = false) {
    int64_t step = deferred.firstUnread();
    Expected<double> loss = deferred.read();
    if (!loss) // error of this step or of a step enqueued after it
      return loss.status().at({.rank = rank.rank()});
    {
      LocalWork work = rank.atWork("reports a loss");
      monitor.add(rank.rank(), step, *loss, isTimed);
    }
    if (Status status = gatherLoss(rank, step, *loss); !status.ok())
      return status;
    if (Status status = checkLoss(rank.rank(), step, *loss); !status.ok())
      return status;
  }
  return {};
}

/// Fails on a loss that is not finite: then the parameters are not finite either, or will soon be.
/// The rank that has the loss fails, which stops the others.
Status Run::checkLoss(int64_t rank, int64_t step, double loss) const {
  if (allowsNonFiniteLoss || std::isfinite(loss))
    return {};
  return Status::failed(
             fmt::format("epoch: {} step: {}: expected a finite loss, got {}; no "
                         "further checkpoint is written; '--non-finite=continue' goes on",
                         step / stepsPerEpoch + 1, step % stepsPerEpoch + 1, loss))
      .at({.rank = rank});
}

/// Sends the loss of a rank in another process to rank 0, which receives, reports and checks it.
Status Run::gatherLoss(RankExecutor &rank, int64_t step, double loss) {
  int64_t firstRemoteRank = placement.firstOf(1);
  if (rank.rank() >= firstRemoteRank) {
    if (!losses.countsAt(rank.rank()))
      return {};
    std::vector<TaggedBytes> messages(1);
    auto bytes = std::as_bytes(std::span(&loss, 1));
    messages[0].owned.assign(bytes.begin(), bytes.end());
    messages[0].bytes = messages[0].owned;
    return rank.sendToFirstRank(std::move(messages));
  }
  for (int64_t other = firstRemoteRank; rank.rank() == 0 && other < placement.ranks; ++other)
    if (losses.countsAt(other)) {
      Expected<std::vector<std::byte>> bytes = rank.receiveFrom(other, sizeof loss);
      if (!bytes)
        return bytes.status();
      std::memcpy(&loss, bytes->data(), sizeof loss);
      {
        LocalWork work = rank.atWork("reports a loss");
        monitor.add(other, step, loss);
      }
      if (Status status = checkLoss(other, step, loss); !status.ok())
        return status;
    }
  return {};
}

/// Calls `epochDone` on all ranks, between barriers: no rank executes a step meanwhile.
Status Run::endEpoch(RankExecutor &rank, int64_t epochs) {
  if (!epochDone)
    return {};
  if (Status status = rank.barrier("at the barrier after an epoch"); !status.ok())
    return status;
  if (Status status = epochDone(rank, epochs); !status.ok())
    return status;
  return rank.barrier("at the barrier before an epoch");
}

int64_t rowsOfBatch(const Session &session) {
  const abi::BatchPlan &plan = session.executable().batch();
  return session.program().inputs(0).block().global_shape(0) * plan.micro_batches() * plan.copies();
}

/// Returns the lower of the limits that the options give; without any, the steps of one epoch.
int64_t stepsToDo(const TrainOptions &options, int64_t stepsPerEpoch) {
  int64_t epochs = options.epochs > 0 ? options.epochs : (options.steps > 0 ? 0 : 1);
  int64_t limit = options.steps > 0 ? options.steps : std::numeric_limits<int64_t>::max();
  if (epochs == 0 || epochs > limit / stepsPerEpoch)
    return limit;
  return epochs * stepsPerEpoch;
}

/// Returns the number of ranks that report each step to this process: its own ranks, and on the
/// first process also every other rank whose loss counts.
int64_t numReportingRanks(const Session &session) {
  const World &world = session.world();
  LossReader losses(session.executable());
  int64_t ranks = world.ownRanks();
  for (int64_t rank = world.placement.firstOf(1); rank < world.placement.ranks; ++rank)
    ranks += world.process() == 0 && losses.countsAt(rank);
  return ranks;
}

} // namespace

Expected<abi::RunReport> train(Session &session, const Dataset &data, const TrainOptions &options) {
  if (session.program().inputs_size() == 0)
    return Status::badInput("the program has no inputs to feed");
  if (session.program().actions_size() == 0)
    return Status::badInput(
        "the program has no training step; compile it with a loss and an optimizer");
  Expected<std::vector<int>> fieldOf = [&] {
    LocalWork work = session.atWork("checks the data");
    return bindCheckedFields(data, session.program(), DataPurpose::Training);
  }();
  if (!fieldOf)
    return fieldOf.status();
  int64_t batchRows = rowsOfBatch(session), stepsPerEpoch = data.rows / batchRows;
  if (stepsPerEpoch == 0)
    return Status::badInput(fmt::format("{}: expected at least one batch of {} rows, got {} rows",
                                        data.name, batchRows, data.rows));
  MonitorOptions monitor{.logEvery = options.logEvery,
                         .logDir = options.logDir,
                         .out = options.out,
                         .progressBar = options.progressBar,
                         .stepsPerEpoch = stepsPerEpoch,
                         .steps = stepsToDo(options, stepsPerEpoch),
                         .firstRank = session.world().firstRank(),
                         .ownRanks = session.world().ownRanks(),
                         .reports = numReportingRanks(session)};
  auto run = std::make_shared<Run>(session, data, std::move(*fieldOf), batchRows, options,
                                   std::move(monitor));
  if (Status status = run->monitor.open(); !status.ok())
    return status;
  Status status = session.onEveryRank([run](RankExecutor &rank) { return run->runRank(rank); });
  if (!status.ok())
    return status;
  return run->monitor.report();
}

} // namespace pcc::runtime

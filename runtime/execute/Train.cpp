// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every rank runs the same loop on its own thread: take the rows, run the step, report the losses
// that are available. A second thread of the rank reads the next rows meanwhile. Before a
// checkpoint or a callback at the end of an epoch, all losses are read and all ranks meet at a
// barrier.

#include "runtime/execute/Train.h"
#include "runtime/abi/program/BufferRings.h"

#include "runtime/data/batches/BatchLoader.h"
#include "runtime/data/batches/CheckValues.h"
#include "runtime/execute/monitor/LossReader.h"
#include "runtime/execute/monitor/Monitor.h"
#include "runtime/execute/monitor/ReplicaCheck.h"
#include "runtime/execute/monitor/StateReader.h"
#include "runtime/execute/rank/InputFeed.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <limits>

namespace pcc::runtime {
namespace {

/// The numbers of steps and batches. `start` steps were run before a checkpoint. Batch number n of
/// all epochs belongs to step n - `shift`; a run whose batches were larger before has a shift.
struct StepPlan {
  int64_t stepsPerEpoch = 1, start = 0, shift = 0, end = 0;

  int64_t epochOf(int64_t step) const { return (step + shift) / stepsPerEpoch; }
  int64_t batchOf(int64_t step) const { return (step + shift) % stepsPerEpoch; }
};

/// Adds the seconds of its lifetime to a number.
class AddedTime {
public:
  explicit AddedTime(double &seconds) : seconds(seconds), start(nowNanoseconds()) {}
  ~AddedTime() { seconds += double(nowNanoseconds() - start) / 1e9; }
  AddedTime(const AddedTime &) = delete;

private:
  double &seconds;
  const int64_t start;
};

/// Readers of what a rank's steps leave in its memory.
struct RankReaders {
  DeferredLossReader losses;
  StateReader states;
};

Status makeReaders(const LossReader &losses, RankExecutor &rank,
                   std::optional<RankReaders> &readers) {
  Expected<DeferredLossReader> deferred = DeferredLossReader::make(losses, rank);
  if (!deferred)
    return deferred.status();
  Expected<StateReader> states = StateReader::make(rank, deferred->maxUnread());
  if (!states)
    return states.status();
  readers.emplace(RankReaders{std::move(*deferred), std::move(*states)});
  return {};
}

std::string describeEarlyEnd(const abi::EvaluationState &state) {
  std::string best = state.best_step() == 0 ? "that is a number"
                                            : fmt::format("below {:.4f} after step {}",
                                                          state.best_loss(), state.best_step());
  return fmt::format("stopped early: no loss {} in the last {} evaluations", best,
                     state.since_best());
}

/// State shared by the ranks of a training run, and owned by all of them.
struct Run {
  Run(const Session &session, const Dataset &data, std::vector<BoundField> bound, int64_t batchRows,
      const StepPlan &plan, const TrainOptions &options, MonitorOptions monitorOptions)
      : data(data), bound(std::move(bound)), batchRows(batchRows), plan(plan),
        placement(session.world().placement), epochDone(options.epochDone),
        checkpoints(options.checkpoints), evaluation(options.evaluation), shuffle(options.shuffle),
        seed(options.seed), augmentation(options.augmentation), losses(session.executable()),
        firstRank(monitorOptions.firstRank), nonfinite(options.onNonfinite),
        checkReplicasEvery(options.checkReplicasEvery), readers(size_t(monitorOptions.ownRanks)),
        monitor(session.executable(), std::move(monitorOptions)) {
    if (options.checkReplicasEvery > 0)
      replicas.emplace(session.executable());
  }

  /// The waits of the steps whose loss is unread.
  using UnreadWaits = std::deque<StepWaits>;

  Status runRank(RankExecutor &rank);
  Expected<std::unique_ptr<BatchLoader>> startLoader(RankExecutor &rank) const;
  Status runStep(RankExecutor &rank, int64_t step, const StepHooks &hooks, StepWaits &waits);
  Status reportLosses(RankExecutor &rank, RankReaders &readers, UnreadWaits &waits,
                      int64_t maxUnread);
  Status gatherLoss(RankExecutor &rank, int64_t step, double loss, const NamedNumbers &states);
  Status receiveLoss(RankExecutor &rank, int64_t other, int64_t step);
  Status checkLoss(int64_t rank, int64_t step, double loss) {
    return std::isfinite(loss) ? Status()
                               : nonfinite.reactToLoss(rank, step, monitor.position(step), loss);
  }
  StepEnd stepEnd(int64_t step) const;
  Expected<AfterStep> afterStep(RankExecutor &rank, int64_t step) const;
  bool evaluatesAfter(int64_t step, const AfterStep &after) const;
  Status evaluate(RankExecutor &rank, int64_t step, AfterStep &after);
  Status endStep(RankExecutor &rank, int64_t step, const AfterStep &after);
  Status endEpoch(RankExecutor &rank, int64_t epochs);
  CheckpointFacts factsAfter(int64_t step, bool isBest) const;
  bool comparesAfter(int64_t step, bool maySave) const;
  bool endsEpoch(int64_t step) const { return plan.batchOf(step) + 1 == plan.stepsPerEpoch; }
  bool isLast(int64_t step) const { return step + 1 == plan.end; }

  const Dataset data;
  const std::vector<BoundField> bound;
  const int64_t batchRows;
  const StepPlan plan;
  const Placement placement;
  const std::function<Status(RankExecutor &, int64_t)> epochDone;
  const std::shared_ptr<TrainingCheckpoints> checkpoints;
  const std::shared_ptr<PeriodicEvaluation> evaluation;
  const bool shuffle;
  const uint64_t seed;
  const Augmentation augmentation;
  const LossReader losses;
  const int64_t firstRank;
  NonfiniteWatch nonfinite;
  const int64_t checkReplicasEvery; ///< steps; 0: never
  std::optional<ReplicaCheck> replicas;
  /// By local rank. A destructor waits for the device's work. In a failed run that work may end
  /// only when the session aborts it, so the readers belong to the run and not to a rank's thread.
  std::vector<std::optional<RankReaders>> readers;
  Monitor monitor;
};

/// Starts to read the rank's rows: one block for each action that fills the inputs. A GPU computes
/// from its queue, so all threads of its rank read the next rows, directly into the image.
Expected<std::unique_ptr<BatchLoader>> Run::startLoader(RankExecutor &rank) const {
  const abi::BatchPlan &batchPlan = rank.executable().batch();
  std::vector<const abi::Action *> actions = rank.fillingActions();
  auto blocksPerStep = int64_t(actions.size());
  auto placesOf = [=, this, actions = std::move(actions)](int64_t block) {
    int64_t step = plan.start + block / blocksPerStep;
    const abi::Action &action = *actions[size_t(block % blocksPerStep)];
    int64_t copyRows = batchRows / (int64_t(batchPlan.micro_batches()) * batchPlan.copies());
    int64_t first = plan.batchOf(step) * batchRows +
                    (int64_t(action.microbatch()) * batchPlan.copies() + action.copy()) * copyRows;
    RowOrder order = shuffle ? RowOrder(data.rows, seed, plan.epochOf(step)) : RowOrder();
    std::vector<BatchPlace> places;
    for (uint32_t copy = 0; copy < abi::copiesPerAction(batchPlan); ++copy)
      places.push_back({order, first + copy * copyRows, plan.epochOf(step)});
    return places;
  };
  int64_t steps = plan.end - plan.start, limit = std::numeric_limits<int64_t>::max();
  bool isLimited = blocksPerStep == 0 || steps <= limit / blocksPerStep;
  return BatchLoader::start(BatchReader(data, bound, rank.executable(), rank.rank(), augmentation),
                            std::move(placesOf),
                            {.blocks = isLimited ? steps * blocksPerStep : limit,
                             .blocksAhead = rank.device().hasHostMemory() ? blocksPerStep : 0});
}

Status Run::runRank(RankExecutor &rank) {
  uint32_t copies = abi::copiesPerAction(rank.executable().batch());
  Expected<InputFeed> feed = InputFeed::make(rank, copies);
  if (!feed)
    return feed.status();
  std::optional<RankReaders> &own = readers[size_t(rank.rank() - firstRank)];
  if (Status status = makeReaders(losses, rank, own); !status.ok())
    return status;
  Expected<std::unique_ptr<BatchLoader>> loader = startLoader(rank);
  if (!loader)
    return loader.status();
  auto parallelFor = [&](int64_t count, const auto &body) { rank.device().parallel(count, body); };
  auto addressOf = [&](size_t copy, const abi::Input &input) {
    return feed->at(abi::bufferOfCopy(input, uint32_t(copy)));
  };
  UnreadWaits waits;
  StepHooks hooks;
  hooks.fill = [&](const abi::Action &) {
    if (Status status = feed->wait(); !status.ok())
      return status;
    LocalWork work = rank.atWork("reads its rows");
    AddedTime wait(waits.back().data);
    if (Status status = (*loader)->take(addressOf, parallelFor); !status.ok())
      return status;
    return feed->send();
  };
  hooks.sectionDone = [&](uint32_t section) { return own->losses.sectionDone(section); };
  AfterStep after;
  for (int64_t step = plan.start; step < plan.end && !after.endsRun(); ++step) {
    waits.emplace_back();
    Status status = runStep(rank, step, hooks, waits.back());
    if (status.ok())
      status = own->losses.stepDone();
    if (status.ok())
      status = own->states.take();
    if (!status.ok())
      return status;
    Expected<AfterStep> decided = afterStep(rank, step);
    if (!decided)
      return decided.status();
    after = *decided;
    bool evaluates = evaluatesAfter(step, after);
    bool readsAll = isLast(step) || after.saves || evaluates || (endsEpoch(step) && epochDone);
    status = reportLosses(rank, *own, waits, readsAll ? 0 : own->losses.maxUnread());
    bool maySave = after.saves || evaluates;
    if (status.ok() && maySave)
      status = nonfinite.checkParameters(rank, step, monitor.position(step));
    if (status.ok() && nonfinite.mayRollBack() && (after.agrees || readsAll)) {
      Expected<bool> ends = nonfinite.rollsBack(rank, *checkpoints);
      if (!ends || *ends)
        return ends.status();
    }
    if (status.ok() && comparesAfter(step, maySave))
      status = replicas->run(rank, step + 1);
    if (status.ok() && evaluates)
      status = evaluate(rank, step, after);
    if (status.ok())
      status = endStep(rank, step, after);
    if (!status.ok())
      return status;
  }
  return {};
}

/// Runs a step on a rank and measures its waits for transfers.
Status Run::runStep(RankExecutor &rank, int64_t step, const StepHooks &hooks, StepWaits &waits) {
  const std::atomic<int64_t> &total = rank.progress().transferWaits;
  int64_t before = total.load(std::memory_order_relaxed);
  Status status = rank.runStep(step, hooks);
  if (rank.device().hasHostMemory())
    waits.communication = double(total.load(std::memory_order_relaxed) - before) / 1e9;
  return status;
}

StepEnd Run::stepEnd(int64_t step) const {
  return {.steps = step + 1,
          .epochs = plan.epochOf(step + 1),
          .endsEpoch = endsEpoch(step),
          .isLast = isLast(step)};
}

/// Decides with the other ranks what follows the step.
Expected<AfterStep> Run::afterStep(RankExecutor &rank, int64_t step) const {
  return checkpoints ? checkpoints->decide(rank, stepEnd(step)) : AfterStep();
}

/// Returns whether the model is evaluated. Whoever ends the run by a signal does not wait for it.
bool Run::evaluatesAfter(int64_t step, const AfterStep &after) const {
  return evaluation && after.stopSignal == 0 && evaluation->isDue(stepEnd(step));
}

/// Returns whether replicas are compared: as often as asked for, and before each checkpoint, so
/// that none has the bits of memory that failed.
bool Run::comparesAfter(int64_t step, bool maySave) const {
  return replicas && (maySave || isLast(step) || (step + 1) % checkReplicasEvery == 0);
}

/// Evaluates the model, and decides on a checkpoint of the best step and on an early end.
Status Run::evaluate(RankExecutor &rank, int64_t step, AfterStep &after) {
  if (Status status = rank.barrier("at the barrier before an evaluation"); !status.ok())
    return status;
  if (Status status = evaluation->run(rank, stepEnd(step), after); !status.ok())
    return status;
  after.saves |= checkpoints && (after.isBest || after.endsEarly);
  if (rank.rank() != 0)
    return {};
  LocalWork work = rank.atWork("reports an evaluation");
  monitor.addEvaluation(step, evaluation->values());
  if (after.endsEarly)
    monitor.print(describeEarlyEnd(evaluation->state()));
  monitor.restartTimer();
  return {};
}

/// Does what is due between two steps. A checkpoint that ends the run must be written. An earlier
/// one that is written is published, if it is not in save().
Status Run::endStep(RankExecutor &rank, int64_t step, const AfterStep &after) {
  bool isEnd = isLast(step) || after.endsRun();
  bool callsBack = endsEpoch(step) && !isEnd && epochDone;
  Status status;
  if (after.finishes && !after.saves)
    status = checkpoints->finish(rank);
  if (after.saves)
    status = checkpoints->save(rank, step + 1, factsAfter(step, after.isBest), isEnd);
  if (status.ok() && callsBack)
    status = endEpoch(rank, plan.epochOf(step) + 1);
  if (rank.rank() == 0 && (after.saves || callsBack))
    monitor.restartTimer();
  return status;
}

CheckpointFacts Run::factsAfter(int64_t step, bool isBest) const {
  abi::DataPosition position;
  position.set_name(data.name);
  position.set_rows(data.rows);
  position.set_batch_rows(batchRows);
  position.set_shuffle(shuffle);
  position.set_seed(seed);
  position.set_epoch(plan.epochOf(step + 1));
  position.set_row(plan.batchOf(step + 1) * batchRows);
  CheckpointFacts facts{.data = std::move(position), .isBest = isBest};
  if (evaluation)
    facts.evaluation = evaluation->state();
  return facts;
}

/// Reports losses until at most `maxUnread` steps are unread. Only the first of them is timed: the
/// others are read directly after it, so the time between them is no step's duration.
Status Run::reportLosses(RankExecutor &rank, RankReaders &own, UnreadWaits &waits,
                         int64_t maxUnread) {
  for (bool isTimed = true; own.losses.unread() > maxUnread; isTimed = false) {
    int64_t step = plan.start + own.losses.firstUnread();
    Expected<double> loss = own.losses.read();
    if (!loss) // error of this step or of a step enqueued after it
      return loss.status().at({.rank = rank.rank()});
    Expected<NamedNumbers> states = own.states.read();
    if (!states)
      return states.status().at({.rank = rank.rank()});
    {
      LocalWork work = rank.atWork("reports a loss");
      monitor.add(rank.rank(), step, {*loss, isTimed, waits.front(), rank.memoryUse(), *states});
      waits.pop_front();
    }
    if (Status status = gatherLoss(rank, step, *loss, *states); !status.ok())
      return status;
    if (Status status = checkLoss(rank.rank(), step, *loss); !status.ok())
      return status;
  }
  return {};
}

/// Sends the loss of a rank in another process, and the states that it holds, to rank 0, which
/// receives, reports and checks them.
Status Run::gatherLoss(RankExecutor &rank, int64_t step, double loss, const NamedNumbers &states) {
  int64_t firstRemoteRank = placement.firstOf(1);
  if (rank.rank() >= firstRemoteRank) {
    if (!losses.countsAt(rank.rank()))
      return {};
    std::vector<double> values = {loss};
    for (const auto &[name, value] : states)
      values.push_back(value);
    std::vector<TaggedBytes> messages(1);
    auto bytes = std::as_bytes(std::span(values));
    messages[0].owned.assign(bytes.begin(), bytes.end());
    messages[0].bytes = messages[0].owned;
    return rank.sendToFirstRank(std::move(messages));
  }
  for (int64_t other = firstRemoteRank; rank.rank() == 0 && other < placement.ranks; ++other)
    if (losses.countsAt(other))
      if (Status status = receiveLoss(rank, other, step); !status.ok())
        return status;
  return {};
}

/// Receives, reports and checks the loss of rank `other`, and its states.
Status Run::receiveLoss(RankExecutor &rank, int64_t other, int64_t step) {
  std::vector<std::string> names = listStates(rank.executable(), other);
  std::vector<double> values(1 + names.size());
  Expected<std::vector<std::byte>> bytes =
      rank.receiveFrom(other, values.size() * sizeof values.front());
  if (!bytes)
    return bytes.status();
  std::memcpy(values.data(), bytes->data(), bytes->size());
  StepValues received{.loss = values.front()};
  for (size_t index = 0; index < names.size(); ++index)
    received.states.emplace_back(names[index], values[1 + index]);
  {
    LocalWork work = rank.atWork("reports a loss");
    monitor.add(other, step, received);
  }
  return checkLoss(other, step, received.loss);
}

/// Calls `epochDone` on all ranks, between barriers: no rank executes a step meanwhile.
Status Run::endEpoch(RankExecutor &rank, int64_t epochs) {
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

/// Returns the lower of the limits that the options give; without any, the end of the first epoch.
int64_t lastStep(const TrainOptions &options, const StepPlan &plan) {
  int64_t epochs = options.epochs > 0 ? options.epochs : (options.steps > 0 ? 0 : 1);
  int64_t limit = options.steps > 0 ? options.steps : std::numeric_limits<int64_t>::max();
  if (epochs == 0 || epochs > (limit - std::abs(plan.shift)) / plan.stepsPerEpoch)
    return limit;
  return std::min(limit, epochs * plan.stepsPerEpoch - plan.shift);
}

/// Plans the steps from the checkpoint on, if there is one. Data of another size have another
/// order, so training cannot continue in them.
Expected<StepPlan> planSteps(const Dataset &data, int64_t batchRows, const TrainOptions &options) {
  StepPlan plan{.stepsPerEpoch = data.rows / batchRows, .shift = options.leftOut};
  if (options.resume) {
    // Without a position, the data begin anew; the manifest's message has zeros then.
    const abi::CheckpointManifest &manifest = options.resume->manifest;
    const abi::DataPosition &before = manifest.data();
    if (manifest.has_data() && before.rows() != data.rows)
      return Status::badInput(fmt::format(
          "{}: expected the {} rows of '{}', in which training stopped, got {} rows; to train on "
          "other data, take only the parameters: 'pcc checkpoint convert'",
          data.name, before.rows(), before.name(), data.rows));
    if (before.row() % batchRows != 0)
      return Status::badInput(fmt::format(
          "{}: expected batches that divide the {} rows that the epoch has used, such as those of "
          "{} rows before, got batches of {} rows",
          data.name, before.row(), before.batch_rows(), batchRows));
    plan.start = manifest.step();
    plan.shift += before.epoch() * plan.stepsPerEpoch + before.row() / batchRows - plan.start;
  }
  plan.end = std::max(plan.start, lastStep(options, plan));
  return plan;
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
  Expected<std::vector<BoundField>> bound = [&] {
    LocalWork work = session.atWork("checks the data");
    return bindCheckedFields(data, session.program(), DataPurpose::Training);
  }();
  if (!bound)
    return bound.status();
  int64_t batchRows = rowsOfBatch(session), stepsPerEpoch = data.rows / batchRows;
  if (stepsPerEpoch == 0)
    return Status::badInput(fmt::format("{}: expected at least one batch of {} rows, got {} rows",
                                        data.name, batchRows, data.rows));
  Expected<StepPlan> plan = planSteps(data, batchRows, options);
  if (!plan)
    return plan.status();
  if (options.evaluation && options.evaluation->isExhausted())
    plan->end = plan->start;
  MonitorOptions monitor{.logEvery = options.logEvery,
                         .logDir = options.logDir,
                         .out = options.out,
                         .terminal = options.terminal,
                         .sinks = options.sinks,
                         .batchRows = batchRows,
                         .tokensOfRow = data.tokensOfRow(),
                         .stepsPerEpoch = stepsPerEpoch,
                         .steps = plan->end,
                         .start = plan->start,
                         .shift = plan->shift,
                         .shiftBefore = plan->shift - options.leftOut,
                         .firstRank = session.world().firstRank(),
                         .ownRanks = session.world().ownRanks(),
                         .reports = numReportingRanks(session)};
  auto run = std::make_shared<Run>(session, data, std::move(*bound), batchRows, *plan, options,
                                   std::move(monitor));
  if (Status status = run->monitor.open(); !status.ok())
    return status;
  if (options.evaluation && options.evaluation->isExhausted())
    run->monitor.print(describeEarlyEnd(options.evaluation->state()));
  Status status = session.onEveryRank([run](RankExecutor &rank) { return run->runRank(rank); });
  if (!status.ok())
    return status;
  return run->monitor.report();
}

} // namespace pcc::runtime

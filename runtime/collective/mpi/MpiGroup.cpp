// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs on the engine's thread, except arrive(). Each turn launches agreed batches, tests the
// current step of each operation, and starts second steps. A second step waits for the first steps
// of all earlier two-step operations. So all processes start second steps in one order.

#include "runtime/collective/mpi/MpiGroup.h"

#include <algorithm>

namespace pcc::runtime::mpi {

MpiGroup::MpiGroup(std::shared_ptr<Engine> engine, std::shared_ptr<const Abort> abort,
                   Members members, Reductions reductions, PccMpiGroup first, PccMpiGroup second)
    : engine(std::move(engine)), abort(std::move(abort)), ownMembers(std::move(members)),
      reductions(reductions), first(first), second(second) {}

std::shared_ptr<Round> MpiGroup::arrive(int index, uint64_t number,
                                        std::span<const CollectiveCall> calls) {
  std::lock_guard lock(mutex);
  std::shared_ptr<Round> &entry = arriving[number];
  if (!entry) {
    entry = std::make_shared<Round>();
    entry->calls.resize(ownMembers.local().size());
  }
  std::shared_ptr<Round> round = entry;
  round->calls[index] = calls;
  if (++round->arrived < round->calls.size())
    return round;
  arriving.erase(number);
  // Still under the lock, so that batches reach the engine in order.
  engine->submit([self = shared_from_this(), round] {
    self->opening.push_back(round);
    self->engine->add(self);
  });
  return round;
}

bool MpiGroup::advance() {
  if (abort->hasHappened())
    return drain();
  bool moved = open();
  moved |= finishSteps();
  moved |= startSeconds();
  return moved;
}

/// Forgets what MPI is done with. The members no longer wait, and their calls may be gone.
bool MpiGroup::drain() {
  opening.clear();
  if (agreement && agreement->poll())
    agreement.reset();
  size_t before = inFlight.size();
  std::erase_if(inFlight, [&](InFlightOperation &work) {
    int32_t done = 0;
    int64_t bytes = 0;
    return work.state == State::Between || work.state == State::Done ||
           engine->mpi().test(&work.request, &done, &bytes) != 0 || done;
  });
  return inFlight.size() != before;
}

/// Starts batches in order, as far as they are agreed on.
bool MpiGroup::open() {
  bool moved = false;
  while (!opening.empty()) {
    std::optional<Status> verdict = agree(*opening.front());
    if (!verdict)
      return moved;
    if (verdict->ok())
      launch(opening.front());
    else
      opening.front()->completion.set(*verdict);
    opening.pop_front();
    moved = true;
  }
  return moved;
}

/// Returns nothing while the processes compare the batch. A kind of batch that was agreed on once
/// is not compared again: the check of the programs proves their order, and this comparison finds
/// processes that run different programs.
std::optional<Status> MpiGroup::agree(const Round &round) {
  if (!agreement) {
    agreement.emplace(ownMembers, Channel{engine->mpi(), first}, round.calls);
    if (agreed.contains(agreement->hash())) {
      agreement.reset();
      return Status();
    }
    agreement->begin();
  }
  std::optional<Status> verdict = agreement->poll();
  if (!verdict)
    return std::nullopt;
  if (verdict->ok())
    agreed.insert(agreement->hash());
  agreement.reset();
  return verdict;
}

void MpiGroup::launch(const std::shared_ptr<Round> &round) {
  round->unfinished = round->calls[0].size();
  for (const std::vector<size_t> &indices : chooseOperations(ownMembers, round->calls[0]))
    launch(round, indices);
  if (round->calls[0].empty())
    round->completion.set({});
}

/// Starts one operation with the calls at these indices of the batch.
void MpiGroup::launch(const std::shared_ptr<Round> &round, const std::vector<size_t> &indices) {
  OwnCalls calls;
  for (std::span<const CollectiveCall> batch : round->calls) {
    PackedCalls &own = calls.emplace_back();
    for (size_t index : indices)
      own.push_back(&batch[index]);
  }
  InFlightOperation &work = inFlight.emplace_back();
  work.round = round;
  work.calls = indices.size();
  auto operation = makeOperation(ownMembers, std::move(calls), reductions, pool);
  if (!operation)
    return end(work, operation.status());
  work.operation = std::move(*operation);
  int code = work.operation->startFirst({engine->mpi(), first}, work.request);
  if (code != 0)
    end(work, statusOf(engine->mpi(), code));
}

bool MpiGroup::finishSteps() {
  bool moved = false;
  for (InFlightOperation &work : inFlight)
    if (work.state == State::First || work.state == State::Second)
      moved |= finishStep(work);
  std::erase_if(inFlight, [](const InFlightOperation &work) { return work.state == State::Done; });
  return moved;
}

/// Tests whether the current step of an in-flight operation is done, and if so does the work that
/// follows it.
bool MpiGroup::finishStep(InFlightOperation &work) {
  int32_t done = 0;
  int64_t bytes = 0;
  int code = engine->mpi().test(&work.request, &done, &bytes);
  if (code != 0) {
    end(work, statusOf(engine->mpi(), code));
    return true;
  }
  if (!done)
    return false;
  if (work.state == State::Second) {
    work.operation->afterSecond();
    end(work, {});
    return true;
  }
  work.operation->afterFirst();
  if (work.operation->hasSecond())
    work.state = State::Between;
  else
    end(work, {});
  return true;
}

/// Starts second steps in the order of operations: an operation that is not ready delays those
/// after it.
bool MpiGroup::startSeconds() {
  bool moved = false;
  for (InFlightOperation &work : inFlight) {
    if (work.state != State::Between) {
      if (work.state == State::First && work.operation->hasSecond())
        break;
      continue;
    }
    int code = work.operation->startSecond({engine->mpi(), second}, work.request);
    work.state = State::Second;
    moved = true;
    if (code != 0)
      end(work, statusOf(engine->mpi(), code));
  }
  return moved;
}

void MpiGroup::end(InFlightOperation &work, const Status &status) {
  Round &round = *work.round;
  if (round.outcome.ok())
    round.outcome = status;
  work.state = State::Done;
  work.operation.reset();
  round.unfinished -= work.calls;
  if (round.unfinished == 0)
    round.completion.set(round.outcome);
}

} // namespace pcc::runtime::mpi

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A state machine: an optional Probe, then Climb, then Cross. After a gain it goes to Polish and
// back to Cross. A call of run() makes many short turns, so that `stop` is checked often.
#include "passes/solve/strategy/primal/LocalSearch.h"

namespace pcc::solve {

/// Work of the moves before the first crossing and after each gain, in passes over all tables.
static constexpr uint64_t climb = 200, polish = 40;

/// Steps of a probe.
static constexpr uint64_t probeSteps = 16;

/// Maximum number of crossings with each solution of the pool.
static constexpr int maxLaps = 2;

/// Work of a move between two checks of `stop`, in table entries.
static constexpr uint64_t slice = 1'000'000;

Descent::Descent(const FlatProblem &flat, std::vector<int32_t> start,
                 const std::vector<double> &prices, uint64_t seed)
    : flat(flat), seed(seed), search(std::make_unique<LocalSearch>(flat, std::move(start), seed)),
      phaseEnd(climb * flat.tableEntries) {
  search->setPrices(prices);
}

Descent::Descent(const FlatProblem &flat, std::unique_ptr<PriceSearch> probe, double target,
                 uint64_t seed)
    : flat(flat), seed(seed), probe(std::move(probe)), target(target), phase(Phase::Probe) {}

void Descent::run(uint64_t entries, const SolutionPool &pool, const Stop &stop) {
  for (uint64_t end = work() + entries; work() < end && !isDone() && !stop();)
    turn(pool, stop);
}

void Descent::turn(const SolutionPool &pool, const Stop &stop) {
  switch (phase) {
  case Phase::Probe:
    return probeOn(stop);
  case Phase::Climb:
  case Phase::Polish:
    search->run(std::min(slice, phaseEnd - std::min(phaseEnd, work())), stop);
    if (work() >= phaseEnd)
      phase = Phase::Cross;
    return;
  case Phase::Cross:
    return crossNext(pool);
  case Phase::Done:
    return;
  }
}

void Descent::probeOn(const Stop &stop) {
  uint64_t before = probe->work;
  probe->advance(1, target, stop);
  probeWork += (probe->work - before) / 2;
  if (probeWork < probeSteps * probe->messages.work() / 2)
    return;
  if (probe->decoded().empty()) { // the option is infeasible with the others
    phase = Phase::Done;
    return;
  }
  search = std::make_unique<LocalSearch>(flat, probe->decoded(), seed);
  search->setPrices(probe->prices());
  probe.reset();
  phase = Phase::Climb;
  phaseEnd = work() + climb * flat.tableEntries;
}

void Descent::crossNext(const SolutionPool &pool) {
  if (nextPartner == partners.size()) {
    if (laps++ == maxLaps || pool.list.empty()) {
      phase = Phase::Done;
      return;
    }
    partners.clear();
    for (const PooledSolution &pooled : pool.list)
      partners.push_back(pooled.options);
    nextPartner = 0;
  }
  if (search->cross(partners[nextPartner++])) {
    phase = Phase::Polish;
    phaseEnd = work() + polish * flat.tableEntries;
  }
}

} // namespace pcc::solve

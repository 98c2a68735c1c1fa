// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/Descent.h"

namespace pcc::solve {

/// Work of the moves before the first crossing and after each gain, in passes over all tables.
static constexpr uint64_t climb = 200, polish = 40;

/// Steps of a probe.
static constexpr uint64_t probeSteps = 16;

/// Maximum number of crossings with each solution of the pool.
static constexpr int mostLaps = 2;

/// Work of a move between two checks of `stop`, in table entries.
static constexpr uint64_t slice = 1'000'000;

Descent::Descent(const Instance &instance, std::vector<int32_t> start,
                 const std::vector<double> &prices, uint64_t seed)
    : instance(instance), seed(seed),
      search(std::make_unique<LocalSearch>(instance, std::move(start), seed)),
      phaseEnd(climb * instance.tableEntries) {
  search->setPrices(prices);
}

Descent::Descent(const Instance &instance, std::unique_ptr<PriceSearch> probe, double target,
                 uint64_t seed)
    : instance(instance), seed(seed), probe(std::move(probe)), target(target), phase(Phase::Probe) {
}

void Descent::run(uint64_t entries, const Elites &elites, const Stop &stop) {
  for (uint64_t end = work() + entries; work() < end && !isDone() && !stop();)
    turn(elites, stop);
}

void Descent::turn(const Elites &elites, const Stop &stop) {
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
    return crossNext(elites);
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
  search = std::make_unique<LocalSearch>(instance, probe->decoded(), seed);
  search->setPrices(probe->prices());
  probe.reset();
  phase = Phase::Climb;
  phaseEnd = work() + climb * instance.tableEntries;
}

void Descent::crossNext(const Elites &elites) {
  if (nextPartner == partners.size()) {
    if (laps++ == mostLaps || elites.list.empty()) {
      phase = Phase::Done;
      return;
    }
    partners.clear();
    for (const Elite &elite : elites.list)
      partners.push_back(elite.options);
    nextPartner = 0;
  }
  if (search->cross(partners[nextPartner++])) {
    phase = Phase::Polish;
    phaseEnd = work() + polish * instance.tableEntries;
  }
}

} // namespace pcc::solve

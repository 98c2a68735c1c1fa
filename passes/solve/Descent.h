// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The life of one solution, in turns of so many table entries: it starts from what prices decode
// to, goes down by moves, and is then crossed with the elites, one after the other, with some moves
// after each gain. What it has become in the end is offered to them.
//
//   start —moves→ local optimum —cross, moves→ better —cross, moves→ … → elites
#pragma once

#include "passes/solve/Elites.h"
#include "passes/solve/LocalSearch.h"
#include "passes/solve/PriceSearch.h"
#include <memory>

namespace pcc::solve {

class Descent {
public:
  /// From `start`, at these prices by segment.
  Descent(const Instance &instance, std::vector<int32_t> start, const std::vector<double> &prices,
          uint64_t seed);

  /// From what `probe` decodes to after some steps; `target` as in PriceSearch::advance.
  Descent(const Instance &instance, std::unique_ptr<PriceSearch> probe, double target,
          uint64_t seed);

  /// Goes on until so many more table entries were looked at, it is done, or `stop` says so.
  /// `elites` are those of now.
  void run(uint64_t entries, const Elites &elites, const Stop &stop);

  bool isDone() const { return phase == Phase::Done; }

  /// The best solution so far; null before the start.
  const State *best() const { return search ? &search->best() : nullptr; }

private:
  enum class Phase { Probe, Climb, Cross, Polish, Done };

  uint64_t work() const { return probeWork + (search ? search->work() : 0); }
  void turn(const Elites &elites, const Stop &stop);
  void probeOn(const Stop &stop);
  void crossNext(const Elites &elites);

  const Instance &instance;
  uint64_t seed;
  std::unique_ptr<PriceSearch> probe;
  double target = 0;
  uint64_t probeWork = 0;
  std::unique_ptr<LocalSearch> search;
  Phase phase = Phase::Climb;
  uint64_t phaseEnd = 0; ///< of Climb and Polish
  std::vector<std::vector<int32_t>> partners;
  size_t nextPartner = 0;
  int laps = 0;
};

} // namespace pcc::solve

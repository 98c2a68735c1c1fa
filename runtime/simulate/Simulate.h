// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator: the records of an executable on a described machine, under a virtual clock.
// docs/spec/simulate.md tells its rules. It predicts one step; of a program without slots, one run
// of its first section.
//
//   auto step = simulate(executable, cluster);
//   step->seconds                          of the whole step
//   step->timelines[0].seconds.receive     in which rank 0 waits for messages
//
// Ranks that do the same at the same times are simulated once (RankClasses.h), which changes no
// figure. Time and memory are those of the classes, whatever the number of ranks.

#ifndef PCC_RUNTIME_SIMULATE_SIMULATE_H
#define PCC_RUNTIME_SIMULATE_SIMULATE_H

#include "runtime/abi/Status.h"
#include "runtime/abi/cluster.pb.h"
#include "runtime/abi/program.pb.h"
#include "runtime/simulate/Timeline.h"

#include <string>

namespace pcc::simulate {

struct Options {
  /// Each rank is simulated, alike or not: to see that it makes no difference.
  bool everyRank = false;
  /// Whether Timeline.memory is filled.
  bool followsMemory = true;
};

struct Simulation {
  /// `step`, or the section that ran.
  std::string episode;
  /// From the beginning to the end of the last record of all ranks.
  double seconds = 0;
  /// By program: what its lists ran, slot by slot.
  std::vector<std::vector<abi::Slot>> slots;
  /// By class of ranks, which are numbered by their lowest ranks; each rank is in one.
  std::vector<Timeline> timelines = {};

  /// The timeline of a class that is longest at work: whose drain is least.
  const Timeline &longest() const;
};

/// Runs a valid executable whose proof is known (check::prove) on a complete cluster that has a
/// device for each rank. Errors, BadInput: fewer devices than ranks; messages of a program that was
/// not proved.
abi::Expected<Simulation> simulate(const abi::Executable &executable, const abi::Cluster &cluster,
                                   const Options &options = {});

} // namespace pcc::simulate

#endif // PCC_RUNTIME_SIMULATE_SIMULATE_H

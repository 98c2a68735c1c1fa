// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator: runs the instructions of an executable on a described machine under a virtual
// clock. docs/spec/simulate.md describes its rules. It predicts one step. For a program without
// actions, it predicts one run of its first section.
//
//   auto step = simulate(executable, cluster);
//   step->seconds                          of the whole step
//   step->timelines[0].seconds.receive     time in which rank 0 waits for messages
//
// Ranks that do the same at the same times are simulated once (RankClasses.h), which changes no
// result. Time and memory of the simulator depend on the number of classes, not on the number of
// ranks.

#pragma once

#include "runtime/abi/Status.h"
#include "runtime/abi/cluster.pb.h"
#include "runtime/abi/program.pb.h"
#include "runtime/simulate/Timeline.h"

#include <string>

namespace pcc::simulate {

struct Options {
  /// Simulates every rank, alike or not, to verify that classes make no difference.
  bool everyRank = false;
  /// Whether Timeline.memory is filled.
  bool tracksMemory = true;
};

struct Simulation {
  /// `step`, or the section that ran.
  std::string execution;
  /// From the beginning of the step to the end of the last instruction of all ranks.
  double seconds = 0;
  /// By program: its actions in order.
  std::vector<std::vector<abi::Action>> actions;
  /// By class of ranks. Classes are numbered by their lowest ranks; each rank is in one class.
  std::vector<Timeline> timelines = {};

  /// Returns the timeline of the class that works longest: the one with the smallest drain.
  const Timeline &longest() const;
};

/// Simulates a valid executable on a complete cluster with a device for each rank. The executable
/// must be proved (check::prove). Errors, BadInput: fewer devices than ranks; mismatched messages
/// of a program that was not proved.
abi::Expected<Simulation> simulate(const abi::Executable &executable, const abi::Cluster &cluster,
                                   const Options &options = {});

//===-- WriteTrace.cpp ----------------------------------------------------------------------===//

/// Returns "rank 3", or "ranks 0-3" or "ranks 0, 2, 5" for a class of several ranks. For many
/// ranks, returns the first and the number of others.
std::string nameOfRanks(const Timeline &timeline);

/// Writes a simulated step for the viewers of Chrome and Perfetto, with the tracks of a measured
/// one (abi::ChromeTrace) and a counter of live bytes. Writes a process for each class of ranks,
/// numbered by its lowest rank and named after all, or, with `everyRank`, for each rank.
abi::Status writeTrace(const abi::Executable &executable, const Simulation &simulation,
                       const std::string &path, bool everyRank);

} // namespace pcc::simulate

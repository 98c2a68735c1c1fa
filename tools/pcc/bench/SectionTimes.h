// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the sections of a program take of a rank's time, read from when its records ran, be it
// really or under the virtual clock:
//
//   compute        [a ][b ]      [c ][d  ]         section 0: a to c, section 1: d and what follows
//   communicate        [A        ]    [D      ]    exposed: from b to c, from d to the end
//
// A section takes the time from the last record on COMPUTE before it to its own last one; the last
// one of a step takes what is left of it as well. What it does not compute meanwhile is exposed
// communication: its own collectives, and waiting for others.
#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/simulate/Simulate.h"

#include <string>
#include <vector>

namespace pcc::cli {

/// Seconds of one section, or of a sum or mean of some.
struct SectionTime {
  double seconds = 0, exposed = 0;

  SectionTime &operator+=(const SectionTime &other);
  SectionTime operator/(double count) const { return {seconds / count, exposed / count}; }
};

/// The sections of a step in the order in which they first run, and what each of them takes.
struct StepTime {
  std::vector<std::string> names;
  std::vector<SectionTime> sections;

  SectionTime sum() const;
  /// The entry of that name, made if there is none.
  SectionTime &operator[](const std::string &name);
  StepTime &operator+=(const StepTime &other);
  StepTime operator/(double count) const;
};

/// Adds up one step of one rank, whose records on each lane are given in the order in which they
/// ran.
class SectionClock {
public:
  /// The step begins at `begin`. Seconds.
  explicit SectionClock(double begin) : clock(begin), latest(begin) {}

  void add(const abi::Record &record, const std::string &section, double begin, double end);
  StepTime finish();

private:
  StepTime step;
  std::string last;
  double clock, latest;
};

/// A simulated step: the mean of all ranks.
StepTime timeSections(const abi::Executable &executable, const simulate::Simulation &simulation);

} // namespace pcc::cli

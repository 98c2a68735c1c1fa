// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the time of each section on a rank from the times of its instructions, measured or
// simulated:
//
//   compute        [a ][b ]      [c ][d  ]         section 0: a to c, section 1: d and its rest
//   communicate        [A        ]    [D      ]    exposed: from b to c, from d to the end
//
// A section takes the time from the last instruction on COMPUTE before it to its own last one. The
// last section of a step also takes the rest of the step. Time in which a section does not compute
// is exposed communication: its own collectives, and waiting for others.
#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/simulate/Simulate.h"

#include <string>
#include <vector>

namespace pcc::cli {

/// Seconds of one section, or of a sum or mean of sections.
struct SectionTime {
  double seconds = 0, exposed = 0;

  SectionTime &operator+=(const SectionTime &other);
  SectionTime operator/(double count) const { return {seconds / count, exposed / count}; }
};

/// Sections of a step in the order in which they first run, with their times.
struct StepTime {
  std::vector<std::string> names;
  std::vector<SectionTime> sections;

  SectionTime sum() const;
  /// Returns the entry with this name; adds it if there is none.
  SectionTime &operator[](const std::string &name);
  StepTime &operator+=(const StepTime &other);
  StepTime operator/(double count) const;
};

/// Accumulates one step of one rank. The instructions of each stream are added in the order in
/// which they ran.
class SectionClock {
public:
  /// Starts a step at time `begin`, in seconds.
  explicit SectionClock(double begin) : clock(begin), latest(begin) {}

  void add(const abi::Instruction &instruction, const std::string &section, double begin,
           double end);
  StepTime finish();

private:
  StepTime step;
  std::string last;
  double clock, latest;
};

/// Times the sections of a simulated step: the mean over all ranks.
StepTime timeSections(const abi::Executable &executable, const simulate::Simulation &simulation);

} // namespace pcc::cli

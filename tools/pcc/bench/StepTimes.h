// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measured and predicted times of a program's training steps: of its sections, and of its
// collectives. The time of a section on a rank follows from the times of its instructions:
//
//   compute        [a ][b ]      [c ][d  ]         section 0: a to c, section 1: d and its rest
//   communicate        [A        ]    [D      ]    exposed: from b to c, from d to the end
//
// A section takes the time from the last instruction on COMPUTE before it to its own last one. The
// last section of a step also takes the rest of the step. Time in which a section does not compute
// is exposed communication: its own collectives, and waiting for others.
//
// Collectives are listed by kind, number of ranks and bytes. Adjacent collectives that are started
// together (check::LaunchGrouping) count as one with all their bytes.
#pragma once

#include "runtime/abi/Status.h"
#include "runtime/abi/program.pb.h"
#include "runtime/execute/observe/Trace.h"
#include "runtime/machine/UniformLink.h"
#include "runtime/simulate/Simulate.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pcc::cli {

//===-- SectionTimes.cpp ---------------------------------------------------------------------===//

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

//===-- StepCollectives.cpp ------------------------------------------------------------------===//

/// Key of equal collectives. Bytes are those of machine::Traffic.
struct CollectiveKey {
  abi::CollectiveKind kind;
  int64_t ranks, bytes;
  auto operator<=>(const CollectiveKey &) const = default;
};

/// Collectives that are started together, and their key.
struct CollectiveBatch {
  CollectiveKey key;
  std::vector<const abi::Instruction *> instructions;
};

/// Number of collectives and their mean time.
struct CollectiveMean {
  int64_t count = 0;
  double seconds = 0;

  void add(double one, int64_t times = 1) {
    seconds = (seconds * double(count) + one * double(times)) / double(count + times);
    count += times;
  }
};

using CollectiveMeans = std::map<CollectiveKey, CollectiveMean>;

/// Returns the batches of a section in order; point-to-point messages are not included.
std::vector<CollectiveBatch> batchesOf(const abi::Executable &executable,
                                       const abi::Program &program, const abi::Section &section);

/// Returns mean times in a simulated step, while the collectives move data.
CollectiveMeans predictCollectives(const abi::Executable &executable,
                                   const simulate::Simulation &simulation);

/// Returns mean times from the traces of all ranks, from step `first` on. Each time is that of the
/// rank that waited least for others.
CollectiveMeans measureCollectives(const abi::Executable &executable,
                                   const std::vector<std::vector<runtime::TraceEntry>> &ranks,
                                   int64_t first);

//===-- NcclEstimates.cpp --------------------------------------------------------------------===//

/// Asks NCCL for the expected times of a program's collectives; collectives without an estimate are
/// absent. Returns none if NCCL does not join the ranks: on the host, if ranks share a GPU, or
/// without NCCL 2.22 or later. Errors: NCCL's and the driver's.
abi::Expected<CollectiveMeans> estimateCollectives(const abi::Executable &executable);

//===-- MeasuredSteps.cpp --------------------------------------------------------------------===//

struct MeasuredSteps {
  /// Fastest counted step, and the mean of all counted steps.
  StepTime best, mean;
  /// Means over all counted steps.
  CollectiveMeans collectives;
};

/// Runs `steps` counted steps of `executable` on random data, after two warm-up steps; over `link`
/// if there is one. Errors: as Session::load and train; BadInput without a training step.
abi::Expected<MeasuredSteps> measureSteps(abi::Executable executable, int steps,
                                          const std::optional<machine::UniformLink> &link);

//===-- StepReport.cpp -----------------------------------------------------------------------===//

/// Predictions of a step.
struct PredictedStep {
  StepTime step;
  CollectiveMeans collectives;
  /// NCCL's estimates of the collectives, if it gives any.
  CollectiveMeans estimates;
};

/// Prints a row for each section and one for the step, in milliseconds: the best step and the mean
/// of all steps, each with its exposed communication. With a prediction, also prints the predicted
/// times, their deviation from the best step, and a row for the collectives of each kind, ranks and
/// bytes, in microseconds. `predicted` may be null.
void printSteps(const MeasuredSteps &measured, const PredictedStep *predicted);

/// Returns the same in seconds.
llvm::json::Value toJson(const MeasuredSteps &measured, const PredictedStep *predicted);

} // namespace pcc::cli

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks which instruction reads the results of which other one. The check runs the actions of an
// execution in order, a step twice. For every piece of memory it tracks the last writer and the
// readers since. It verifies:
//
//   * two instructions that touch common bytes are ordered if one writes (HappensBefore.h);
//   * nothing is read before it is written;
//   * each value read comes from the instructions that the reader states (Instruction.reads). If
//     both run for several microbatches, it was made for the reader's own.
//
// The values that an instruction reads are then the same in every run, and are the intended ones.

#pragma once

#include "runtime/abi/Status.h"
#include "runtime/abi/program.pb.h"
#include "runtime/check/dataflow/ByteMap.h"
#include "runtime/check/dataflow/HappensBefore.h"

#include <functional>
#include <set>

namespace pcc::check {

/// Results that an instruction reads, encoded as in Instruction.reads: of this step and of an
/// earlier one.
struct Sources {
  std::set<uint64_t> inStep, before;
};

/// Returns the number of the instruction that produces a source.
inline uint32_t numberOf(uint64_t source) { return uint32_t(source); }

/// The sources that a program reads in all its executions.
struct ObservedDataflow {
  /// By instruction.
  std::vector<Sources> ofInstruction;
  /// By result and by parameter.
  std::vector<std::set<uint64_t>> ofResult, ofParameter;
};

/// Checks one program's part of an execution and adds its sources to `found`. Returns the first
/// violation; it names ranks by their range.
abi::Status checkDataflow(const ProgramIndex &index, const ByteMap &bytes, const Arrivals *arrivals,
                          const Execution &execution, ObservedDataflow &found);

/// Collects the sources without checks.
void collectDataflow(const ProgramIndex &index, const ByteMap &bytes, const Execution &execution,
                     ObservedDataflow &found);

/// Checks that the stated sources of the program equal the sources that were found.
abi::Status checkStatedSources(const ProgramIndex &index, const ObservedDataflow &found);

ObservedDataflow makeObservedDataflow(const ProgramIndex &index);

//===-- AnnotateDataflow.cpp ------------------------------------------------------------------===//

// Numbers the instructions of a program and stores the results that each one reads
// (Instruction.number, Instruction.reads). The program must have its original order of actions and
// instructions. The check verifies later changes of order or placement against these annotations.

/// Stores the dataflow of a valid executable, as its instructions read and write in list order.
void annotateDataflow(abi::Executable &executable);

} // namespace pcc::check

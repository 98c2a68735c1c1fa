// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who reads what whom has written. The slots of an episode are gone through in their order, a step
// twice, with the last writer and the readers since of every piece of memory:
//
//   * two records of which one writes what the other touches are ordered (HappensBefore.h);
//   * nothing is read that was not written;
//   * what is read comes from the records that the reader states (Record.reads), and, where both
//     run for several microbatches, was made for the reader's own.
//
// What a record reads is then the same in every run, and what the program was made for.

#ifndef PCC_RUNTIME_CHECK_DATAFLOW_H
#define PCC_RUNTIME_CHECK_DATAFLOW_H

#include "runtime/abi/Status.h"
#include "runtime/check/ByteMap.h"
#include "runtime/check/HappensBefore.h"

#include <functional>
#include <set>

namespace pcc::check {

/// Results that are read, as Record.reads says them: of this step, and of the one before.
struct Sources {
  std::set<uint64_t> inStep, before;
};

/// The number of the record that a source is a result of.
inline uint32_t numberOf(uint64_t source) { return uint32_t(source); }

/// What a program reads in all its episodes.
struct DataflowFound {
  /// By record.
  std::vector<Sources> ofRecord;
  /// By result, by parameter.
  std::vector<std::set<uint64_t>> ofResult, ofParameter;
};

/// Goes through one program's part of an episode and adds what is read to `found`. The error is the
/// first thing wrong; it names ranks by their range.
abi::Status followData(const ProgramIndex &index, const ByteMap &bytes, const Arrivals *arrivals,
                       const Episode &episode, DataflowFound &found);

/// The same without a look at what is wrong.
void followDataOnly(const ProgramIndex &index, const ByteMap &bytes, const Episode &episode,
                    DataflowFound &found);

/// Checks that all sources that the program states were read from.
abi::Status checkSourcesUsed(const ProgramIndex &index, const DataflowFound &found);

DataflowFound emptyDataflow(const ProgramIndex &index);

} // namespace pcc::check

#endif // PCC_RUNTIME_CHECK_DATAFLOW_H

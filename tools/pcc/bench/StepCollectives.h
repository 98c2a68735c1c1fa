// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times the collectives of a step by kind, number of ranks and bytes. Adjacent collectives that are
// started together (check::LaunchGrouping) count as one with all their bytes.
#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/execute/monitor/Trace.h"
#include "runtime/simulate/Simulate.h"

#include <map>
#include <vector>

namespace pcc::cli {

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

} // namespace pcc::cli

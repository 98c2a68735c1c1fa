// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The collectives of a step: what those of one kind, over as many ranks, of as many bytes take.
// Neighbours that are started together (check::Neighbours) count as one of all their bytes.
#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/execute/Trace.h"
#include "runtime/simulate/Simulate.h"

#include <map>
#include <vector>

namespace pcc::cli {

/// Bytes are those of machine::Traffic.
struct CollectiveKey {
  abi::CollectiveKind kind;
  int64_t ranks, bytes;
  auto operator<=>(const CollectiveKey &) const = default;
};

/// Collectives that are started together, with the key that they have.
struct CollectiveBatch {
  CollectiveKey key;
  std::vector<const abi::Record *> records;
};

/// How many there were, and their mean time.
struct CollectiveMean {
  int64_t count = 0;
  double seconds = 0;

  void add(double one, int64_t times = 1) {
    seconds = (seconds * double(count) + one * double(times)) / double(count + times);
    count += times;
  }
};

using CollectiveMeans = std::map<CollectiveKey, CollectiveMean>;

/// Those of a section's groups in their order; messages are none.
std::vector<CollectiveBatch> batchesOf(const abi::Executable &executable,
                                       const abi::Program &program, const abi::Section &section);

/// Of a simulated step, while they move.
CollectiveMeans predictCollectives(const abi::Executable &executable,
                                   const simulate::Simulation &simulation);

/// Of traces of all ranks, from step `first` on. Each time is that of the rank that waited least
/// for others.
CollectiveMeans measureCollectives(const abi::Executable &executable,
                                   const std::vector<std::vector<runtime::TraceEntry>> &ranks,
                                   int64_t first);

} // namespace pcc::cli

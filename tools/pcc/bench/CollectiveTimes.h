// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times collectives of local ranks next to the bound that copies on this machine set. With n ranks
// and S bytes of one rank's operand (of an all-gather: of its result), these bytes at least are
// read and written:
//
//   all_reduce, all_to_all, collective_permute, send   2 n S
//   all_gather, reduce_scatter, broadcast              (n + 1) S
//
// The bound divides them by the rate at which all cores copy the ranks' sources to their
// destinations, through the caches or past them; a copy of S bytes counts 2 S. Copies and
// collectives take turns; the best round of each counts.
#pragma once

#include "runtime/abi/Status.h"
#include "runtime/abi/program.pb.h"
#include "runtime/machine/UniformLink.h"
#include "llvm/Support/JSON.h"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace pcc::cli {

/// Returns the kinds that can be timed. SEND is a ring in which each rank sends to the next.
std::span<const abi::CollectiveKind> timedKinds();

/// Combinations to time: every kind on every number of ranks with every number of bytes (F32).
struct CollectiveTimeOptions {
  std::vector<abi::CollectiveKind> kinds;
  std::vector<int> ranks;
  std::vector<int64_t> bytes;
  int rounds = 5;
  double secondsPerRound = 0.02;
  std::optional<machine::UniformLink> link;
};

struct CollectiveTime {
  abi::CollectiveKind kind = abi::ALL_REDUCE;
  int ranks = 1;
  int64_t bytes = 0;
  double seconds = 0;
  /// Lower bound by the bytes read and written, and the copy rate behind it in bytes per second.
  double boundSeconds = 0;
  double copyRate = 0;
  /// Lower bound over the link; 0 without a link.
  double linkSeconds = 0;
};

/// Times all combinations and calls `show` with each as soon as it is known.
abi::Status timeCollectives(const CollectiveTimeOptions &options,
                            const std::function<void(const CollectiveTime &)> &show);

/// Returns the names of the columns; the link's column only if there is a link.
std::vector<std::string> timeColumns(const CollectiveTimeOptions &options);
/// Returns the cells of a row, in microseconds, bytes and GB/s.
std::vector<std::string> timeRow(const CollectiveTime &time);
/// Returns the same row in seconds and bytes.
llvm::json::Object toJson(const CollectiveTime &time);

} // namespace pcc::cli

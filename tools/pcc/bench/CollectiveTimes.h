// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What collectives of local ranks take, beside what the machine's copies allow. n ranks, S bytes:
// of one rank's operand, of an all-gather its result. At least these bytes are read and written:
//
//   all_reduce, all_to_all, collective_permute, send   2 n S
//   all_gather, reduce_scatter, broadcast              (n + 1) S
//
// divided by the rate at which all cores copy the ranks' sources to their destinations, through the
// caches or past them, where a copy of S bytes counts 2 S. Copies and collectives take turns; the
// best round of each counts.
#pragma once

#include "runtime/abi/Status.h"
#include "runtime/abi/program.pb.h"
#include "runtime/machine/Link.h"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace pcc::cli {

/// The kinds that can be timed. SEND is a ring in which each rank sends to the next.
std::span<const abi::CollectiveKind> timedKinds();

/// What is timed: every kind on every number of ranks with every number of bytes (F32).
struct CollectiveTimeOptions {
  std::vector<abi::CollectiveKind> kinds;
  std::vector<int> ranks;
  std::vector<int64_t> bytes;
  int rounds = 5;
  double secondsPerRound = 0.02;
  std::optional<machine::Link> link;
};

struct CollectiveTime {
  abi::CollectiveKind kind = abi::ALL_REDUCE;
  int ranks = 1;
  int64_t bytes = 0;
  double seconds = 0;
  /// What the bytes that are read and written take at least, and at how many of them a second.
  double boundSeconds = 0;
  double copyRate = 0;
  /// The least over the link; 0 without one.
  double linkSeconds = 0;
};

/// Times all of them and calls `show` with each as soon as it is known.
abi::Status timeCollectives(const CollectiveTimeOptions &options,
                            const std::function<void(const CollectiveTime &)> &show);

} // namespace pcc::cli

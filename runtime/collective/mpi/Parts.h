// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divides an array into one part per process of a group, in the order of processes: the number of
// elements and the offset of each part.

#pragma once

#include "runtime/collective/CallBytes.h"

#include <cstddef>
#include <limits>
#include <vector>

namespace pcc::runtime::mpi {

struct Parts {
  std::vector<int32_t> counts, offsets;

  Parts() = default;
  explicit Parts(const std::vector<int64_t> &elements) {
    for (int64_t count : elements) {
      counts.push_back(int32_t(count));
      offsets.push_back(int32_t(all));
      all += count;
    }
  }

  int64_t total() const { return all; }

private:
  int64_t all = 0;
};

/// Maximum number of elements that MPI can count.
constexpr int64_t maxElements = std::numeric_limits<int32_t>::max();

/// Addresses of the values of each position.
using Sources = std::vector<const std::byte *>;

} // namespace pcc::runtime::mpi

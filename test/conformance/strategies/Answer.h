// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The answer of MindSpore's passes, in the terms in which answers are compared.
#pragma once

#include "test/conformance/training/Case.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

namespace pcc::conformance {

/// A reducing collective, as one rank sees it.
struct Reduction {
  std::string kind, reduce;
  std::vector<int64_t> group; ///< ascending

  auto operator<=>(const Reduction &) const = default;
  /// `AllReduce sum {0,2}`.
  std::string str() const;
};

/// A tensor's cut over all ranks.
struct Layout {
  std::vector<int64_t> deviceMatrix;
  std::vector<int64_t> map; ///< by dimension: the axis counted from the right, -1 for none

  /// Returns the block index of `rank`, by dimension.
  std::vector<int64_t> blockOf(int64_t rank) const;
};

struct NodeSlices {
  std::vector<std::vector<int64_t>> in, out;
};

/// Returns how many elements the busiest rank of a group receives, by kind of collective: the
/// elements of the result that it lacks. For reductions, the number of the fastest algorithms.
int64_t receivedBy(llvm::StringRef kind, int64_t resultElements, int64_t groupSize);

struct Answer {
  explicit Answer(const Case &question);

  std::map<std::string, NodeSlices> slices;
  std::map<std::string, Layout> layouts; ///< layout of output 0, by node
  std::vector<Reduction> reductions;     ///< those that belong to operators, sorted
  std::map<std::string, std::vector<int64_t>> gradientGroups; ///< by parameter
  int64_t received = 0; ///< elements, over all reductions and redistributions
};

} // namespace pcc::conformance

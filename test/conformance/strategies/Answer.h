// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the reference system's passes answered, in the terms in which answers are compared.
#pragma once

#include "test/conformance/training/Case.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

namespace pcc::conformance {

/// A collective that reduces, as one rank sees it.
struct Reduction {
  std::string kind, reduce;
  std::vector<int64_t> group; ///< ascending

  auto operator<=>(const Reduction &) const = default;
  /// `AllReduce sum {0,2}`.
  std::string str() const;
};

/// How a tensor is cut over all ranks.
struct Layout {
  std::vector<int64_t> deviceMatrix;
  std::vector<int64_t> map; ///< by dimension: the axis counted from the right, -1 for none

  /// The block that `rank` has, by dimension.
  std::vector<int64_t> blockOf(int64_t rank) const;
};

struct NodeSlices {
  std::vector<std::vector<int64_t>> in, out;
};

/// Elements that the busiest rank of a group receives, by kind: those of the result that it lacks;
/// of a reduction those of the fastest algorithms.
int64_t receivedBy(llvm::StringRef kind, int64_t resultElements, int64_t groupSize);

struct Answer {
  explicit Answer(const Case &question);

  std::map<std::string, NodeSlices> slices;
  std::map<std::string, Layout> layouts;                      ///< of output 0
  std::vector<Reduction> reductions;                          ///< that belong to operators, sorted
  std::map<std::string, std::vector<int64_t>> gradientGroups; ///< by parameter
  int64_t received = 0; ///< elements, by reductions and redistributions together
};

} // namespace pcc::conformance

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifier, bound and gap search for packings, over plain lists of items. The verifier compares all
// pairs. The bound is a sweep over the times at which items begin and end.
#include "passes/solve/pack/PackProblem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <map>

namespace pcc::solve {

static bool overlapInTime(const PackItem &a, const PackItem &b) {
  return a.first <= b.last && b.first <= a.last;
}

std::string verify(const PackProblem &problem, llvm::ArrayRef<int64_t> offsets) {
  size_t count = problem.items.size();
  if (offsets.size() != count)
    return "expected " + std::to_string(count) + " offsets, got " + std::to_string(offsets.size());
  for (size_t i = 0; i < count; ++i) {
    if (offsets[i] < 0 || offsets[i] % problem.alignment != 0)
      return "offset " + std::to_string(offsets[i]) + " of item " + std::to_string(i) +
             " is no multiple of " + std::to_string(problem.alignment);
    for (size_t j = 0; j < i; ++j) {
      const PackItem &a = problem.items[i], &b = problem.items[j];
      if (overlapInTime(a, b) && offsets[i] < offsets[j] + b.bytes &&
          offsets[j] < offsets[i] + a.bytes)
        return "items " + std::to_string(j) + " and " + std::to_string(i) + " overlap";
    }
  }
  return "";
}

int64_t peakOf(const PackProblem &problem, llvm::ArrayRef<int64_t> offsets) {
  int64_t peak = 0;
  for (auto [item, offset] : llvm::zip_equal(problem.items, offsets))
    peak = std::max(peak, offset + item.bytes);
  return peak;
}

Gap findGap(const PackProblem &problem, llvm::ArrayRef<int64_t> offsets, const PackItem &item,
            int64_t limit) {
  llvm::SmallVector<std::pair<int64_t, int64_t>> taken{{limit, limit}};
  for (auto [other, offset] : llvm::zip_equal(problem.items, offsets))
    if (overlapInTime(item, other))
      taken.push_back({offset, llvm::alignTo(offset + other.bytes, problem.alignment)});
  llvm::sort(taken);
  Gap best;
  int64_t end = 0;
  for (auto [from, to] : taken) {
    int64_t free = from - end;
    if (free >= item.bytes && (best.offset < 0 || free < best.bytes))
      best = {end, free};
    end = std::max(end, to);
  }
  return best;
}

int64_t lowerBound(const PackProblem &problem) {
  std::map<int64_t, int64_t> change;
  for (const PackItem &item : problem.items) {
    int64_t bytes = llvm::alignTo(item.bytes, problem.alignment);
    change[item.first] += bytes;
    change[item.last + 1] -= bytes;
  }
  int64_t live = 0, most = 0;
  for (auto [time, bytes] : change) {
    live += bytes;
    most = std::max(most, live);
  }
  return most;
}

} // namespace pcc::solve

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plan/choice/ParameterCuts.h"

#include "dialects/graph/Graph.h"
#include <algorithm>
#include <map>
#include <numeric>

using namespace mlir;

namespace pcc::plan {

ParameterCuts::ParameterCuts(ModuleOp model) {
  model.walk([&](graph::ParameterOp parameter) {
    RankedTensorType type = parameter.getTensorType();
    if (parameter.getTrainable() && parameter.getParallelOptimizer() &&
        !parameter.getLayerwiseParallel())
      parameters.push_back({llvm::to_vector<4>(type.getShape()), double(type.getNumElements())});
  });
}

/// Returns the largest number of ranks, among the divisors of `ranks`, that divides a dimension.
static int64_t findWays(ArrayRef<int64_t> shape, int64_t ranks) {
  int64_t ways = 1;
  for (int64_t size : shape)
    ways = std::max(ways, std::gcd(size, ranks));
  return ways;
}

double ParameterCuts::getShare(int64_t ranks) const {
  double kept = 0, elements = 0;
  for (const Parameter &parameter : parameters) {
    kept += parameter.elements / double(findWays(parameter.shape, ranks));
    elements += parameter.elements;
  }
  return elements > 0 ? kept / elements : 1 / double(ranks);
}

int64_t ParameterCuts::countWays(int64_t ranks) const {
  std::map<int64_t, double> elements;
  for (const Parameter &parameter : parameters)
    if (int64_t ways = findWays(parameter.shape, ranks); ways > 1)
      elements[ways] += parameter.elements;
  auto isLess = [](const auto &a, const auto &b) { return a.second < b.second; };
  auto most = std::max_element(elements.begin(), elements.end(), isLess);
  if (most != elements.end())
    return most->first;
  return parameters.empty() ? ranks : 1;
}

} // namespace pcc::plan

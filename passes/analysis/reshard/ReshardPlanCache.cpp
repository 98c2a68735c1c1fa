// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks plans up by the text of all their inputs. Element sizes count only if costs are in seconds.
#include "passes/analysis/reshard/ReshardPlanCache.h"

using namespace llvm;
using pcc::dist::Sharding;

namespace pcc::analysis {

const ReshardPlan &ReshardPlanCache::plan(const Sharding &from, const Sharding &to,
                                          ArrayRef<int64_t> shape, int64_t elementBytes) {
  std::string key;
  raw_string_ostream os(key);
  os << from.str() << " to " << to.str();
  for (int64_t size : shape)
    os << " " << size;
  if (cluster)
    os << " of " << elementBytes;
  auto [it, isNew] = plans.try_emplace(key);
  if (!isNew)
    return it->second;
  if (cluster)
    it->second = planReshard(from, to, shape, mesh, ReshardCostModel(*cluster, mesh, elementBytes),
                             Waypoints::All);
  else
    it->second = planReshard(from, to, shape, mesh);
  return it->second;
}

} // namespace pcc::analysis

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plan/StagePlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"

namespace pcc::plan {

static stages::Layer recompute(stages::Layer layer, double forward) {
  layer.time += forward;
  layer.held += layer.live;
  layer.live = 0;
  return layer;
}

/// Lets a stage of `plan` save values again as far as memory allows. `kept` has the layers of the
/// stage without recomputation.
static void keepWhatFits(StagePlan &plan, const std::vector<stages::Layer> &kept, int stage,
                         const std::vector<double> &forward) {
  stages::StageProblem &problem = plan.problem;
  int first = plan.cuts[stage];
  int end = stage + 1 < problem.stages ? plan.cuts[stage + 1] : int(kept.size());
  auto order = llvm::to_vector(llvm::seq(first, end));
  llvm::stable_sort(order, [&](int a, int b) {
    return forward[a] * double(kept[b].live) > forward[b] * double(kept[a].live);
  });
  for (int layer : order) {
    stages::Layer again = std::exchange(problem.layers[layer], kept[layer]);
    bool fits = bytesOf(problem, first, end, stage) <= problem.limit;
    plan.isRecomputed[layer] = !fits;
    if (!fits)
      problem.layers[layer] = again;
  }
}

StagePlan planStages(stages::StageProblem problem, const std::vector<double> &forward) {
  std::vector<stages::Layer> kept = problem.layers;
  stages::BalancedStages found = stages::balance(problem);
  if (found.error.empty())
    return {std::move(problem), std::move(found.cuts), std::vector<char>(kept.size()), ""};
  for (auto [layer, seconds] : llvm::zip_equal(problem.layers, forward))
    layer = recompute(layer, seconds);
  stages::BalancedStages again = stages::balance(problem);
  StagePlan plan{std::move(problem), std::move(again.cuts), std::vector<char>(kept.size(), true),
                 std::move(again.error)};
  if (plan.error.empty())
    for (int stage = 0; stage < plan.problem.stages; ++stage)
      keepWhatFits(plan, kept, stage, forward);
  return plan;
}

} // namespace pcc::plan

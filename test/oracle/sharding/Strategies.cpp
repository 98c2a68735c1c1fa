// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/sharding/Strategies.h"

#include "dialects/interfaces/FactorRuleInterface.h"
#include "passes/analysis/sharding/LocalForm.h"
#include "passes/strategy/propagate/FactorAxes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using pcc::dist::Mesh;

namespace pcc::test {

/// Returns true if blocks are even and contiguous, and every split factor may be split.
static bool isLegal(Operation *op, const Mesh &mesh, const Strategy &strategy) {
  FactorRule rule = cast<FactorRuleOpInterface>(op).getFactorRule();
  for (auto [factor, axes] : llvm::enumerate(strategy))
    if (!axes.empty() && (!analysis::isSplittable(op, rule, factor) ||
                          rule.getFactor(factor).size % mesh.getSize(axes)))
      return false;
  strategy::FactorAxes settled(op, mesh);
  settled.setAxes(strategy);
  settled.settle();
  return settled.getAxes() == llvm::ArrayRef(strategy);
}

static size_t countFactors(Operation *op) {
  return cast<FactorRuleOpInterface>(op).getFactorRule().getFactors().size();
}

/// Returns `strategies`, and each of them with `axis` added to one factor, at every place in its
/// list.
static std::vector<Strategy> addAxis(const std::vector<Strategy> &strategies,
                                     const std::string &axis) {
  std::vector<Strategy> all = strategies;
  for (const Strategy &strategy : strategies)
    for (size_t factor = 0; factor < strategy.size(); ++factor)
      for (size_t place = 0; place <= strategy[factor].size(); ++place) {
        Strategy &more = all.emplace_back(strategy);
        more[factor].insert(more[factor].begin() + place, axis);
      }
  return all;
}

std::vector<Strategy> listStrategies(Operation *op, const Mesh &mesh) {
  std::vector<Strategy> all = {Strategy(countFactors(op))};
  for (const dist::MeshAxis &axis : mesh.getAxes())
    all = addAxis(all, axis.name);
  llvm::erase_if(all, [&](const Strategy &one) { return !isLegal(op, mesh, one); });
  return all;
}

Strategy pickStrategy(Operation *op, const Mesh &mesh, std::mt19937_64 &random) {
  std::vector<Strategy> all = listStrategies(op, mesh);
  return all[random() % all.size()];
}

std::string strategyText(const Strategy &strategy) {
  std::string text;
  for (auto [factor, axes] : llvm::enumerate(strategy))
    if (!axes.empty())
      text += (text.empty() ? "" : ", ") + std::string(1, char('i' + factor)) + ": " +
              llvm::join(axes, ".");
  return text.empty() ? "nothing" : text;
}

} // namespace pcc::test

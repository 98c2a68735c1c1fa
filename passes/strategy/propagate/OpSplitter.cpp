// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds one candidate per source: it follows this source first, then the others as far as they
// fit. Sources are sorted, split ones first, then large ones. The cheapest candidate wins; ties go
// to complete results, then to the earlier source.
#include "passes/strategy/propagate/OpSharding.h"

#include "passes/analysis/cost/OpCostModel.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::AxisList;
using pcc::dist::Sharding;

namespace pcc::strategy {

/// Operations that a device performs while it receives one byte, if no machine is known. Current
/// accelerators perform 10^14 operations and receive 2 * 10^11 bytes per second; for processors the
/// ratio has the same order of magnitude.
static constexpr double flopsPerByte = 500;

void OpSplitter::setOperand(unsigned operand, const Sharding &made, ArrayRef<Sharding> forms) {
  operands.resize(op->getNumOperands());
  operands[operand] = {made, forms.vec()};
}

static int64_t getBytes(Value value) { return analysis::getNumBytes(value.getType()); }

/// Lists the sources: split ones before unsplit ones, then largest first. Wanted results come
/// after operands of the same size.
std::vector<OpSplitter::Source> OpSplitter::listSources() const {
  std::vector<Source> sources;
  for (auto [index, known] : llvm::enumerate(operands)) {
    if (!known)
      continue;
    int64_t bytes = getBytes(op->getOperand(index));
    sources.push_back({index, known->made, bytes});
    for (auto [number, form] : llvm::enumerate(known->forms))
      sources.push_back({index, form, bytes, number});
  }
  for (auto [number, wanted] : llvm::enumerate(wantedResults))
    sources.push_back({std::nullopt, wanted, getBytes(op->getResult(0)), number});
  llvm::stable_sort(sources, [](const Source &lhs, const Source &rhs) {
    return std::make_pair(lhs.sharding.isSplit(), lhs.bytes) >
           std::make_pair(rhs.sharding.isSplit(), rhs.bytes);
  });
  return sources;
}

/// Calls `take` for the source that comes first, then for the others.
template <typename Sources, typename Take>
static void forEachFrom(const Sources &sources, size_t first, Take take) {
  take(sources[first]);
  for (auto [index, source] : llvm::enumerate(sources))
    if (index != first)
      take(source);
}

FactorAxes OpSplitter::followFrom(ArrayRef<Source> sources, size_t first) const {
  FactorAxes factors(op, mesh);
  forEachFrom(sources, first, [&](const Source &source) { take(source, factors); });
  factors.settle();
  return factors;
}

void OpSplitter::take(const Source &source, FactorAxes &factors) {
  if (source.operand)
    factors.takeOperand(*source.operand, source.sharding);
  else
    factors.takeResult(0, source.sharding);
}

/// Repeats followFrom, and notes which source brings each axis that `sharding` uses. Axes over
/// which an operand stays partial come from that operand.
std::vector<Contribution> OpSplitter::listContributions(ArrayRef<Source> sources, size_t first,
                                                        const OpSharding &sharding) const {
  std::vector<Contribution> contributions;
  FactorAxes factors(op, mesh);
  auto isUsed = [&](StringRef axis) {
    auto uses = [&](const Sharding &each) { return each.uses(axis); };
    return llvm::any_of(sharding.operands, uses) || llvm::any_of(sharding.results, uses);
  };
  forEachFrom(sources, first, [&](const Source &source) {
    FactorAxes before = factors;
    take(source, factors);
    Contribution contribution{{}, source.operand, source.form};
    for (const dist::MeshAxis &axis : mesh.getAxes())
      if (!before.uses(axis.name) && factors.uses(axis.name) && isUsed(axis.name))
        contribution.axes.push_back(axis.name);
    if (!contribution.axes.empty())
      contributions.push_back(std::move(contribution));
  });
  for (auto [index, operand] : llvm::enumerate(sharding.operands))
    if (operand.isPartial())
      contributions.push_back({operand.getPartialAxes(), index});
  return contributions;
}

/// Whether a partial operand may pass through the op unsummed. No other op may need its sum. The
/// result, which is summed later, must not be larger, unless this function does not sum it.
bool OpSplitter::mayCarry(unsigned operand) const {
  Value value = op->getOperand(operand);
  if (!carries || !value.hasOneUse())
    return false;
  return !isSummed || llvm::all_of(op->getResults(), [&](Value result) {
    return getBytes(result) <= getBytes(value);
  });
}

OpSharding OpSplitter::assemble(const FactorAxes &factors) const {
  std::vector<Sharding> shardings;
  SmallVector<bool> carries;
  for (unsigned index = 0; index < op->getNumOperands(); ++index) {
    bool isKnown = index < operands.size() && operands[index];
    auto type = cast<RankedTensorType>(op->getOperand(index).getType());
    shardings.push_back(isKnown ? operands[index]->made : Sharding::replicated(type.getRank()));
    carries.push_back(isKnown && mayCarry(index));
  }
  return makeOpSharding(op, factors, shardings, carries);
}

double OpSplitter::getReshardCost(Value value, const Sharding &from, const Sharding &to) const {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t elementBytes = analysis::getNumBytes(type.clone(ArrayRef<int64_t>()));
  double cost = planCache.plan(from, to, type.getShape(), elementBytes).cost;
  return planCache.getCluster() ? cost : cost * static_cast<double>(elementBytes);
}

double OpSplitter::getWorkCost(const FactorAxes &factors, const OpSharding &sharding) const {
  if (const abi::Cluster *cluster = planCache.getCluster())
    return analysis::secondsOf(op, getLocalShapes(op, sharding, mesh), *cluster);
  return static_cast<double>(analysis::costOf(op).flops) / flopsPerByte /
         static_cast<double>(factors.getNumParts());
}

double OpSplitter::getOperandCost(unsigned operand, const Sharding &wanted) const {
  const std::optional<Known> &known = operands[operand];
  if (!known || known->made == wanted || llvm::is_contained(known->forms, wanted))
    return 0;
  return getReshardCost(op->getOperand(operand), known->made, wanted);
}

double OpSplitter::getCost(const FactorAxes &factors, const OpSharding &sharding) const {
  double cost = getWorkCost(factors, sharding);
  for (unsigned index = 0; index < operands.size(); ++index)
    cost += getOperandCost(index, sharding.operands[index]);
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    const Sharding &made = sharding.results[index];
    if (index > 0 || wantedResults.empty())
      cost += getReshardCost(result, made, made.withoutPartial());
    else
      for (const Sharding &wanted : wantedResults)
        cost += getReshardCost(result, made, wanted);
  }
  return cost;
}

OpSplit OpSplitter::choose() const {
  std::vector<Source> sources = listSources();
  if (sources.empty())
    return {assemble(FactorAxes(op, mesh)), {}};
  FactorAxes best = followFrom(sources, 0);
  size_t bestFirst = 0;
  /// Cost, and whether a result is partial: it needs memory for all blocks until it is summed.
  using Rank = std::pair<double, bool>;
  auto rankOf = [&](const FactorAxes &factors) {
    OpSharding sharding = assemble(factors);
    bool isPartial =
        llvm::any_of(sharding.results, [](const Sharding &each) { return each.isPartial(); });
    return Rank(getCost(factors, sharding), isPartial);
  };
  std::optional<Rank> bestRank;
  for (size_t first = 1; first < sources.size(); ++first) {
    FactorAxes factors = followFrom(sources, first);
    if (factors.getAxes() == best.getAxes())
      continue;
    if (!bestRank)
      bestRank = rankOf(best);
    Rank rank = rankOf(factors);
    if (rank >= *bestRank)
      continue;
    best = std::move(factors);
    bestFirst = first;
    bestRank = rank;
  }
  OpSplit split{assemble(best), {}};
  split.contributions = listContributions(sources, bestFirst, split.sharding);
  return split;
}

OpSharding OpSplitter::follow(ArrayRef<AxisList> factors) const {
  FactorAxes axes(op, mesh);
  axes.setAxes(factors);
  return assemble(axes);
}

} // namespace pcc::strategy

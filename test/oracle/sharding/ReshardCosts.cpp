// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the cost of reshard plans against an independent search, which shares only the cost of one
// step. The search chains up to three single collectives between any two shardings, with local
// steps before, between and after them.
#include "passes/analysis/reshard/ExchangeVolume.h"
#include "passes/analysis/reshard/ReshardPlanCache.h"
#include "runtime/machine/Cluster.h"
#include "test/oracle/sharding/Partitioned.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>
#include <map>

using namespace llvm;
using pcc::analysis::ReshardPlan;
using pcc::analysis::ReshardStep;
using pcc::analysis::StepKind;
using pcc::dist::AxisList;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

namespace pcc::test {
namespace {

/// Lists the shardings whose partial axes are summed: other kinds move the same amount.
std::vector<Sharding> listSums(ArrayRef<int64_t> shape, const Mesh &mesh) {
  std::vector<Sharding> all = listShardings(shape, mesh);
  erase_if(all, [](const Sharding &one) { return one.getPartialKind() != ReduceKind::Sum; });
  return all;
}

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Returns the rest of `longer` after the prefix `shorter`; nothing if `shorter` is not a prefix.
std::optional<AxisList> rest(ArrayRef<std::string> longer, ArrayRef<std::string> shorter) {
  if (longer.take_front(shorter.size()) != shorter)
    return std::nullopt;
  return AxisList(longer.drop_front(shorter.size()));
}

/// Returns the elements of `all` that are not in `some`.
AxisList without(ArrayRef<std::string> all, ArrayRef<std::string> some) {
  AxisList left;
  for (const std::string &axis : all)
    if (!is_contained(some, axis))
      left.push_back(axis);
  return left;
}

/// Single steps between two shardings of one tensor, derived from their effect.
class Steps {
public:
  Steps(ArrayRef<int64_t> shape, const Mesh &mesh) : shape(shape), mesh(mesh) {}

  /// Returns the collective that leads from `from` to `to`: a named one if there is any, else the
  /// exchange of blocks.
  std::optional<ReshardStep> collective(const Sharding &from, const Sharding &to) const {
    AxisList gone = without(from.getPartialAxes(), to.getPartialAxes());
    if (!without(to.getPartialAxes(), from.getPartialAxes()).empty())
      return std::nullopt;
    SmallVector<int64_t> changed;
    for (int64_t dim = 0; dim < from.getRank(); ++dim)
      if (from.getDim(dim) != to.getDim(dim))
        changed.push_back(dim);
    if (!gone.empty())
      return reduction(from, to, gone, changed);
    if (changed.size() == 1)
      if (auto axes = rest(from.getDim(changed[0]), to.getDim(changed[0])))
        return make(StepKind::AllGather, *axes, from, to);
    if (changed.size() == 2)
      for (auto [source, target] : {std::pair(changed[0], changed[1]), {changed[1], changed[0]}}) {
        auto left = rest(from.getDim(source), to.getDim(source));
        auto come = rest(to.getDim(target), from.getDim(target));
        if (left && left == come)
          return make(StepKind::AllToAll, *left, from, to);
      }
    if (changed.empty())
      return std::nullopt;
    analysis::ExchangeVolume volume = analysis::measureExchange(from, to, shape, mesh);
    if (volume.elements == 0) // slices
      return std::nullopt;
    ReshardStep step = make(volume.permutes ? StepKind::CollectivePermute : StepKind::BlockExchange,
                            volume.axes, from, to);
    step.elements = volume.elements;
    step.messages = volume.messages;
    return step;
  }

  /// Returns a local step: a cut of one dimension, or a mask.
  std::optional<ReshardStep> local(const Sharding &from, const Sharding &to) const {
    AxisList masked = without(to.getPartialAxes(), from.getPartialAxes());
    if (!without(from.getPartialAxes(), to.getPartialAxes()).empty())
      return std::nullopt;
    AxisList cut;
    for (int64_t dim = 0; dim < from.getRank(); ++dim) {
      auto come = rest(to.getDim(dim), from.getDim(dim));
      if (!come)
        return std::nullopt;
      cut.append(*come);
    }
    if (masked.empty() == cut.empty() || cut.size() > 1)
      return std::nullopt;
    return make(cut.empty() ? StepKind::Mask : StepKind::Slice, cut.empty() ? masked : cut, from,
                to);
  }

private:
  std::optional<ReshardStep> reduction(const Sharding &from, const Sharding &to,
                                       const AxisList &gone, ArrayRef<int64_t> changed) const {
    if (changed.empty())
      return make(StepKind::AllReduce, gone, from, to);
    auto come = rest(to.getDim(changed[0]), from.getDim(changed[0]));
    if (changed.size() > 1 || !come || come->size() != gone.size() || !without(*come, gone).empty())
      return std::nullopt;
    return make(StepKind::ReduceScatter, *come, from, to);
  }

  int64_t countElements(const Sharding &sharding) const {
    return product_of(sharding.getLocalShape(shape, mesh));
  }

  ReshardStep make(StepKind kind, const AxisList &axes, const Sharding &from,
                   const Sharding &to) const {
    ReshardStep step{kind, axes, -1, -1, from, to};
    step.operandElements = countElements(from);
    step.resultElements = countElements(to);
    return step;
  }

  ArrayRef<int64_t> shape;
  const Mesh &mesh;
};

using Matrix = std::vector<std::vector<double>>;

/// Returns the lowest costs of a step of `a` followed by a step of `b`.
Matrix chain(const Matrix &a, const Matrix &b) {
  size_t size = a.size();
  Matrix result(size, std::vector<double>(size, infinity));
  for (size_t i = 0; i < size; ++i)
    for (size_t k = 0; k < size; ++k)
      if (a[i][k] < infinity)
        for (size_t j = 0; j < size; ++j)
          result[i][j] = std::min(result[i][j], a[i][k] + b[k][j]);
  return result;
}

/// Costs of single collectives, and of the best chains of at most three.
struct BruteForce {
  Matrix single, chains;

  BruteForce(ArrayRef<Sharding> all, ArrayRef<int64_t> shape, const Mesh &mesh,
             analysis::ReshardStepCost price) {
    Steps steps(shape, mesh);
    size_t size = all.size();
    single.assign(size, std::vector<double>(size, infinity));
    Matrix local = single;
    for (size_t i = 0; i < size; ++i)
      for (size_t j = 0; j < size; ++j) {
        if (auto step = steps.collective(all[i], all[j]))
          single[i][j] = price(*step);
        if (auto step = steps.local(all[i], all[j]))
          local[i][j] = price(*step);
        local[i][j] = i == j ? 0 : local[i][j];
      }
    for (size_t doubled = 1; doubled < mesh.getAxes().size() * 2; doubled *= 2)
      local = chain(local, local);
    Matrix atMostOne = single;
    for (size_t i = 0; i < size; ++i)
      atMostOne[i][i] = 0;
    Matrix link = chain(atMostOne, local);
    chains = chain(local, chain(link, chain(link, link)));
  }
};

/// Returns the kind of a plan's only collective, or the number of collectives.
std::string classify(const ReshardPlan &plan) {
  std::string kind = "nothing";
  int64_t count = 0;
  for (const ReshardStep &step : plan.steps)
    if (!step.isLocal() && ++count == 1)
      kind = analysis::stringify(step.kind).str();
  return count <= 1 ? kind : "chain of " + std::to_string(count);
}

/// Returns true if pair number `index` is checked: all are with `PCC_TEST_FULL`, else one of
/// `oneOf`.
bool isInSample(int64_t index, int64_t oneOf) {
  return index % oneOf == 0 || std::getenv("PCC_TEST_FULL");
}

/// Compares the plans of pairs, one of `oneOf`, and counts the wins of each kind. Returns how many
/// plans are slower than the best chain.
int64_t compare(ArrayRef<int64_t> shape, const Mesh &mesh, const abi::Cluster &cluster,
                int64_t oneOf, std::map<std::string, int64_t> &wins) {
  constexpr int64_t f32 = 4;
  std::vector<Sharding> all = listSums(shape, mesh);
  analysis::ReshardCostModel price(cluster, mesh, f32);
  BruteForce best(all, shape, mesh, price);
  analysis::ReshardPlanCache planCache(mesh, &cluster);
  int64_t slower = 0;
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = 0; j < all.size(); ++j) {
      if (i == j || !isInSample(i * all.size() + j, oneOf))
        continue;
      const ReshardPlan &plan = planCache.plan(all[i], all[j], shape, f32);
      std::string pair = all[i].str() + " to " + all[j].str() + " on " + mesh.str();
      double fastest = std::min(best.chains[i][j], best.single[i][j]);
      if (plan.cost > fastest * (1 + 1e-9)) {
        errs() << pair << ": " << plan.str() << " takes " << plan.cost << ", not " << fastest
               << "\n";
        ++slower;
      }
      ++wins[classify(plan)];
    }
  return slower;
}

TEST(ReshardCosts, NoPlanIsSlowerThanAShortChain) {
  for (const char *form : {"1x8xH100", "4x2xcpu"})
    for (int64_t extent : {64, 4096}) { // 16 KB and 64 MB of f32
      std::map<std::string, int64_t> wins;
      auto cluster = machine::parseForm(form);
      EXPECT_EQ(compare({extent, extent}, Mesh({{"x", 2}, {"y", 4}}), *cluster, 1, wins), 0);
      EXPECT_EQ(
          compare({extent / 2 * 3, extent / 2 * 3}, Mesh({{"x", 2}, {"y", 3}}), *cluster, 1, wins),
          0);
      EXPECT_EQ(compare({extent, extent}, Mesh({{"x", 2}, {"y", 2}, {"z", 2}}), *cluster, 17, wins),
                0);
      outs() << form << ", " << extent << "x" << extent << " f32, pairs won by";
      for (const auto &[kind, count] : wins)
        outs() << (kind == wins.begin()->first ? " " : ", ") << kind << " " << count;
      outs() << "\n";
    }
}

/// Returns the bytes of the best sequence of reduce-scatters of all partial axes into any
/// dimensions, and of the exchange of blocks that is then needed.
int64_t scatterThenExchange(const Sharding &from, const Sharding &to, ArrayRef<int64_t> shape,
                            const Mesh &mesh) {
  int64_t best = std::numeric_limits<int64_t>::max();
  if (!from.isPartial())
    return analysis::measureExchange(from, to, shape, mesh).elements;
  for (const std::string &axis : from.getPartialAxes())
    for (int64_t dim = 0; dim < from.getRank(); ++dim) {
      Sharding next = from.withPartial(without(from.getPartialAxes(), {axis}));
      next.getDim(dim).push_back(axis);
      if (!next.verify(shape, mesh).empty())
        continue;
      int64_t count = mesh.getSize(StringRef(axis));
      int64_t block = product_of(next.getLocalShape(shape, mesh));
      best = std::min(best, block * (count - 1) + scatterThenExchange(next, to, shape, mesh));
    }
  return best;
}

/// Returns the cost of a greedy plan: sum partial axes on every rank, gather what is cut
/// differently, cut again.
double priceGreedy(const Sharding &from, const Sharding &to, ArrayRef<int64_t> shape,
                   const Mesh &mesh) {
  Steps steps(shape, mesh);
  double price = 0;
  Sharding here = from;
  auto go = [&](const Sharding &next) {
    if (next == here)
      return;
    ReshardStep step = *steps.collective(here, next);
    double count = static_cast<double>(mesh.getSize(step.axes));
    double block = static_cast<double>(step.operandElements);
    step.elements =
        step.kind == StepKind::AllReduce ? 2 * block * (count - 1) / count : block * (count - 1);
    price += analysis::costByElements(step);
    here = next;
  };
  bool keepsKind = from.getPartialKind() == to.getPartialKind();
  AxisList kept;
  for (const std::string &axis : from.getPartialAxes())
    if (keepsKind && is_contained(to.getPartialAxes(), axis))
      kept.push_back(axis);
  go(from.withPartial(kept, from.getPartialKind()));
  for (int64_t dim = 0; dim < from.getRank(); ++dim) {
    size_t common = 0;
    const AxisList &a = from.getDim(dim), &b = to.getDim(dim);
    while (common < std::min(a.size(), b.size()) && a[common] == b[common])
      ++common;
    Sharding next = here;
    next.getDim(dim).resize(common);
    go(next);
  }
  return price;
}

TEST(ReshardCosts, ByElementsNeitherGreedyNorScatterAndExchangeIsBetter) {
  int64_t count = 0, total = 0;
  for (const Mesh &mesh : {Mesh({{"x", 2}, {"y", 2}}), Mesh({{"x", 2}, {"y", 4}}),
                           Mesh({{"x", 2}, {"y", 3}}), Mesh({{"x", 2}, {"y", 2}, {"z", 2}})})
    for (SmallVector<int64_t> shape : {SmallVector<int64_t>{24}, {24, 24}, {24, 24, 24}}) {
      std::vector<Sharding> all = listSums(shape, mesh);
      analysis::ReshardPlanCache planCache(mesh);
      for (const Sharding &from : all)
        for (const Sharding &to : all) {
          if (!isInSample(++total, 17))
            continue;
          const ReshardPlan &plan = planCache.plan(from, to, shape, 4);
          std::string pair = from.str() + " to " + to.str() + " on " + mesh.str();
          // A slice has a small cost, which the greedy plan does not include.
          EXPECT_LE(plan.cost, priceGreedy(from, to, shape, mesh) + 1e-4) << pair;
          if (from.isPartial() && !to.isPartial()) {
            EXPECT_LE(plan.getReceived(), scatterThenExchange(from, to, shape, mesh)) << pair;
          }
          ++count;
        }
    }
  outs() << count << " of " << total << " pairs of shardings\n";
}

} // namespace
} // namespace pcc::test

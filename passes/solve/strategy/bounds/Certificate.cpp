// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checker replays the tree of stages by recursion. Each level reduces the core, checks the form
// of the stage, computes exact bounds, prunes and descends. A failed check ends the proof. Pruning
// is shared with the search, so both remove the same options.
#include "passes/solve/strategy/bounds/Certificate.h"

#include "passes/solve/strategy/problem/Cursor.h"
#include "passes/solve/strategy/reduce/Reduce.h"

namespace pcc::solve {

Int128 toCoreUnits(const Core &core, Int128 cost) {
  return (cost + (Int128(1) << core.shift) - 1) >> core.shift;
}

void prune(Core &core, const FlatProblem &flat, const ExactBounds &bounds, Int128 cutoff) {
  for (const FlatNode &node : flat.nodes) {
    std::vector<int32_t> kept;
    for (int a = 0; a < node.size; ++a)
      if (bounds.options[node.first + a] < cutoff)
        kept.push_back(a);
    core.keepOptions(node.coreNode, kept);
    if (core.isContradictory())
      return;
    core.normalize(node.coreNode);
  }
}

namespace {

/// Maximum number of stages on a path. Each stage is a level of recursion.
constexpr int deepest = 2000;

class Checker {
public:
  Checker(const Certificate &certificate, Int128 cost) : certificate(certificate), cost(cost) {}

  /// Returns the bound that stage `index` proves for `core`, in the core's units.
  Int128 prove(Core core, int index, int depth = 0) {
    std::vector<Segment> segments = reduce(core);
    Int128 ceiling = toCoreUnits(core, cost);
    if (core.isContradictory())
      return ceiling;
    if (core.isEmpty())
      return std::min(core.constant, ceiling);
    if (index < 0)
      return 0; // costs are not negative
    if (depth >= deepest)
      return fail("expected at most " + std::to_string(deepest) + " stages on a path");
    compact(core, segments);
    const CertificateStage &stage = certificate.stages[index];
    FlatProblem flat(core, segments);
    if (std::string error = check(flat, stage.dual); !error.empty())
      return fail("stage " + std::to_string(index) + ": " + error);
    if (stage.cutoff < ceiling)
      return fail("stage " + std::to_string(index) + " leaves out solutions below the cost");
    ExactBounds bounds = boundsOf(core, flat, stage.dual);
    Int128 bound = std::min(bounds.bound, ceiling);
    prune(core, flat, bounds, stage.cutoff);
    if (core.isContradictory())
      return ceiling;
    if (stage.below.empty())
      return bound;
    return std::max(bound, stage.split < 0 ? prove(std::move(core), stage.below[0], depth + 1)
                                           : proveSplit(core, flat, bounds, index, depth));
  }

  std::string error;

private:
  Int128 proveSplit(const Core &core, const FlatProblem &flat, const ExactBounds &bounds, int index,
                    int depth) {
    const CertificateStage &stage = certificate.stages[index];
    auto bad = [&] { return fail("stage " + std::to_string(index) + ": no split of a node"); };
    if (stage.split >= static_cast<int>(flat.nodes.size()) ||
        stage.groups.size() != stage.below.size())
      return bad();
    const FlatNode &place = flat.nodes[stage.split];
    int node = place.coreNode;
    std::vector<Int128> known; // bounds of the options that pruning left
    for (int a = 0; a < place.size; ++a)
      if (bounds.options[place.first + a] < stage.cutoff)
        known.push_back(bounds.options[place.first + a]);
    std::vector<char> isCovered(core.nodes[node].size(), false);
    for (const std::vector<int32_t> &group : stage.groups) {
      int32_t last = -1;
      for (int32_t option : group) {
        if (option <= last || option >= core.nodes[node].size())
          return bad();
        isCovered[option] = true;
        last = option;
      }
    }
    if (!std::all_of(isCovered.begin(), isCovered.end(), [](char covered) { return covered; }))
      return bad();
    Int128 least = toCoreUnits(core, cost);
    for (size_t g = 0; g < stage.groups.size(); ++g) {
      Int128 ofGroup = toCoreUnits(core, cost);
      for (int32_t option : stage.groups[g])
        ofGroup = std::min(ofGroup, known[option]);
      Core part = core;
      part.keepOptions(node, stage.groups[g]);
      if (part.isContradictory())
        continue;
      part.normalize(node);
      least = std::min(least, std::max(ofGroup, prove(std::move(part), stage.below[g], depth + 1)));
    }
    return least;
  }

  Int128 fail(const std::string &message) {
    if (error.empty())
      error = message;
    return 0;
  }

  const Certificate &certificate;
  Int128 cost;
};

/// Checks that children have greater numbers than their parent, and only one parent. So no proof
/// is circular.
std::string checkShape(const Certificate &certificate) {
  std::vector<char> isUsed(certificate.stages.size(), false);
  for (size_t i = 0; i < certificate.stages.size(); ++i) {
    const CertificateStage &stage = certificate.stages[i];
    if (stage.split < 0 && stage.below.size() > 1)
      return "stage " + std::to_string(i) + ": expected one stage below";
    for (int next : stage.below) {
      if (next < 0)
        continue;
      if (next <= static_cast<int>(i) || next >= static_cast<int>(certificate.stages.size()) ||
          isUsed[next])
        return "stage " + std::to_string(i) + ": expected stages below that follow it, got " +
               std::to_string(next);
      isUsed[next] = true;
    }
  }
  return "";
}

} // namespace

CheckResult checkCertificate(const StrategyProblem &problem, const Certificate &certificate,
                             Int128 cost) {
  if (std::string error = checkShape(certificate); !error.empty())
    return {0, error};
  Core core(problem);
  int shift = core.shift;
  Checker checker(certificate, cost);
  Int128 bound = checker.prove(std::move(core), certificate.stages.empty() ? -1 : 0);
  if (!checker.error.empty())
    return {0, checker.error};
  bound <<= shift;
  if (certificate.original) {
    if (std::string error = check(problem, *certificate.original); !error.empty())
      return {0, "whole: " + error};
    bound = std::max(bound, boundOf(problem, *certificate.original));
  }
  return {std::min(bound, cost), ""};
}

CheckResult checkCertificate(const StrategyProblem &problem, const Certificate &certificate,
                             const StrategySolution &solution) {
  Verdict verdict = verify(problem, solution);
  if (!verdict.ok())
    return {0, verdict.error};
  return checkCertificate(problem, certificate, verdict.cost);
}

} // namespace pcc::solve

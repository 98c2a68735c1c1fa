// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factorizes the number of devices recursively, then searches the meshes one after the other, those
// whose last axis fills a box of the machine first. A search ends when no plan on its mesh is
// faster than the best one so far. The time that is left goes to the best mesh. Constraints are
// resolved again for each mesh, because resolving them reads the module's mesh.
#include "compiler/plan/choice/MeshChoice.h"

#include "dialects/dist/Dist.h"
#include "passes/solve/strategy/problem/Work.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::Mesh;
using pcc::dist::MeshAxis;

namespace pcc::plan {
namespace {

/// Appends to `meshes` all meshes that continue `axes` by exactly `count` axes with the product
/// `devices`.
void listFrom(int64_t devices, size_t count, SmallVector<MeshAxis, 4> &axes,
              std::vector<Mesh> &meshes) {
  std::string name = dist::makeAxisName(axes.size());
  if (count == 1) {
    axes.push_back({name, devices});
    meshes.emplace_back(axes);
    axes.pop_back();
    return;
  }
  for (int64_t size = 2; size * 2 <= devices; ++size) {
    if (devices % size)
      continue;
    axes.push_back({name, size});
    listFrom(devices / size, count - 1, axes, meshes);
    axes.pop_back();
  }
}

/// Searches shardings on `mesh`. The module's mesh attribute, which only resolveConstraints reads,
/// stays as it is.
FailureOr<MeshCandidate> searchOn(ModuleOp module, const Mesh &mesh,
                                  const strategy::ConstraintOptions &obeyed,
                                  const abi::Cluster &cluster,
                                  const strategy::SearchOptions &options) {
  Attribute before = module->getAttr(dist::meshAttrName);
  module->setAttr(dist::meshAttrName, dist::MeshAttr::get(module.getContext(), mesh));
  FailureOr<strategy::ConstrainedProgram> constrained =
      strategy::resolveConstraints(module, obeyed);
  if (before)
    module->setAttr(dist::meshAttrName, before);
  else
    module->removeAttr(dist::meshAttrName);
  if (failed(constrained))
    return failure();
  return MeshCandidate{mesh, strategy::search(module, std::move(*constrained), cluster, options)};
}

/// Continues the search on a mesh for `seconds`, if its plan may be improved and they are worth it.
void improve(MeshCandidate &candidate, strategy::SearchOptions options, double seconds) {
  constexpr double minShare = 0.1;
  const solve::SolveResult &result = candidate.outcome.result;
  double gap = result.cost > 0 ? 1 - double(result.bound) / double(result.cost) : 0;
  if (result.status != solve::SolveStatus::Feasible || gap <= options.solve.gap ||
      seconds < minShare * options.solve.seconds)
    return;
  options.solve.seconds = seconds;
  strategy::searchAgain(candidate.outcome, options);
}

/// Returns a lower bound on the peak bytes of every plan.
solve::Int128 countMinBytes(const MeshCandidate &candidate) {
  return solve::findUsagePeak(candidate.outcome.problem->getProblem()).use;
}

/// Returns how much the ranks of the mesh's last axis differ from those of a box: 1 if they are the
/// same, and n if one is n times the other.
double compareToBox(const Mesh &mesh, const abi::Cluster &cluster) {
  double ranks = double(mesh.getAxes().back().size);
  double box = cluster.level_size() > 0 ? double(cluster.level(0).count()) : ranks;
  return std::max(ranks / box, box / ranks);
}

/// Returns the seconds of its limit that a search has used. They follow from its work, unless a
/// slow machine has cut it off.
double secondsUsed(const MeshCandidate &candidate) {
  const solve::SolveStatistics &statistics = candidate.outcome.result.statistics;
  return statistics.isCutOff ? statistics.seconds : solve::secondsOfWork(statistics.work);
}

bool isBetter(const MeshCandidate &lhs, const MeshCandidate &rhs) {
  const solve::SolveResult &left = lhs.outcome.result, &right = rhs.outcome.result;
  if (left.hasSolution() != right.hasSolution())
    return left.hasSolution();
  return left.hasSolution() ? left.cost < right.cost : countMinBytes(lhs) < countMinBytes(rhs);
}

} // namespace

std::vector<Mesh> listMeshes(int64_t devices, size_t maxAxes) {
  std::vector<Mesh> meshes;
  SmallVector<MeshAxis, 4> axes;
  for (size_t count = 1; count <= maxAxes; ++count)
    if (count == 1 || devices >> count > 0)
      listFrom(devices, count, axes, meshes);
  return meshes;
}

FailureOr<std::vector<MeshCandidate>> searchMeshes(ModuleOp module, ArrayRef<Mesh> meshes,
                                                   const strategy::ConstraintOptions &obeyed,
                                                   const abi::Cluster &cluster,
                                                   const strategy::SearchOptions &options) {
  std::vector<Mesh> order(meshes);
  llvm::stable_sort(order, [&](const Mesh &lhs, const Mesh &rhs) {
    return compareToBox(lhs, cluster) < compareToBox(rhs, cluster);
  });
  std::vector<MeshCandidate> candidates;
  strategy::SearchOptions share = options;
  double left = options.solve.seconds;
  for (auto [number, mesh] : llvm::enumerate(order)) {
    share.solve.seconds = left / static_cast<double>(order.size() - number);
    FailureOr<MeshCandidate> candidate = searchOn(module, mesh, obeyed, cluster, share);
    if (failed(candidate))
      return failure();
    left = std::max(0.0, left - secondsUsed(*candidate));
    const solve::SolveResult &result = candidate->outcome.result;
    if (result.hasSolution())
      share.solve.cutoff = std::min(share.solve.cutoff.value_or(result.cost), result.cost);
    candidates.push_back(std::move(*candidate));
  }
  llvm::stable_sort(candidates, isBetter);
  improve(candidates.front(), options, left);
  return candidates;
}

} // namespace pcc::plan

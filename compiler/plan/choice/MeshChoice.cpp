// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factorizes the number of devices recursively, then searches the meshes one after the other.
// Constraints are resolved again for each mesh, because resolving them reads the module's mesh.
#include "compiler/plan/choice/MeshChoice.h"

#include "dialects/dist/Dist.h"

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

/// Returns a lower bound on the peak bytes of every plan.
solve::Int128 countMinBytes(const MeshCandidate &candidate) {
  return solve::findUsagePeak(candidate.outcome.problem->getProblem()).use;
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
  std::vector<MeshCandidate> candidates;
  strategy::SearchOptions share = options;
  share.solve.seconds = options.solve.seconds / static_cast<double>(meshes.size());
  for (const Mesh &mesh : meshes) {
    FailureOr<MeshCandidate> candidate = searchOn(module, mesh, obeyed, cluster, share);
    if (failed(candidate))
      return failure();
    candidates.push_back(std::move(*candidate));
  }
  llvm::stable_sort(candidates, isBetter);
  return candidates;
}

} // namespace pcc::plan

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and resolves the constraints of a module on its mesh. If there is neither a mesh nor a
// constraint, all ranks form one axis. The part of it that splits the batch is the largest number
// that divides the ranks and all batch sizes.
#include "passes/strategy/constraints/ConstrainedProgram.h"

#include "dialects/graph/Roles.h"
#include "llvm/ADT/StringSet.h"
#include <numeric>

using namespace mlir;
using namespace pcc;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

namespace pcc::strategy {
namespace {

/// Returns the mesh of the program, if it has one; the mesh must have `deviceNum` ranks.
FailureOr<std::optional<Mesh>> findMesh(ModuleOp module, int64_t deviceNum) {
  if (failed(checkNumRanks(module, deviceNum)))
    return failure();
  if (!module->hasAttr(dist::meshAttrName))
    return std::optional<Mesh>();
  Mesh mesh = dist::getMesh(module);
  if (mesh.getNumRanks() != deviceNum)
    return module.emitError() << "expected a mesh of " << deviceNum << " ranks, got \""
                              << mesh.str() << "\"";
  return std::optional<Mesh>(mesh);
}

/// Returns the number of parts into which the ranks can split the batch of every input.
int64_t countBatchParts(ModuleOp module, int64_t deviceNum) {
  int64_t parts = deviceNum;
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    for (unsigned index : graph::findArgs(function, graph::RoleKind::Input)) {
      auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[index]);
      if (type && type.getRank() > 0)
        parts = std::gcd(parts, type.getDimSize(0));
    }
  return parts;
}

/// Returns the factor of a gradient; 1 gives the gradient of one device. With `gradientsMean`, the
/// ranks that share a gradient divide it by their number once more, as MindSpore does.
/// Without `lossRepeatedMean` it is multiplied by the number of ranks, as every rank has the loss.
double getGradientFactor(const Sharding &gradient, const Mesh &mesh,
                         const ConstraintOptions &options) {
  double factor = options.lossRepeatedMean ? 1 : static_cast<double>(mesh.getNumRanks());
  if (options.gradientsMean)
    factor /= static_cast<double>(mesh.getSize(gradient.getPartialAxes()));
  return factor;
}

} // namespace

/// Gives inputs the shardings in which they are fed. An input that is fed unsplit does not
/// constrain its ops.
static void setFedInputs(SeedShardings &given) {
  for (const auto &fed : given.fed)
    if (fed.second.isSplit())
      given.inputs[fed.first()] = fed.second;
}

FailureOr<ConstrainedProgram> resolveConstraints(ModuleOp module,
                                                 const ConstraintOptions &options) {
  FailureOr<std::optional<Mesh>> mesh = findMesh(module, options.deviceNum);
  FailureOr<std::vector<ShardingConstraint>> constraints = readConstraints(module);
  if (failed(mesh) || failed(constraints))
    return failure();
  ConstraintResolver resolver(module, *mesh, options.deviceNum);
  if (failed(resolver.match(*constraints)) || failed(resolver.feed(options.datasetStrategy)))
    return failure();
  if (!*mesh && resolver.isEmpty())
    resolver.spanBatch(countBatchParts(module, options.deviceNum));
  ConstrainedProgram constrained;
  constrained.mesh = resolver.resolve(constrained.given);
  constrained.constraints = resolver.listTargets(*constraints);
  setFedInputs(constrained.given);
  constrained.given.fullBatch = options.fullBatch;
  constrained.given.gradientFactor = [options](StringRef, const Sharding &gradient,
                                               const Mesh &mesh) {
    return getGradientFactor(gradient, mesh, options);
  };
  constrained.given.gradientRemedy =
      options.lossRepeatedMean
          ? "'--gradients-mean' divides once more what this mode averages; leave it out"
          : "every rank has the loss, and '--loss-repeated-mean=false' adds them; leave it out";
  return constrained;
}

SeedShardings keepConstraints(const ConstrainedProgram &constrained, ArrayRef<int> keptIndices) {
  llvm::DenseSet<Operation *> ops;
  llvm::StringSet<> parameters, inputs;
  for (int index : keptIndices) {
    const ConstraintTargets &share = constrained.constraints[index];
    ops.insert(share.ops.begin(), share.ops.end());
    for (const std::string &name : share.parameters)
      parameters.insert(name);
    for (const std::string &name : share.inputs)
      inputs.insert(name);
  }
  SeedShardings given = constrained.given;
  for (const ConstraintTargets &share : constrained.constraints) {
    for (Operation *op : share.ops)
      if (!ops.contains(op))
        given.ops.erase(op);
    for (const std::string &name : share.parameters)
      if (!parameters.contains(name))
        given.parameters.erase(name);
    for (const std::string &name : share.inputs)
      if (!inputs.contains(name))
        given.inputs.erase(name);
  }
  setFedInputs(given); // `dataset_strategy` may repeat a constraint that is not kept
  return given;
}

void annotateProgram(ModuleOp module, ConstrainedProgram constrained, const abi::Cluster *cluster) {
  module->removeAttr(dist::constraintsAttrName);
  module->setAttr(dist::meshAttrName, dist::MeshAttr::get(module.getContext(), constrained.mesh));
  ShardingAnnotator(module, constrained.mesh, std::move(constrained.given), cluster).run();
}

} // namespace pcc::strategy

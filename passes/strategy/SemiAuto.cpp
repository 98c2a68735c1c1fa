// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks a program by given strategies: the pins of `dist.pins` and the cuts in which inputs are fed
// are checked and put on one mesh, and from them on every op follows its neighbours; what they do
// not reach is split along the batch.
// Assumes global shapes and roles on arguments and results; leaves the ops as they are, with a
// sharding on each, and no pins.
#include "dialects/graph/Roles.h"
#include "passes/strategy/Passes.h"
#include "passes/strategy/PinResolver.h"
#include <numeric>

using namespace mlir;
using namespace pcc;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

namespace pcc::strategy {

#define GEN_PASS_DEF_STRATEGYSEMIAUTO
#include "passes/strategy/Passes.h.inc"

namespace {

struct SemiAuto : impl::StrategySemiAutoBase<SemiAuto> {
  using StrategySemiAutoBase::StrategySemiAutoBase;

  /// The mesh of the program, if it has one, which must have as many ranks as there are.
  FailureOr<std::optional<Mesh>> findMesh() {
    ModuleOp module = getOperation();
    if (failed(checkNumRanks(module, deviceNum)))
      return failure();
    if (!module->hasAttr(dist::meshAttrName))
      return std::optional<Mesh>();
    Mesh mesh = dist::getMesh(module);
    if (mesh.getNumRanks() != deviceNum)
      return module.emitError() << "expected a mesh of " << deviceNum.getValue() << " ranks, got \""
                                << mesh.str() << "\"";
    return std::optional<Mesh>(mesh);
  }

  /// Into how many parts the ranks can split the batch of every input.
  int64_t countBatchParts() {
    int64_t parts = deviceNum;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      for (unsigned index : graph::findArgs(function, graph::RoleKind::Input)) {
        auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[index]);
        if (type && type.getRank() > 0)
          parts = std::gcd(parts, type.getDimSize(0));
      }
    return parts;
  }

  /// One device computes the mean; with `gradients-mean` the ranks that share a gradient divide by
  /// their number once more, as the reference system does. Every rank has the loss.
  double getGradientFactor(const Sharding &gradient, const Mesh &mesh) const {
    double factor = lossRepeatedMean ? 1 : static_cast<double>(mesh.getNumRanks());
    if (gradientsMean)
      factor /= static_cast<double>(mesh.getSize(gradient.getPartialAxes()));
    return factor;
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<std::optional<Mesh>> mesh = findMesh();
    FailureOr<std::vector<Pin>> pins = readPins(module);
    if (failed(mesh) || failed(pins))
      return signalPassFailure();
    PinResolver resolver(module, *mesh, deviceNum);
    if (failed(resolver.match(*pins)) || failed(resolver.feed(datasetStrategy)))
      return signalPassFailure();
    if (!*mesh && resolver.isEmpty())
      resolver.spanBatch(countBatchParts());
    GivenShardings given;
    Mesh refined = resolver.resolve(given);
    for (const auto &fed : given.fed)
      if (fed.second.isSplit()) // what is fed whole says nothing of how ops want it
        given.inputs[fed.first()] = fed.second;
    given.fullBatch = fullBatch;
    given.gradientFactor = [&](StringRef, const Sharding &gradient) {
      return getGradientFactor(gradient, refined);
    };
    module->removeAttr(dist::pinsAttrName);
    module->setAttr(dist::meshAttrName, dist::MeshAttr::get(&getContext(), refined));
    StepMarker(module, refined, std::move(given)).run();
  }
};

} // namespace
} // namespace pcc::strategy

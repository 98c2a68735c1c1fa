// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Differentiates a clone whose ops are named by the numbers of their layers. Derived ops inherit
// the name, so a backward op counts for the layer of its forward op. Each reader of a shared
// parameter holds it; the first one also holds its optimizer states.
#include "compiler/plan/layers/LayerCosts.h"

#include "compiler/plan/layers/RepeatedLayers.h"
#include "dialects/graph/Roles.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "passes/analysis/cost/OpCostModel.h"
#include "passes/analysis/kernels/Kernels.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/analysis/reshard/ReshardCostModel.h"
#include "passes/autodiff/Passes.h"
#include "passes/autodiff/options/Optimizers.h"
#include "runtime/machine/CollectiveCost.h"
#include "runtime/machine/Roofline.h"

using namespace mlir;

namespace pcc::plan {
namespace {

/// Differentiated clone of the model without most of its repeated layers. Every op is named by the
/// number of its layer. An op derived from another has that op's name as a child location, and so
/// its number.
class NumberedModel {
public:
  NumberedModel(ModuleOp module, func::FuncOp forward, ArrayRef<ChainLayer> layers)
      : numLayers(layers.size()), repeated(layers) {
    IRMapping mapping;
    copy = cast<ModuleOp>(module->clone(mapping));
    function = cast<func::FuncOp>(mapping.lookup(forward.getOperation()));
    for (auto [number, layer] : llvm::enumerate(layers))
      for (Operation *op : layer.ops)
        mapping.lookup(op)->setLoc(
            NameLoc::get(StringAttr::get(module.getContext(), std::to_string(number))));
    repeated.fold(mapping);
  }

  LogicalResult differentiate(const autodiff::TrainingOptions &options) {
    PassManager passes(copy->getContext());
    autodiff::addLossPasses(passes, options);
    passes.addPass(autodiff::createDifferentiate({options.wideGradients}));
    // Passes errors on to the user. Drops other diagnostics, because the compilation pipeline emits
    // them again.
    ScopedDiagnosticHandler quiet(copy->getContext(), [](Diagnostic &diagnostic) {
      return success(diagnostic.getSeverity() != DiagnosticSeverity::Error);
    });
    if (failed(passes.run(*copy)))
      return failure();
    function = copy->lookupSymbol<func::FuncOp>("forward_backward");
    return success();
  }

  func::FuncOp getFunction() const { return function; }

  /// Returns the layer of an op; ops without a number belong to the loss, and so to the last layer.
  size_t layerOf(Operation *op) const {
    StringRef name = analysis::getName(op->getLoc());
    size_t number;
    return name.consumeInteger(10, number) || number >= numLayers ? numLayers - 1 : number;
  }
  /// Returns the layer that stands for a layer of the whole model.
  size_t getKept(size_t layer) const { return repeated.getKept(layer); }
  /// Returns the number of ops of the whole model for which an op stands.
  int64_t timesOf(Operation *op) const { return repeated.getTimes(layerOf(op)); }

private:
  size_t numLayers;
  RepeatedLayers repeated;
  OwningOpRef<ModuleOp> copy;
  func::FuncOp function;
};

class LayerCostModel {
public:
  LayerCostModel(ArrayRef<ChainLayer> chain, const LayerCostOptions &options)
      : chain(chain), options(options), forwardTimes(chain.size()) {
    for (const ChainLayer &layer : chain)
      layers.push_back({.name = layer.name});
  }

  LayerCosts run(ModuleOp module, func::FuncOp forward, const NumberedModel &model) {
    addTimes(model);
    addLive(model);
    for (size_t number = 0; number < layers.size(); ++number) {
      layers[number].time = layers[model.getKept(number)].time;
      layers[number].live = layers[model.getKept(number)].live;
      forwardTimes[number] = forwardTimes[model.getKept(number)];
    }
    addHeld(module, forward);
    for (auto [number, layer] : llvm::enumerate(layers))
      layer.handOver = secondsToSend(chain[number].crossing);
    auto timesOf = [&](Operation *op) { return model.timesOf(op); };
    double moving = perRank(countLeastTraffic(model.getFunction(), timesOf)) /
                    machine::memoryRate(options.cluster.device());
    return {std::move(layers), std::move(forwardTimes), multiplying, launching, moving};
  }

private:
  double perRank(int64_t amount) const {
    return static_cast<double>(amount) / static_cast<double>(options.ranks);
  }

  void addTimes(const NumberedModel &model) {
    analysis::KernelShares shares(model.getFunction());
    for (Operation &op : model.getFunction().getBody().front().without_terminator()) {
      analysis::OpCostModel cost(&op, options.cluster.device(), shares.of(&op));
      analysis::OpShapes shapes = analysis::OpShapes::of(&op);
      double seconds = cost.seconds(shapes) / static_cast<double>(options.ranks);
      double times = double(model.timesOf(&op));
      multiplying += times * cost.minSeconds(shapes) / static_cast<double>(options.ranks);
      launching += times * cost.minLaunchSeconds();
      size_t layer = model.layerOf(&op);
      layers[layer].time += seconds;
      if (!analysis::getDerivedFrom(&op))
        forwardTimes[layer] += seconds;
    }
  }

  /// Adds the bytes of forward values in memory that backward ops read.
  void addLive(const NumberedModel &model) {
    llvm::DenseSet<Value> saved;
    for (Operation &op : model.getFunction().getBody().front().without_terminator()) {
      if (!analysis::getDerivedFrom(&op))
        continue;
      for (Value operand : op.getOperands()) {
        Value root = analysis::viewRoot(operand);
        Operation *maker = root.getDefiningOp();
        if (maker && !analysis::getDerivedFrom(maker) && !analysis::isRecomputed(maker) &&
            saved.insert(root).second)
          layers[model.layerOf(maker)].live += perRank(analysis::getNumBytes(root.getType()));
      }
    }
  }

  /// Returns the bytes of a parameter and its gradient, and of its optimizer states for its owner.
  int64_t bytesOf(graph::ParameterOp parameter, bool isOwner) const {
    RankedTensorType type = parameter.getTensorType();
    int64_t bytes = analysis::getNumBytes(type);
    if (options.trains() && parameter.getTrainable())
      bytes += 4 * type.getNumElements() * (isOwner ? 1 + numStates() : 1);
    return options.isReplicated ? bytes : perRank(bytes);
  }

  int64_t numStates() const {
    llvm::Expected<autodiff::OptimizerSpec> spec =
        autodiff::parseOptimizer(options.training.optimizer);
    if (spec)
      return spec->kind->states.size();
    llvm::consumeError(spec.takeError());
    return 0;
  }

  void addHeld(ModuleOp module, func::FuncOp forward) {
    SymbolTable symbols(module);
    llvm::DenseSet<Value> owned;
    for (auto [number, layer] : llvm::enumerate(chain)) {
      llvm::DenseSet<Value> read;
      for (Operation *op : layer.ops)
        for (Value operand : op->getOperands())
          if (isa<BlockArgument>(operand))
            read.insert(operand);
      for (Value argument : read) {
        graph::RoleAttr role =
            graph::getArgRole(forward, cast<BlockArgument>(argument).getArgNumber());
        auto parameter = symbols.lookup<graph::ParameterOp>(graph::getName(role));
        if (parameter && role.getKind() == graph::RoleKind::Parameter)
          layers[number].held += bytesOf(parameter, owned.insert(argument).second);
      }
    }
  }

  /// Returns the seconds to send values forward and their gradients back; each rank sends its part.
  double secondsToSend(ArrayRef<Value> values) const {
    double seconds = 0;
    for (Value value : values) {
      bool comesBack = options.trains() && isa<FloatType>(getElementTypeOrSelf(value.getType()));
      seconds += (comesBack ? 2 : 1) *
                 analysis::secondsOfTransfer(perRank(analysis::getNumBytes(value.getType())),
                                             options.ranks, options.cluster);
    }
    return seconds;
  }

  ArrayRef<ChainLayer> chain;
  const LayerCostOptions &options;
  std::vector<stages::Layer> layers;
  std::vector<double> forwardTimes;
  double multiplying = 0, launching = 0;
};

} // namespace

FailureOr<LayerCosts> estimateLayerCosts(ModuleOp module, func::FuncOp forward,
                                         ArrayRef<ChainLayer> layers,
                                         const LayerCostOptions &options) {
  NumberedModel model(module, forward, layers);
  if (options.trains() && failed(model.differentiate(options.training)))
    return failure();
  return LayerCostModel(layers, options).run(module, forward, model);
}

} // namespace pcc::plan

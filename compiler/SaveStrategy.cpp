// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the annotations of the strategy phase into a strategy checkpoint.
#include "compiler/StrategyCheckpoint.h"
#include "dialects/dist/Dist.h"
#include "dialects/graph/Roles.h"
#include "dialects/pipe/Pipe.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/analysis/sharding/Shardings.h"
#include "runtime/abi/files/StrategyFile.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::Sharding;
using pcc::graph::RoleKind;

namespace {

template <typename Field, typename Numbers> void addAll(Field *field, const Numbers &numbers) {
  field->Add(numbers.begin(), numbers.end());
}

/// Gathers the strategy of one program.
class StrategyWriter {
public:
  /// `areParametersSharded`: parameters, too, carry the sharding of the optimizer.
  StrategyWriter(ModuleOp module, bool areParametersSharded)
      : module(module), mesh(dist::getMesh(module)), areParametersSharded(areParametersSharded) {}

  void run() {
    for (const dist::MeshAxis &axis : mesh.getAxes()) {
      abi::MeshAxis &message = *strategy.mutable_mesh()->add_axes();
      message.set_name(axis.name);
      message.set_size(axis.size);
    }
    for (auto function : module.getOps<func::FuncOp>())
      analysis::forEachNumbered(function, [&](Operation *op, StringRef name, unsigned number) {
        if (op->hasAttr(dist::outAttrName))
          addOp(function, op, name, number);
      });
    for (auto parameter : module.getOps<graph::ParameterOp>())
      addParameter(parameter);
    addInputs();
  }

  abi::Strategy strategy;

private:
  void setTensor(const Sharding &sharding, abi::TensorStrategy &message) const {
    for (int64_t dim = 0; dim < sharding.getRank(); ++dim)
      message.add_counts(sharding.getShardCount(dim, mesh));
    message.set_sharding(sharding.str());
  }

  void addOp(func::FuncOp function, Operation *op, StringRef name, unsigned number) {
    abi::OpStrategy &message = *strategy.add_op();
    message.set_section(function.getSymName().str());
    message.set_name(name.str());
    message.set_number(number);
    for (OpOperand &operand : op->getOpOperands())
      setTensor(analysis::getOperandSharding(op, operand.getOperandNumber()), *message.add_input());
    for (Value result : op->getResults())
      setTensor(analysis::getSharding(result), *message.add_output());
  }

  /// Returns the arguments by which functions take the value of a role: either arguments of
  /// updates, which are the functions that also take gradients, or arguments of all other
  /// functions.
  SmallVector<BlockArgument> findArguments(RoleKind kind, StringRef name, bool ofUpdates) {
    SmallVector<BlockArgument> found;
    for (auto function : module.getOps<func::FuncOp>()) {
      bool isUpdate = !graph::findArgs(function, RoleKind::Gradient).empty();
      std::optional<unsigned> index = graph::findArg(function, kind, name);
      if (index && isUpdate == ofUpdates && !function.isDeclaration())
        found.push_back(function.getArgument(*index));
    }
    return found;
  }

  /// Returns the sharding that the parallel mode chose. This is the sharding in which the value is
  /// passed. If the optimizer has sharded the passed value further, it is the sharding of the first
  /// use.
  Sharding getOwnCut(ArrayRef<BlockArgument> arguments) const {
    Sharding passed = analysis::getSharding(arguments.front());
    if (!areParametersSharded)
      return passed;
    std::optional<Sharding> first;
    for (BlockArgument argument : arguments)
      for (OpOperand &use : argument.getUses()) {
        if (!use.getOwner()->hasAttr(dist::inAttrName))
          continue;
        Sharding wanted = analysis::getOperandSharding(use.getOwner(), use.getOperandNumber());
        if (wanted == passed)
          return passed;
        if (!first)
          first = wanted.withoutPartial();
      }
    return first.value_or(passed);
  }

  void addParameter(graph::ParameterOp parameter) {
    StringRef name = parameter.getSymName();
    SmallVector<BlockArgument> arguments =
        findArguments(RoleKind::Parameter, name, /*ofUpdates=*/false);
    if (arguments.empty())
      return;
    Sharding cut = getOwnCut(arguments);
    ArrayRef<int64_t> shape = parameter.getTensorType().getShape();
    abi::ParameterStrategy &message = *strategy.add_parameter();
    message.set_name(name.str());
    if (auto owner = parameter->getAttrOfType<StringAttr>(pipe::copyOfAttrName))
      message.set_copy_of(owner.str());
    addAll(message.mutable_shape(), shape);
    for (const dist::MeshAxis &axis : mesh.getAxes())
      message.add_device_matrix(axis.size);
    for (const dist::AxisList &axes : cut.getDims())
      setMap(axes, *message.add_tensor_map());
    addAll(message.mutable_slice_shape(), cut.getLocalShape(shape, mesh));
    message.set_sharding(cut.str());
    setOptimizerShard(name, cut, message);
  }

  void setMap(ArrayRef<std::string> axes, abi::DimensionMap &map) const {
    for (const std::string &axis : axes)
      map.add_axis(mesh.getAxes().size() - 1 - *mesh.findAxis(axis));
    if (axes.empty())
      map.add_axis(-1);
  }

  /// The user of the gradient takes the part of the parameter that the rank updates.
  void setOptimizerShard(StringRef name, const Sharding &cut, abi::ParameterStrategy &message) {
    SmallVector<BlockArgument> gradients =
        findArguments(RoleKind::Gradient, name, /*ofUpdates=*/true);
    if (gradients.empty() || gradients.front().use_empty())
      return;
    OpOperand &use = *gradients.front().use_begin();
    if (!use.getOwner()->hasAttr(dist::inAttrName))
      return;
    Sharding updated = analysis::getOperandSharding(use.getOwner(), use.getOperandNumber());
    int64_t ranks = updated.getNumBlocks(mesh) / cut.getNumBlocks(mesh);
    if (ranks <= 1)
      return;
    message.mutable_optimizer_shard()->set_sharding(updated.str());
    message.mutable_optimizer_shard()->set_ranks(ranks);
  }

  void addInputs() {
    llvm::StringSet<> seen;
    for (auto function : module.getOps<func::FuncOp>())
      for (unsigned index : graph::findArgs(function, RoleKind::Input)) {
        StringRef name = graph::getName(graph::getArgRole(function, index));
        auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[index]);
        if (function.isDeclaration() || !type || name.empty() || !seen.insert(name).second)
          continue;
        abi::InputStrategy &message = *strategy.add_input();
        message.set_name(name.str());
        addAll(message.mutable_shape(), type.getShape());
        BlockArgument argument = function.getArgument(index);
        setTensor(analysis::getSharding(argument), *message.mutable_fed());
      }
  }

  ModuleOp module;
  dist::Mesh mesh;
  bool areParametersSharded;
};

} // namespace

abi::Strategy pcc::makeStrategy(ModuleOp module, const CompileOptions &options,
                                const abi::StrategyFingerprint &fingerprint) {
  const abi::ParallelConfig &config = options.parallel;
  StrategyWriter writer(module, config.enable_parallel_optimizer() &&
                                    config.parallel_optimizer_level() >= 3);
  writer.run();
  *writer.strategy.mutable_fingerprint() = fingerprint;
  return std::move(writer.strategy);
}

LogicalResult pcc::saveStrategy(ModuleOp module, const CompileOptions &options,
                                const abi::StrategyFingerprint &fingerprint) {
  const std::string &path = options.parallel.strategy_ckpt_save_file();
  if (path.empty() && !options.receiveStrategy)
    return success();
  abi::Strategy strategy = makeStrategy(module, options, fingerprint);
  if (abi::Status status = path.empty() ? abi::Status() : abi::writeStrategy(strategy, path);
      !status.ok())
    return module.emitError() << status.message();
  if (options.receiveStrategy)
    options.receiveStrategy(std::move(strategy));
  return success();
}

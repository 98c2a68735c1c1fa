// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shards the tensors that the update of a parameter needs over the ranks that hold equal copies of
// the parameter. Level 1 shards its optimizer states, level 2 also its gradient, level 3 also the
// parameter itself. Source: Rajbhandari et al.: ZeRO, SC 2020, section 5.
//
//   on a mesh dp=4, a parameter of 8x6       level 0          1            2            3
//   states, operands of the update           [_, _]           [dp, _]      [dp, _]      [dp, _]
//   gradient, between the sections           partial over dp  as before    [dp, _]      [dp, _]
//   parameter, between the sections          [_, _]           as before    as before    [dp, _]
//
// Changes only annotations: partition derives the reduce-scatter of the gradient and the all-gather
// of the parameter from them. At level 3 a parameter that ops take in a narrower type is gathered
// in that type. At level 2 the reduce-scatter runs after every action. The axes are appended to the
// first dimension whose local size the number of ranks divides. Axes along which all ranks have the
// same gradient come first, so that ranks take a slice of it before the remaining summands are
// added. Assumes that the pass of a mode has annotated the program; leaves the ops unchanged.
// States are the other values of the parameter's shape that the update reads, so any optimizer is
// supported.
#include "dialects/graph/Roles.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/cost/Cost.h"
#include "passes/analysis/sharding/LocalForm.h"
#include "passes/analysis/sharding/Reasons.h"
#include "passes/analysis/sharding/Shardings.h"
#include "passes/strategy/Passes.h"
#include "passes/strategy/propagate/OpSharding.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::AxisList;
using pcc::dist::Sharding;
using pcc::graph::RoleKind;

namespace pcc::strategy {

#define GEN_PASS_DEF_STRATEGYSHARDOPTIMIZER
#include "passes/strategy/Passes.h.inc"

namespace {

/// A parameter and the ops that update it.
struct Update {
  graph::ParameterOp parameter;
  Sharding held, gradient;            ///< shardings of the parameter and of its gradient
  llvm::SetVector<Operation *> ops;   ///< from the gradient to the new values
  llvm::SetVector<StringAttr> states; ///< by name
};

/// Position of a cut: `axes` are appended to dimension `dim`.
struct Cut {
  AxisList axes;
  int64_t dim = 0;
};

bool hasShapeOf(Value value, graph::ParameterOp parameter) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getShape() == parameter.getTensorType().getShape();
}

/// Follows the gradient to the new values. `held` is the argument that passes the parameter.
Update collectUpdate(func::FuncOp function, BlockArgument gradient, BlockArgument held,
                     graph::ParameterOp parameter) {
  Update update{parameter, analysis::getSharding(held), analysis::getSharding(gradient), {}, {}};
  SmallVector<Value> open = {gradient};
  while (!open.empty())
    for (Operation *user : open.pop_back_val().getUsers())
      if (!user->hasTrait<OpTrait::IsTerminator>() && update.ops.insert(user))
        for (Value result : user->getResults())
          if (hasShapeOf(result, parameter))
            open.push_back(result);
  for (Operation *op : update.ops)
    for (Value operand : op->getOperands()) {
      auto argument = dyn_cast<BlockArgument>(operand);
      auto role =
          argument ? graph::getArgRole(function, argument.getArgNumber()) : graph::RoleAttr();
      if (!role || role.getKind() != RoleKind::Parameter || !hasShapeOf(operand, parameter))
        continue;
      if (role.getName() != parameter.getSymNameAttr())
        update.states.insert(role.getName());
    }
  return update;
}

/// Returns the axes over which ranks hold equal copies of a parameter. Axes over which the gradient
/// is equal as well come first, then axes over which the gradient must be added; each in the order
/// of the mesh.
AxisList findSameHolders(const Update &update, const dist::Mesh &mesh) {
  AxisList axes, added;
  for (const dist::MeshAxis &axis : mesh.getAxes())
    if (axis.size > 1 && !update.held.uses(axis.name))
      (update.gradient.uses(axis.name) ? added : axes).push_back(axis.name);
  axes.append(added);
  return axes;
}

/// Whether every tensor of the parameter's shape has the same factor in dimension `dim`, and this
/// factor may be split.
bool canSplit(Operation *op, graph::ParameterOp parameter, int64_t dim) {
  auto ruled = dyn_cast<FactorRuleOpInterface>(op);
  if (!ruled)
    return false;
  FactorRule rule = ruled.getFactorRule();
  std::optional<DimFactors> common;
  auto agrees = [&](Value value, const TensorFactors &dims) {
    if (!hasShapeOf(value, parameter))
      return true;
    if (!common)
      common = dims[dim];
    return *common == dims[dim];
  };
  for (auto [value, dims] : llvm::zip_equal(op->getOperands(), rule.getOperands()))
    if (!agrees(value, dims))
      return false;
  for (auto [value, dims] : llvm::zip_equal(op->getResults(), rule.getResults()))
    if (!agrees(value, dims))
      return false;
  return common && common->size() == 1 && analysis::isSplittable(op, rule, common->front());
}

/// Annotates one module.
class Sharder {
public:
  Sharder(ModuleOp module, int64_t level, int64_t threshold)
      : module(module), mesh(dist::getMesh(module)), level(level), threshold(threshold),
        why(analysis::Reasons::makeWhole(module.getContext(),
                                         "the optimizer is sharded, level " + Twine(level))) {}

  void run() {
    SymbolTable symbols(module);
    for (func::FuncOp function : module.getOps<func::FuncOp>()) {
      if (function.isDeclaration() || function->hasAttr(dist::localAttrName))
        continue;
      for (unsigned index : graph::findArgs(function, RoleKind::Gradient)) {
        StringRef name = graph::getName(graph::getArgRole(function, index));
        auto parameter = symbols.lookup<graph::ParameterOp>(name);
        auto held = graph::findArg(function, RoleKind::Parameter, name);
        BlockArgument gradient = function.getArgument(index);
        if (parameter && held && hasShapeOf(gradient, parameter) &&
            hasShapeOf(function.getArgument(*held), parameter))
          shard(collectUpdate(function, gradient, function.getArgument(*held), parameter));
      }
    }
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      annotateBoundary(function);
  }

private:
  void shard(const Update &update) {
    std::string reason;
    std::optional<Cut> cut = findCut(update, reason);
    if (!cut)
      return remarkWhole(update, reason);
    StringAttr name = graph::ParameterOp(update.parameter).getSymNameAttr();
    Sharding shard = update.held;
    shard.getDim(cut->dim).append(cut->axes);
    for (Operation *op : update.ops)
      annotate(op, update.parameter, shard);
    for (StringAttr state : update.states)
      setBoundary(RoleKind::Parameter, state, shard);
    if (level >= 2)
      setBoundary(RoleKind::Gradient, name, shard);
    if (level >= 3) {
      setBoundary(RoleKind::Parameter, name, shard);
      castFirst(update.parameter, shard);
    }
    remarkSharded(update, *cut, shard);
  }

  /// Returns the cut of a parameter, or nullopt and the reason if the parameter must stay whole.
  std::optional<Cut> findCut(const Update &update, std::string &reason) const {
    graph::ParameterOp parameter = update.parameter;
    Cut cut{findSameHolders(update, mesh)};
    int64_t ranks = mesh.getSize(ArrayRef<std::string>(cut.axes));
    int64_t bytes = getBytes(parameter, update.held);
    if (parameter.getLayerwiseParallel())
      reason = "each rank has its own";
    else if (!parameter.getParallelOptimizer())
      reason = "it is marked parallel_optimizer = false";
    else if (ranks == 1)
      reason = "no two ranks hold the same of it";
    else if (bytes < threshold)
      reason = "it has less than the threshold of " + std::to_string(threshold) + " bytes";
    if (!reason.empty())
      return std::nullopt;
    ArrayRef<int64_t> shape = parameter.getTensorType().getShape();
    SmallVector<int64_t, 4> local = update.held.getLocalShape(shape, mesh);
    for (AxisList &axes : listSubsets(cut.axes))
      for (int64_t dim = 0; dim < int64_t(local.size()); ++dim)
        if (local[dim] % mesh.getSize(ArrayRef<std::string>(axes)) == 0 &&
            llvm::all_of(update.ops, [&](Operation *op) { return canSplit(op, parameter, dim); }))
          return Cut{axes, dim};
    reason = std::to_string(ranks) + " ranks divide none of its dimensions";
    return std::nullopt;
  }

  /// Lists all subsets of `axes`, each in their order, with the most ranks first. The full set
  /// comes before all others.
  std::vector<AxisList> listSubsets(const AxisList &axes) const {
    std::vector<AxisList> subsets;
    for (unsigned chosen = (1u << axes.size()) - 1; chosen > 0; --chosen) {
      AxisList &subset = subsets.emplace_back();
      for (auto [index, axis] : llvm::enumerate(axes))
        if (chosen >> index & 1)
          subset.push_back(axis);
    }
    llvm::stable_sort(subsets, [&](const AxisList &a, const AxisList &b) {
      return mesh.getSize(ArrayRef<std::string>(a)) > mesh.getSize(ArrayRef<std::string>(b));
    });
    return subsets;
  }

  /// Cuts the operands and results of `op` that have the parameter's shape. Other results follow
  /// from the op's rule: a sum over the parameter's elements becomes partial.
  void annotate(Operation *op, graph::ParameterOp parameter, const Sharding &shard) {
    std::vector<Sharding> operands, results;
    for (OpOperand &operand : op->getOpOperands())
      operands.push_back(hasShapeOf(operand.get(), parameter)
                             ? shard
                             : analysis::getOperandSharding(op, operand.getOperandNumber()));
    FactorAxes factors(op, mesh);
    for (auto [index, sharding] : llvm::enumerate(operands))
      factors.takeOperand(index, sharding);
    factors.settle();
    OpSharding ruled = makeOpSharding(op, factors, operands, /*mayCarry=*/
                                      SmallVector<bool>(operands.size(), false));
    for (auto [result, sharding] : llvm::zip_equal(op->getResults(), ruled.results))
      results.push_back(hasShapeOf(result, parameter) ? shard : sharding);
    analysis::setShardings(op, operands, results);
    why.annotate(op);
  }

  /// Sets the sharding in which all functions pass the value.
  void setBoundary(RoleKind kind, StringAttr name, const Sharding &sharding) {
    boundaries[graph::makeRole(module.getContext(), kind, name)] =
        dist::ShardingAttr::get(module.getContext(), sharding);
  }

  /// Returns `attributes` of a value with the role in them, with the sharding that was set for it.
  Attribute withBoundary(DictionaryAttr attributes) const {
    auto known = boundaries.find(attributes ? attributes.get(graph::roleAttrName) : Attribute());
    if (known == boundaries.end())
      return attributes;
    NamedAttrList list(attributes);
    list.set(dist::shardingAttrName, known->second);
    return list.getDictionary(module->getContext());
  }

  /// Annotates arguments and results as setBoundary asked. A function holds the attributes of all
  /// arguments in one array, so they are replaced together.
  void annotateBoundary(func::FuncOp function) {
    SmallVector<DictionaryAttr> arguments, results;
    function.getAllArgAttrs(arguments);
    function.getAllResultAttrs(results);
    SmallVector<Attribute> ofArguments, ofResults;
    for (auto [index, attributes] : llvm::enumerate(arguments)) {
      ofArguments.push_back(withBoundary(attributes));
      if (ofArguments.back() != attributes && !function.isDeclaration())
        why.annotate(function.getArgument(index));
    }
    for (DictionaryAttr attributes : results)
      ofResults.push_back(withBoundary(attributes));
    function.setAllArgAttrs(ofArguments);
    function.setAllResultAttrs(ofResults);
  }

  /// Casts a parameter to a narrower type before it is gathered: fewer bytes travel.
  void castFirst(graph::ParameterOp parameter, const Sharding &shard) {
    for (func::FuncOp function : module.getOps<func::FuncOp>()) {
      auto held = graph::findArg(function, RoleKind::Parameter, parameter.getSymName());
      if (!held || function.isDeclaration())
        continue;
      for (Operation *user : function.getArgument(*held).getUsers())
        if (auto cast = dyn_cast<graph::CastOp>(user);
            cast && cast.getType().getElementTypeBitWidth() <
                        parameter.getTensorType().getElementTypeBitWidth())
          annotate(cast, parameter, shard);
    }
  }

  /// Returns the bytes of one rank's part.
  int64_t getBytes(graph::ParameterOp parameter, const Sharding &sharding) const {
    return analysis::getNumBytes(analysis::getLocalType(parameter.getTensorType(), sharding, mesh));
  }

  void remarkSharded(const Update &update, const Cut &cut, const Sharding &shard) {
    graph::ParameterOp parameter = update.parameter;
    SymbolTable symbols(module);
    int64_t before = 0, after = 0;
    for (StringAttr name : update.states)
      if (auto state = symbols.lookup<graph::ParameterOp>(name)) {
        before += getBytes(state, update.held);
        after += getBytes(state, shard);
      }
    remark::passed(parameter.getLoc(),
                   remark::RemarkOpts::name("shard-optimizer").category("strategy"))
        << remark::metric("parameter", parameter.getSymName()) << remark::metric("level", level)
        << remark::metric("dimension", cut.dim)
        << remark::metric("ranks", mesh.getSize(ArrayRef<std::string>(cut.axes)))
        << remark::metric("sharding", shard.str())
        << remark::metric("bytes_whole", getBytes(parameter, update.held))
        << remark::metric("bytes_sharded", getBytes(parameter, shard))
        << remark::metric("state_bytes_whole", before)
        << remark::metric("state_bytes_sharded", after);
  }

  void remarkWhole(const Update &update, const std::string &reason) {
    graph::ParameterOp parameter = update.parameter;
    remark::missed(parameter.getLoc(),
                   remark::RemarkOpts::name("shard-optimizer").category("strategy"))
        << remark::metric("parameter", parameter.getSymName())
        << remark::metric("bytes", getBytes(parameter, update.held))
        << remark::reason("{0}", reason);
  }

  ModuleOp module;
  dist::Mesh mesh;
  int64_t level, threshold;
  analysis::Reasons why;
  llvm::DenseMap<Attribute, Attribute> boundaries; ///< shardings by role
};

struct ShardOptimizer : impl::StrategyShardOptimizerBase<ShardOptimizer> {
  using StrategyShardOptimizerBase::StrategyShardOptimizerBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (level < 1 || level > 3) {
      module.emitError() << "expected 'level' in 1 to 3, got " << level.getValue();
      return signalPassFailure();
    }
    if (threshold < 0) {
      module.emitError() << "expected 'threshold' not to be negative, got " << threshold.getValue();
      return signalPassFailure();
    }
    if (module->hasAttr(dist::meshAttrName))
      Sharder(module, level, threshold).run();
  }
};

} // namespace
} // namespace pcc::strategy

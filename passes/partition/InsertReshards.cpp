// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// InsertReshards: puts a reshard between each value and the uses that need another sharding.
// Assumes that the strategy has annotated functions and ops; a use without an annotation needs the
// whole value. Leaves every use with the sharding that it requires, and functions of one rank's
// types as they are. The location of each reshard says who asked for it (ReshardRequests.h).
#include "dialects/graph/Constants.h"
#include "dialects/graph/Roles.h"
#include "dialects/interfaces/FactorRuleInterface.h"
#include "passes/analysis/sharding/LocalForm.h"
#include "passes/analysis/sharding/Shardings.h"
#include "passes/partition/Passes.h"
#include "passes/partition/ReshardRequests.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::Sharding;
using pcc::dist::ShardingAttr;

namespace pcc::partition {

#define GEN_PASS_DEF_INSERTRESHARDS
#include "passes/partition/Passes.h.inc"

namespace {

/// Rewrites the uses in one function.
class Inserter {
public:
  explicit Inserter(func::FuncOp function)
      : function(function), firstOp(&function.getBody().front().front()),
        builder(function.getContext()) {}

  void run() {
    Operation *terminator = function.getBody().front().getTerminator();
    multiplyGradients(terminator);
    keepOwn();
    for (Operation &op : llvm::make_early_inc_range(function.getBody().front()))
      if (isa<FactorRuleOpInterface>(op))
        for (OpOperand &operand : op.getOpOperands())
          rewrite(operand, analysis::getOperandSharding(&op, operand.getOperandNumber()));
    for (OpOperand &operand : terminator->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType()))
        rewrite(operand, analysis::getResultSharding(function, operand.getOperandNumber()));
    for (Operation *leaf : replaced)
      if (leaf->use_empty())
        leaf->erase();
    for (auto &[reshard, request] : requests)
      reshard->setLoc(analysis::withRequest(reshard->getLoc(), request));
  }

private:
  /// Multiplies gradients by their factor. The multiplication directly follows the value, partial
  /// or not, so that the reduction of the gradient can begin there.
  void multiplyGradients(Operation *terminator) {
    for (OpOperand &operand : terminator->getOpOperands()) {
      unsigned index = operand.getOperandNumber();
      auto factor = function.getResultAttrOfType<FloatAttr>(index, dist::gradientFactorAttrName);
      if (!factor)
        continue;
      function.removeResultAttr(index, builder.getStringAttr(dist::gradientFactorAttrName));
      Value gradient = operand.get();
      Sharding sharding = analysis::getSharding(gradient), whole = sharding.withoutPartial();
      auto type = cast<RankedTensorType>(gradient.getType());
      builder.setInsertionPointAfterValue(gradient);
      auto constant =
          graph::ConstantOp::create(builder, gradient.getLoc(), type, factor.getValueAsDouble());
      auto product =
          graph::MulOp::create(builder, gradient.getLoc(), type, gradient, constant.getResult());
      analysis::setShardings(constant, {}, {whole});
      analysis::setShardings(product, {sharding, whole}, {sharding});
      analysis::Reasons::ofValue(gradient).annotate(product);
      operand.set(product.getResult());
    }
  }

  /// Passes a rank's own value on as the whole, without a collective.
  void keepOwn() {
    for (BlockArgument argument : function.getArguments()) {
      Sharding held = analysis::getSharding(argument);
      if (!held.isPartial() || !function.getArgAttr(argument.getArgNumber(), dist::ownAttrName))
        continue;
      auto type = cast<RankedTensorType>(argument.getType());
      auto block = type.clone(held.getLocalShape(type.getShape(), dist::getMesh(function)));
      auto toAttr = [&](const Sharding &sharding) {
        return ShardingAttr::get(function.getContext(), sharding);
      };
      builder.setInsertionPoint(firstOp);
      auto own = dist::ToLocalOp::create(builder, argument.getLoc(), block, argument, toAttr(held));
      auto whole = dist::ToGlobalOp::create(builder, argument.getLoc(), type, own,
                                            toAttr(held.withoutPartial()));
      argument.replaceAllUsesExcept(whole, own);
    }
  }

  void rewrite(OpOperand &operand, const Sharding &wanted) {
    if (analysis::getSharding(operand.get()) != wanted)
      operand.set(reshard(operand, wanted));
  }

  /// Returns the value of `use` resharded to `wanted`, made once for all uses, directly after it. A
  /// partial value is reduced once. Sums of one value in two orders may differ in their last bits,
  /// and then no element equals the maximum that was taken of the same tensor.
  Value reshard(OpOperand &use, const Sharding &wanted) {
    Value value = use.get();
    auto to = ShardingAttr::get(function.getContext(), wanted);
    Value &result = made[{value, to}];
    if (result) {
      if (auto *request = requests.find(result.getDefiningOp()); request != requests.end())
        ++request->second.readers;
      return result;
    }
    Sharding held = analysis::getSharding(value);
    if (!held.isPartial() || wanted.isPartial())
      return result = makeReshard(use, value, held, wanted);
    auto [known, isFirst] = reduced.try_emplace(value);
    auto &[whole, cut] = known->second;
    result = isFirst ? makeReshard(use, value, held, wanted) : makeReshard(use, whole, cut, wanted);
    if (isFirst)
      known->second = {result, wanted};
    return result;
  }

  /// Reshards `value`, of which `use` reads the result, from `held` to `wanted`.
  Value makeReshard(OpOperand &use, Value value, const Sharding &held, const Sharding &wanted) {
    if (value.getDefiningOp())
      builder.setInsertionPointAfterValue(value);
    else
      builder.setInsertionPoint(firstOp);
    if (Operation *leaf = getLeaf(value)) {
      replaced.insert(leaf);
      return makeLeaf(use, leaf, wanted);
    }
    return insertReshard(use, value, held, wanted);
  }

  /// Makes the value of a leaf again, in the sharding `wanted`. Zeros are a sum of zeros. Any other
  /// value is kept on one rank of those that a sum is over.
  Value makeLeaf(OpOperand &use, Operation *leaf, const Sharding &wanted) {
    Operation *copy = builder.clone(*leaf);
    Value value = copy->getResult(0);
    bool isZeroSum = wanted.getPartialKind() == ReduceKind::Sum && graph::getSplat(value) == 0.0;
    Sharding made = isZeroSum ? wanted : wanted.withoutPartial();
    analysis::setShardings(copy, {}, {made});
    return made == wanted ? value : insertReshard(use, value, made, wanted);
  }

  Value insertReshard(OpOperand &use, Value value, const Sharding &held, const Sharding &wanted) {
    auto reshard = dist::ReshardOp::create(builder, getLoc(value), value.getType(), value,
                                           ShardingAttr::get(function.getContext(), held),
                                           ShardingAttr::get(function.getContext(), wanted));
    requests[reshard] = makeRequest(use, held, wanted);
    return reshard;
  }

  /// Returns the location of `value`; an argument has the name of its role.
  Location getLoc(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    graph::RoleAttr role =
        argument ? graph::getArgRole(function, argument.getArgNumber()) : graph::RoleAttr();
    if (graph::getName(role).empty())
      return value.getLoc();
    std::string name = graph::getName(role).str();
    if (role.getKind() == graph::RoleKind::Gradient)
      name += ".gradient";
    return NameLoc::get(builder.getStringAttr(name), value.getLoc());
  }

  /// Returns the op that makes `value` without operands and can make any block of it; null if there
  /// is none.
  static Operation *getLeaf(Value value) {
    Operation *op = value.getDefiningOp();
    bool isLeaf = op && op->getNumOperands() == 0 && isa<analysis::LocalFormOpInterface>(op);
    return isLeaf ? op : nullptr;
  }

  func::FuncOp function;
  Operation *firstOp; ///< after the reshards of arguments, in the order of their uses
  OpBuilder builder;
  llvm::DenseMap<std::pair<Value, Attribute>, Value> made;
  llvm::DenseMap<Value, std::pair<Value, Sharding>> reduced; ///< partial values, no longer partial
  llvm::SmallSetVector<Operation *, 4> replaced;             ///< leaves that may have no use left
  llvm::MapVector<Operation *, analysis::Request> requests;  ///< of the reshards
};

struct InsertReshards : impl::InsertReshardsBase<InsertReshards> {
  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration() && !function->hasAttr(dist::localAttrName))
        Inserter(function).run();
  }
};

} // namespace
} // namespace pcc::partition

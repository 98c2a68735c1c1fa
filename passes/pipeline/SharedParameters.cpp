// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites every function for each pair of copies: arguments are merged, gradients get one role,
// and the addition in the update is removed. Types and shardings must be equal.
#include "passes/pipeline/SharedParameters.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Roles.h"
#include "dialects/pipe/Pipe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::pipeline {
namespace {

/// Merges `copy` into `holder` in one function.
class Sharer {
public:
  Sharer(func::FuncOp function, ParameterOp holder, ParameterOp copy)
      : function(function), holder(holder), copy(copy) {}

  LogicalResult run() {
    if (failed(shareArgument()) || failed(shareGradientResult()) || failed(dropGradientArgument()))
      return failure();
    dropNewValue();
    return success();
  }

private:
  LogicalResult shareArgument();
  LogicalResult shareGradientResult();
  LogicalResult dropGradientArgument();
  void dropNewValue();
  LogicalResult checkSame(StringRef what, Type one, Attribute oneSharding, Type other,
                          Attribute otherSharding);
  RoleAttr roleOfHolder(RoleKind kind) {
    return makeRole(function.getContext(), kind, holder.getSymName());
  }

  func::FuncOp function;
  ParameterOp holder, copy;
};

} // namespace

static std::string describe(Type type, Attribute sharding) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << type;
  if (auto known = dyn_cast_or_null<dist::ShardingAttr>(sharding))
    os << " " << known.getSharding().str();
  return text;
}

LogicalResult Sharer::checkSame(StringRef what, Type one, Attribute oneSharding, Type other,
                                Attribute otherSharding) {
  if (one == other && oneSharding == otherSharding)
    return success();
  return copy.emitError() << "\"" << holder.getSymName() << "\" and \"" << copy.getSymName()
                          << "\" are one parameter of one stage: expected the " << what << " in \""
                          << function.getSymName() << "\" to be split alike, got "
                          << describe(one, oneSharding) << " and "
                          << describe(other, otherSharding);
}

LogicalResult Sharer::shareArgument() {
  std::optional<unsigned> mine = findArg(function, RoleKind::Parameter, copy.getSymName());
  std::optional<unsigned> kept = findArg(function, RoleKind::Parameter, holder.getSymName());
  if (!mine)
    return success();
  if (!kept) {
    setArgRole(function, *mine, roleOfHolder(RoleKind::Parameter));
    return success();
  }
  BlockArgument argument = function.getArgument(*mine), other = function.getArgument(*kept);
  if (failed(checkSame("values", other.getType(),
                       function.getArgAttr(*kept, dist::shardingAttrName), argument.getType(),
                       function.getArgAttr(*mine, dist::shardingAttrName))))
    return failure();
  argument.replaceAllUsesWith(other);
  return function.eraseArgument(*mine);
}

/// Results of one role are added up in one place.
LogicalResult Sharer::shareGradientResult() {
  std::optional<unsigned> mine = findResult(function, RoleKind::Gradient, copy.getSymName());
  std::optional<unsigned> kept = findResult(function, RoleKind::Gradient, holder.getSymName());
  if (!mine)
    return success();
  if (kept && failed(checkSame("gradients", function.getResultTypes()[*kept],
                               function.getResultAttr(*kept, dist::shardingAttrName),
                               function.getResultTypes()[*mine],
                               function.getResultAttr(*mine, dist::shardingAttrName))))
    return failure();
  setResultRole(function, *mine, roleOfHolder(RoleKind::Gradient));
  return success();
}

/// Drops the gradient of the copy: the gradient of the holder already includes it.
LogicalResult Sharer::dropGradientArgument() {
  std::optional<unsigned> index = findArg(function, RoleKind::Gradient, copy.getSymName());
  if (!index)
    return success();
  SmallVector<Operation *> chain;
  for (Value value = function.getArgument(*index); value.hasOneUse();) {
    OpOperand &use = *value.use_begin();
    Operation *user = use.getOwner();
    if (user->getNumResults() != 1)
      break;
    chain.push_back(user);
    value = user->getResult(0);
    if (!isa<AddOp>(user))
      continue;
    value.replaceAllUsesWith(user->getOperand(1 - use.getOperandNumber()));
    for (Operation *op : llvm::reverse(chain))
      op->erase();
    return function.eraseArgument(*index);
  }
  return copy.emitError() << "expected \"" << function.getSymName()
                          << "\" to add the gradient of \"" << copy.getSymName()
                          << "\" to that of \"" << holder.getSymName()
                          << "\", which lies in the same stage";
}

/// Drops the copy's new value: the holder gets its own.
void Sharer::dropNewValue() {
  std::optional<unsigned> index = findResult(function, RoleKind::Parameter, copy.getSymName());
  if (!index)
    return;
  Operation *end = function.getBody().front().getTerminator();
  Operation *source = end->getOperand(*index).getDefiningOp();
  end->eraseOperand(*index);
  LogicalResult erased = function.eraseResult(*index);
  assert(succeeded(erased) && "a result that is there can go");
  (void)erased;
  while (source && isOpTriviallyDead(source)) {
    Operation *dead = source;
    source = dead->getNumOperands() == 1 ? dead->getOperand(0).getDefiningOp() : nullptr;
    dead->erase();
  }
}

SmallVector<SharedCopy> findSharedCopies(ModuleOp module, StageOfParameter stageOf) {
  llvm::DenseMap<std::pair<Attribute, int64_t>, ParameterOp> holders;
  SmallVector<SharedCopy> copies;
  for (ParameterOp parameter : module.getOps<ParameterOp>()) {
    auto owner = parameter->getAttrOfType<StringAttr>(pipe::copyOfAttrName);
    auto [known, isFirst] = holders.try_emplace(
        {owner ? owner : parameter.getSymNameAttr(), stageOf(parameter)}, parameter);
    if (!isFirst)
      copies.push_back({known->second, parameter});
  }
  return copies;
}

LogicalResult shareCopies(ModuleOp module, StageOfParameter stageOf) {
  for (auto [holder, copy] : findSharedCopies(module, stageOf)) {
    for (auto function : module.getOps<func::FuncOp>())
      if (failed(Sharer(function, holder, copy).run()))
        return failure();
    copy.erase();
  }
  return success();
}

} // namespace pcc::pipeline

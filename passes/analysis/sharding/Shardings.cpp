// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and sets `dist.in`, `dist.out` and `dist.sharding`. `dist.reshard` and `dist.to_global`
// hold their result's sharding in attributes of their own.
#include "passes/analysis/sharding/Shardings.h"

using namespace mlir;
using pcc::dist::Sharding;
using pcc::dist::ShardingAttr;

namespace pcc::analysis {

static Sharding orReplicated(ShardingAttr attr, Type type) {
  if (attr)
    return attr.getSharding();
  auto tensor = dyn_cast<RankedTensorType>(type);
  return Sharding::replicated(tensor ? tensor.getRank() : 0);
}

static ShardingAttr lookUp(Operation *op, StringRef name, unsigned index) {
  auto list = op->getAttrOfType<ArrayAttr>(name);
  return list ? cast<ShardingAttr>(list[index]) : ShardingAttr();
}

Sharding getSharding(Value value) {
  if (auto result = dyn_cast<OpResult>(value)) {
    if (auto reshard = dyn_cast<dist::ReshardOp>(result.getOwner()))
      return reshard.getTo().getSharding();
    if (auto global = dyn_cast<dist::ToGlobalOp>(result.getOwner()))
      return global.getSharding().getSharding();
    return orReplicated(lookUp(result.getOwner(), dist::outAttrName, result.getResultNumber()),
                        value.getType());
  }
  auto argument = cast<BlockArgument>(value);
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  ShardingAttr attr;
  if (function)
    attr = function.getArgAttrOfType<ShardingAttr>(argument.getArgNumber(), dist::shardingAttrName);
  return orReplicated(attr, value.getType());
}

Sharding getOperandSharding(Operation *op, unsigned operand) {
  return orReplicated(lookUp(op, dist::inAttrName, operand), op->getOperand(operand).getType());
}

Sharding getResultSharding(func::FuncOp function, unsigned result) {
  return orReplicated(function.getResultAttrOfType<ShardingAttr>(result, dist::shardingAttrName),
                      function.getResultTypes()[result]);
}

Type getLocalType(Type type, const Sharding &sharding, const dist::Mesh &mesh) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.clone(sharding.getLocalShape(tensor.getShape(), mesh)) : type;
}

void setShardings(Operation *op, ArrayRef<Sharding> operands, ArrayRef<Sharding> results) {
  auto toAttr = [&](ArrayRef<Sharding> shardings) {
    SmallVector<Attribute> attrs;
    for (const Sharding &sharding : shardings)
      attrs.push_back(ShardingAttr::get(op->getContext(), sharding));
    return ArrayAttr::get(op->getContext(), attrs);
  };
  op->setAttr(dist::inAttrName, toAttr(operands));
  op->setAttr(dist::outAttrName, toAttr(results));
}

} // namespace pcc::analysis

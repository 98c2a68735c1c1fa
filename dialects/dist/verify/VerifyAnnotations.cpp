// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies the dialect's discardable attributes.
#include "dialects/dist/Checks.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;

/// Verifies one sharding per value, each legal for its type. A user's strategy as text is read
/// later.
static LogicalResult verifyShardings(Operation *op, NamedAttribute attribute, TypeRange types) {
  if (isa<StringAttr>(attribute.getValue()))
    return success();
  auto list = dyn_cast<ArrayAttr>(attribute.getValue());
  if (!list || list.size() != types.size() || !llvm::all_of(list, llvm::IsaPred<ShardingAttr>))
    return op->emitOpError() << "expected \"" << attribute.getName().getValue()
                             << "\" to be a list of " << types.size() << " shardings, got "
                             << attribute.getValue();
  Mesh mesh = getMesh(op);
  for (auto [index, value, type] : llvm::enumerate(list.getAsRange<ShardingAttr>(), types)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      continue;
    auto emitError = [&, index = index] {
      return std::move(op->emitOpError()
                       << "\"" << attribute.getName().getValue() << "\" " << index << ": ");
    };
    if (failed(checkSharding(emitError, value.getSharding(), tensor, mesh)))
      return failure();
  }
  return success();
}

/// Dialect dist cannot include graph, so `graph.parameter` is recognized as a symbol without
/// regions, unlike functions, steps and programs.
static bool isParameter(Operation *op) {
  return isa<SymbolOpInterface>(op) && op->getNumRegions() == 0;
}

/// Verifies `dist.fusion`: collectives of one number are fused. It is legal only on parameters and
/// on collectives that may be fused; on other ops it would be lost silently.
static LogicalResult verifyFusion(Operation *op, Attribute value) {
  auto number = dyn_cast<IntegerAttr>(value);
  if (!number || !number.getType().isInteger(64) || number.getInt() < 0)
    return op->emitOpError() << "expected \"dist.fusion\" to be a non-negative i64, got " << value;
  if (isParameter(op) || isa<AllReduceOp, AllGatherOp, ReduceScatterOp>(op))
    return success();
  return op->emitOpError() << "expected \"dist.fusion\" on a parameter, an all_reduce, an "
                              "all_gather or a reduce_scatter";
}

/// Verifies the sharding of a parameter or of a value at a function's boundary: it must be legal
/// for the global type, of which a local function has only one block.
static LogicalResult verifyBoundary(Operation *op, Type type, NamedAttribute attribute,
                                    const Twine &where) {
  if (isa<StringAttr>(attribute.getValue()))
    return success();
  auto sharding = dyn_cast<ShardingAttr>(attribute.getValue());
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!sharding || !tensor)
    return op->emitOpError() << "expected \"dist.sharding\" of " << where
                             << " to be the sharding of a tensor, got " << attribute.getValue()
                             << " on " << type;
  Mesh mesh = getMesh(op);
  Sharding value = sharding.getSharding();
  if (op->hasAttr(localAttrName) && tensor.hasStaticShape() &&
      value.getRank() == tensor.getRank() && value.verifyAxes(mesh).empty())
    tensor = tensor.clone(value.getGlobalShape(tensor.getShape(), mesh));
  auto emitError = [&] { return std::move(op->emitOpError() << where << ": "); };
  return checkSharding(emitError, value, tensor, mesh);
}

LogicalResult DistDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == meshAttrName && !isa<MeshAttr>(attribute.getValue()))
    return op->emitOpError() << "expected \"dist.mesh\" to be a mesh, got " << attribute.getValue();
  if (name == localAttrName && !isa<UnitAttr>(attribute.getValue()))
    return op->emitOpError() << "expected \"dist.local\" to have no value, got "
                             << attribute.getValue();
  if (name == constraintsAttrName) {
    auto constraints = dyn_cast<ArrayAttr>(attribute.getValue());
    if (!constraints || !llvm::all_of(constraints, llvm::IsaPred<DictionaryAttr>))
      return op->emitOpError() << "expected \"dist.constraints\" to be a list of dictionaries, got "
                               << attribute.getValue();
  }
  if (name == "dist.file_nodes")
    return verifyFileNodes(op, attribute.getValue());
  if (name == fusionAttrName)
    return verifyFusion(op, attribute.getValue());
  if (name == shardingAttrName && isParameter(op))
    if (auto type = op->getAttrOfType<TypeAttr>("type"))
      return verifyBoundary(op, type.getValue(), attribute, "the parameter");
  if (name == inAttrName)
    return verifyShardings(op, attribute, op->getOperandTypes());
  if (name == outAttrName)
    return verifyShardings(op, attribute, op->getResultTypes());
  return success();
}

LogicalResult DistDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned index,
                                                    NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  if (attribute.getName() == ownAttrName && !isa<UnitAttr>(attribute.getValue()))
    return op->emitOpError() << "expected \"dist.own\" of argument " << index
                             << " to have no value, got " << attribute.getValue();
  if (attribute.getName() != shardingAttrName)
    return success();
  return verifyBoundary(op, function.getArgumentTypes()[index], attribute,
                        "argument " + Twine(index));
}

LogicalResult DistDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned index,
                                                       NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  if (attribute.getName() == gradientFactorAttrName) {
    auto factor = dyn_cast<FloatAttr>(attribute.getValue());
    if (!factor || !factor.getType().isF64())
      return op->emitOpError() << "expected \"dist.gradient_factor\" of result " << index
                               << " to be an f64, got " << attribute.getValue();
  }
  if (attribute.getName() != shardingAttrName)
    return success();
  return verifyBoundary(op, function.getResultTypes()[index], attribute, "result " + Twine(index));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the attributes of arguments and results. A copy of a parameter in another virtual stage
// takes the external name of the original. Keys that would repeat get their position as a suffix.
#include "compiler/interpret/function/Signature.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Roles.h"
#include "dialects/pipe/Pipe.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

/// Reads into `binding` the attributes of its parameter, or of the parameter of its gradient.
void readParameter(func::FuncOp function, Binding &binding) {
  auto module = function->getParentOfType<ModuleOp>();
  auto parameter = module.lookupSymbol<graph::ParameterOp>(binding.name);
  if (!parameter)
    return;
  binding.isPerRank =
      binding.role == graph::RoleKind::Parameter && parameter.getLayerwiseParallel();
  if (auto owner = parameter->getAttrOfType<StringAttr>(pipe::copyOfAttrName)) {
    binding.name = owner.str();
    binding.globalKey = bindingKey(*binding.role, binding.name);
  }
}

/// Makes a binding from the attributes of one argument or result. Without a role, `position`
/// becomes its key.
Binding makeBinding(func::FuncOp function, DictionaryAttr attributes, Type type,
                    const std::string &position) {
  Binding binding;
  binding.key = binding.globalKey = position;
  binding.type = cast<RankedTensorType>(type);
  binding.globalShape.assign(binding.type.getShape().begin(), binding.type.getShape().end());
  binding.sharding = dist::Sharding::replicated(binding.type.getRank());
  if (!attributes)
    return binding;
  if (auto role = attributes.getAs<graph::RoleAttr>(graph::roleAttrName)) {
    binding.role = role.getKind();
    binding.name = role.getName() ? role.getName().str() : "";
    binding.key = binding.globalKey = bindingKey(role.getKind(), binding.name);
    if (role.getKind() == graph::RoleKind::Parameter || role.getKind() == graph::RoleKind::Gradient)
      readParameter(function, binding);
  }
  if (auto sharding = attributes.getAs<dist::ShardingAttr>(dist::shardingAttrName)) {
    binding.sharding = sharding.getSharding();
    if (function->hasAttr(dist::localAttrName))
      binding.globalShape =
          binding.sharding.getGlobalShape(binding.type.getShape(), dist::getMesh(function));
  }
  if (auto copy = attributes.getAs<IntegerAttr>(pipe::copyAttrName)) {
    binding.copy = copy.getInt();
    binding.key += ", copy " + std::to_string(binding.copy);
  }
  if (auto factor = attributes.getAs<FloatAttr>(dist::gradientFactorAttrName))
    binding.gradientFactor = factor.getValueAsDouble();
  if (auto accumulate = attributes.getAs<pipe::AccumulateAttr>(pipe::accumulateAttrName))
    binding.accumulateScale = accumulate.getScale();
  if (auto scale = attributes.getAs<FloatAttr>(pipe::unscaledAttrName))
    binding.ownScale = scale.getValueAsDouble();
  return binding;
}

/// Makes bindings of one role and name unique by their positions. Accumulated results are exempt,
/// because several results may be added to one sum.
void makeUnique(llvm::MutableArrayRef<Binding> bindings) {
  llvm::StringSet<> seen;
  for (auto [index, binding] : llvm::enumerate(bindings))
    if (!seen.insert(binding.key).second && !binding.accumulateScale)
      binding.key = binding.globalKey = binding.key + " #" + std::to_string(index);
}

} // namespace

Signature Signature::of(func::FuncOp function) {
  Signature signature;
  signature.isLocal = function->hasAttr(dist::localAttrName);
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    signature.arguments.push_back(makeBinding(function, function.getArgAttrDict(index), type,
                                              "argument " + std::to_string(index)));
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    signature.results.push_back(makeBinding(function, function.getResultAttrDict(index), type,
                                            "result " + std::to_string(index)));
  makeUnique(signature.arguments);
  makeUnique(signature.results);
  return signature;
}

std::string bindingKey(graph::RoleKind kind, llvm::StringRef name) {
  std::string key = graph::stringifyRoleKind(kind).str();
  return name.empty() ? key : key + " " + name.str();
}

} // namespace pcc::interpret

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/gradients/Case.h"

#include "dialects/dist/Dist.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace pcc::gradients {

static bool isFloatTensor(Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); }

static graph::RoleAttr role(graph::RoleKind kind, const Twine &name, MLIRContext *context) {
  return graph::RoleAttr::get(context, kind, StringAttr::get(context, name));
}

static void declareParameter(OpBuilder &builder, Location loc, StringRef name, Type type) {
  auto zeros = graph::InitAttr::get(builder.getContext(), graph::InitKind::Zeros,
                                    builder.getDenseF64ArrayAttr({}));
  graph::ParameterOp::create(builder, loc, name, cast<RankedTensorType>(type), zeros,
                             ElementsAttr(), /*trainable=*/true, /*layerwise_parallel=*/false,
                             /*parallel_optimizer=*/true);
}

/// Returns the sum of the elements of `value` times those of a new input "weight<index>".
static Value weightedSum(ImplicitLocOpBuilder &builder, func::FuncOp function, Value value,
                         unsigned index) {
  unsigned position = function.getNumArguments();
  auto attributes = builder.getDictionaryAttr(builder.getNamedAttr(
      "graph.role", role(graph::RoleKind::Input, "weight" + Twine(index), builder.getContext())));
  (void)function.insertArgument(position, value.getType(), attributes, builder.getLoc());
  Value product = graph::MulOp::create(builder, value, function.getArgument(position));
  auto all =
      llvm::to_vector(llvm::seq<int64_t>(0, cast<RankedTensorType>(value.getType()).getRank()));
  return graph::ReduceOp::create(builder, graph::ReduceOpKind::Sum, product, all);
}

/// Makes the function return the sum of the weighted sums of its results, in f32.
static void returnWeightedSum(func::FuncOp function) {
  Operation *end = function.getBody().front().getTerminator();
  ImplicitLocOpBuilder builder(end->getLoc(), end);
  auto scalar = RankedTensorType::get({}, builder.getF32Type());
  Value loss;
  for (auto [index, value] : llvm::enumerate(end->getOperands())) {
    Value term = weightedSum(builder, function, value, index);
    if (term.getType() != scalar)
      term = graph::CastOp::create(builder, scalar, term);
    loss = loss ? Value(graph::AddOp::create(builder, loss, term)) : term;
  }
  end->setOperands(loss);
  function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(), loss.getType()));
  auto attributes = builder.getDictionaryAttr(builder.getNamedAttr(
      "graph.role", graph::RoleAttr::get(builder.getContext(), graph::RoleKind::Loss, {})));
  function.setResAttrsAttr(builder.getArrayAttr(attributes));
}

OwningOpRef<ModuleOp> makeModel(func::FuncOp function, int only) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  OpBuilder builder(module->getBodyRegion());
  auto forward = cast<func::FuncOp>(function->clone());
  forward.setName("forward");
  if (Attribute mesh = function->getParentOp()->getAttr(dist::meshAttrName)) {
    (*module)->setAttr(dist::meshAttrName, mesh);
    forward->setAttr(dist::localAttrName, builder.getUnitAttr());
  }
  for (int index = 0; index < int(forward.getNumArguments()); ++index) {
    Type type = forward.getArgument(index).getType();
    std::string name = std::to_string(index);
    bool trained = isFloatTensor(type) && (only < 0 || only == index);
    forward.setArgAttr(index, "graph.role",
                       role(trained ? graph::RoleKind::Parameter : graph::RoleKind::Input, name,
                            builder.getContext()));
    if (trained)
      declareParameter(builder, function.getLoc(), name, type);
  }
  builder.insert(forward);
  returnWeightedSum(forward);
  return module;
}

} // namespace pcc::gradients

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes the declarations first, then the functions: an argument with the role of a parameter gets
// the new type and a cast behind it, such a result a cast in front of it. Values that are not
// loaded in this process stay so.
#include "compiler/passes/WidenParameters.h"

#include "compiler/values/TensorAttr.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Roles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace pcc;

static bool isHalf(Type type) { return isa<Float16Type, BFloat16Type>(type); }

/// Returns `value` in f32; null if it has no elements in this process.
static ElementsAttr widen(ElementsAttr value, RankedTensorType type, StringRef name) {
  std::optional<values::Tensor> halves =
      value ? values::tensorOf(value) : std::optional<values::Tensor>();
  if (!halves)
    return {};
  values::Tensor wide(values::ElementType::F32, halves->getShape());
  llvm::copy(halves->elements(), wide.mutableElements().begin());
  return values::attrOf(type, wide, name);
}

static Type toSingle(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.clone(Float32Type::get(type.getContext()));
}

/// Casts `value` to `type` at the insertion point, under the name of the parameter.
static Value makeCast(OpBuilder &builder, Value value, Type type, StringRef name) {
  Location loc = NameLoc::get(builder.getStringAttr(name + ".cast"), value.getLoc());
  return graph::CastOp::create(builder, loc, type, value);
}

/// Gives arguments and results with the role of a parameter in `widened` the type f32.
static void widenBoundary(func::FuncOp function, const llvm::StringSet<> &widened) {
  auto isWidened = [&](graph::RoleAttr role) {
    return role && role.getKind() == graph::RoleKind::Parameter &&
           widened.contains(graph::getName(role));
  };
  Block &block = function.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  for (BlockArgument argument : block.getArguments()) {
    graph::RoleAttr role = graph::getArgRole(function, argument.getArgNumber());
    if (!isWidened(role))
      continue;
    Type half = argument.getType();
    argument.setType(toSingle(half));
    Value narrow = makeCast(builder, argument, half, graph::getName(role));
    argument.replaceAllUsesExcept(narrow, narrow.getDefiningOp());
  }
  Operation *end = block.getTerminator();
  builder.setInsertionPoint(end);
  for (OpOperand &result : end->getOpOperands()) {
    graph::RoleAttr role = graph::getResultRole(function, result.getOperandNumber());
    if (isWidened(role))
      result.set(
          makeCast(builder, result.get(), toSingle(result.get().getType()), graph::getName(role)));
  }
  function.setType(
      FunctionType::get(function.getContext(), block.getArgumentTypes(), end->getOperandTypes()));
}

namespace {
struct WidenParameters : PassWrapper<WidenParameters, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WidenParameters)

  explicit WidenParameters(StringRef half) { type = half.str(); }
  WidenParameters(const WidenParameters &other) : PassWrapper(other) {}

  StringRef getName() const override { return "WidenParameters"; }
  StringRef getArgument() const override { return "widen-parameters"; }
  StringRef getDescription() const override {
    return "give a model of bf16 or f16 parameters of f32";
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::StringSet<> widened;
    for (auto parameter : module.getOps<graph::ParameterOp>()) {
      RankedTensorType held = parameter.getTensorType();
      if (!isHalf(held.getElementType()))
        continue;
      std::string name;
      llvm::raw_string_ostream(name) << held.getElementType();
      if (name != type) {
        parameter.emitError() << "parameter '" << parameter.getSymName() << "' is of " << name
                              << ": expected precision '" << name
                              << "', the type of the model's parameters, got '" << type << "'";
        return signalPassFailure();
      }
      auto wide = cast<RankedTensorType>(toSingle(held));
      parameter.setValueAttr(widen(parameter.getValueAttr(), wide, parameter.getSymName()));
      parameter.setTypeAttr(TypeAttr::get(wide));
      widened.insert(parameter.getSymName());
    }
    if (widened.empty())
      return;
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isDeclaration() && function.getBody().hasOneBlock())
        widenBoundary(function, widened);
  }

  Option<std::string> type{*this, "type", llvm::cl::desc("half type of the model"),
                           llvm::cl::init("bf16")};
};
} // namespace

std::unique_ptr<Pass> pcc::createWidenParametersPass(StringRef type) {
  return std::make_unique<WidenParameters>(type);
}

void pcc::registerWidenParametersPass() {
  PassRegistration<WidenParameters>([] { return createWidenParametersPass(); });
}

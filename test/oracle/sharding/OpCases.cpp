// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/sharding/OpCases.h"

#include "dialects/graph/Graph.h"
#include "dialects/interfaces/FactorRuleInterface.h"
#include "mlir/Parser/Parser.h"
#include "test/oracle/sharding/OpTexts.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace pcc::test {

std::string getTestedName(func::FuncOp function) {
  return "graph." + function.getName().split('.').first.str();
}

Operation *findTested(func::FuncOp function) {
  for (Operation &op : llvm::reverse(function.getBody().front()))
    if (op.getName().getStringRef() == getTestedName(function))
      return &op;
  return nullptr;
}

static llvm::StringSet<> listTested(ModuleOp cases) {
  llvm::StringSet<> tested;
  for (func::FuncOp function : cases.getOps<func::FuncOp>())
    if (findTested(function))
      tested.insert(getTestedName(function));
  return tested;
}

/// Returns a case of an elementwise op without attributes, on floats.
static std::string makeElementwise(RegisteredOperationName op) {
  bool isUnary = op.hasTrait<OpTrait::OneOperand>();
  std::string type = "tensor<24x6xf32>", name = op.getStringRef().str();
  std::string arguments = isUnary ? "%a: " + type : "%a: " + type + ", %b: " + type;
  std::string operands =
      isUnary ? "(%a) : (" + type + ")" : "(%a, %b) : (" + type + ", " + type + ")";
  return "func.func @" + name.substr(name.find('.') + 1) + "(" + arguments + ") -> " + type +
         " {\n  %r = \"" + name + "\"" + operands + " -> " + type + "\n  return %r : " + type +
         "\n}\n";
}

/// Moves the functions of `text` into `module`; an error in the text is a diagnostic.
static void append(ModuleOp module, const std::string &text) {
  OwningOpRef<ModuleOp> parsed = parseSourceString<ModuleOp>(text, module.getContext());
  if (!parsed)
    return;
  for (func::FuncOp function : llvm::make_early_inc_range(parsed->getOps<func::FuncOp>()))
    function->moveBefore(module.getBody(), module.getBody()->end());
}

OwningOpRef<ModuleOp> makeOpCases(MLIRContext &context) {
  OwningOpRef<ModuleOp> cases = ModuleOp::create(UnknownLoc::get(&context));
  for (const char *text : {elementwiseCases, contractionCases, windowCases, normalCases,
                           attentionCases, alongAxisCases, shapeCases, leafAndStepCases})
    append(*cases, text);
  llvm::StringSet<> tested = listTested(*cases);
  for (RegisteredOperationName op : context.getRegisteredOperationsByDialect("graph"))
    if (op.hasTrait<graph::Elementwise>() && !tested.contains(op.getStringRef()))
      append(*cases, makeElementwise(op));
  return cases;
}

std::vector<std::string> listForgotten(ModuleOp cases) {
  llvm::StringSet<> tested = listTested(cases);
  std::vector<std::string> forgotten;
  for (RegisteredOperationName op : cases.getContext()->getRegisteredOperationsByDialect("graph"))
    if (op.hasInterface<FactorRuleOpInterface>() && !tested.contains(op.getStringRef()))
      forgotten.push_back(op.getStringRef().str());
  return forgotten;
}

} // namespace pcc::test

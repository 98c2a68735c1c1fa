// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Evaluate.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "dialects/pipe/Pipe.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>

using namespace mlir;

namespace pcc::interpret {

std::vector<double> valuesOf(const Tensor &tensor) {
  std::vector<double> values;
  for (int64_t n = 0; n < tensor.size(); ++n)
    values.push_back(tensor.asDouble(n));
  return values;
}

TestModule::TestModule(const std::string &text) {
  context
      .loadDialect<graph::GraphDialect, dist::DistDialect, pipe::PipeDialect, func::FuncDialect>();
  context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    for (Diagnostic &note : diagnostic.getNotes())
      errors += note.str() + "\n";
  });
  module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module) << errors << text;
}

func::FuncOp TestModule::function(llvm::StringRef name) {
  return module->lookupSymbol<func::FuncOp>(name);
}

std::vector<Tensor> evaluateAll(const std::string &op, llvm::ArrayRef<Tensor> arguments,
                                llvm::ArrayRef<std::string> resultTypes, Precision precision) {
  std::string parameters, results = llvm::join(resultTypes, ", "), text;
  for (size_t n = 0; n < arguments.size(); ++n)
    parameters += (n ? ", %" : "%") + std::string(1, static_cast<char>('a' + n)) + ": tensor<" +
                  arguments[n].typeString() + ">";
  std::string names = "%r#0";
  for (size_t n = 1; n < resultTypes.size(); ++n)
    names += ", %r#" + std::to_string(n);
  text = "func.func @f(" + parameters + ") -> (" + results +
         ") {\n  %r:" + std::to_string(resultTypes.size()) + " = " + op + "\n  return " + names +
         " : " + results + "\n}\n";
  std::vector<Tensor> nothing(resultTypes.size(), Tensor(ElementType::F32, {}));
  TestModule module(text);
  if (!*module)
    return nothing;
  RunOptions options;
  options.precision = precision;
  auto values = runOnRanks(module.function("f"), {llvm::to_vector(arguments)}, options);
  EXPECT_TRUE(succeeded(values)) << module.getErrors();
  if (failed(values))
    return nothing;
  return std::vector<Tensor>((*values)[0].begin(), (*values)[0].end());
}

Tensor evaluate(const std::string &op, llvm::ArrayRef<Tensor> arguments,
                const std::string &resultType, Precision precision) {
  return evaluateAll(op, arguments, {resultType}, precision)[0];
}

Tensor elementwise(const std::string &name, llvm::ArrayRef<Tensor> arguments,
                   const std::string &attributes) {
  std::string operands = "%a", type = "tensor<" + arguments[0].typeString() + ">";
  for (size_t n = 1; n < arguments.size(); ++n)
    operands += std::string(", %") + static_cast<char>('a' + n);
  return evaluate("graph." + name + " " + operands + " " + attributes + " : " + type, arguments,
                  type);
}

} // namespace pcc::interpret

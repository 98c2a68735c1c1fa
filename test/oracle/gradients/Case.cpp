// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/gradients/Case.h"

#include "compiler/interpret/Run.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "passes/autodiff/Passes.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace pcc::interpret;

namespace pcc::gradients {

/// Central differences err by h^2 times the third derivative, 1e-10, and by rounding, 1e-16 / h.
/// The rest of the default tolerance is for constants of rules, which are held in f32; where they
/// are not exact a case states a wider one.
static constexpr double stepWidth = 1e-5;
static constexpr double defaultTolerance = 1e-9;

static RunOptions inDoubles() {
  RunOptions options;
  options.precision = Precision::Double;
  return options;
}

/// The arguments of function `name` of `model`, looked up by their role's name.
static NamedTensors bindValues(ModuleOp model, StringRef name,
                               const std::map<std::string, Tensor> &values) {
  NamedTensors bound;
  for (const Binding &binding : Signature::of(model.lookupSymbol<func::FuncOp>(name)).arguments)
    bound[binding.key] = values.at(binding.name);
  return bound;
}

/// Runs the pass; its warnings about arguments without influence are expected and dropped.
static LogicalResult differentiate(ModuleOp model) {
  ScopedDiagnosticHandler quiet(model.getContext(), [](Diagnostic &diagnostic) {
    return success(diagnostic.getSeverity() == DiagnosticSeverity::Warning);
  });
  PassManager passes(model.getContext());
  passes.addPass(autodiff::createDifferentiate());
  return passes.run(model);
}

/// The gradients of the model of `function` (makeModel's `only`), by key; empty after an error.
static NamedTensors runBackward(func::FuncOp function, int only,
                                const std::map<std::string, Tensor> &values) {
  OwningOpRef<ModuleOp> model = makeModel(function, only);
  if (failed(verify(*model)) || failed(differentiate(*model)))
    return {};
  auto results = runFunction(*model, "forward_backward",
                             bindValues(*model, "forward_backward", values), inDoubles());
  return succeeded(results) ? *results : NamedTensors();
}

/// (f(x + h) - f(x - h)) / 2h for element `index` of parameter `key`.
static double centralDifference(ModuleOp model, NamedTensors &arguments, const std::string &key,
                                int64_t index) {
  Element &element = arguments[key].mutableElements()[index];
  double middle = element.f, difference = 0;
  for (double sign : {1.0, -1.0}) {
    arguments[key].mutableElements()[index].f = middle + sign * stepWidth;
    auto results = runFunction(model, "forward", arguments, inDoubles());
    if (failed(results))
      return std::nan("");
    difference += sign * results->at("loss")[0].f;
  }
  arguments[key].mutableElements()[index].f = middle;
  return difference / (2 * stepWidth);
}

/// Compares one parameter's gradient with central differences.
static void compare(ModuleOp model, NamedTensors &arguments, const std::string &name,
                    const Tensor &gradient, double tolerance, Outcome &outcome) {
  std::vector<double> expected;
  double greatest = 1;
  for (int64_t index = 0; index < gradient.size(); ++index) {
    expected.push_back(centralDifference(model, arguments, "parameter " + name, index));
    greatest = std::max(greatest, std::abs(expected.back()));
  }
  for (int64_t index = 0; index < gradient.size(); ++index) {
    double error = std::abs(gradient[index].f - expected[index]) / greatest;
    outcome.largestError = std::max(outcome.largestError, error);
    if (!(error <= tolerance) && outcome.failure.empty())
      outcome.failure =
          llvm::formatv("gradient of argument {0}, element {1}: expected {2}, got {3}", name, index,
                        expected[index], gradient[index].f);
  }
  outcome.elements += gradient.size();
}

Outcome checkCase(func::FuncOp function) {
  Outcome outcome;
  std::map<std::string, Tensor> values = makeValues(function);
  NamedTensors together = runBackward(function, /*only=*/-1, values);
  if (together.empty())
    return {"could not be differentiated and run", 0, 0};
  auto stated = function->getAttrOfType<FloatAttr>("check.tolerance");
  double tolerance = stated ? stated.getValueAsDouble() : defaultTolerance;
  OwningOpRef<ModuleOp> model = makeModel(function, /*only=*/-1);
  NamedTensors arguments = bindValues(*model, "forward", values);
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    std::string name = std::to_string(index), key = "gradient " + name;
    if (!together.count(key))
      continue;
    compare(*model, arguments, name, together[key], tolerance, outcome);
    NamedTensors alone = runBackward(function, int(index), values);
    if (!alone.count(key) || !alone[key].identical(together[key]))
      outcome.failure = "the gradient of argument " + name + " differs when it is wanted alone";
  }
  return outcome;
}

} // namespace pcc::gradients

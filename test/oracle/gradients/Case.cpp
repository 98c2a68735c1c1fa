// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/gradients/Case.h"

#include "compiler/interpret/function/Run.h"
#include "dialects/dist/Dist.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "passes/autodiff/Passes.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace pcc::interpret;

namespace pcc::gradients {

/// A central difference has an error of h^2 times the third derivative, 1e-10, and a rounding error
/// of 1e-16 / h. The rest of the default tolerance is for constants of rules, which are held in
/// f32. If these are not exact, a case states a wider tolerance.
static constexpr double stepWidth = 1e-5;
static constexpr double defaultTolerance = 1e-9;

/// Arguments or results by rank, each in order.
using PerRank = std::vector<llvm::SmallVector<Tensor>>;

/// A differentiated module, and the results of its @forward_backward on each rank.
struct Gradients {
  Signature signature;
  PerRank results;

  /// Returns the index of the gradient of argument `name` among the results; nothing without a
  /// gradient.
  std::optional<size_t> find(StringRef name) const {
    for (auto [index, binding] : llvm::enumerate(signature.results))
      if (binding.key == bindingKey(graph::RoleKind::Gradient, name))
        return index;
    return std::nullopt;
  }
};

static FailureOr<PerRank> runInDoubles(func::FuncOp function, const PerRank &arguments) {
  RunOptions options;
  options.precision = Precision::Double;
  return runOnRanks(function, arguments, options);
}

/// Binds the arguments of `function` to values by the names of their roles.
static PerRank bindValues(func::FuncOp function,
                          const std::vector<std::map<std::string, Tensor>> &values) {
  PerRank bound(values.size());
  for (auto [arguments, known] : llvm::zip_equal(bound, values))
    for (const Binding &binding : Signature::of(function).arguments)
      arguments.push_back(known.at(binding.name));
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

/// Computes the gradients of the model of `function`; `only` is makeModel's parameter.
static FailureOr<Gradients> runBackward(func::FuncOp function, int only,
                                        const std::vector<std::map<std::string, Tensor>> &values) {
  OwningOpRef<ModuleOp> model = makeModel(function, only);
  if (failed(verify(*model)) || failed(differentiate(*model)))
    return failure();
  auto backward = model->lookupSymbol<func::FuncOp>("forward_backward");
  auto results = runInDoubles(backward, bindValues(backward, values));
  if (failed(results))
    return failure();
  return Gradients{Signature::of(backward), *results};
}

/// Compares the gradients of one case.
class Comparison {
public:
  Comparison(func::FuncOp function, const std::vector<std::map<std::string, Tensor>> &values)
      : function(function), model(makeModel(function, /*only=*/-1)),
        forward(model->lookupSymbol<func::FuncOp>("forward")),
        arguments(bindValues(forward, values)) {
    auto stated = function->getAttrOfType<FloatAttr>("check.tolerance");
    tolerance = stated ? stated.getValueAsDouble() : defaultTolerance;
  }

  /// Compares the gradients of argument `index` on all ranks with central differences.
  void compare(unsigned index, const PerRank &results, size_t result, Outcome &outcome) {
    bool shared = isShared(function, index);
    auto factor = function.getArgAttrOfType<FloatAttr>(index, "check.factor");
    std::vector<std::pair<double, double>> pairs; // expected, actual
    double greatest = 1;
    for (size_t rank = 0; rank < results.size(); ++rank)
      for (int64_t element = 0; element < results[rank][result].size(); ++element) {
        double expected =
            centralDifference(index, shared ? std::nullopt : std::optional(rank), element) *
            (factor ? factor.getValueAsDouble() : 1);
        pairs.push_back({expected, results[rank][result][element].f});
        greatest = std::max(greatest, std::abs(expected));
      }
    for (auto [expected, actual] : pairs)
      judge(index, expected, actual, std::abs(actual - expected) / greatest, outcome);
  }

private:
  void judge(unsigned index, double expected, double actual, double error, Outcome &outcome) {
    ++outcome.elements;
    outcome.largestError = std::max(outcome.largestError, error);
    if (!(error <= tolerance) && outcome.failure.empty())
      outcome.failure =
          llvm::formatv("gradient of argument {0}, element {1}: expected {2}, got {3}", index,
                        outcome.elements - 1, expected, actual);
  }

  /// Returns (f(x + h) - f(x - h)) / 2h for element `element` of argument `index` on `rank`, or on
  /// all ranks at once. The function f is the sum of the losses of all ranks.
  double centralDifference(unsigned index, std::optional<size_t> rank, int64_t element) {
    double difference = 0;
    for (double sign : {1.0, -1.0}) {
      PerRank moved = arguments;
      for (size_t other = 0; other < moved.size(); ++other)
        if (!rank || *rank == other)
          moved[other][index].mutableElements()[element].f += sign * stepWidth;
      auto results = runInDoubles(forward, moved);
      if (failed(results))
        return std::nan("");
      for (const llvm::SmallVector<Tensor> &own : *results)
        difference += sign * own.front()[0].f;
    }
    return difference / (2 * stepWidth);
  }

  func::FuncOp function;
  OwningOpRef<ModuleOp> model;
  func::FuncOp forward;
  PerRank arguments;
  double tolerance;
};

/// Returns true if, on each rank, result `a` of one run and result `b` of the other have the same
/// bits.
static bool identical(const Gradients &one, size_t a, const Gradients &other, size_t b) {
  for (auto [x, y] : llvm::zip_equal(one.results, other.results))
    if (!x[a].identical(y[b]))
      return false;
  return true;
}

Outcome checkCase(func::FuncOp function) {
  Outcome outcome;
  std::vector<std::map<std::string, Tensor>> values;
  for (int64_t rank = 0; rank < dist::getMesh(function).getNumRanks(); ++rank)
    values.push_back(makeValues(function, rank));
  FailureOr<Gradients> together = runBackward(function, /*only=*/-1, values);
  if (failed(together))
    return {"could not be differentiated and run", 0, 0};
  Comparison comparison(function, values);
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    std::string name = std::to_string(index);
    std::optional<size_t> result = together->find(name);
    if (!result)
      continue;
    comparison.compare(index, together->results, *result, outcome);
    FailureOr<Gradients> alone = runBackward(function, int(index), values);
    if (failed(alone) || !alone->find(name) ||
        !identical(*alone, *alone->find(name), *together, *result))
      outcome.failure = "the gradient of argument " + name + " differs when it is wanted alone";
  }
  return outcome;
}

} // namespace pcc::gradients

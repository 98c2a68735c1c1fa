// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/sharding/OneDevice.h"

#include "compiler/interpret/training/Inputs.h"
#include "dialects/dist/Dist.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "passes/autodiff/Passes.h"
#include "passes/strategy/propagate/ShardingAnnotator.h"
#include "test/oracle/sharding/Partitioned.h"

#include <cmath>

using namespace mlir;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

namespace pcc::test {
namespace {

/// Collects the text of errors, and drops warnings and remarks.
class ErrorText {
public:
  explicit ErrorText(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            text += (text.empty() ? "" : "; ") + diagnostic.str();
        }) {}

  std::string take() { return text.empty() ? "failed without an error" : std::move(text); }

private:
  std::string text;
  ScopedDiagnosticHandler handler;
};

interpret::Report failedReport(const std::string &name, const std::string &reason) {
  return {{{name, interpret::CaseStatus::Failed, reason}}};
}

void markStrategies(ModuleOp module, const Mesh &mesh, const IRMapping &copies,
                    const llvm::DenseMap<Operation *, Strategy> &given) {
  module->setAttr(dist::meshAttrName, dist::MeshAttr::get(module.getContext(), mesh));
  strategy::SeedShardings shardings;
  for (const auto &[op, strategy] : given)
    shardings.ops[copies.lookup(op)] = {strategy, {}};
  shardings.gradientFactor = [](StringRef, const Sharding &, const dist::Mesh &) { return 1.0; };
  strategy::ShardingAnnotator(module, mesh, std::move(shardings)).run();
}

} // namespace

bool OneDevice::add(func::FuncOp function, FailureOr<interpret::NamedTensors> arguments) {
  if (failed(arguments))
    return false;
  auto values = interpret::makeReference(module, function.getName(), *arguments);
  if (failed(values))
    return false;
  functions.push_back({function.getName().str(), *arguments, *values});
  return true;
}

OneDevice::OneDevice(ModuleOp module, uint64_t seed) : module(module) {
  ErrorText errors(module.getContext());
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    if (!add(function, interpret::randomArguments(function, seed))) {
      error = errors.take();
      return;
    }
}

OneDevice::OneDevice(ModuleOp module, const interpret::NamedTensors &arguments) : module(module) {
  ErrorText errors(module.getContext());
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    if (!add(function, arguments)) {
      error = errors.take();
      return;
    }
  for (Function &function : functions)
    function.values.mayBeNaN = true;
}

bool OneDevice::hasNumbers() const {
  for (const Function &function : functions)
    for (const auto &[name, tensor] : function.values.values)
      for (int64_t n = 0; n < tensor.size(); ++n)
        if (tensor.isFloat() && std::isnan(tensor[n].f))
          return false;
  return true;
}

interpret::Report OneDevice::compare(ModuleOp ranks) const {
  interpret::Report report;
  for (const Function &function : functions) {
    ErrorText errors(ranks.getContext());
    auto actual = interpret::runFunction(ranks, function.name, function.arguments);
    if (failed(actual))
      report.append(failedReport(function.name, errors.take()));
    else
      report.append(interpret::compareNamed(function.name + ": ", function.values, *actual,
                                            interpret::interpretedFactor));
  }
  return report;
}

interpret::Report
OneDevice::compareSplit(const Mesh &mesh,
                        const llvm::DenseMap<Operation *, Strategy> &given) const {
  if (!error.empty())
    return failedReport("one device", error);
  IRMapping copies;
  OwningOpRef<ModuleOp> ranks = cast<ModuleOp>(module->clone(copies));
  ErrorText errors(module.getContext());
  markStrategies(*ranks, mesh, copies, given);
  if (failed(partitionMarked(*ranks)))
    return failedReport("partition", errors.take());
  return compare(*ranks);
}

LogicalResult differentiate(ModuleOp module) {
  ScopedDiagnosticHandler quiet(module.getContext(), [](Diagnostic &diagnostic) {
    return success(diagnostic.getSeverity() == DiagnosticSeverity::Warning);
  });
  PassManager passes(module.getContext());
  passes.addPass(autodiff::createDifferentiate());
  return passes.run(module);
}

std::string reportText(const interpret::Report &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  report.print(os);
  return text;
}

} // namespace pcc::test

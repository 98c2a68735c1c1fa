// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/onnx/SplitTest.h"

#include "compiler/import/TestData.h"
#include "compiler/import/files/Locations.h"
#include "compiler/interpret/training/Inputs.h"
#include "dialects/interfaces/FactorRuleInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/analysis/sharding/LegalStrategies.h"
#include "test/oracle/sharding/OneDevice.h"

using namespace mlir;
using pcc::dist::Mesh;
using pcc::interpret::CaseStatus;

namespace pcc::conformance {

/// Makes a mesh of axes of 2 ranks each, so that 4 devices are two axes.
static Mesh makeMesh(int64_t devices) {
  std::vector<dist::MeshAxis> axes = {{"x", 2}};
  if (devices == 4)
    axes.push_back({"y", 2});
  return Mesh(axes);
}

/// Assigns mesh axes to each factor according to its count, in the order of the mesh.
static test::Strategy assignAxes(ArrayRef<int64_t> counts, const Mesh &mesh) {
  test::Strategy strategy;
  size_t next = 0;
  for (int64_t count : counts) {
    dist::AxisList &axes = strategy.emplace_back();
    for (; count > 1; count /= 2)
      axes.push_back(mesh.getAxes()[next++].name);
  }
  return strategy;
}

interpret::Report verifySplit(const NodeTest &test, MLIRContext &context, int64_t &count) {
  import::FirstError error(&context);
  auto skipped = [&] { return interpret::Report{{{"import", CaseStatus::Skipped, error.str()}}}; };
  auto data = import::readTestData(test.model(), test.folder + "/test_data_set_0", context);
  std::set<std::string> known;
  OwningOpRef<ModuleOp> module;
  if (data)
    module = import::importForData(test.model(), *data, context, known);
  if (!module)
    return skipped();
  auto arguments = interpret::forwardArguments(*module, import::listInputs(*data, known));
  if (failed(arguments))
    return skipped();
  test::OneDevice one(*module, *arguments);
  interpret::Report report;
  auto forward = module->lookupSymbol<func::FuncOp>("forward");
  for (int64_t devices : {2, 4})
    for (Operation &op : forward.getBody().front()) {
      if (!isa<FactorRuleOpInterface>(op))
        continue;
      Mesh mesh = makeMesh(devices);
      analysis::StrategyList strategies = analysis::StrategySpace(&op).list(devices);
      for (size_t index = 0; index < strategies.size(); ++index, ++count) {
        test::Strategy strategy = assignAxes(strategies[index], mesh);
        interpret::Report split = one.compareSplit(mesh, {{&op, strategy}});
        for (interpret::Case &each : split.cases)
          each.name = op.getName().getStringRef().str() + " with " + test::strategyText(strategy) +
                      " on " + mesh.str() + ": " + each.name;
        report.append(std::move(split));
      }
    }
  return report;
}

} // namespace pcc::conformance

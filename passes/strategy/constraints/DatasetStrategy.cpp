// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/strategy/constraints/DatasetStrategy.h"

#include "dialects/graph/Roles.h"

using namespace mlir;
using namespace pcc;

namespace pcc::strategy {
namespace {

using Inputs = llvm::MapVector<StringRef, RankedTensorType>;

/// Collects the inputs of all functions by name, in the order of their first occurrence.
Inputs findInputs(ModuleOp module) {
  Inputs inputs;
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    for (unsigned index : graph::findArgs(function, graph::RoleKind::Input))
      if (auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[index]))
        inputs.insert({graph::getName(graph::getArgRole(function, index)), type});
  return inputs;
}

} // namespace

FailureOr<FedInputs> readDatasetStrategy(ModuleOp module, StringRef text, const dist::Mesh &mesh,
                                         int64_t numRanks) {
  FedInputs fed;
  if (text.trim().empty())
    return fed;
  auto emitError = [&] { return module.emitError() << "dataset_strategy: "; };
  FailureOr<GivenCuts> given = parseCuts(text, module.getContext(), emitError);
  if (failed(given))
    return failure();
  Inputs inputs = findInputs(module);
  TensorGroup group{"input", {}, {}};
  for (const auto &[name, type] : inputs) {
    group.shapes.push_back(type.getShape());
    group.names.push_back(("input \"" + name + "\"").str());
  }
  FailureOr<std::vector<Cuts>> cuts = checkLoneTensors(*given, group, mesh, numRanks, emitError);
  if (failed(cuts))
    return failure();
  for (auto [input, cut] : llvm::zip_equal(inputs, *cuts))
    fed[input.first] = std::move(cut);
  return fed;
}

} // namespace pcc::strategy

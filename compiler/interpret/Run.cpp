// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/interpret/Run.h"

#include "compiler/interpret/Section.h"
#include "dialects/dist/Dist.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

/// The function's global arguments in order, each of the shape that its signature says.
FailureOr<llvm::SmallVector<Tensor>> collectArguments(Section &section,
                                                      const NamedTensors &arguments) {
  llvm::SmallVector<Tensor> values;
  for (const Binding &binding : section.signature.arguments) {
    auto entry = arguments.find(binding.key);
    if (entry == arguments.end())
      return emitError(section.function.getLoc())
             << "expected a value for \"" << binding.key << "\" of function \"" << section.getName()
             << "\"";
    if (failed(checkShape(section, binding, entry->second)))
      return failure();
    values.push_back(entry->second);
  }
  return values;
}

} // namespace

FailureOr<NamedTensors> runFunction(ModuleOp module, llvm::StringRef name,
                                    const NamedTensors &arguments, const RunOptions &options) {
  FailureOr<Section> section = Section::find(module, name);
  if (failed(section))
    return failure();
  FailureOr<llvm::SmallVector<Tensor>> globals = collectArguments(*section, arguments);
  if (failed(globals))
    return failure();
  dist::Mesh mesh = section->ranksToRun();
  std::vector<llvm::SmallVector<Tensor>> perRank(mesh.getNumRanks());
  LogicalResult ran = runRanks(
      mesh, options.precision, section->function.getLoc(), [&](Rank &rank) -> LogicalResult {
        llvm::SmallVector<Tensor> locals;
        for (auto [binding, value] : llvm::zip_equal(section->signature.arguments, *globals))
          locals.push_back(section->localPart(binding, value, rank));
        auto results = section->call(rank, locals, options);
        if (failed(results))
          return failure();
        perRank[rank.getIndex()] = std::move(*results);
        return success();
      });
  if (failed(ran))
    return failure();
  NamedTensors results;
  for (auto [index, binding] : llvm::enumerate(section->signature.results)) {
    auto values = llvm::map_to_vector(perRank, [i = index](auto &rank) { return rank[i]; });
    FailureOr<Tensor> whole = section->globalValue(binding, values, mesh);
    if (failed(whole))
      return failure();
    results[binding.key] = *whole;
  }
  return results;
}

FailureOr<std::vector<llvm::SmallVector<Tensor>>>
runOnRanks(func::FuncOp function, llvm::ArrayRef<llvm::SmallVector<Tensor>> arguments,
           const RunOptions &options) {
  std::vector<llvm::SmallVector<Tensor>> results(arguments.size());
  LogicalResult ran = runRanks(dist::getMesh(function), options.precision, function.getLoc(),
                               [&](Rank &rank) -> LogicalResult {
                                 auto values = rank.call(function, arguments[rank.getIndex()]);
                                 if (failed(values))
                                   return failure();
                                 results[rank.getIndex()] = std::move(*values);
                                 return success();
                               });
  if (failed(ran))
    return failure();
  return results;
}

GradientFactors gradientFactors(ModuleOp module) {
  GradientFactors factors;
  for (auto function : module.getOps<func::FuncOp>())
    for (const Binding &binding : Signature::of(function).results)
      if (binding.role == graph::RoleKind::Gradient && binding.gradientFactor != 1.0)
        factors[binding.name] = binding.gradientFactor;
  return factors;
}

} // namespace pcc::interpret

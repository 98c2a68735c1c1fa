// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the function in each stage, runs it on all ranks at once (runRanks), and joins their
// results. Ranks of a stage without the function return at once.
#include "compiler/interpret/function/Run.h"

#include "compiler/interpret/function/Holders.h"
#include "dialects/dist/Dist.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

/// A function as all stages run it. May be moved, because the holders' pointers to sections stay
/// valid.
struct StageFunctions {
  std::vector<Section> sections;
  Holders arguments, results;
  World world;

  /// Returns the section of a stage; null if the stage does not have the function.
  Section *find(int64_t stage) {
    auto found = llvm::find_if(sections, [=](Section &section) { return section.stage == stage; });
    return found == sections.end() ? nullptr : &*found;
  }
};

/// Finds the function in all stages; some stages may not have it.
FailureOr<StageFunctions> findStageFunctions(ModuleOp module, llvm::StringRef name) {
  FailureOr<llvm::SmallVector<ModuleOp>> programs = findPrograms(module);
  if (failed(programs))
    return failure();
  StageFunctions stageFunctions;
  for (ModuleOp program : *programs) {
    bool isLast = program == programs->back() && stageFunctions.sections.empty();
    if (!isLast && !program.lookupSymbol<func::FuncOp>(name))
      continue;
    FailureOr<Section> section = Section::find(program, name);
    if (failed(section))
      return failure();
    stageFunctions.sections.push_back(std::move(*section));
  }
  llvm::SmallVector<Section *> sections;
  for (Section &section : stageFunctions.sections) {
    sections.push_back(&section);
    stageFunctions.arguments.addArguments(section);
    stageFunctions.results.addResults(section);
  }
  stageFunctions.world = makeWorld(programs->size(), sections);
  return stageFunctions;
}

/// Checks that all arguments exist and have the shapes of the signature.
LogicalResult checkArguments(const Section &section, const NamedTensors &arguments) {
  for (const Binding &binding : section.signature.arguments) {
    auto entry = arguments.find(binding.globalKey);
    if (entry == arguments.end())
      return emitError(section.getLoc()) << "expected a value for \"" << binding.globalKey
                                         << "\" of function \"" << section.getName() << "\"";
    if (failed(checkShape(section, binding, entry->second)))
      return failure();
  }
  return success();
}

/// Runs the section of `rank`'s stage, and returns the rank's results.
FailureOr<NamedTensors> runPart(const StageFunctions &stageFunctions, Section &section, Rank &rank,
                                const NamedTensors &arguments, const RunOptions &options) {
  llvm::SmallVector<Tensor> locals;
  for (const Binding &binding : section.signature.arguments)
    locals.push_back(section.localPart(
        binding,
        stageFunctions.arguments.shareOf(section, binding, arguments.at(binding.globalKey)), rank));
  auto values = section.call(rank, locals, options);
  if (failed(values))
    return failure();
  NamedTensors results;
  for (auto [binding, value] : llvm::zip_equal(section.signature.results, *values))
    results[binding.key] = value;
  return results;
}

} // namespace

FailureOr<NamedTensors> runFunction(ModuleOp module, llvm::StringRef name,
                                    const NamedTensors &arguments, const RunOptions &options) {
  FailureOr<StageFunctions> stageFunctions = findStageFunctions(module, name);
  if (failed(stageFunctions))
    return failure();
  for (const Section &section : stageFunctions->sections)
    if (failed(checkArguments(section, arguments)))
      return failure();
  std::vector<NamedTensors> perRank(stageFunctions->world.getNumRanks());
  LogicalResult ran =
      runRanks(stageFunctions->world, options.precision, stageFunctions->sections.front().getLoc(),
               [&](Rank &rank) -> LogicalResult {
                 Section *section = stageFunctions->find(rank.getStage());
                 if (!section)
                   return success();
                 auto results = runPart(*stageFunctions, *section, rank, arguments, options);
                 if (failed(results))
                   return failure();
                 perRank[rank.getIndex()] = std::move(*results);
                 return success();
               });
  if (failed(ran))
    return failure();
  return stageFunctions->results.join(perRank, stageFunctions->world, options.precision);
}

FailureOr<std::vector<llvm::SmallVector<Tensor>>>
runOnRanks(func::FuncOp function, llvm::ArrayRef<llvm::SmallVector<Tensor>> arguments,
           const RunOptions &options) {
  std::vector<llvm::SmallVector<Tensor>> results(arguments.size());
  World world{dist::getMesh(function)};
  LogicalResult ran =
      runRanks(world, options.precision, function.getLoc(), [&](Rank &rank) -> LogicalResult {
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
  module.walk([&](func::FuncOp function) {
    for (const Binding &binding : Signature::of(function).results)
      if (binding.role == graph::RoleKind::Gradient && binding.gradientFactor != 1.0)
        factors[binding.name] = binding.gradientFactor;
  });
  return factors;
}

} // namespace pcc::interpret

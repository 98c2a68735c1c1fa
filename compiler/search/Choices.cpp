// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number of copies is chosen before the recomputed parts.
#include "compiler/search/Choices.h"

#include "compiler/PipelineShape.h"
#include "compiler/plan/choice/CompiledChoices.h"
#include "compiler/search/SimulatedProgram.h"
#include "dialects/pipe/Constraints.h"
#include "dialects/pipe/Pipe.h"
#include "mlir/IR/Remarks.h"
#include "runtime/machine/MemoryBudget.h"
#include "runtime/simulate/Peak.h"

using namespace mlir;

namespace pcc::search {
namespace {

//===--- Copies of a microbatch ------------------------------------------===//

void setCopies(CompileOptions &options, int64_t copies) {
  options.training.copies = copies;
  options.parallel.set_interleave_num(int(copies));
}

/// Estimates the step time of the model's program with `copies` copies.
plan::CopyCandidate evaluateCopies(ModuleOp model, CompileOptions options, int64_t copies) {
  setCopies(options, copies);
  SimulatedProgram simulated = simulateProgram(model, options);
  if (!simulated.error.empty())
    return {copies, 0, 0, simulated.error};
  return {copies, simulated.step.seconds, getPeakBytes(simulated.step), ""};
}

/// Emits the chosen number of copies, and step time and bytes of each candidate.
void remarkCopies(Location location, ArrayRef<plan::CopyCandidate> candidates, int64_t copies) {
  auto remark =
      remark::passed(location, remark::RemarkOpts::name("choose-copies").category("plan"));
  remark << remark::metric("copies", copies);
  for (const plan::CopyCandidate &candidate : candidates) {
    std::string of = std::to_string(candidate.copies);
    if (!candidate.error.empty())
      remark << remark::metric("error_" + of, candidate.error);
    else
      remark << remark::metric("us_" + of, candidate.seconds * 1e6)
             << remark::metric("bytes_" + of, candidate.peakBytes);
  }
}

void chooseCopies(ModuleOp model, CompileOptions &options) {
  setCopies(options, 1);
  if (!options.trains() || !checkPipeline(options.parallel, options.trains()).empty())
    return;
  CompileOptions simulated = makeSimulationOptions(options);
  auto candidates = plan::estimateCopyCosts(
      [&](int64_t copies) { return evaluateCopies(model, simulated, copies); });
  int64_t budget = machine::memoryBudget(simulated.parallel, *simulated.cluster);
  setCopies(options, plan::chooseCopies(candidates, budget).copies);
  remarkCopies(model.getLoc(), candidates, options.training.copies);
}

//===--- Recomputation ---------------------------------------------------===//

/// Programs of one model that recompute different parts, so that one of them fits into memory. Each
/// evaluation compiles and simulates the program that recomputes some parts.
class RecomputeSearch {
public:
  RecomputeSearch(ModuleOp model, const CompileOptions &options);

  /// Returns the program with few recomputed parts that fits, or the one with the lowest peak.
  plan::RecomputeCandidate run();

  /// Returns the program that recomputes nothing; valid after `run`.
  const plan::RecomputeCandidate &getBaseline() const { return baseline; }
  /// Returns the bytes of a device into which programs must fit.
  int64_t getBudget() const { return budget; }

private:
  plan::RecomputeCandidate evaluate(ArrayRef<int64_t> parts);

  ModuleOp model;
  CompileOptions options;
  int64_t budget;
  plan::RecomputeCandidate baseline;
  SmallVector<double> partSeconds;
};

RecomputeSearch::RecomputeSearch(ModuleOp model, const CompileOptions &options)
    : model(model), options(makeSimulationOptions(options)),
      budget(machine::memoryBudget(this->options.parallel, *this->options.cluster)) {
  this->options.listsRecomputeParts = true;
}

plan::RecomputeCandidate RecomputeSearch::run() {
  baseline = evaluate({});
  SmallVector<double> ofBaseline = partSeconds; // evaluate() replaces them
  return plan::chooseRecomputed(baseline, ofBaseline, budget,
                                [this](ArrayRef<int64_t> parts) { return evaluate(parts); });
}

plan::RecomputeCandidate RecomputeSearch::evaluate(ArrayRef<int64_t> parts) {
  plan::RecomputeCandidate candidate;
  candidate.parts.assign(parts.begin(), parts.end());
  options.recomputedParts.emplace(parts.begin(), parts.end());
  SimulatedProgram simulated = simulateProgram(model, options);
  candidate.error = simulated.error;
  if (!simulated.error.empty())
    return candidate;
  partSeconds = std::move(simulated.partSeconds);
  candidate.seconds = simulated.step.seconds;
  candidate.peakBytes = getPeakBytes(simulated.step);
  candidate.atPeak = simulate::describePeak(simulated.program, simulated.step,
                                            simulate::findPeakTimeline(simulated.step));
  return candidate;
}

/// Emits the number of recomputed parts, and bytes and times with and without them.
void remarkRecomputed(Location location, const plan::RecomputeCandidate &baseline,
                      const plan::RecomputeCandidate &chosen) {
  remark::passed(location, remark::RemarkOpts::name("recompute").category("plan"))
      << remark::metric("parts", int64_t(chosen.parts.size()))
      << remark::metric("bytes", chosen.peakBytes)
      << remark::metric("bytes_without", baseline.peakBytes)
      << remark::metric("us", chosen.seconds * 1e6)
      << remark::metric("us_without", baseline.seconds * 1e6);
}

LogicalResult chooseRecomputed(ModuleOp model, CompileOptions &options) {
  options.recomputedParts.emplace();
  const abi::ParallelConfig &config = options.parallel;
  if (config.memory_limit() == 0 || config.parallel_mode() == abi::AUTO_PARALLEL ||
      !checkPipeline(config, options.trains()).empty())
    return success();
  RecomputeSearch search(model, options);
  plan::RecomputeCandidate chosen = search.run();
  if (!chosen.error.empty())
    return success(); // the compilation pipeline reports the error
  if (!chosen.fits(search.getBudget()))
    return model.emitError() << "'memory_limit': expected at least " << chosen.peakBytes
                             << " bytes per rank"
                             << (options.trains() ? " even with recomputation" : "") << ", got "
                             << search.getBudget()
                             << "; largest live tensors at the peak: " << chosen.atPeak;
  options.recomputedParts->assign(chosen.parts.begin(), chosen.parts.end());
  if (!chosen.parts.empty())
    remarkRecomputed(model.getLoc(), search.getBaseline(), chosen);
  return success();
}

/// Returns whether a constraint, or an annotation on an op, asks to recompute ops of `model`.
bool namesRecomputedOps(ModuleOp model) {
  if (auto entries = model->getAttrOfType<ArrayAttr>(pipe::constraintsAttrName))
    for (Attribute entry : entries)
      if (auto dictionary = dyn_cast<DictionaryAttr>(entry);
          dictionary && dictionary.getAs<UnitAttr>("recompute"))
        return true;
  return model
      .walk([](Operation *op) {
        return op->hasAttr(pipe::recomputeAttrName) ? WalkResult::interrupt()
                                                    : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace

LogicalResult resolveChoices(ModuleOp model, CompileOptions &options) {
  options.recomputesNamedOps = options.obeysStages && namesRecomputedOps(model);
  if (options.parallel.has_interleave_num() && options.parallel.interleave_num() == 0)
    chooseCopies(model, options);
  return options.recomputedParts ? success() : chooseRecomputed(model, options);
}

void remarkSlowerCopies(ModuleOp model, const CompileOptions &options) {
  int64_t copies = options.parallel.interleave_num();
  if (copies <= 1 || !options.trains() ||
      !checkPipeline(options.parallel, options.trains()).empty())
    return;
  CompileOptions simulated = makeSimulationOptions(options);
  plan::CopyCandidate one = evaluateCopies(model, simulated, 1),
                      given = evaluateCopies(model, simulated, copies);
  if (!one.error.empty() || !given.error.empty() || one.seconds >= given.seconds)
    return;
  remark::missed(model.getLoc(), remark::RemarkOpts::name("choose-copies").category("plan"))
      << remark::reason("one copy is faster") << remark::metric("copies", given.copies)
      << remark::metric("us", given.seconds * 1e6) << remark::metric("us_1", one.seconds * 1e6);
}

} // namespace pcc::search

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each evaluation compiles and simulates the program that recomputes some parts. The choice itself
// is chooseRecomputed (compiler/plan/choice/RecomputeChoice.h).
#include "compiler/search/RecomputeSearch.h"

#include "compiler/search/SimulatedProgram.h"
#include "runtime/machine/MemoryBudget.h"
#include "runtime/simulate/Peak.h"

using namespace mlir;

namespace pcc::search {

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
  candidate.peakBytes = simulated.getPeakBytes();
  candidate.atPeak = simulate::describePeak(simulated.program, simulated.step,
                                            simulate::findPeakTimeline(simulated.step));
  return candidate;
}

} // namespace pcc::search

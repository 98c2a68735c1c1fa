// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/pcc/search/RecomputeSearch.h"

#include "compiler/plan/RecomputeParts.h"
#include "mlir/IR/Remarks.h"
#include "tools/pcc/report/MemoryProfile.h"
#include "tools/pcc/search/SimulatedProgram.h"

using namespace mlir;

namespace pcc::cli {

RecomputeSearch::RecomputeSearch(ModuleOp model, const CompileOptions &options)
    : model(model), options(makeSimulationOptions(options)) {
  this->options.observeParts = [this](llvm::ArrayRef<plan::RecomputePart> parts) {
    partSeconds.clear();
    for (const plan::RecomputePart &part : parts)
      partSeconds.push_back(part.seconds);
  };
}

int64_t RecomputeSearch::getLimit() const { return getMemoryLimit(options); }

plan::RecomputeCandidate RecomputeSearch::evaluate(llvm::ArrayRef<int64_t> parts) {
  plan::RecomputeCandidate candidate;
  candidate.parts.assign(parts.begin(), parts.end());
  CompileOptions own = options;
  own.recomputedParts.assign(parts.begin(), parts.end());
  SimulatedProgram simulated = simulateProgram(model, own);
  candidate.error = simulated.error;
  if (!simulated.error.empty())
    return candidate;
  candidate.seconds = simulated.step.seconds;
  candidate.peakBytes = simulated.peakBytes();
  candidate.atPeak =
      describePeak(simulated.program, simulated.step, findPeakTimeline(simulated.step));
  return candidate;
}

plan::RecomputeCandidate RecomputeSearch::run() {
  baseline = evaluate({});
  return plan::chooseRecomputed(baseline, partSeconds, getLimit(),
                                [this](llvm::ArrayRef<int64_t> parts) { return evaluate(parts); });
}

void remarkRecomputed(Location location, const plan::RecomputeCandidate &baseline,
                      const plan::RecomputeCandidate &chosen) {
  remark::passed(location, remark::RemarkOpts::name("recompute").category("plan"))
      << remark::metric("parts", int64_t(chosen.parts.size()))
      << remark::metric("bytes", chosen.peakBytes)
      << remark::metric("bytes_kept", baseline.peakBytes)
      << remark::metric("us", chosen.seconds * 1e6)
      << remark::metric("us_kept", baseline.seconds * 1e6);
}

} // namespace pcc::cli

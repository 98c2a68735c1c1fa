// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/pcc/RecomputeSearch.h"

#include "compiler/plan/RecomputeParts.h"
#include "mlir/IR/Remarks.h"
#include "tools/pcc/PricedRecords.h"
#include "tools/pcc/Staircase.h"

using namespace mlir;

namespace pcc::cli {

RecomputeSearch::RecomputeSearch(ModuleOp model, const PipelineOptions &options)
    : model(model), options(makePricedOptions(options)) {
  this->options.observeParts = [this](llvm::ArrayRef<plan::RecomputePart> parts) {
    partSeconds.clear();
    for (const plan::RecomputePart &part : parts)
      partSeconds.push_back(part.seconds);
  };
}

int64_t RecomputeSearch::getLimit() const { return getMemoryLimit(options); }

plan::RecomputeCandidate RecomputeSearch::price(llvm::ArrayRef<int64_t> parts) {
  plan::RecomputeCandidate candidate;
  candidate.parts.assign(parts.begin(), parts.end());
  PipelineOptions own = options;
  own.recomputedParts.assign(parts.begin(), parts.end());
  PricedRecords priced = priceRecords(model, own);
  candidate.error = priced.error;
  if (!priced.error.empty())
    return candidate;
  candidate.seconds = priced.step.seconds;
  candidate.peakBytes = priced.peakBytes();
  candidate.atPeak = describePeak(priced.program, priced.step, findFullest(priced.step));
  return candidate;
}

plan::RecomputeCandidate RecomputeSearch::run() {
  kept = price({});
  return plan::chooseRecomputed(kept, partSeconds, getLimit(),
                                [this](llvm::ArrayRef<int64_t> parts) { return price(parts); });
}

void remarkRecomputed(Location location, const plan::RecomputeCandidate &kept,
                      const plan::RecomputeCandidate &chosen) {
  remark::passed(location, remark::RemarkOpts::name("recompute").category("plan"))
      << remark::metric("parts", int64_t(chosen.parts.size()))
      << remark::metric("bytes", chosen.peakBytes) << remark::metric("bytes_kept", kept.peakBytes)
      << remark::metric("us", chosen.seconds * 1e6)
      << remark::metric("us_kept", kept.seconds * 1e6);
}

} // namespace pcc::cli

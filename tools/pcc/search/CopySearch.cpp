// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/pcc/search/CopySearch.h"

#include "mlir/IR/Remarks.h"
#include "tools/pcc/search/SimulatedProgram.h"

using namespace mlir;

namespace pcc::cli {

CopySearch::CopySearch(ModuleOp model, const CompileOptions &options)
    : model(model), options(makeSimulationOptions(options)) {}

plan::CopyCandidate CopySearch::evaluate(int64_t copies) {
  CompileOptions own = options;
  own.training.copies = copies;
  own.parallel.set_interleave_num(int(copies));
  SimulatedProgram simulated = simulateProgram(model, own);
  if (!simulated.error.empty())
    return {copies, 0, 0, simulated.error};
  return {copies, simulated.step.seconds, simulated.peakBytes(), ""};
}

void remarkChoice(Location location, llvm::ArrayRef<plan::CopyCandidate> candidates,
                  int64_t copies) {
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

void remarkOneIsFaster(Location location, const plan::CopyCandidate &one,
                       const plan::CopyCandidate &given) {
  if (!one.error.empty() || !given.error.empty() || one.seconds >= given.seconds)
    return;
  remark::missed(location, remark::RemarkOpts::name("choose-copies").category("plan"))
      << remark::reason("one copy is faster") << remark::metric("copies", given.copies)
      << remark::metric("us", given.seconds * 1e6) << remark::metric("us_1", one.seconds * 1e6);
}

} // namespace pcc::cli

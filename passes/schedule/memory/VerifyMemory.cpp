// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// VerifyMemory: checks the memory plan against the program.
//
// Assumes kernels and places (AssignKernels, PlanMemory). It relies neither on live ranges nor on
// rings nor on the packing: it replays the actions and checks that each kernel finds the values it
// reads. Leaves the program unchanged. The static proof of linked instructions (docs/spec/check.md)
// builds on this check. It shows that all executions compute the values that the program computes
// in this order with these places.
#include "passes/schedule/Passes.h"
#include "passes/schedule/memory/MemoryPlanChecker.h"

using namespace mlir;

namespace pcc::schedule {
#define GEN_PASS_DEF_VERIFYMEMORY
#include "passes/schedule/Passes.h.inc"

namespace {
struct VerifyMemory : impl::VerifyMemoryBase<VerifyMemory> {
  void runOnOperation() override {
    SmallVector<analysis::Section> sections = analysis::collectSections(getOperation());
    FailureOr<PlacedSections> placed = placeSections(sections);
    if (failed(placed))
      return signalPassFailure();
    analysis::HoistedReductions reductions(sections);
    if (failed(MemoryPlanChecker(*placed, reductions, analysis::getStep(getOperation())).run()))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace pcc::schedule

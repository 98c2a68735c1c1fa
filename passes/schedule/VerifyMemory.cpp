// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// VerifyMemory: the memory plan, against the program.
//
// Assumes kernels and places (AssignKernels, PlanMemory), and trusts neither live ranges nor rings
// nor the packing: it goes through the slots and asks of each kernel whether it finds what it
// reads. Leaves the program as it is. The static proof of linked records (docs/spec/check.md)
// starts from here: it shows that all runs compute what the program in this order on these places
// computes.
#include "passes/schedule/MemoryReplay.h"
#include "passes/schedule/Passes.h"

using namespace mlir;

namespace pcc::schedule {
#define GEN_PASS_DEF_VERIFYMEMORY
#include "passes/schedule/Passes.h.inc"

namespace {
struct VerifyMemory : impl::VerifyMemoryBase<VerifyMemory> {
  void runOnOperation() override {
    SmallVector<facts::Section> sections = facts::collectSections(getOperation());
    FailureOr<PlacedSections> placed = placeSections(sections);
    if (failed(placed))
      return signalPassFailure();
    facts::EarlyReductions reductions(sections);
    if (failed(MemoryReplay(*placed, reductions, facts::getStep(getOperation())).run()))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace pcc::schedule

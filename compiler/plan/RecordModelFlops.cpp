// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RecordModelFlops: annotates the module with the work of its model in a step
// (passes/analysis/cost/ModelFlops.h). The linker stores it in the program. Leaves the ops
// unchanged.
#include "compiler/plan/Passes.h"
#include "passes/analysis/cost/ModelFlops.h"

using namespace mlir;

namespace pcc::plan {

#define GEN_PASS_DEF_PLANRECORDMODELFLOPS
#include "compiler/plan/Passes.h.inc"

namespace {

struct RecordModelFlops : impl::PlanRecordModelFlopsBase<RecordModelFlops> {
  void runOnOperation() override {
    analysis::ModelFlops flops = analysis::countModelFlops(getOperation());
    if (!flops.empty())
      analysis::recordModelFlops(getOperation(), flops);
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace pcc::plan

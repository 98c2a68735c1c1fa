// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that decide how a program is split over its ranks. They only annotate.
#ifndef PCC_PASSES_STRATEGY_PASSES_TD
#define PCC_PASSES_STRATEGY_PASSES_TD

include "mlir/Pass/PassBase.td"

def StrategyDataParallel : Pass<"strategy-data-parallel", "::mlir::ModuleOp"> {
  let summary = "splits the batch over all ranks and replicates the parameters";
  let description = [{
    Dimension 0 of every input of rank 1 or more is split over all axes of the mesh; every op follows
    (Propagation.h). Losses and gradients are left partial, so that gradients can be reduced once, at
    the start of @update, after they have been accumulated. The module gets `dist.mesh` if it has
    none; the ops stay as they are.
  }];
  let options = [
    Option<"deviceNum", "device-num", "int64_t", "1",
           "number of ranks; of no effect where the module has a mesh">,
    Option<"gradientsMean", "gradients-mean", "bool", "true",
           "gradients are those of one device; false: multiplied by the number of ranks">,
    Option<"fullBatch", "full-batch", "bool", "false",
           "each rank is fed the whole batch and takes its part of it">,
  ];
  let dependentDialects = ["::pcc::dist::DistDialect"];
}

#endif // PCC_PASSES_STRATEGY_PASSES_TD

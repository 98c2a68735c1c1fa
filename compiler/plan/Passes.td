// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PCC_COMPILER_PLAN_PASSES_TD
#define PCC_COMPILER_PLAN_PASSES_TD

include "mlir/Pass/PassBase.td"
include "passes/strategy/ModeOptions.td"

def PlanAutoParallel : Pass<"plan-auto-parallel", "::mlir::ModuleOp"> {
  let summary = "splits a program by the plan of least time";
  let description = [{
    Arranges the devices in a mesh, unless the program has one or its pins ask for one, and searches
    shardings on each mesh that is worth it: every op may be split by each of its factors over each
    axis, and pass partial sums on; parameters, their gradients and states are cut apart from each
    other (passes/strategy/SearchGraph.h). The plan whose ops and reshards take the least time on the
    machine, and whose values fit into its memory, is put on the program. Pins hold. The module gets
    the mesh and loses its pins; the ops stay as they are.
  }];
  let options = pinOptions # searchOptions # machineOptions # [
    Option<"mostAxes", "most-axes", "int64_t", "2", "of a mesh that is chosen">,
    Option<"pinTimeLimit", "pin-time-limit", "double", "0",
           "seconds in which to say what each pin costs; 0: nothing is said">,
  ];
  let dependentDialects = ["::pcc::dist::DistDialect"];
}

#endif // PCC_COMPILER_PLAN_PASSES_TD

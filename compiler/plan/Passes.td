// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PCC_COMPILER_PLAN_PASSES_TD
#define PCC_COMPILER_PLAN_PASSES_TD

include "mlir/Pass/PassBase.td"

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
  let options = [
    Option<"deviceNum", "device-num", "int64_t", "1", "number of ranks">,
    Option<"gradientsMean", "gradients-mean", "bool", "false",
           "gradients are divided by the number of ranks that share them">,
    Option<"fullBatch", "full-batch", "bool", "false",
           "each rank is fed the whole batch and takes its part of it">,
    Option<"datasetStrategy", "dataset-strategy", "std::string", /*default=*/"",
           "the cut in which each input is fed; empty: none is given">,
    Option<"lossRepeatedMean", "loss-repeated-mean", "bool", "true",
           "false: gradients are multiplied by the number of ranks that have the loss">,
    Option<"algorithm", "algorithm", "::pcc::strategy::SearchAlgorithm",
           /*default=*/"::pcc::strategy::SearchAlgorithm::DynamicProgramming",
           "which search decides",
           [{::llvm::cl::values(
             clEnumValN(::pcc::strategy::SearchAlgorithm::DynamicProgramming, "dynamic_programming",
                        "exact, by elimination; behind it the next where tables are too large"),
             clEnumValN(::pcc::strategy::SearchAlgorithm::Best, "best",
                        "anytime, with a bound"))}]>,
    Option<"cluster", "cluster", "std::string", /*default=*/"",
           "the machine: a short form or the message as text; empty: ranks on this one">,
    Option<"mostAxes", "most-axes", "int64_t", "2", "of a mesh that is chosen">,
    Option<"memoryLimit", "memory-limit", "int64_t", "0",
           "bytes of one device; 0: what the machine has">,
    Option<"timeLimit", "time-limit", "double", "60", "seconds that the search may take">,
    Option<"pinTimeLimit", "pin-time-limit", "double", "0",
           "seconds in which to say what each pin costs; 0: nothing is said">,
    Option<"seed", "seed", "uint64_t", "1", "of the search">,
    Option<"threads", "threads", "int", "2", "of the search">,
  ];
  let dependentDialects = ["::pcc::dist::DistDialect"];
}

#endif // PCC_COMPILER_PLAN_PASSES_TD

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options that several modes share.
#ifndef PCC_PASSES_STRATEGY_MODE_OPTIONS_TD
#define PCC_PASSES_STRATEGY_MODE_OPTIONS_TD

include "mlir/Pass/PassBase.td"

/// Options of the modes that obey constraints: ConstraintOptions of ConstrainedProgram.h.
defvar modeOptions = [
  Option<"deviceNum", "device-num", "int64_t", "1", "number of ranks">,
  Option<"gradientsMean", "gradients-mean", "bool", "false",
         "gradients are divided by the number of ranks that share them">,
  Option<"fullBatch", "full-batch", "bool", "false",
         "each rank is fed the whole batch and takes its part of it">,
  Option<"datasetStrategy", "dataset-strategy", "std::string", /*default=*/"",
         "the cut in which each input is fed; empty: none is given">,
  Option<"lossRepeatedMean", "loss-repeated-mean", "bool", "true",
         "false: gradients are multiplied by the number of ranks that have the loss">,
];

/// Options of searches with a time limit.
defvar searchOptions = [
  Option<"algorithm", "algorithm", "::pcc::strategy::SearchAlgorithm",
         /*default=*/"::pcc::strategy::SearchAlgorithm::DynamicProgramming",
         "which search decides",
         [{::llvm::cl::values(
           clEnumValN(::pcc::strategy::SearchAlgorithm::DynamicProgramming, "dynamic_programming",
                      "exact, by elimination; behind it the next where tables are too large"),
           clEnumValN(::pcc::strategy::SearchAlgorithm::Best, "best",
                      "anytime, with a bound"))}]>,
  Option<"timeLimit", "time-limit", "double", "60", "seconds that the search may take">,
  Option<"gap", "gap", "double", "0",
         "part of its cost by which a plan may be dearer than what is proved; 0: the best is looked for">,
  Option<"seed", "seed", "uint64_t", "1", "of the search">,
  Option<"threads", "threads", "int", "2", "of the search">,
];

/// Options of the cost model `roofline`.
defvar machineOptions = [
  Option<"memoryLimit", "memory-limit", "int64_t", "0",
         "bytes of one device; 0: what the machine has">,
];

/// Options of the cost model `memory`: MemoryModel of MemoryModel.h.
defvar memoryModelOptions = [
  Option<"alpha", "alpha", "double", "1", "weight of computation">,
  Option<"beta", "beta", "double", "400", "weight of communication">,
  Option<"gamma", "gamma", "double", "0.001",
         "weight of the gradients of parameters within communication">,
];

#endif // PCC_PASSES_STRATEGY_MODE_OPTIONS_TD

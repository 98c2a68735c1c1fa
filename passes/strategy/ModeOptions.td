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
         "gradients are averaged over the ranks that reduce them, instead of added">,
  Option<"fullBatch", "full-batch", "bool", "false",
         "each rank is fed the whole batch and takes its part of it">,
  Option<"datasetStrategy", "dataset-strategy", "std::string", /*default=*/"",
         "sharding in which each input arrives at the ranks; empty: not specified">,
  Option<"lossRepeatedMean", "loss-repeated-mean", "bool", "true",
         "true: the gradient of a loss that N ranks compute alike is divided by N "
         "(MindSpore's loss_repeated_mean)">,
];

/// Options of searches with a time limit.
defvar searchOptions = [
  Option<"algorithm", "algorithm", "::pcc::strategy::SearchAlgorithm",
         /*default=*/"::pcc::strategy::SearchAlgorithm::DynamicProgramming",
         "which search decides",
         [{::llvm::cl::values(
           clEnumValN(::pcc::strategy::SearchAlgorithm::DynamicProgramming, "dynamic_programming",
                      "exact, by variable elimination; falls back to `best` if tables grow too "
                      "large"),
           clEnumValN(::pcc::strategy::SearchAlgorithm::Best, "best",
                      "anytime branch and bound; reports a lower bound"))}]>,
  Option<"timeLimit", "time-limit", "double", "60", "seconds that the search may take">,
  Option<"gap", "gap", "double", "0",
         "relative optimality gap at which the search stops; 0: search for the optimum">,
  Option<"seed", "seed", "uint64_t", "1", "seed of the search">,
  Option<"threads", "threads", "int", "2", "threads of the search">,
];

/// Options of the cost model `roofline`.
defvar machineOptions = [
  Option<"memoryLimit", "memory-limit", "int64_t", "0",
         "bytes of one device; 0: the memory of the cluster's device">,
];

/// Options of the cost model `memory`: MemoryModel of MemoryModel.h.
defvar memoryModelOptions = [
  Option<"alpha", "alpha", "double", "1", "weight of computation">,
  Option<"beta", "beta", "double", "400", "weight of communication">,
  Option<"gamma", "gamma", "double", "0.001",
         "weight of the bytes sent for parameter gradients, relative to those for activations">,
];

#endif // PCC_PASSES_STRATEGY_MODE_OPTIONS_TD

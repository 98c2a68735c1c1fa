// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that decide how a program is split over its ranks. They only annotate.
#ifndef PCC_PASSES_STRATEGY_PASSES_TD
#define PCC_PASSES_STRATEGY_PASSES_TD

include "mlir/Pass/PassBase.td"
include "passes/strategy/ModeOptions.td"

def StrategyDataParallel : Pass<"strategy-data-parallel", "::mlir::ModuleOp"> {
  let summary = "splits the batch over all ranks and replicates the parameters";
  let description = [{
    Dimension 0 of every input of rank 1 or more is split over all axes of the mesh; every op follows
    (Propagation.h). Losses and gradients are left partial, so that gradients can be reduced once, at
    the start of @update, after they have been accumulated. The module gets `dist.mesh` if it has
    none; the ops stay as they are. A dataset strategy says how inputs are fed and nothing else.
  }];
  let options = [
    Option<"deviceNum", "device-num", "int64_t", "1",
           "number of ranks; of no effect where the module has a mesh">,
    Option<"gradientsMean", "gradients-mean", "bool", "true",
           "gradients are those of one device; false: multiplied by the number of ranks">,
    Option<"fullBatch", "full-batch", "bool", "false",
           "each rank is fed the whole batch and takes its part of it">,
    Option<"datasetStrategy", "dataset-strategy", "std::string", /*default=*/"",
           "the cut in which each input is fed; empty: none is given">,
  ];
  let dependentDialects = ["::pcc::dist::DistDialect"];
}

def StrategyCollectPins : Pass<"strategy-collect-pins", "::mlir::ModuleOp"> {
  let summary = "turns the marks of a model's ops, parameters and inputs into pins";
  let description = [{
    `dist.in` and `dist.out` on ops, `dist.sharding` on `graph.parameter` and on arguments that are
    inputs become entries of the module attribute `dist.pins`, which names what it speaks of. Names are
    made unique where they must be.
  }];
}

def StrategyEraseMarks : Pass<"strategy-erase-marks", "::mlir::ModuleOp"> {
  let summary = "takes every mark of a strategy away";
  let description = [{
    Mesh, pins, shardings, gradient factors and stages go; the ops are those from before the strategy. A module
    with functions of one rank's shapes stays as it is.
  }];
}

def StrategySemiAuto : Pass<"strategy-semi-auto", "::mlir::ModuleOp"> {
  let summary = "splits a program as its pins say, and the rest along with them";
  let description = [{
    Each pin of `dist.pins` is checked (number of tuples, their lengths, counts of at least one, counts
    that divide, the op's own rules, parts that divide the ranks) and all are put on one mesh. Every
    other op follows its neighbours (Propagation.h); what no pin reaches is split along the batch by
    the largest divisor of it that the ranks have. Ops follow the inputs that a dataset strategy cuts.
    The module gets the mesh and loses its pins; the ops stay as they are.
  }];
  let options = pinOptions;
  let dependentDialects = ["::pcc::dist::DistDialect"];
}

def StrategySliceTransfers : Pass<"strategy-slice-transfers", "::mlir::ModuleOp"> {
  let summary = "lets ranks that hold the same value send parts of it to the next stage";
  let description = [{
    A transfer of a value that several ranks of a stage hold is cut over them where sending a part and
    gathering the parts in the receiving stage takes less time on the machine.
  }];
  let options = [
    Option<"cluster", "cluster", "std::string", /*default=*/"",
           "`2x8xH100`, or the message of docs/spec/machine.md as text">,
  ];
  let dependentDialects = ["::pcc::dist::DistDialect"];
}

def StrategyKeepLayerwise : Pass<"strategy-keep-layerwise", "::mlir::ModuleOp"> {
  let summary = "leaves the gradients of layerwise_parallel parameters on their ranks";
  let description = [{
    Their factor is the number of ranks, and @update takes each rank's part of them as if it were the
    whole (`dist.own`).
  }];
  let dependentDialects = ["::pcc::dist::DistDialect"];
}

def StrategyRecursive : Pass<"strategy-recursive", "::mlir::ModuleOp"> {
  let summary = "splits a program by cutting the devices in two, again and again";
  let description = [{
    In every round each forward op, in order of weight, takes the cut that costs it least beside those
    of its neighbours that are decided (passes/solve/RecursiveCuts.h). Each round becomes an axis of
    the mesh; a mesh that the program has gives the rounds. Pins hold, and what is not a forward op
    follows its neighbours as in `strategy-semi-auto`. With an improvement every op then tries its
    neighbouring strategies, by the time of the whole step (SearchImprove.h) or by what the reference
    system counts (MemorySearch.h), and a remark has the costs. The module gets the mesh and loses its
    pins.
  }];
  let options = pinOptions # machineOptions # memoryModelOptions # [
    Option<"improvement", "improvement", "::pcc::strategy::CostModel",
           /*default=*/"::pcc::strategy::CostModel::None",
           "under which cost model every op tries its neighbouring strategies in the end",
           [{::llvm::cl::values(
             clEnumValN(::pcc::strategy::CostModel::None, "none", "the cuts stay as they are"),
             clEnumValN(::pcc::strategy::CostModel::Roofline, "roofline", "time on a machine"),
             clEnumValN(::pcc::strategy::CostModel::Memory, "memory",
                        "the reference system's"))}]>,
  ];
  let dependentDialects = ["::pcc::dist::DistDialect"];
}

def StrategySearchByMemory : Pass<"strategy-search-by-memory", "::mlir::ModuleOp"> {
  let summary = "splits a program as costs least under the cost model `memory`";
  let description = [{
    Counts bytes of the forward graph as the reference system does (passes/strategy/MemoryModel.h) and
    takes the strategies that cost least in all. The mesh is cut as these strategies need. Pins hold,
    and what is not a forward op follows its neighbours as in `strategy-semi-auto`. The module gets the
    mesh and loses its pins; a remark has the total.
  }];
  let options = pinOptions # searchOptions # memoryModelOptions # [
    Option<"fullyUseDevices", "fully-use-devices", "bool", "false",
           "no strategy leaves devices over, but that which splits nothing">,
    Option<"elementwiseFollows", "elementwise-follows", "bool", "false",
           "an elementwise op takes what it reads as it comes">,
  ];
  let dependentDialects = ["::pcc::dist::DistDialect"];
}

def StrategyShardOptimizer : Pass<"strategy-shard-optimizer", "::mlir::ModuleOp"> {
  let summary = "shards optimizer states, gradients and parameters over ranks that hold the same";
  let description = [{
    Runs behind the pass of a mode and only changes shardings. A parameter stays whole, with a remark
    that says why, if it is below the threshold, marked `parallel_optimizer = false` or
    `layerwise_parallel`, or if the number of ranks that hold the same of it divides none of its local
    dimensions.
  }];
  let options = [
    Option<"level", "level", "int64_t", "1",
           "1: optimizer states are sharded; 2: gradients as well; 3: parameters as well">,
    Option<"threshold", "threshold", "int64_t", "65536",
           "bytes that a rank must hold of a parameter for it to be sharded">,
  ];
  let dependentDialects = ["::pcc::dist::DistDialect"];
}

def StrategyReportBytes : Pass<"strategy-report-bytes", "::mlir::ModuleOp"> {
  let summary = "says how many bytes of parameters, gradients and states one rank keeps";
  let description = [{
    A remark of category `strategy`, by the shardings on functions' boundaries.
  }];
}

#endif // PCC_PASSES_STRATEGY_PASSES_TD

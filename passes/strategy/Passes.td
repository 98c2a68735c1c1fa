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
    Dimension 0 of every input of rank 1 or more is split over all axes of the mesh; every op
    follows (Propagation.h). Losses and gradients stay partial, so that gradients are reduced once,
    at the start of @update, after they have been accumulated. The module gets `dist.mesh` if it has
    none; the ops are unchanged. A dataset strategy only determines how inputs are fed.
  }];
  let options = [
    Option<"deviceNum", "device-num", "int64_t", "1",
           "number of ranks; of no effect where the module has a mesh">,
    Option<"gradientsMean", "gradients-mean", "bool", "true",
           "gradients are those of one device; false: multiplied by the number of ranks">,
    Option<"fullBatch", "full-batch", "bool", "false",
           "each rank is fed the whole batch and takes its part of it">,
    Option<"datasetStrategy", "dataset-strategy", "std::string", /*default=*/"",
           "sharding in which each input arrives at the ranks; empty: not specified">,
  ];
  let dependentDialects = ["::pcc::dist::DistDialect"];
}

def StrategyCollectConstraints : Pass<"strategy-collect-constraints", "::mlir::ModuleOp"> {
  let summary = "turns annotations of a model's ops, parameters and inputs into constraints";
  let description = [{
    `dist.in` and `dist.out` on ops, and `dist.sharding` on `graph.parameter` and on arguments that
    are inputs, become entries of the module attribute `dist.constraints`, which refer to ops and tensors
    by name. Names are made unique where necessary.
  }];
}

def StrategyApplyFileShardings : Pass<"strategy-apply-file-shardings", "::mlir::ModuleOp"> {
  let summary = "turns the shardings in a model's file into constraints";
  let description = [{
    The module attribute `dist.file_nodes` has the shardings that the file gives to inputs and outputs of
    its nodes. Each becomes part of a constraint on the op that the node has become, in the function that
    trains if there is one. What the file leaves open follows by propagation or search. The user's constraints
    take precedence. The module gets the mesh of the file if it has none.

    A sharding that an op cannot obey is an error. A remark says to how many nodes the shardings
    apply.
  }];
  let options = [
    Option<"deviceNum", "device-num", "int64_t", "1", "number of ranks of all pipeline stages">,
    Option<"stages", "stages", "int64_t", "1", "number of pipeline stages">,
    Option<"mode", "mode", "std::string", /*default=*/"",
           "set only for modes that ignore the shardings; empty: they are obeyed">,
  ];
  let dependentDialects = ["::pcc::dist::DistDialect"];
}

def StrategyEraseAnnotations : Pass<"strategy-erase-annotations", "::mlir::ModuleOp"> {
  let summary = "removes all annotations of a strategy";
  let description = [{
    Removes mesh, constraints, shardings, gradient factors and stages; the ops are those from before
    the strategy. A module with functions of one rank's shapes is unchanged.
  }];
}

def StrategySemiAuto : Pass<"strategy-semi-auto", "::mlir::ModuleOp"> {
  let summary = "splits a program by its constraints, and propagates them to the other ops";
  let description = [{
    Each constraint of `dist.constraints` is checked: number of tuples, their lengths, counts of at least
    one, counts that divide, the op's own rules, parts that divide the ranks. All constraints are
    put on one mesh. Every other op follows its neighbors (Propagation.h). Inputs that propagation
    does not reach are split along the batch, over as many ranks as divide it. Ops follow the inputs
    that a dataset strategy cuts. The module gets the mesh and loses its constraints; the ops are
    unchanged.
  }];
  let options = modeOptions;
  let dependentDialects = ["::pcc::dist::DistDialect"];
}

def StrategySliceTransfers : Pass<"strategy-slice-transfers", "::mlir::ModuleOp"> {
  let summary = "lets ranks that hold the same value send parts of it to the next stage";
  let description = [{
    A transfer of a value that several ranks of a stage hold is cut over these ranks if it takes
    less time on the machine to send the parts and to gather them in the receiving stage. Nothing
    changes in a module without a machine (`pcc.cluster`).
  }];
  let dependentDialects = ["::pcc::dist::DistDialect"];
}

def StrategyKeepLayerwise : Pass<"strategy-keep-layerwise", "::mlir::ModuleOp"> {
  let summary = "leaves the gradients of layerwise_parallel parameters on their ranks";
  let description = [{
    The gradient factor of such a parameter is the number of ranks that share its gradient, and
    @update takes each rank's part of the gradient as if it were the whole (`dist.own`). Fails if
    these ranks compute a result of a section alike from the parameter, since their values differ.
  }];
  let dependentDialects = ["::pcc::dist::DistDialect"];
}

def StrategyRecursive : Pass<"strategy-recursive", "::mlir::ModuleOp"> {
  let summary = "splits a program by recursive cuts of the devices";
  let description = [{
    In every round each forward op, in order of weight, takes the cut with the least cost, given the
    cuts of the neighbors that are already decided (passes/solve/cuts/RecursiveCuts.h). Each round
    becomes an axis of the mesh; if the program has a mesh, its axes are the rounds. Constraints
    hold, and other ops follow their neighbors as in `strategy-semi-auto`. With an improvement,
    every op then tries its neighboring strategies. They are compared by the time of the whole step
    (SearchImprove.cpp) or by MindSpore's costs (MemorySearch.h), and a remark reports the
    costs. The module gets the mesh and loses its constraints.
  }];
  let options = modeOptions # machineOptions # memoryModelOptions # [
    Option<"improvement", "improvement", "::pcc::strategy::CostModel",
           /*default=*/"::pcc::strategy::CostModel::None",
           "under which cost model every op tries its neighboring strategies in the end",
           [{::llvm::cl::values(
             clEnumValN(::pcc::strategy::CostModel::None, "none", "the cuts stay as they are"),
             clEnumValN(::pcc::strategy::CostModel::Roofline, "roofline", "time on a machine"),
             clEnumValN(::pcc::strategy::CostModel::Memory, "memory",
                        "MindSpore's"))}]>,
  ];
  let dependentDialects = ["::pcc::dist::DistDialect"];
}

def StrategySearchByMemory : Pass<"strategy-search-by-memory", "::mlir::ModuleOp"> {
  let summary = "splits a program at the least cost under the cost model `memory`";
  let description = [{
    Counts bytes of the forward graph as MindSpore does (passes/strategy/memory_model/MemoryModel.h)
    and chooses the strategies with the least total cost. The mesh is refined as these strategies
    require. Constraints hold, and other ops follow their neighbors as in `strategy-semi-auto`. The
    module gets the mesh and loses its constraints; a remark reports the total cost.
  }];
  let options = modeOptions # searchOptions # memoryModelOptions # [
    Option<"fullyUseDevices", "fully-use-devices", "bool", "false",
           "no strategy leaves devices over, but that which splits nothing">,
    Option<"elementwiseFollows", "elementwise-follows", "bool", "false",
           "an elementwise op takes what it reads as it comes">,
  ];
  let dependentDialects = ["::pcc::dist::DistDialect"];
}

def StrategyShardOptimizer : Pass<"strategy-shard-optimizer", "::mlir::ModuleOp"> {
  let summary = "shards optimizer states, gradients and parameters over ranks with equal copies";
  let description = [{
    Runs after the pass of a mode and only changes shardings. A parameter stays whole, with a remark
    that states the reason, in these cases: it is below the threshold; it is marked
    `parallel_optimizer = false` or `layerwise_parallel`; the number of ranks that hold the same
    block of the parameter divides none of its local dimensions.
  }];
  let options = [
    Option<"level", "level", "int64_t", "1",
           "1: optimizer states are sharded; 2: gradients as well; 3: parameters as well">,
    Option<"threshold", "threshold", "int64_t", "65536",
           "bytes that a rank must hold of a parameter for it to be sharded">,
  ];
  let dependentDialects = ["::pcc::dist::DistDialect"];
}

def StrategySplitAxes : Pass<"strategy-split-axes", "::mlir::ModuleOp"> {
  let summary = "splits axes of the mesh so that ranks divide the parameters that they share";
  let description = [{
    Runs before `strategy-shard-optimizer`. An axis is split in two if parameters can then be cut in
    more parts: `dp=48` becomes `dp0=3, dp1=16` for parameters of 8192x8192, which 48 ranks do not
    divide. Shardings over the axis become shardings over both, so every rank holds and computes the
    same as before.
  }];
  let options = [
    Option<"threshold", "threshold", "int64_t", "65536",
           "bytes that a rank must hold of a parameter for it to be sharded">,
  ];
  let dependentDialects = ["::pcc::dist::DistDialect"];
}

def StrategyReportRepeated : Pass<"strategy-report-repeated", "::mlir::ModuleOp"> {
  let summary = "warns where ranks along an axis of the mesh repeat each other's work";
  let description = [{
    An op is repeated along an axis if none of its operands and results is cut along it or partial
    over it. If such ops have at least a tenth of the FLOPs of a rank's training section, or of the
    forward pass, a warning for the axis has the share, the number of ops, and the op with most of
    the FLOPs.
  }];
}

def StrategyReportBytes : Pass<"strategy-report-bytes", "::mlir::ModuleOp"> {
  let summary = "reports the bytes of parameters, gradients and states that one rank keeps";
  let description = [{
    Emits a remark of category `strategy`, based on the shardings on functions' boundaries.
  }];
}

#endif // PCC_PASSES_STRATEGY_PASSES_TD

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PCC_COMPILER_PLAN_PASSES_TD
#define PCC_COMPILER_PLAN_PASSES_TD

include "mlir/Pass/PassBase.td"
include "passes/strategy/ModeOptions.td"

def PlanAutoParallel : Pass<"plan-auto-parallel", "::mlir::ModuleOp"> {
  let summary = "shards a program by the fastest plan";
  let description = [{
    Arranges the devices in a mesh, unless the program has a mesh or its constraints require one.
    Searches shardings on each mesh that is worth trying. Every op may be split by each of its
    factors over each axis, and may pass partial sums on. Parameters, their gradients and
    optimizer states may have different shardings (passes/strategy/search/SearchGraph.h). The pass
    annotates the program with the plan whose ops and reshards take the least time on the machine
    and whose values fit into its memory. The plan obeys the constraints. The module gets the mesh
    and loses its constraints; the ops are unchanged.
  }];
  let options = modeOptions # searchOptions # machineOptions # [
    Option<"maxAxes", "max-axes", "int64_t", "2", "of a mesh that is chosen">,
    Option<"constraintTimeLimit", "constraint-time-limit", "double", "0",
           "seconds in which to say what each constraint costs; 0: nothing is said">,
  ];
  let dependentDialects = ["::pcc::dist::DistDialect"];
}

def PlanFindStages : Pass<"plan-find-stages", "::mlir::ModuleOp"> {
  let summary = "cuts a model into stages of about equal time";
  let description = [{
    Splits @forward into layers where few values cross from one layer to the next. Estimates the
    costs of the layers: time forward and backward, messages, and bytes held and live. Finds the
    cuts that minimize the time of the slowest stage and fit into memory. If no cuts fit, layers
    are recomputed for the gradients, by constraints. The ops get `pipe.stage`, or `pipe.virtual_stage` if
    a stage has several virtual stages. A model that has such annotations is left unchanged.
  }];
  let options = [
    Option<"stages", "stages", "int64_t", "1", "number of stages">,
    Option<"virtualStages", "virtual-stages", "int64_t", "1", "chunks of each stage">,
    Option<"placement", "placement", "::pcc::order::Placement", "::pcc::order::Placement::Looped",
           "which chunks a stage has", [{
      ::llvm::cl::values(
        clEnumValN(::pcc::order::Placement::Looped, "looped", "stage s has s, p + s, 2p + s, …"),
        clEnumValN(::pcc::order::Placement::Vee, "vee", "stage s has s and 2p - 1 - s"))
    }]>,
    Option<"schedule", "schedule", "std::string", [{"1f1b"}],
           "the order of microbatches, which says how many are live">,
    Option<"microBatches", "micro-batches", "int64_t", "1", "microbatches of a step">,
    Option<"copies", "copies", "int64_t", "1", "of each microbatch, which are worked on together">,
    Option<"deviceNum", "device-num", "int64_t", "1", "ranks of a stage">,
    Option<"isReplicated", "replicated", "bool", "false",
           "each rank of a stage has all its parameters">,
    Option<"memoryLimit", "memory-limit", "int64_t", "0",
           "bytes of a device; 0: what the machine has">,
    Option<"loss", "loss", "std::string", [{""}], "as in autodiff-attach-loss">,
    Option<"optimizer", "optimizer", "std::string", [{""}],
           "as in autodiff-build-update; without it and a loss the model is evaluated">];
  let dependentDialects = ["::pcc::pipe::PipeDialect"];
}

def PlanEstimateStageCosts : Pass<"plan-estimate-stage-costs", "::mlir::ModuleOp"> {
  let summary = "annotates the times of pipeline stages, by which their actions are ordered";
  let description = [{
    Estimates, on the machine `pcc.cluster`, the times of a microbatch in the sections of each
    virtual stage, the latency of a message, and the number of live microbatches that fit in memory.
    Annotates them as `pipe.stage_costs` for `schedule-order-actions`. A module without a machine
    gets no annotation.
  }];
  let options = [
    Option<"memoryLimit", "memory-limit", "int64_t", "0",
           "bytes of a device; 0: what the machine has">];
}

def PlanRecordModelFlops : Pass<"plan-record-model-flops", "::mlir::ModuleOp"> {
  let summary = "annotates the work of a training step";
  let description = [{
    Counts the flops of the matmuls, convolutions and attention of a step, by element type, as
    `pcc.model_flops`. A module without a step gets no annotation.
  }];
}

def PlanAnnotateRecompute : Pass<"plan-annotate-recompute", "::mlir::ModuleOp"> {
  let summary = "selects parts of a model for recomputation";
  let description = [{
    Lists the parts of @forward that may be recomputed. A part belongs to one layer, or to several
    layers that are small compared with the values that cross their ends. One part of a layer has
    its cheap ops, another its matmuls, without values that cross the end. Parts of cheap ops come
    first in the list; parts of one kind are ordered by seconds per byte, least first. The pass
    adds constraints, by op name, to recompute the given parts. Ops that a constraint already names
    are in no part. In a model without pipeline stages it assigns all ops to stage 0, so that the
    training section is cut.
  }];
  let options = [
    ListOption<"parts", "parts", "int64_t", "which of the list">,
    Option<"deviceNum", "device-num", "int64_t", "1", "ranks">,
    Option<"isAlone", "alone", "bool", "false", "there are no pipeline stages, and the training section is cut">,
    Option<"listsParts", "list", "bool", "false",
           "annotate the module with the seconds of each part, as `pcc.recompute_seconds`">];
  let dependentDialects = ["::pcc::pipe::PipeDialect"];
}

#endif // PCC_COMPILER_PLAN_PASSES_TD

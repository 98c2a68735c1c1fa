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

def PlanFindStages : Pass<"plan-find-stages", "::mlir::ModuleOp"> {
  let summary = "cuts a model in stages of about the same time";
  let description = [{
    Makes layers of @forward, cut where few values are handed on; prices them forward and backward, with
    what they hand over, hold and keep live; and finds the cuts whose slowest stage is fastest and whose
    stages fit into memory. If none does, layers are computed again for the gradients, by pins. The ops
    get `pipe.stage`, or `pipe.chunk` where a stage has several. A model that has such marks stays as it
    is.
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
    Option<"cluster", "cluster", "std::string", [{""}],
           "the machine, as text; empty: processors of this one">,
    Option<"loss", "loss", "std::string", [{""}], "as in autodiff-attach-loss">,
    Option<"optimizer", "optimizer", "std::string", [{""}],
           "as in autodiff-build-update; without it and a loss the model is evaluated">];
  let dependentDialects = ["::pcc::pipe::PipeDialect"];
}

def PlanMarkRecomputed : Pass<"plan-mark-recomputed", "::mlir::ModuleOp"> {
  let summary = "lets parts of a model be computed again for the gradients";
  let description = [{
    Makes a list of parts of @forward: of each layer, or several that are small beside what they hand
    on, first what is cheap to compute, then all that is not handed on; those of least time for their
    bytes first. The ops of the given parts are told to be computed again, by pins with their names.
    A model that is not cut in stages is told to be on stage 0, so that its training section is cut.
  }];
  let options = [
    ListOption<"parts", "parts", "int64_t", "which of the list">,
    Option<"deviceNum", "device-num", "int64_t", "1", "ranks">,
    Option<"cluster", "cluster", "std::string", [{""}],
           "the machine, as text; empty: processors of this one">,
    Option<"isAlone", "alone", "bool", "false", "there are no pipeline stages">];
  let dependentDialects = ["::pcc::pipe::PipeDialect"];
}

#endif // PCC_COMPILER_PLAN_PASSES_TD

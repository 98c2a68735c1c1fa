// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes from an annotated model to the programs of its stages, in this order.
#ifndef PCC_PASSES_PIPELINE_PASSES_TD
#define PCC_PASSES_PIPELINE_PASSES_TD

include "mlir/Pass/PassBase.td"

def CollectAnnotations : Pass<"pipeline-collect-annotations", "::mlir::ModuleOp"> {
  let summary = "turn annotations on ops into constraints that name the ops";
  let description = [{
    Moves `pipe.stage`, `pipe.virtual_stage` and `pipe.recompute` from the ops to `pipe.constraints`. An op without
    a unique name gets one.
  }];
}

def ApplyStageConstraints : Pass<"pipeline-apply-stage-constraints", "::mlir::ModuleOp"> {
  let summary = "put the stages of constraints onto the ops that they name";
  let description = [{
    Sets `pipe.stage` and `pipe.virtual_stage` by the entries of `pipe.constraints`, each where an entry
    gives it. The parts of a layout are stages or virtual stages. Three cases are errors: a constraint that
    matches no op, two constraints that give one op different stages or different virtual stages, and a
    layout with a wrong number of stages or layers.
  }];
  let options = [
    Option<"stages", "stages", "int64_t", "1", "number of stages">,
    Option<"virtualStages", "virtual-stages", "int64_t", "1", "chunks of each stage">];
  let dependentDialects = ["::pcc::pipe::PipeDialect"];
}

def AssignStages : Pass<"pipeline-assign-stages", "::mlir::ModuleOp"> {
  let summary = "give each op of @forward and @forward_loss its virtual stage";
  let description = [{
    Takes the user's `pipe.stage` from the ops and puts `pipe.virtual_stage` on them: the first virtual
    stage of the stage that is not before those of the op's producers. An op without a stage goes
    with the latest of its producers; if no producer has a virtual stage, with the first of its
    users. An op made of inputs and constants alone gets no virtual stage, unless it computes on
    floats and has a stage: each reader makes it. An op made of parameters and constants alone is
    copied to each virtual stage that reads it, except a matmul with a stage. Stages that decrease
    along the data, stages without an op, and trainable parameters whose op has no known stage are
    errors.
  }];
  let options = [
    Option<"stages", "stages", "int64_t", "1", "number of stages">,
    Option<"virtualStages", "virtual-stages", "int64_t", "1", "chunks of each stage">,
    Option<"placement", "placement", "::pcc::order::Placement", "::pcc::order::Placement::Looped",
           "which chunks a stage has", [{
      ::llvm::cl::values(
        clEnumValN(::pcc::order::Placement::Looped, "looped", "stage s has s, p + s, 2p + s, …"),
        clEnumValN(::pcc::order::Placement::Vee, "vee", "stage s has s and 2p - 1 - s"))
    }]>];
  let dependentDialects = ["::pcc::graph::GraphDialect", "::pcc::pipe::PipeDialect"];
}

def InsertTransfers : Pass<"pipeline-insert-transfers", "::mlir::ModuleOp"> {
  let summary = "put a transfer wherever an op reads a value of another virtual stage";
  let description = [{
    Inserts one `pipe.transfer` per value and virtual stage that reads it. If several virtual stages
    read a parameter, the first one owns it. Each other one gets a copy, `NAME.chunkC` with
    `pipe.copy_of = "NAME"`. Every parameter is annotated with its virtual stage. The annotations of
    ops are removed, since ops that no transfer separates are on the same virtual stage.
  }];
  let dependentDialects = ["::pcc::graph::GraphDialect", "::pcc::pipe::PipeDialect"];
}

def RecomputeElementwise : Pass<"pipeline-recompute-elementwise", "::mlir::ModuleOp"> {
  let summary = "annotate elementwise ops that the backward pass recomputes at little cost";
  let description = [{
    Sets `pipe.recompute` on an elementwise op of the forward pass if the backward pass reads its result only
    element by element, and saves all that it is computed from for other readers. Ops that an entry of
    `pipe.constraints` names with `recompute` are left out.
  }];
  let dependentDialects = ["::pcc::pipe::PipeDialect"];
}

def ApplyRecomputeConstraints : Pass<"pipeline-apply-recompute-constraints", "::mlir::ModuleOp"> {
  let summary = "annotate the ops that constraints select for recomputation";
  let description = [{
    Sets `pipe.recompute` on the forward ops that an entry of `pipe.constraints` with `recompute` matches,
    and removes the constraints. Ops of one rank have the names of the ops from which they were made, so
    this pass may follow partition. Collectives get no annotation.
  }];
  let dependentDialects = ["::pcc::pipe::PipeDialect"];
}

def AlignSharedParameters : Pass<"pipeline-align-shared-parameters", "::mlir::ModuleOp"> {
  let summary = "give copies of a parameter in one stage the sharding of the one that they will share";
  let description = [{
    Virtual stages of one stage share the parameters that they have in common. For each function,
    copies the sharding of the first of such parameters, and of its gradient, to those of its
    copies.
  }];
  let options = [
    Option<"stages", "stages", "int64_t", "1", "number of stages">,
    Option<"virtualStages", "virtual-stages", "int64_t", "1", "chunks of each stage">,
    Option<"placement", "placement", "::pcc::order::Placement", "::pcc::order::Placement::Looped",
           "which chunks a stage has", [{
      ::llvm::cl::values(
        clEnumValN(::pcc::order::Placement::Looped, "looped", "stage s has s, p + s, 2p + s, …"),
        clEnumValN(::pcc::order::Placement::Vee, "vee", "stage s has s and 2p - 1 - s"))
    }]>];
}

def CutStages : Pass<"pipeline-cut-stages", "::mlir::ModuleOp"> {
  let summary = "make the program of each stage from the program of all virtual stages";
  let description = [{
    Each stage becomes a module `@stageN` inside the module, with its parameters and its part of
    every function; transfers between stages become `pipe.send` and `pipe.recv`. The training
    function becomes the sections `forward_train` and `backward`, or with `split-backward`
    `forward_train`, `backward_input` and `backward_weight`, one of each per virtual stage
    (`forward_train.0`). A value that one section saves for another has the role saved. Values made
    of inputs and constants alone or of parameters alone, reshapes, broadcasts and ops with
    `pipe.recompute` are recomputed instead. The actions of the steps are in the order of GPipe.
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
    Option<"splitBackward", "split-backward", "bool", "false",
           "the gradients of weights are a section of their own">];
  let dependentDialects = ["::mlir::func::FuncDialect", "::pcc::graph::GraphDialect",
                           "::pcc::pipe::PipeDialect"];
}

def JoinCopies : Pass<"pipeline-join-copies", "::mlir::ModuleOp"> {
  let summary = "let one action work on all copies of a microbatch";
  let description = [{
    If a step has several copies, each section of microbatches does the work of all of them, one
    after the other. Inputs are annotated with the copy whose rows they have (`pipe.copy`). Each
    copy has its own saved values and messages, and adds a result of its own to a sum.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::pcc::graph::GraphDialect",
                           "::pcc::pipe::PipeDialect"];
}

#endif // PCC_PASSES_PIPELINE_PASSES_TD

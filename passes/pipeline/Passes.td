// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a model with marks to the programs of its stages, in this order.
#ifndef PCC_PASSES_PIPELINE_PASSES_TD
#define PCC_PASSES_PIPELINE_PASSES_TD

include "mlir/Pass/PassBase.td"

def CollectMarks : Pass<"pipeline-collect-marks", "::mlir::ModuleOp"> {
  let summary = "turns marks on ops into pins that speak of them by name";
  let description = [{
    Moves `pipe.stage`, `pipe.chunk` and `pipe.recompute` from the ops to `pipe.pins`. An op whose name
    is not its own gets one.
  }];
}

def ApplyStagePins : Pass<"pipeline-apply-stage-pins", "::mlir::ModuleOp"> {
  let summary = "puts the stages that pins give onto the ops that they speak of";
  let description = [{
    Sets `pipe.stage` by the entries of `pipe.pins`, and by the parts of layouts, which may be the
    chunks of stages as well (`pipe.chunk`). A pin that matches no op, two that differ on one op, and a
    layout of other numbers of stages or layers than there are, are errors.
  }];
  let options = [
    Option<"stages", "stages", "int64_t", "1", "number of stages">,
    Option<"virtualStages", "virtual-stages", "int64_t", "1", "chunks of each stage">];
  let dependentDialects = ["::pcc::pipe::PipeDialect"];
}

def AssignStages : Pass<"pipeline-assign-stages", "::mlir::ModuleOp"> {
  let summary = "gives each op of @forward and @forward_loss its chunk";
  let description = [{
    Takes the user's `pipe.stage` from the ops and puts `pipe.chunk` on them: the least chunk of the
    stage that is not before those of the op's producers. Ops without a stage go with the latest of
    their producers, and where none has one with the first of their users. What is made of inputs and
    constants alone, unless it computes on floats and has a stage, gets no chunk: it belongs to each
    that reads it. What is made of parameters and constants alone is copied to each chunk that reads it,
    but for products with a stage. Stages that decrease along the data, that
    have no op, or that no trainable parameter's op can be told are errors.
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
  let summary = "puts a transfer wherever an op reads a value of another chunk";
  let description = [{
    One `pipe.transfer` per value and chunk that reads it. A parameter that several chunks read gets
    one copy, `NAME.chunkC` with `pipe.copy_of = "NAME"`, for each of them but the first, which owns
    it. Every parameter is marked with its chunk; the marks of ops go, since what no transfer parts
    is in the same chunk.
  }];
  let dependentDialects = ["::pcc::graph::GraphDialect", "::pcc::pipe::PipeDialect"];
}

def ApplyRecomputePins : Pass<"pipeline-apply-recompute-pins", "::mlir::ModuleOp"> {
  let summary = "marks the ops that pins want computed again";
  let description = [{
    Sets `pipe.recompute` on the forward ops that an entry of `pipe.pins` with `recompute` matches, and
    takes the pins away. Ops of one rank have the names of what they were made from, so that this may
    follow partition. Collectives get no mark.
  }];
  let dependentDialects = ["::pcc::pipe::PipeDialect"];
}

def AlignCopies : Pass<"pipeline-align-copies", "::mlir::ModuleOp"> {
  let summary = "gives copies of a parameter in one stage the sharding of the one that they will share";
  let description = [{
    Chunks of one stage share the parameters that they have in common. Takes the sharding of the first
    one, and of its gradient, from the arguments and results of each function and puts it on those of its
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
  let summary = "makes the program of each stage from one of all chunks";
  let description = [{
    Each stage becomes a module `@stageN` inside the module, with its parameters and its part of every
    function; transfers between stages become `pipe.send` and `pipe.recv`. The training function becomes
    sections `forward_train` and `backward`, or with `split-backward` `forward_train`, `backward_input`
    and `backward_weight`, of several chunks one each (`forward_train.0`). What one of them leaves for
    another has the role saved; what is made of inputs and constants alone or of parameters alone,
    reshapes, broadcasts and ops marked `pipe.recompute` are made again instead. The slots of the steps are in the order of GPipe.
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

def InterleaveCopies : Pass<"pipeline-interleave-copies", "::mlir::ModuleOp"> {
  let summary = "lets a slot work on all copies of a microbatch";
  let description = [{
    Where a step has several copies, each section of microbatches does the work of all of them, one
    behind the other: inputs are marked with the copy whose rows they have (`pipe.copy`), saved values
    and messages are each copy's own, and each adds a result of its own to a sum.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::pcc::graph::GraphDialect",
                           "::pcc::pipe::PipeDialect"];
}

#endif // PCC_PASSES_PIPELINE_PASSES_TD

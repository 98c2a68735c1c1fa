// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that rewrite ops for the target and decide which ops run together as one kernel. Each
// kernel is an annotation on its ops. No op changes after this phase.
#ifndef PCC_PASSES_FUSION_PASSES_TD
#define PCC_PASSES_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChunkMatmuls : Pass<"fuse-chunk-matmuls", "::mlir::ModuleOp"> {
  let summary = "cut matmuls into chunks that are summed over ranks one after the other";
  let description = [{
    A matmul of two matrices whose only reader is an all_reduce becomes matmuls of some of its rows,
    each with an all_reduce of its own. One chunk is summed while the next is computed.
    passes/analysis chooses the number of chunks that finishes first on the machine.
  }];
  let options = [
    Option<"chunks", "chunks", "int64_t", "4", "maximum number of chunks">];
  let dependentDialects = ["::pcc::dist::DistDialect", "::pcc::graph::GraphDialect"];
}

def PrepareKernels : Pass<"fuse-prepare-kernels", "::mlir::ModuleOp"> {
  let summary = "make the scales of sums over actions and the parts of splits explicit as ops";
  let description = [{
    A value that a step sums over its actions arrives in f32 and unscaled in a later section. This
    pass multiplies and casts the value there, after a collective if that is its only reader. A
    product of 16 bits that is cast only to be summed is summed as it is. Splits
    become slices, so that every op has one result. Matmuls and convolutions of types that the
    device does not multiply become those of f32, and their results are rounded.
  }];
  let options = [
    Option<"multipliesHalf", "multiplies-half", "bool", /*default=*/"false",
           "the device multiplies f16, as GPUs do">,
    Option<"multipliesBFloat16", "multiplies-bf16", "bool", /*default=*/"true",
           "the device multiplies bf16, as GPUs and CPUs with AVX-512 do">,
  ];
  let dependentDialects = ["::pcc::graph::GraphDialect"];
}

def FuseEpilogues : Pass<"fuse-epilogues", "::mlir::ModuleOp"> {
  let summary = "annotates epilogues of a GPU's matmuls: bias, relu, gelu, gelu's gradient, sums";
  let description = [{
    Ops after a matmul, or beside it, that its instruction also performs get the matmul's annotation
    `task.matmul_group`. A matmul with gelu or its gradient gets `task.activation`. Ops are unchanged,
    but ops of a decomposition that other ops read as well are cloned.
  }];
  let dependentDialects = ["::pcc::task::TaskDialect"];
}

def SplitReductions : Pass<"fuse-split-reductions", "::mlir::ModuleOp"> {
  let summary = "split reductions to few values into two steps, for the blocks of a GPU";
  let description = [{
    Adjacent rows become columns, as many as keep a GPU busy. Rows whose elements are not adjacent,
    such as those of a channel, are first reduced over their contiguous runs. A second reduction
    combines the partial results. Types of fewer bits are reduced in f32. Sums that matmuls have in
    their instructions stay.
  }];
  let dependentDialects = ["::pcc::graph::GraphDialect"];
}

def FuseHeadTransposes : Pass<"fuse-head-transposes", "::mlir::ModuleOp"> {
  let summary = "annotates transposes of heads that attention instructions read and write through";
  let description = [{
    If heads are exchanged with positions before an attention or its gradient, and back after it,
    the transposes and the attention get one annotation `task.attention`. The instruction then has
    the positions first. Transposes that other ops read as well are cloned.
  }];
  let dependentDialects = ["::pcc::task::TaskDialect"];
}

def AssignKernels : Pass<"fuse-assign-kernels", "::mlir::func::FuncOp"> {
  let summary = "decides which ops run together as one kernel or library call, and in which order";
  let description = [{
    Annotates `task.kernel` on ops and `task.forms` on functions. Ops without a kernel are computed
    in the kernels that read their values.
  }];
  let dependentDialects = ["::pcc::task::TaskDialect"];
}

def RecomputePointwise : Pass<"fuse-recompute-pointwise", "::mlir::func::FuncOp"> {
  let summary = "rematerializes large values in kernels that read them if that moves fewer bytes";
  let description = [{
    Rematerializes cheap ops on values that are in memory anyway or are smaller, such as the
    normalized values that the derivative of a layer norm reads. The clones get the numbers of the
    kernels that read them.
  }];
  let dependentDialects = ["::pcc::task::TaskDialect"];
}

#endif // PCC_PASSES_FUSION_PASSES_TD

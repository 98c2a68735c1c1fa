// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes from graph to graph: for the model before it is differentiated, and decompositions of
// composites.
#ifndef PCC_PASSES_GRAPH_PASSES_TD
#define PCC_PASSES_GRAPH_PASSES_TD

include "mlir/Pass/PassBase.td"

def GraphCanonicalize : Pass<"graph-canonicalize"> {
  let summary = "fold transposes into matmul, shorten chains, drop ops that change nothing";
  let description = [{
    Applies the dialect's folders and this room's patterns until nothing changes. Transposed
    operands and results of matmul become its flags. A chain of reshapes and transposes becomes the
    shortest one, at most a reshape, a transpose and a reshape. Slices, pads, concats and reductions that
    change nothing disappear, and splats are computed. Dead ops are erased. The result means exactly
    the same.
  }];
  let dependentDialects = ["::pcc::graph::GraphDialect"];
}

def GraphAssignPrecision : Pass<"graph-assign-precision", "::mlir::ModuleOp"> {
  let summary = "let a model of f32 compute in mixed precision";
  let description = [{
    Contractions compute in the half type `type`, losses, norms and exponentials in f32, and all
    other ops in the type of their operands (passes/graph/Precision.h). Parameters, inputs and
    results keep their types. `constraints` are entries NAME=f32 or NAME=half, where NAME is a
    regular expression that is found in names of ops; the first one that matches decides. One that
    matches no op is an error.
  }];
  let options = [
    Option<"type", "type", "std::string", [{"bf16"}], "bf16, f16 or f32">,
    ListOption<"constraints", "constraints", "std::string", "NAME=f32 or NAME=half">];
  let dependentDialects = ["::pcc::graph::GraphDialect"];
}

def GraphDecompose : Pass<"graph-decompose"> {
  let summary = "replace composites by core ops";
  let description = [{
    Normalizations, losses, optimizer steps, activations and all other composites become reductions
    and plain elementwise ops. docs/spec/graph.md lists them with their formulas. Each op of a
    decomposition keeps the location of the composite.
  }];
  let options = [
    ListOption<"ops", "ops", "std::string",
               "op names without the dialect's prefix; empty means all that have a decomposition">,
    ListOption<"keep", "keep", "std::string",
               "op names that stay whole, because golden results compute them so">,
  ];
  let dependentDialects = ["::pcc::graph::GraphDialect"];
}

def GraphRecordInputRanges : Pass<"graph-record-input-ranges", "::mlir::ModuleOp"> {
  let summary = "annotate the module with the integers that inputs may hold";
  let description = [{
    Labels of softmax_cross_entropy and nll are classes or the ignored label, and indices of gather
    are rows of its table. For each integer input that is used so, the attribute
    `graph.input_ranges` of the module gets the least and the greatest legal value, and the ignored
    one if there is one.
  }];
  let dependentDialects = ["::pcc::graph::GraphDialect"];
}

class GraphRaise<string name, string what, string summaryOf> : Pass<name> {
  let summary = "recognize " # summaryOf;
  let description = [{
    }] # what # [{ The op that replaces them means the same and is called by the names of all its
    pieces. Pieces that something else reads stay.
  }];
  let dependentDialects = ["::pcc::graph::GraphDialect"];
}

def GraphRaiseActivations : GraphRaise<"graph-raise-activations",
    "Arithmetic that amounts to gelu (by erf or tanh) or silu becomes that op; x times the sigmoid "
    "of c x becomes the silu of c x, divided by c.", "gelu and silu">;

def GraphRaiseNorms : GraphRaise<"graph-raise-norms",
    "Reductions and arithmetic that amount to a layer_norm or rms_norm become that op.",
    "layer norm and root mean square norm">;

def GraphRaiseRotary : GraphRaise<"graph-raise-rotary",
    "Heads times cosines plus their turned halves, or turned pairs of neighbors, times sines become "
    "a rotary_embedding.",
    "rotary embedding">;

def GraphRaiseAttention : GraphRaise<"graph-raise-attention",
    "A softmax of scaled and masked scores between two products becomes an attention: causal where "
    "a constant mask hides what lies ahead, with grouped heads where key and value are repeated. A "
    "remark says why a softmax between two products does not.",
    "attention">;

def GraphRaiseLosses : GraphRaise<"graph-raise-losses",
    "A logarithm of a softmax becomes log_softmax, its weighted sum softmax_cross_entropy.",
    "log_softmax and softmax cross entropy">;

def GraphSplitFusedMatmuls : Pass<"graph-split-fused-matmuls", "::mlir::ModuleOp"> {
  let summary = "split matmuls whose columns are split into parts";
  let description = [{
    Splits a matmul of a parameter, perhaps with a bias, if all its columns are then split or sliced
    into parts, with or without reshapes and transposes between. The matmul becomes one matmul per
    part. The parameter `NAME` becomes `NAME[q]`, `NAME[k]` and `NAME[v]` if the parts enter an
    attention as query, key and value, else `NAME[0]`, `NAME[1]` and so on. Each part is annotated
    by `graph.part` as a part of `NAME`: files of parameters hold `NAME` whole. The matmuls have
    both names. A parameter with any other reader stays, and so does its matmul.
  }];
  let dependentDialects = ["::pcc::graph::GraphDialect"];
}

def GraphNameComposites : Pass<"graph-name-composites"> {
  let summary = "name ops that replace several nodes after the module of these nodes";
  let description = [{
    An attention that was raised from nodes of the modules `h.3.attn` and `h.3.attn.proj` is called
    `h.3.attn/attention`. The names of the nodes stay in the location. Nothing happens to ops of
    models without names by modules.
  }];
  let dependentDialects = ["::pcc::graph::GraphDialect"];
}

def GraphSplitBatch : Pass<"graph-split-batch", "::mlir::func::FuncOp"> {
  let summary = "turn the model of a batch into the model of one of N microbatches";
  let description = [{
    Dimension 0 of every input is the batch. The analysis BatchDependence finds the values that
    depend on single samples, and the dimension that holds the samples. That dimension is divided by
    `count`, also where samples follow positions in a flat dimension. Inputs of rank 0 are left
    alone. A loss that is a mean stays a mean, over the microbatch. A constant whose rows are equal
    along the batch is cut. Errors are a batch that `count` does not divide, a parameter with the
    batch's extent, a constant whose rows differ, and an op that combines samples with each other.
  }];
  let options = [
    Option<"count", "count", "int64_t", "1", "number of microbatches, at least 1">,
  ];
  let dependentDialects = ["::pcc::graph::GraphDialect"];
}

def GraphPrintFactorRules : Pass<"graph-print-factor-rules"> {
  let summary = "print the factor rule of every op as a remark, and check it against its shapes";
}

#endif // PCC_PASSES_GRAPH_PASSES_TD

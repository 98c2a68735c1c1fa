// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes from graph to graph: the model before it is differentiated, and wholes into pieces.
#ifndef PCC_PASSES_GRAPH_PASSES_TD
#define PCC_PASSES_GRAPH_PASSES_TD

include "mlir/Pass/PassBase.td"

def GraphCanonicalize : Pass<"graph-canonicalize"> {
  let summary = "folds transposes into matmul, drops ops that change nothing";
  let description = [{
    Applies the dialect's folders and the room's patterns until nothing changes: transposed operands
    and results of matmul become its flags, slices, pads, concats and reductions that change nothing
    disappear, splats are computed. Dead ops go. The result means exactly the same.
  }];
  let dependentDialects = ["::pcc::graph::GraphDialect"];
}

def GraphDecompose : Pass<"graph-decompose"> {
  let summary = "replaces ops that are wholes by core ops";
  let description = [{
    Normal forms, losses, optimizer steps, activations and whatever else has a row in
    docs/spec/graph.md, which lists the formulas, become reductions and plain elementwise ops. Each
    piece keeps the location of the whole.
  }];
  let options = [
    ListOption<"ops", "ops", "std::string",
               "op names without the dialect's prefix; empty means all that have a decomposition">,
    ListOption<"keep", "keep", "std::string",
               "op names that stay whole, because a record computes them so">,
  ];
  let dependentDialects = ["::pcc::graph::GraphDialect"];
}

def GraphRecordInputRanges : Pass<"graph-record-input-ranges", "::mlir::ModuleOp"> {
  let summary = "records which integers the inputs may hold";
  let description = [{
    Labels of softmax_cross_entropy and nll are classes or the ignored label, and indices of gather
    are rows of its table. For each input of integers that is used so, the attribute
    `graph.input_ranges` of the module gets the least and the greatest legal value, and the ignored
    one where there is one.
  }];
  let dependentDialects = ["::pcc::graph::GraphDialect"];
}

class GraphRaise<string name, string what, string summaryOf> : Pass<name> {
  let summary = "recognises " # summaryOf;
  let description = [{
    }] # what # [{ The op that replaces them means the same and is called by the names of all its
    pieces. Pieces that something else reads stay.
  }];
  let dependentDialects = ["::pcc::graph::GraphDialect"];
}

def GraphRaiseActivations : GraphRaise<"graph-raise-activations",
    "Arithmetic that amounts to gelu (by erf or tanh) or silu becomes that op.", "gelu and silu">;

def GraphRaiseNorms : GraphRaise<"graph-raise-norms",
    "Reductions and arithmetic that amount to a layer_norm or rms_norm become that op.",
    "layer norm and root mean square norm">;

def GraphRaiseRotary : GraphRaise<"graph-raise-rotary",
    "Heads times cosines plus their turned halves times sines become a rotary_embedding.",
    "rotary embedding">;

def GraphRaiseAttention : GraphRaise<"graph-raise-attention",
    "A softmax of scaled and masked scores between two products becomes an attention: causal where "
    "a constant mask hides what lies ahead, with grouped heads where key and value are repeated.",
    "attention">;

def GraphRaiseLosses : GraphRaise<"graph-raise-losses",
    "A logarithm of a softmax becomes log_softmax, its weighted sum softmax_cross_entropy.",
    "log_softmax and softmax cross entropy">;

def GraphSplitFusedProducts : Pass<"graph-split-fused-products", "::mlir::ModuleOp"> {
  let summary = "takes products apart whose columns are split into pieces";
  let description = [{
    A product of a parameter, perhaps with a bias, all of whose columns are then split or sliced into
    pieces, by reshapes and transposes or not, becomes one product per piece. The parameter `NAME`
    becomes `NAME[q]`, `NAME[k]` and `NAME[v]` where the pieces enter an attention as query, key and
    value, else `NAME[0]`, `NAME[1]` and so on, each marked by `graph.piece` as a part of `NAME`:
    files of parameters hold `NAME` whole. The products are called by both names. A parameter that
    anything else reads stays, and so does its product.
  }];
  let dependentDialects = ["::pcc::graph::GraphDialect"];
}

def GraphSplitBatch : Pass<"graph-split-batch", "::mlir::func::FuncOp"> {
  let summary = "turns the model of a batch into the model of one of N microbatches";
  let description = [{
    Dimension 0 of every input is the batch. Follows it through the factor rules, forwards to the
    results and backwards to broadcasts and splats, and divides every dimension that carries it as
    its slowest factor by `count`. Inputs of rank 0 are left alone. A loss that is a mean stays a
    mean, over the microbatch. A batch that `count` does not divide, a parameter or constant with
    the batch's extent, and an op that needs the whole batch are errors.
  }];
  let options = [
    Option<"count", "count", "int64_t", "1", "number of microbatches, at least 1">,
  ];
  let dependentDialects = ["::pcc::graph::GraphDialect"];
}

def GraphPrintFactorRules : Pass<"graph-print-factor-rules"> {
  let summary = "prints the factor rule of every op as a remark, and checks it against its shapes";
}

#endif // PCC_PASSES_GRAPH_PASSES_TD

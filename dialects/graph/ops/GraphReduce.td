// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions, and other ops that read all elements along an axis.
#ifndef PCC_DIALECTS_GRAPH_GRAPHREDUCE_TD
#define PCC_DIALECTS_GRAPH_GRAPHREDUCE_TD

include "dialects/graph/ops/GraphAttrs.td"

def Graph_ReduceOp : Graph_Op<"reduce", [Graph_InferTypes]> {
  let summary = "combines all elements along the given dimensions, which disappear";
  let description = [{
    With `cross_batch` a rank that has only some of these elements (the samples of its part of a
    batch) treats them as if they were all. Derivatives are those of the whole batch.

    Equal elements share the gradient of `max` and `min`. With `first_wins`, for one dimension, the
    first of them gets all of it.
  }];
  let arguments = (ins Graph_ReduceKindAttr:$kind, Graph_NumberTensor:$input,
                       DenseI64ArrayAttr:$dims, UnitAttr:$cross_batch, UnitAttr:$first_wins);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "$kind $input `,` $dims attr-dict `:` type($input)";
}

// Index of an element along one axis, which disappears.
class Graph_ArgOp<string mnemonic, string what> : Graph_Op<mnemonic, [Graph_InferTypes]> {
  let summary = "the number of the " # what # " element along one axis";
  let description = [{
    Among equal elements the first one, or with `last` the last one. NaN is beyond all numbers.
  }];
  let arguments = (ins Graph_NumberTensor:$input, Graph_I64Attr:$axis, UnitAttr:$last);
  let results = (outs Graph_I64Tensor:$result);
  let assemblyFormat = "$input `axis` `=` $axis attr-dict `:` type($input)";
}
def Graph_ArgmaxOp : Graph_ArgOp<"argmax", "greatest">;
def Graph_ArgminOp : Graph_ArgOp<"argmin", "least">;

def Graph_TopKOp : Graph_Op<"top_k",
    [TypesMatchWith<"indices have the shape of the values", "values", "indices",
                    "::pcc::graph::i64TensorLike($_self)">]> {
  let summary = "the greatest elements along one axis and their indices, in descending order";
  let description = [{
    With `smallest` the least ones in ascending order. Among equal elements the first one comes
    first; NaN is beyond all numbers.
  }];
  let arguments = (ins Graph_NumberTensor:$input, Graph_I64Attr:$axis, UnitAttr:$smallest);
  let results = (outs Graph_NumberTensor:$values, Graph_I64Tensor:$indices);
  let assemblyFormat = "$input `axis` `=` $axis attr-dict `:` type($input) `to` type($values)";
  let hasVerifier = 1;
}

def Graph_CumsumOp : Graph_Op<"cumsum", [SameOperandsAndResultType]> {
  let summary = "sums of all elements up to each one along one axis";
  let description = [{
    `exclusive`: without the element itself. `reverse`: from the end. Sums are accumulated in f32 or
    wider.
  }];
  let arguments = (ins Graph_NumberTensor:$input, Graph_I64Attr:$axis, UnitAttr:$exclusive,
                       UnitAttr:$reverse);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "$input `axis` `=` $axis attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // PCC_DIALECTS_GRAPH_GRAPHREDUCE_TD

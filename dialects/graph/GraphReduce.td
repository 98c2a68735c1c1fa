// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions, normal forms and losses.
#ifndef PCC_DIALECTS_GRAPH_GRAPHREDUCE_TD
#define PCC_DIALECTS_GRAPH_GRAPHREDUCE_TD

include "dialects/graph/GraphAttrs.td"

def Graph_ReduceOp : Graph_Op<"reduce", [Graph_InferTypes]> {
  let summary = "combines all elements along the given dimensions, which disappear";
  let description = [{
    With `cross_batch` a rank that has only some of these elements (the samples of its part of a
    batch) goes on with what it makes of them, as if they were all. Derivatives are those of the whole.
  }];
  let arguments = (ins Graph_ReduceKindAttr:$kind, Graph_NumberTensor:$input,
                       DenseI64ArrayAttr:$dims, UnitAttr:$cross_batch);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "$kind $input `,` $dims attr-dict `:` type($input)";
}

def Graph_SoftmaxOp : Graph_Op<"softmax", [SameOperandsAndResultType]> {
  let summary = "exp(x) / sum of exp(x) along one axis, computed without overflow";
  let arguments = (ins Graph_FloatTensor:$input, Graph_I64Attr:$axis);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$input `axis` `=` $axis attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Graph_SoftmaxCrossEntropyOp : Graph_Op<"softmax_cross_entropy", [Graph_InferTypes]> {
  let summary = "cross entropy of the softmax of logits along the last dimension";
  let description = [{
    Labels are class numbers (integers, the logits' shape without the last dimension) or
    probabilities (floats, the logits' shape). Samples whose label is `ignore_index` do not count;
    `mean` divides by the number of samples that count.
  }];
  let arguments = (ins Graph_FloatTensor:$logits, Graph_NumberTensor:$labels,
                       DefaultValuedAttr<Graph_LossReductionAttr, "LossReduction::Mean">:$reduction,
                       OptionalAttr<Graph_I64Attr>:$ignore_index);
  let results = (outs Graph_FloatScalar:$loss);
  let assemblyFormat = "$logits `,` $labels attr-dict `:` type($logits) `,` type($labels)";
}

#endif // PCC_DIALECTS_GRAPH_GRAPHREDUCE_TD

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses: one number for all samples.
#ifndef PCC_DIALECTS_GRAPH_GRAPHLOSS_TD
#define PCC_DIALECTS_GRAPH_GRAPHLOSS_TD

include "dialects/graph/ops/GraphAttrs.td"

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

def Graph_NllOp : Graph_Op<"nll", [Graph_InferTypes]> {
  let summary = "negative logarithm of the probability of each sample's class";
  let description = [{
    Like `softmax_cross_entropy` with class numbers, for logarithms of probabilities along the last
    dimension.
  }];
  let arguments = (ins Graph_FloatTensor:$log_probabilities, Graph_IndexTensor:$labels,
                       DefaultValuedAttr<Graph_LossReductionAttr, "LossReduction::Mean">:$reduction,
                       OptionalAttr<Graph_I64Attr>:$ignore_index);
  let results = (outs Graph_FloatScalar:$loss);
  let assemblyFormat = [{
    $log_probabilities `,` $labels attr-dict `:` type($log_probabilities) `,` type($labels)
  }];
}

// Loss of a prediction and a target of one type.
class Graph_ElementLossOp<string mnemonic, string of>
    : Graph_Op<mnemonic, [SameTypeOperands, Graph_InferTypes]> {
  let summary = "mean or sum over all elements of " # of;
  let arguments = (ins Graph_FloatTensor:$prediction, Graph_FloatTensor:$target,
                       DefaultValuedAttr<Graph_LossReductionAttr, "LossReduction::Mean">:$reduction);
  let results = (outs Graph_FloatScalar:$loss);
  let assemblyFormat = "$prediction `,` $target attr-dict `:` type($prediction)";
}
def Graph_MseOp : Graph_ElementLossOp<"mse", "(prediction - target)²">;
def Graph_SigmoidCrossEntropyOp : Graph_ElementLossOp<"sigmoid_cross_entropy",
    "-target log s - (1 - target) log(1 - s), s the sigmoid of the prediction">;

#endif // PCC_DIALECTS_GRAPH_GRAPHLOSS_TD

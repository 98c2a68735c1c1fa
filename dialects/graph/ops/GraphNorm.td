// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalizations: values brought to mean zero and variance one, or to sum one.
#ifndef PCC_DIALECTS_GRAPH_GRAPHNORMAL_TD
#define PCC_DIALECTS_GRAPH_GRAPHNORMAL_TD

include "dialects/graph/ops/GraphAttrs.td"

def Graph_SoftmaxOp : Graph_Op<"softmax", [SameOperandsAndResultType]> {
  let summary = "exp(x) / sum of exp(x) along one axis, computed without overflow";
  let arguments = (ins Graph_FloatTensor:$input, Graph_I64Attr:$axis);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$input `axis` `=` $axis attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Graph_LogSoftmaxOp : Graph_Op<"log_softmax", [SameOperandsAndResultType]> {
  let summary = "logarithm of the softmax along one axis, computed without overflow";
  let arguments = (ins Graph_FloatTensor:$input, Graph_I64Attr:$axis);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$input `axis` `=` $axis attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Graph_LayerNormOp : Graph_Op<"layer_norm", [AllTypesMatch<["input", "result"]>]> {
  let summary = "scale * (x - mean) / sqrt(variance + epsilon) + bias over the last dimensions";
  let description = [{
    Mean and variance (of the population) are taken over the dimensions from `axis` on; `scale` and
    `bias` have the shape of these dimensions. Both are computed in f32 or wider.
  }];
  let arguments = (ins Graph_FloatTensor:$input, Graph_FloatTensor:$scale,
                       Optional<Graph_FloatTensor>:$bias, Graph_I64Attr:$axis, F64Attr:$epsilon);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $scale (`,` $bias^)? `axis` `=` $axis `epsilon` `=` $epsilon attr-dict `:`
    type($result) `,` type($scale) (`,` type($bias)^)?
  }];
  let hasVerifier = 1;
}

def Graph_RmsNormOp : Graph_Op<"rms_norm", [AllTypesMatch<["input", "result"]>]> {
  let summary = "scale * x / sqrt(mean of x² + epsilon) over the last dimensions";
  let description = [{
    The mean is taken over the dimensions from `axis` on; `scale` has the shape of these dimensions.
    The mean is computed in f32 or wider. Zhang, Sennrich: Root mean square layer normalization,
    NeurIPS 2019.
  }];
  let arguments = (ins Graph_FloatTensor:$input, Graph_FloatTensor:$scale, Graph_I64Attr:$axis,
                       F64Attr:$epsilon);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $scale `axis` `=` $axis `epsilon` `=` $epsilon attr-dict `:` type($result) `,`
    type($scale)
  }];
  let hasVerifier = 1;
}

// Dimension 1 of the input is the channels; scale, bias and statistics have one number for each.
def Graph_BatchNormOp : Graph_Op<"batch_norm",
    [AllTypesMatch<["input", "result"]>, AllTypesMatch<["scale", "bias"]>,
     AllTypesMatch<["mean", "variance", "new_mean", "new_variance"]>]> {
  let summary = "batch normalization in training";
  let description = [{
    With m and v the mean and the variance (of the population) of each channel over the whole batch
    and all positions: result = scale * (x - m) / sqrt(v + epsilon) + bias;
    new_mean = momentum * mean + (1 - momentum) * m, and likewise new_variance. m and v are computed
    in f32 or wider. With `unbiased` the variance v of n elements enters new_variance as
    v n / (n - 1), as in torch. Ioffe, Szegedy: Batch normalization, ICML 2015.
  }];
  let arguments = (ins Graph_FloatTensor:$input, Graph_FloatTensor:$scale, Graph_FloatTensor:$bias,
                       Graph_FloatTensor:$mean, Graph_FloatTensor:$variance, F64Attr:$epsilon,
                       F64Attr:$momentum, UnitAttr:$unbiased);
  let results = (outs Graph_FloatTensor:$result, Graph_FloatTensor:$new_mean,
                      Graph_FloatTensor:$new_variance);
  let assemblyFormat = [{
    $input `,` $scale `,` $bias `,` $mean `,` $variance `epsilon` `=` $epsilon `momentum` `=`
    $momentum attr-dict `:` type($result) `,` type($scale) `,` type($mean)
  }];
  let hasVerifier = 1;
}

def Graph_BatchNormInferenceOp : Graph_Op<"batch_norm_inference",
    [AllTypesMatch<["input", "result"]>, AllTypesMatch<["scale", "bias"]>,
     AllTypesMatch<["mean", "variance"]>]> {
  let summary = "scale * (x - mean) / sqrt(variance + epsilon) + bias for each channel";
  let description = [{
    `momentum` and `unbiased` are those of the `batch_norm` with which the op is trained; they do
    not affect the result.
  }];
  let arguments = (ins Graph_FloatTensor:$input, Graph_FloatTensor:$scale, Graph_FloatTensor:$bias,
                       Graph_FloatTensor:$mean, Graph_FloatTensor:$variance, F64Attr:$epsilon,
                       DefaultValuedAttr<F64Attr, "0.9">:$momentum, UnitAttr:$unbiased);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $scale `,` $bias `,` $mean `,` $variance `epsilon` `=` $epsilon attr-dict `:`
    type($result) `,` type($scale) `,` type($mean)
  }];
  let hasVerifier = 1;
}

def Graph_DropoutOp : Graph_Op<"dropout", [AllTypesMatch<["input", "result"]>,
    TypesMatchWith<"index has the shape of the result", "result", "index",
                   "::pcc::graph::i64TensorLike($_self)">]> {
  let summary = "x / (1 - rate) where the random number of an element is at least `rate`, else 0";
  let description = [{
    The numbers are those of `rng_uniform` for the same `index` and `seed`.
  }];
  let arguments = (ins Graph_FloatTensor:$input, Graph_I64Tensor:$index, Graph_IndexScalar:$seed,
                       F64Attr:$rate);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $index `,` $seed `rate` `=` $rate attr-dict `:` type($result) `,` type($seed)
  }];
  let hasVerifier = 1;
}

#endif // PCC_DIALECTS_GRAPH_GRAPHNORMAL_TD

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops over windows of images: convolutions and pooling. Tensors are [batch, channels, height,
// width]; windows are described by rows and columns, in this order.
//
// The result at (y, x) sees the input at y * strides[0] - padding[0] + a * dilations[0] for the
// rows a of the window, and likewise for columns: padding is [top, left, bottom, right]. Elements
// outside the input count as zero, or not at all (max_pool).
#ifndef PCC_DIALECTS_GRAPH_GRAPHWINDOW_TD
#define PCC_DIALECTS_GRAPH_GRAPHWINDOW_TD

include "dialects/graph/ops/GraphAttrs.td"

// Strides and dilations have two numbers, padding has four. The default is 1, and 0 for padding.
defvar Graph_WindowAttrs = (ins
    DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$strides,
    DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0, 0, 0}">:$padding,
    DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilations);

def Graph_Conv2dOp : Graph_Op<"conv2d", [Graph_InferTypes]> {
  let summary = "two-dimensional convolution (cross-correlation)";
  let description = [{
    The weight is [output channels, input channels of a group, rows, columns]. The number of groups
    is the input's channels divided by the weight's input channels; group g of the output sees group
    g of the input. Sums are accumulated in f32 or wider.
  }];
  let arguments = !con((ins Graph_FloatTensor:$input, Graph_FloatTensor:$weight), Graph_WindowAttrs);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$input `,` $weight attr-dict `:` type($input) `,` type($weight)";
}

def Graph_Conv2dInputGradientOp : Graph_Op<"conv2d_input_gradient"> {
  let summary = "gradient of the input of a conv2d, from that of its result";
  let arguments = !con((ins Graph_FloatTensor:$gradient, Graph_FloatTensor:$weight),
                       Graph_WindowAttrs);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $gradient `,` $weight attr-dict `:` type($gradient) `,` type($weight) `to` type($result)
  }];
  let hasVerifier = 1;
}

def Graph_Conv2dWeightGradientOp : Graph_Op<"conv2d_weight_gradient"> {
  let summary = "gradient of the weight of a conv2d, from that of its result";
  let arguments = !con((ins Graph_FloatTensor:$input, Graph_FloatTensor:$gradient),
                       Graph_WindowAttrs);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $gradient attr-dict `:` type($input) `,` type($gradient) `to` type($result)
  }];
  let hasVerifier = 1;
}

class Graph_PoolOp<string mnemonic, string what, dag attributes = (ins)>
    : Graph_Op<mnemonic, [Graph_InferTypes]> {
  let summary = what;
  let arguments = !con((ins Graph_FloatTensor:$input, DenseI64ArrayAttr:$window), Graph_WindowAttrs,
                       attributes);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$input `window` `=` $window attr-dict `:` type($input)";
}

def Graph_MaxPoolOp : Graph_PoolOp<"max_pool", "the greatest element of each window">;
def Graph_AvgPoolOp : Graph_PoolOp<"avg_pool", "the mean of each window",
                                   (ins UnitAttr:$count_include_pad)> {
  let description = [{
    The mean is taken over the elements inside the input; with `count_include_pad` the padding
    counts as zeros.
  }];
}

def Graph_MaxPoolGradientOp : Graph_Op<"max_pool_gradient", [AllTypesMatch<["input", "result"]>]> {
  let summary = "gradient of the input of a max_pool, from that of its result";
  let description = [{
    Each element of the gradient goes to the greatest element of its window; among equal ones to the
    first in row-major order.
  }];
  let arguments = !con((ins Graph_FloatTensor:$input, Graph_FloatTensor:$gradient,
                            DenseI64ArrayAttr:$window), Graph_WindowAttrs);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $gradient `window` `=` $window attr-dict `:` type($input) `,` type($gradient)
  }];
  let hasVerifier = 1;
}

#endif // PCC_DIALECTS_GRAPH_GRAPHWINDOW_TD

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shape ops. An op that cuts, extends or indexes dimensions acts on one axis, so that sizes of other
// dimensions come from types alone. `reshape` and `broadcast` take all sizes from the result type.
#ifndef PCC_DIALECTS_GRAPH_GRAPHSHAPE_TD
#define PCC_DIALECTS_GRAPH_GRAPHSHAPE_TD

include "dialects/graph/ops/GraphAttrs.td"

def Graph_ReshapeOp : Graph_Op<"reshape"> {
  let summary = "the same elements in row-major order under another shape";
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_TransposeOp : Graph_Op<"transpose", [Graph_InferTypes]> {
  let summary = "result dimension d is input dimension permutation[d]";
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input `,` $permutation attr-dict `:` type($input)";
  let hasFolder = 1;
}

def Graph_BroadcastOp : Graph_Op<"broadcast"> {
  let summary = "repeats the input along new dimensions and those of size one";
  let description = [{
    Input dimension d becomes result dimension `dims[d]` (ascending). It has the same size, or has
    size one and is repeated.
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input `,` $dims attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_SliceOp : Graph_Op<"slice"> {
  let summary = "elements start, start + stride, … along one axis";
  let description = "The result's size along `axis` gives their number; `stride` may be negative.";
  let arguments = (ins Graph_Tensor:$input, Graph_I64Attr:$axis, Graph_I64Attr:$start,
                       DefaultValuedAttr<Graph_I64Attr, "1">:$stride);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat =
      "$input `axis` `=` $axis `start` `=` $start attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_DynamicSliceOp : Graph_Op<"dynamic_slice"> {
  let summary = "contiguous elements along one axis from a computed start";
  let description = [{
    The result's size along `axis` gives the number of elements. A start out of range is moved to
    the nearest legal one.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_IndexScalar:$start, Graph_I64Attr:$axis);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $start `axis` `=` $axis attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Graph_DynamicUpdateSliceOp : Graph_Op<"dynamic_update_slice",
    [AllTypesMatch<["input", "result"]>]> {
  let summary = "the input with elements along one axis replaced from a computed start";
  let description = [{
    The update's size along `axis` gives the number of elements. A start out of range is moved to
    the nearest legal one.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$update, Graph_IndexScalar:$start,
                       Graph_I64Attr:$axis);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $update `,` $start `axis` `=` $axis attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Graph_PadOp : Graph_Op<"pad", [Graph_InferTypes]> {
  let summary = "adds `low` elements before and `high` after along one axis, equal to `value`";
  let description = "Negative widths cut elements off.";
  let arguments = (ins Graph_Tensor:$input, Graph_I64Attr:$axis, Graph_I64Attr:$low, Graph_I64Attr:$high,
                       DefaultValuedAttr<F64Attr, "0.0">:$value);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat =
      "$input `axis` `=` $axis `low` `=` $low `high` `=` $high attr-dict `:` type($input)";
}

def Graph_ConcatOp : Graph_Op<"concat", [Graph_InferTypes]> {
  let summary = "the inputs one after the other along one axis";
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, Graph_I64Attr:$axis);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$inputs `axis` `=` $axis attr-dict `:` type($inputs)";
}

def Graph_SplitOp : Graph_Op<"split"> {
  let summary = "cuts the input along one axis into consecutive parts";
  let description = [{
    The results' sizes along `axis` are those of the parts; they may differ, and add up to that of
    the input.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_I64Attr:$axis);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let assemblyFormat = "$input `axis` `=` $axis attr-dict `:` type($input) `to` type($results)";
  let hasVerifier = 1;
}

def Graph_GatherOp : Graph_Op<"gather", [Graph_InferTypes]> {
  let summary = "rows of the input along one axis, chosen by indices";
  let description = [{
    result[a…, i…, b…] = input[a…, indices[i…], b…], where a… are the dimensions before `axis`.
    Indices are in [0, size); an index out of range is moved to the nearest legal one.

    Two attributes change the derivative, as those of torch's `embedding` do. The row
    `padding_index` gets no gradient. With `mean_gradient` a row that is read k times gets the
    mean of its k gradients, not their sum.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_IndexTensor:$indices, Graph_I64Attr:$axis,
                       OptionalAttr<Graph_I64Attr>:$padding_index, UnitAttr:$mean_gradient);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$input, "::mlir::Value":$indices, "int64_t":$axis), [{
      build($_builder, $_state, input, indices, $_builder.getI64IntegerAttr(axis),
            /*padding_index=*/nullptr, /*mean_gradient=*/nullptr);
    }]>,
  ];
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input `,` $indices `axis` `=` $axis attr-dict `:` type($input) `,` type($indices)";
}

def Graph_ScatterAddOp : Graph_Op<"scatter_add", [AllTypesMatch<["input", "result"]>]> {
  let summary = "the input with updates added to the rows chosen by indices along one axis";
  let description = [{
    result = input; result[a…, indices[i…], b…] += updates[a…, i…, b…], in row-major order of i….
    Updates with an index out of range are dropped.
  }];
  let arguments = (ins Graph_NumberTensor:$input, Graph_IndexTensor:$indices,
                       Graph_NumberTensor:$updates, Graph_I64Attr:$axis);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = [{
    $input `,` $indices `,` $updates `axis` `=` $axis attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Graph_OneHotOp : Graph_Op<"one_hot"> {
  let summary = "1 where the position along the new dimension `axis` equals the index, else 0";
  let description = [{
    result[a…, k, b…] = (indices[a…, b…] == k), where k runs along `axis`. An index out of range
    gives zeros.
  }];
  let arguments = (ins Graph_IndexTensor:$indices, Graph_I64Attr:$axis);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "$indices `axis` `=` $axis attr-dict `:` type($indices) `to` type($result)";
  let hasVerifier = 1;
}

#endif // PCC_DIALECTS_GRAPH_GRAPHSHAPE_TD

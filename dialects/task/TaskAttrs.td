// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PCC_DIALECTS_TASK_TASKATTRS_TD
#define PCC_DIALECTS_TASK_TASKATTRS_TD

include "dialects/task/TaskBase.td"

def Task_Space : Task_Enum<"Space", "where a buffer lives", [
  I32EnumAttrCase<"Persistent", 1, "persistent">, I32EnumAttrCase<"Temporary", 2, "temporary">,
  I32EnumAttrCase<"Constant", 3, "constant">, I32EnumAttrCase<"Input", 4, "input">]>;
def Task_SpaceAttr : Task_EnumAttr<Task_Space, "space">;

def Task_StreamKind : Task_Enum<"StreamKind", "queue whose instructions run in order", [
  I32EnumAttrCase<"Compute", 0, "compute">, I32EnumAttrCase<"Communication", 1, "communication">,
  I32EnumAttrCase<"Transfer", 2, "transfer">]>;
def Task_StreamKindAttr : Task_EnumAttr<Task_StreamKind, "stream">;

def Task_Accumulation : Task_Enum<"Accumulation", "how an instruction writes its destination", [
  I32EnumAttrCase<"Overwrite", 0, "overwrite">, I32EnumAttrCase<"Add", 1, "add">,
  I32EnumAttrCase<"AddAfterFirst", 2, "add_after_first">]>;
def Task_AccumulationAttr : Task_EnumAttr<Task_Accumulation, "accumulation">;

def Task_Activation : Task_Enum<"Activation", "function applied to the result of a matmul", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Relu", 1, "relu">,
  I32EnumAttrCase<"Gelu", 2, "gelu">, I32EnumAttrCase<"GeluGradient", 3, "gelu_gradient">]>;
def Task_ActivationAttr : Task_EnumAttr<Task_Activation, "activation">;

def Task_ConvolutionKind : Task_Enum<"ConvolutionKind", "what a convolution computes", [
  I32EnumAttrCase<"Forward", 1, "forward">,
  I32EnumAttrCase<"InputGradient", 2, "input_gradient">,
  I32EnumAttrCase<"WeightGradient", 3, "weight_gradient">]>;
def Task_ConvolutionKindAttr : Task_EnumAttr<Task_ConvolutionKind, "convolution_kind">;

def Task_ReduceOp : Task_Enum<"ReduceOp", "how values of several ranks are combined", [
  I32EnumAttrCase<"Sum", 1, "sum">, I32EnumAttrCase<"Max", 2, "max">,
  I32EnumAttrCase<"Min", 3, "min">, I32EnumAttrCase<"Prod", 4, "prod">]>;
def Task_ReduceOpAttr : Task_EnumAttr<Task_ReduceOp, "reduction">;

def Task_ResultRole : Task_Enum<"ResultRole", "what a result is", [
  I32EnumAttrCase<"Loss", 1, "loss">, I32EnumAttrCase<"Output", 2, "output">,
  I32EnumAttrCase<"Gradient", 3, "gradient">]>;
def Task_ResultRoleAttr : Task_EnumAttr<Task_ResultRole, "result_role">;

def Task_MetricKind : Task_Enum<"MetricKind", "figure of an evaluation", [
  I32EnumAttrCase<"Accuracy", 1, "accuracy">, I32EnumAttrCase<"Perplexity", 2, "perplexity">,
  I32EnumAttrCase<"MeanSquaredError", 3, "mean_squared_error">,
  I32EnumAttrCase<"MeanAbsoluteError", 4, "mean_absolute_error">,
  I32EnumAttrCase<"SigmoidCrossEntropy", 5, "sigmoid_cross_entropy">,
  I32EnumAttrCase<"BinaryAccuracy", 6, "binary_accuracy">]>;
def Task_MetricKindAttr : Task_EnumAttr<Task_MetricKind, "metric_kind">;

def Task_ActionValue : Task_Enum<"ActionValue", "number of the action that is added to a scalar", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Microbatch", 1, "microbatch">,
  I32EnumAttrCase<"Copy", 2, "copy">, I32EnumAttrCase<"First", 3, "first">,
  I32EnumAttrCase<"Step", 4, "step">]>;

def Task_FormKind : Task_Enum<"FormKind", "shape of a kernel's loops", [
  I32EnumAttrCase<"Map", 0, "map">, I32EnumAttrCase<"Rows", 1, "rows">,
  I32EnumAttrCase<"Columns", 2, "columns">, I32EnumAttrCase<"Scatter", 3, "scatter">,
  I32EnumAttrCase<"Matmul", 4, "matmul">, I32EnumAttrCase<"Collective", 5, "collective">,
  I32EnumAttrCase<"Convolution", 6, "convolution">,
  I32EnumAttrCase<"Attention", 7, "attention">]>;

def Task_FormAttr : Task_Attr<"Form", "form"> {
  let summary = "how a group of ops becomes one instruction";
  let description = [{
    The group works on `outer` × `inner` elements in row-major order.
    `map`: every element alone (`inner` = 1). `rows`: reductions over `inner`, rows in parallel.
    `columns`: reductions over `outer`, blocks of columns in parallel. `scatter`: a scatter_add or
    max_pool_gradient, `outer` independent slabs. `matmul`, `convolution`, `attention`, `collective`: one
    library call, with its epilogue.
  }];
  let parameters = (ins EnumParameter<Task_FormKind>:$kind, "int64_t":$outer, "int64_t":$inner);
  let assemblyFormat = "`<` $kind $outer `x` $inner `>`";
}

def Task_PlaceAttr : Task_Attr<"Place", "place"> {
  let summary = "where a buffer lies: a space and an offset in bytes";
  let description = [{
    `#task.place<temporary + 128>`, or for a ring `#task.place<temporary + 128, 3 x 4096>`: depth 3,
    with entries 4096 bytes apart. Microbatch m and copy c of k copies use entry (m * k + c) mod 3.
  }];
  let parameters = (ins EnumParameter<Task_Space>:$space, "int64_t":$offset,
                        DefaultValuedParameter<"int64_t", "1">:$depth,
                        DefaultValuedParameter<"int64_t", "0">:$stride);
  let builders = [AttrBuilder<(ins "Space":$space, "int64_t":$offset), [{
    return $_get($_ctxt, space, offset, /*depth=*/1, /*stride=*/0);
  }]>];
  let assemblyFormat = "`<` $space `+` $offset (`,` $depth^ `x` $stride)? `>`";
  let genVerifyDecl = 1;
}

def Task_BytesAttr : Task_Attr<"Bytes", "bytes"> {
  let summary = "bytes that a program needs in each space";
  let parameters = (ins "int64_t":$persistent, "int64_t":$temporary, "int64_t":$input);
  let assemblyFormat = [{
    `<` `persistent` `=` $persistent `,` `temporary` `=` $temporary `,` `input` `=` $input `>`
  }];
}

def Task_RankAttr : Task_Attr<"Rank", "rank"> {
  let summary = "a number that depends on the rank";
  let description = [{
    `#task.rank<4>`, `#task.rank<4 + dp * 8 + tp * 2>`: a constant plus the rank's coordinates on
    axes of the mesh times strides. `#task.rank<[3, 1, 2, 0]>`: one entry per rank.
  }];
  let parameters = (ins "int64_t":$constant,
                        OptionalArrayRefParameter<"::mlir::StringAttr">:$axes,
                        OptionalArrayRefParameter<"int64_t">:$strides,
                        OptionalArrayRefParameter<"int64_t">:$table);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Task_ScalarAttr : Task_Attr<"Scalar", "scalar"> {
  let summary = "scalar argument of a kernel: a rank expression plus an index of the action";
  let parameters = (ins "RankAttr":$expression,
                        DefaultValuedParameter<"ActionValue", "ActionValue::None">:$actionValue);
  let assemblyFormat = "`<` $expression (`,` $actionValue^)? `>`";
}

def Task_BlockAttr : Task_Attr<"Block", "block"> {
  let summary = "where the block that a rank holds lies in a global tensor";
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$globalShape,
                        OptionalArrayRefParameter<"RankAttr">:$offsets);
  let assemblyFormat = "`<` custom<Shape>($globalShape) (`at` $offsets^)? `>`";
}

#endif // PCC_DIALECTS_TASK_TASKATTRS_TD

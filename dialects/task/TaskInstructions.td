// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions: one unit of work each. An instruction begins when the events in `waits` have been
// signaled in this step, and signals those in `signals` when it is done.
#ifndef PCC_DIALECTS_TASK_TASKRECORDS_TD
#define PCC_DIALECTS_TASK_TASKRECORDS_TD

include "dialects/task/TaskAttrs.td"
include "dialects/task/TaskInterfaces.td"

class Task_Instruction<string mnemonic, dag args, string defaultStream = "Compute",
                  list<Trait> traits = []>
    : Task_Op<mnemonic, !listconcat(traits, [HasParent<"SectionOp">, Task_InstructionInterface])> {
  let arguments = !con(args, (ins
      DefaultValuedAttr<Task_StreamKindAttr, "::pcc::task::StreamKind::" # defaultStream>:$stream,
      DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$waits,
      DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$signals));
}

def Task_LaunchOp : Task_Instruction<"launch", (ins FlatSymbolRefAttr:$kernel,
    Variadic<Task_Buffer>:$buffers, OptionalAttr<ArrayAttr>:$scalars, I64Attr:$trip)> {
  let summary = "runs the iterations 0 … trip-1 of a kernel";
  let assemblyFormat = [{
    $kernel `(` $buffers `)` (`scalars` $scalars^)? `trip` `=` $trip attr-dict `:` type($buffers)
  }];
}

def Task_MatmulOp : Task_Instruction<"matmul", (ins Task_Buffer:$a, Task_Buffer:$b, Task_Buffer:$c,
    Optional<Task_Buffer>:$bias, Optional<Task_Buffer>:$pre_activation,
    Optional<Task_Buffer>:$sum_of_a, Optional<Task_Buffer>:$sum_of_b, I64Attr:$batch, I64Attr:$m, I64Attr:$n, I64Attr:$k,
    UnitAttr:$transpose_a, UnitAttr:$transpose_b, UnitAttr:$shared_b,
    DefaultValuedAttr<Task_AccumulationAttr, "Accumulation::Overwrite">:$accumulation,
    DefaultValuedAttr<Task_ActivationAttr, "Activation::None">:$activation), "Compute",
    [AttrSizedOperandSegments]> {
  let summary = "c = activation(op(a) · op(b) + bias [+ c]) for every batch index";
  let description = [{
    On a GPU the activation may be `gelu` (by the tanh formula), which also writes its operand into
    `pre_activation` if that is given. It may also be `gelu_gradient`: the matmul's result times
    gelu's derivative at `pre_activation`. `sum_of_a` and `sum_of_b` receive the sums of op(a) and
    op(b) over k and all batches.
  }];
  let assemblyFormat = [{
    $a `,` $b `into` $c (`bias` $bias^ `:` type($bias))?
    (`pre_activation` $pre_activation^ `:` type($pre_activation))?
    (`sum_of_a` $sum_of_a^ `:` type($sum_of_a))? (`sum_of_b` $sum_of_b^ `:` type($sum_of_b))?
    `batch` `=` $batch `m` `=` $m `n` `=` $n `k` `=` $k attr-dict `:` type($a) `,` type($b) `,`
    type($c)
  }];
  let hasVerifier = 1;
}

def Task_ConvolutionOp : Task_Instruction<"convolution", (ins Task_ConvolutionKindAttr:$kind,
    Task_Buffer:$input, Task_Buffer:$weight, Task_Buffer:$result, Optional<Task_Buffer>:$bias,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding, DenseI64ArrayAttr:$dilations,
    DefaultValuedAttr<Task_ActivationAttr, "Activation::None">:$activation)> {
  let summary = "a convolution, or one of its gradients";
  let description = [{
    `forward`: result = activation(input * weight + bias). `input_gradient`: writes to the input its
    gradient, from the result's gradient in `result`. `weight_gradient`: likewise for the weight.
    Buffers have the shapes [batch, channels, rows, columns] and [outputs, channels of a group,
    rows, columns].
  }];
  let assemblyFormat = [{
    $kind $input `,` $weight `,` $result (`bias` $bias^ `:` type($bias))? `strides` `=` $strides
    `padding` `=` $padding `dilations` `=` $dilations attr-dict `:` type($input) `,` type($weight)
    `,` type($result)
  }];
  let hasVerifier = 1;
}

def Task_AttentionOp : Task_Instruction<"attention", (ins Task_Buffer:$query, Task_Buffer:$key,
    Task_Buffer:$value, Task_Buffer:$result, Task_Buffer:$log_sum, Optional<Task_Buffer>:$mask,
    Optional<Task_Buffer>:$offset, Variadic<Task_Buffer>:$gradients, F64Attr:$scale,
    UnitAttr:$causal, UnitAttr:$positions_first), "Compute", [AttrSizedOperandSegments]> {
  let summary = "an attention, or its gradient";
  let description = [{
    Like `graph.attention`: `result` and `log_sum` are written. With `gradients`, those of the
    result, query, key and value, like `graph.attention_gradient`: the last three are written. With
    `positions_first`, query, key, value, result and gradients are [batch, positions, heads, width],
    else [batch, heads, positions, width].
  }];
  let assemblyFormat = [{
    $query `,` $key `,` $value `,` $result `,` $log_sum (`mask` $mask^ `:` type($mask))?
    (`offset` $offset^ `:` type($offset))? (`gradients` $gradients^ `:` type($gradients))? `scale`
    `=` $scale attr-dict `:` type($query) `,` type($key) `,` type($value) `,` type($result) `,`
    type($log_sum)
  }];
  let hasVerifier = 1;
}

def Task_CopyOp : Task_Instruction<"copy", (ins Task_Buffer:$source, Task_Buffer:$destination)> {
  let summary = "copies a buffer to another of the same size; they do not overlap";
  let assemblyFormat =
      "$source `into` $destination attr-dict `:` type($source) `,` type($destination)";
  let hasVerifier = 1;
}

def Task_FillOp : Task_Instruction<"fill", (ins Task_Buffer:$destination)> {
  let summary = "sets a buffer to zero";
  let assemblyFormat = "$destination attr-dict `:` type($destination)";
}

def Task_AccumulateOp : Task_Instruction<"accumulate", (ins Task_Buffer:$source,
    Task_Buffer:$destination,
    DefaultValuedAttr<Task_AccumulationAttr, "Accumulation::AddAfterFirst">:$accumulation)> {
  let summary = "sums a value over the actions of a step, in f32 or, if it is f64, in f64";
  let assemblyFormat =
      "$source `into` $destination attr-dict `:` type($source) `,` type($destination)";
  let hasVerifier = 1;
}

#endif // PCC_DIALECTS_TASK_TASKRECORDS_TD

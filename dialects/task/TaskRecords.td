// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records: one thing to do. A record begins when the events in `waits` have been signalled in this
// step, and signals those in `signals` when it is done.
#ifndef PCC_DIALECTS_TASK_TASKRECORDS_TD
#define PCC_DIALECTS_TASK_TASKRECORDS_TD

include "dialects/task/TaskAttrs.td"
include "dialects/task/TaskInterfaces.td"

class Task_Record<string mnemonic, dag args, string defaultLane = "Compute",
                  list<Trait> traits = []>
    : Task_Op<mnemonic, !listconcat(traits, [HasParent<"SectionOp">, Task_RecordInterface])> {
  let arguments = !con(args, (ins
      DefaultValuedAttr<Task_LaneAttr, "::pcc::task::Lane::" # defaultLane>:$lane,
      DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$waits,
      DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$signals));
}

def Task_LaunchOp : Task_Record<"launch", (ins FlatSymbolRefAttr:$kernel,
    Variadic<Task_Buffer>:$buffers, OptionalAttr<ArrayAttr>:$scalars, I64Attr:$trip)> {
  let summary = "runs the iterations 0 … trip-1 of a kernel";
  let assemblyFormat = [{
    $kernel `(` $buffers `)` (`scalars` $scalars^)? `trip` `=` $trip attr-dict `:` type($buffers)
  }];
}

def Task_MatmulOp : Task_Record<"matmul", (ins Task_Buffer:$a, Task_Buffer:$b, Task_Buffer:$c,
    Optional<Task_Buffer>:$bias, I64Attr:$batch, I64Attr:$m, I64Attr:$n, I64Attr:$k,
    UnitAttr:$transpose_a, UnitAttr:$transpose_b, UnitAttr:$shared_b,
    DefaultValuedAttr<Task_AccumulationAttr, "Accumulation::Overwrite">:$accumulation,
    DefaultValuedAttr<Task_ActivationAttr, "Activation::None">:$activation)> {
  let summary = "c = activation(op(a) · op(b) + bias [+ c]) for every batch index";
  let assemblyFormat = [{
    $a `,` $b `into` $c (`bias` $bias^ `:` type($bias))? `batch` `=` $batch `m` `=` $m `n` `=` $n
    `k` `=` $k attr-dict `:` type($a) `,` type($b) `,` type($c)
  }];
  let hasVerifier = 1;
}

def Task_CopyOp : Task_Record<"copy", (ins Task_Buffer:$source, Task_Buffer:$destination)> {
  let summary = "copies a buffer to another of the same size; they do not overlap";
  let assemblyFormat =
      "$source `into` $destination attr-dict `:` type($source) `,` type($destination)";
  let hasVerifier = 1;
}

def Task_FillOp : Task_Record<"fill", (ins Task_Buffer:$destination)> {
  let summary = "sets a buffer to zero";
  let assemblyFormat = "$destination attr-dict `:` type($destination)";
}

def Task_AccumulateOp : Task_Record<"accumulate", (ins Task_Buffer:$source,
    Task_Buffer:$destination,
    DefaultValuedAttr<Task_AccumulationAttr, "Accumulation::AddAfterFirst">:$accumulation)> {
  let summary = "sums a value over the slots of a step, in f32";
  let assemblyFormat =
      "$source `into` $destination attr-dict `:` type($source) `,` type($destination)";
  let hasVerifier = 1;
}

#endif // PCC_DIALECTS_TASK_TASKRECORDS_TD

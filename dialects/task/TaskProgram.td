// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frame of a program: buffers, their bindings, sections and actions.
#ifndef PCC_DIALECTS_TASK_TASKPROGRAM_TD
#define PCC_DIALECTS_TASK_TASKPROGRAM_TD

include "dialects/task/TaskAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Task_Part<string mnemonic, list<Trait> traits = []>
    : Task_Op<mnemonic, !listconcat(traits, [HasParent<"ProgramOp">])>;

def Task_ProgramOp : Task_Op<"program", [Symbol, SymbolTable, NoTerminator, IsolatedFromAbove]> {
  let summary = "the program of every rank";
  let description = [{
    Buffers first, then parameters, inputs and results, then sections, then the actions
    (`task.action`) of one step. The sizes are those of the four spaces in bytes. The mesh is the
    module's `dist.mesh`. With `together` actions are for all copies of a microbatch; their `copy`
    is 0.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$persistent_bytes,
                       I64Attr:$temporary_bytes, I64Attr:$constant_bytes, I64Attr:$input_bytes,
                       DefaultValuedAttr<I64Attr, "1">:$micro_batches,
                       DefaultValuedAttr<I64Attr, "1">:$copies, UnitAttr:$together);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def Task_BufferOp : Task_Part<"buffer"> {
  let summary = "a range of a space";
  let description = [{
    `offset` is in bytes and a multiple of 64. `value`: the bytes of a constant. A ring has `depth`
    entries, each `stride` bytes after the one before.
  }];
  let arguments = (ins StrAttr:$name, Task_SpaceAttr:$space, I64Attr:$offset,
                       OptionalAttr<ElementsAttr>:$value,
                       DefaultValuedAttr<I64Attr, "1">:$depth,
                       DefaultValuedAttr<I64Attr, "0">:$stride);
  let results = (outs Task_Buffer:$result);
  let assemblyFormat = "$name $space `offset` `=` $offset attr-dict `:` type($result)";
  let extraClassDeclaration = [{
    /// Returns the bytes of the buffer's elements, of one ring entry.
    int64_t getBytes();
    /// Returns the bytes from the start of the first ring entry to the end of the last one.
    int64_t getRingBytes();
  }];
  let hasVerifier = 1;
}

def Task_ViewOp : Task_Op<"view", [Pure]> {
  let summary = "the part of a buffer from `offset` bytes on, under another shape";
  let arguments = (ins Task_Buffer:$source, I64Attr:$offset);
  let results = (outs Task_Buffer:$result);
  let assemblyFormat =
      "$source `offset` `=` $offset attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

def Task_ParameterOp : Task_Part<"parameter"> {
  let summary = "binds a `graph.parameter` to a persistent buffer";
  let arguments = (ins FlatSymbolRefAttr:$parameter, Task_Buffer:$buffer, Task_BlockAttr:$block,
                       UnitAttr:$state);
  let assemblyFormat = "$parameter `in` $buffer $block attr-dict `:` type($buffer)";
}

def Task_InputOp : Task_Part<"input"> {
  let summary = "data fed before every action";
  let description = [{
    `copies`: the buffers of all copies of a microbatch but the first, if an action is for all
    copies.
  }];
  let arguments = (ins StrAttr:$name, Task_Buffer:$buffer, Variadic<Task_Buffer>:$copies,
                       Task_BlockAttr:$block);
  let assemblyFormat = [{
    $name `in` $buffer (`copies` $copies^)? $block attr-dict `:` type($buffer)
    (`copies` type($copies)^)?
  }];
}

def Task_ResultOp : Task_Part<"result"> {
  let summary = "a value that can be read back";
  let description = [{
    `partial_axes`: axes over whose ranks the values are summed to give the true value.
    `accumulated`: the buffer holds the sum over the actions of a step. The value read is multiplied
    by `scale`; a rank's own loss also by `own_factor`.
  }];
  let arguments = (ins StrAttr:$name, Task_ResultRoleAttr:$role, Task_Buffer:$buffer,
                       Task_BlockAttr:$block, FlatSymbolRefAttr:$section,
                       OptionalAttr<StrArrayAttr>:$partial_axes, UnitAttr:$accumulated,
                       DefaultValuedAttr<F64Attr, "1.0">:$scale,
                       DefaultValuedAttr<F64Attr, "1.0">:$own_factor);
  let assemblyFormat = [{
    $role $name `in` $buffer $block `of` $section attr-dict `:` type($buffer)
  }];
}

def Task_MetricOp : Task_Part<"metric"> {
  let summary = "a figure computed in evaluation from an output and its labels";
  let description = [{
    `accuracy` is the share of rows whose greatest element is at the label's index, `perplexity` exp
    of the mean of -log softmax(row)[label]. The other kinds compare each element with a label of
    its own (runtime/abi/boundary.proto). With `on_request` it is computed only on request.
  }];
  let arguments = (ins Task_MetricKindAttr:$kind, StrAttr:$output, StrAttr:$label,
                       UnitAttr:$on_request);
  let assemblyFormat = "$kind $output `,` $label attr-dict";
}

def Task_StepOp : Task_Part<"step"> {
  let summary = "names the persistent buffer that counts the runs of a section over all steps, from 0";
  let arguments = (ins Task_Buffer:$buffer);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
}

def Task_SectionOp : Task_Part<"section", [Symbol, NoTerminator]> {
  let summary = "a named list of instructions";
  let description = [{
    `last_of`: the section stands for the last run of another one in a step. Runs of both are
    numbered together, and messages of one continue those of the other under their tags.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<FlatSymbolRefAttr>:$last_of);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name (`last_of` $last_of^)? attr-dict-with-keyword $body";
}

def Task_ActionOp : Task_Part<"action"> {
  let summary = "one run of a section for one microbatch and copy";
  let arguments = (ins FlatSymbolRefAttr:$section, I64Attr:$microbatch, I64Attr:$copy);
  let assemblyFormat = "$section `microbatch` `=` $microbatch `copy` `=` $copy attr-dict";
}

#endif // PCC_DIALECTS_TASK_TASKPROGRAM_TD

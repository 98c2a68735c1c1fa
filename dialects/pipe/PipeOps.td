// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pipe dialect: when work runs.
#ifndef PCC_DIALECTS_PIPE_PIPEOPS_TD
#define PCC_DIALECTS_PIPE_PIPEOPS_TD

include "dialects/interfaces/FactorRuleInterface.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Pipe_Dialect : Dialect {
  let name = "pipe";
  let cppNamespace = "::pcc::pipe";
  let summary = "when work runs";
  let description = [{
    A step is an ordered list of actions (`pipe.action`); an action runs one section (a function) for
    one microbatch of one copy. Results of a section with
    `pipe.accumulate = #pipe.accumulate<scale = 0.5>` are summed over the actions of the section in
    f32 or wider, and multiplied by the scale when read.

    A model may be cut into virtual stages, one after the other along the data; each stage, a block
    of ranks, has one virtual stage or several. Before the cut, a value that goes from one virtual
    stage to another passes through a `pipe.transfer`. After the cut, each stage is a module inside
    the module, and the value is sent and received. Annotations, all discardable:

    | attribute | on | meaning |
    | --- | --- | --- |
    | `pipe.stage` | any op of a model | i64, the stage that the user requests |
    | `pipe.stage` | module inside a module | i64, the stage whose program it is |
    | `pipe.virtual_stage` | any op | i64, the virtual stage that it belongs to |
    | `pipe.virtual_stage` | parameter | i64, the virtual stage that reads and updates it |
    | `pipe.copy_of` | parameter | the name of the one that it stands for in a later virtual stage |
    | `pipe.copy` | argument with the role of an input | i64, the copy whose part of it this is, in a section that an action runs for all copies |
    | `pipe.recompute` | any op of a model | its result is recomputed for the gradients, not saved |
    | `pipe.constraints` | module | constraints: stages and recompute annotations by the names of ops |
    | `pipe.in_flight_until` | `pipe.send` | i64 array, by number of action (microbatch * copies + copy) the last action of the step during which the message may be in flight |
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

def Pipe_AccumulateAttr : AttrDef<Pipe_Dialect, "Accumulate"> {
  let mnemonic = "accumulate";
  let summary = "a result summed over the actions of its section, then multiplied by `scale`";
  let parameters = (ins "::mlir::FloatAttr":$value);
  let builders = [AttrBuilder<(ins "double":$scale)>];
  let extraClassDeclaration = "double getScale() const { return getValue().getValueAsDouble(); }";
  let hasCustomAssemblyFormat = 1;
}

def Pipe_MicroReduction : I32EnumAttr<"MicroReduction", "how microbatches and copies are combined", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Mean", 1, "mean">]> {
  let cppNamespace = "::pcc::pipe";
  let genSpecializedAttr = 0;
}
def Pipe_MicroReductionAttr : EnumAttr<Pipe_Dialect, Pipe_MicroReduction, "micro_reduction"> {
  let assemblyFormat = "$value";
}

def Pipe_StepOp : Op<Pipe_Dialect, "step", [Symbol, NoTerminator, SingleBlock]> {
  let summary = "one training or evaluation step: its actions in the order of one rank";
  let description = [{
    Every section runs either once, or once for each of `micro_batches` microbatches, each time for
    one of their `copies` copies or for all of them at once. `micro_reduction` records the origin of
    the scales of accumulated results: sum (gradients divided by the number of microbatches) or mean
    (losses and gradients divided by the number of microbatches and copies).
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$micro_batches, I64Attr:$copies,
                       Pipe_MicroReductionAttr:$micro_reduction);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `micro_batches` `=` $micro_batches `copies` `=` $copies
    `micro_reduction` `=` $micro_reduction attr-dict-with-keyword $body
  }];
  let extraClassDeclaration = [{
    /// Returns whether actions of microbatches are for all of their copies.
    bool areCopiesTogether();
  }];
  let hasRegionVerifier = 1;
}

def Pipe_ActionOp : Op<Pipe_Dialect, "action", [HasParent<"StepOp">,
                                            DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a section, for one copy of a microbatch, for all copies of one, or once for all";
  let arguments = (ins FlatSymbolRefAttr:$section, OptionalAttr<I64Attr>:$microbatch,
                       OptionalAttr<I64Attr>:$copy);
  let assemblyFormat = [{
    $section (`microbatch` `=` $microbatch^)? (`copy` `=` $copy^)? attr-dict
  }];
  let extraClassDeclaration = [{
    /// Numbers the actions of a section within a step, in any order of them: microbatch · copies +
    /// copy, or the microbatch if an action is for all copies; 0 for a section that runs once.
    /// Rings advance by it.
    int64_t getNumber();
  }];
  let hasVerifier = 1;
}

def Pipe_Tensor
    : StaticShapeTensorOf<[AnyTypeOf<[F32, F16, BF16, F64, I64, I32, I16, I8, UI64, UI32, UI16,
                                       UI8, I1], "element">]>;

def Pipe_TransferOp : Op<Pipe_Dialect, "transfer", [Pure, SameOperandsAndResultType,
                         DeclareOpInterfaceMethods<FactorRuleOpInterface>]> {
  let summary = "the value in another virtual stage";
  let description = [{
    Stands where an op of one virtual stage reads what another has computed. The ranks at the same
    position in both stages hold the same part of the value. It goes to a later virtual stage in the
    forward part of a model, and back in the gradients' part.
  }];
  let arguments = (ins Pipe_Tensor:$input, I64Attr:$source, I64Attr:$target);
  let results = (outs Pipe_Tensor:$result);
  let assemblyFormat = "$input `from` $source `to` $target attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Pipe_SendOp : Op<Pipe_Dialect, "send"> {
  let summary = "sends a tensor to the rank at the same position in another stage";
  let description = [{
    Matches the `pipe.recv` of that stage that has the same tag and is from this stage, in the
    action of the same microbatch and copy.
  }];
  let arguments = (ins Pipe_Tensor:$input, I64Attr:$stage, I64Attr:$tag);
  let assemblyFormat = "$input `to` $stage `tag` `=` $tag attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def Pipe_RecvOp : Op<Pipe_Dialect, "recv"> {
  let summary = "receives a tensor from the rank at the same position in another stage";
  let arguments = (ins I64Attr:$stage, I64Attr:$tag);
  let results = (outs Pipe_Tensor:$result);
  let assemblyFormat = "`from` $stage `tag` `=` $tag attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // PCC_DIALECTS_PIPE_PIPEOPS_TD

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pipe dialect: when work runs.
#ifndef PCC_DIALECTS_PIPE_PIPEOPS_TD
#define PCC_DIALECTS_PIPE_PIPEOPS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"

def Pipe_Dialect : Dialect {
  let name = "pipe";
  let cppNamespace = "::pcc::pipe";
  let summary = "when work runs";
  let description = [{
    A step is an ordered list of slots; a slot runs one section (a function) for one microbatch of
    one copy. Results of a section marked `pipe.accumulate = #pipe.accumulate<scale = 0.5>` are
    summed over the slots of the section in f32 or wider and multiplied by the scale when read.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasRegionResultAttrVerify = 1;
}

def Pipe_AccumulateAttr : AttrDef<Pipe_Dialect, "Accumulate"> {
  let mnemonic = "accumulate";
  let summary = "a result summed over the slots of its section, then multiplied by `scale`";
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
  let summary = "one training or evaluation step: its slots in the order of one rank";
  let description = [{
    Every section runs either once, or once for each of `micro_batches` microbatches of each of
    `copies` copies. `micro_reduction` records what the scales of accumulated results were made from:
    sum (gradients divided by the number of microbatches) or mean (losses and gradients divided by
    the number of microbatches and copies).
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$micro_batches, I64Attr:$copies,
                       Pipe_MicroReductionAttr:$micro_reduction);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `micro_batches` `=` $micro_batches `copies` `=` $copies
    `micro_reduction` `=` $micro_reduction attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
}

def Pipe_SlotOp : Op<Pipe_Dialect, "slot", [HasParent<"StepOp">,
                                            DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a section, for one microbatch of one copy or once for all";
  let arguments = (ins FlatSymbolRefAttr:$section, OptionalAttr<I64Attr>:$microbatch,
                       OptionalAttr<I64Attr>:$copy);
  let assemblyFormat = [{
    $section (`microbatch` `=` $microbatch^ `copy` `=` $copy)? attr-dict
  }];
  let hasVerifier = 1;
}

#endif // PCC_DIALECTS_PIPE_PIPEOPS_TD

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PCC_DIALECTS_GRAPH_GRAPHATTRS_TD
#define PCC_DIALECTS_GRAPH_GRAPHATTRS_TD

include "dialects/graph/ops/GraphBase.td"

class Graph_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::pcc::graph";
  let genSpecializedAttr = 0;
}
// An attribute that an op's format names is printed bare (`graph.compare lt`). One that may stand in
// an attribute dictionary, such as `gelu_form`, needs the format `<value>`: it is read back as
// `#graph.gelu_form<tanh>`.
class Graph_EnumAttr<EnumAttrInfo info, string mnemonic, string format = "$value">
    : EnumAttr<Graph_Dialect, info, mnemonic> {
  let assemblyFormat = format;
}

def Graph_RoleKind : Graph_Enum<"RoleKind", "what a function argument or result stands for", [
  I32EnumAttrCase<"Input", 0, "input">, I32EnumAttrCase<"Parameter", 1, "parameter">,
  I32EnumAttrCase<"Gradient", 2, "gradient">, I32EnumAttrCase<"Loss", 3, "loss">,
  I32EnumAttrCase<"Output", 4, "output">, I32EnumAttrCase<"Step", 5, "step">,
  I32EnumAttrCase<"Saved", 6, "saved">]>;

/// `graph.role` on arguments and results of functions.
def Graph_RoleAttr : AttrDef<Graph_Dialect, "Role"> {
  let mnemonic = "role";
  let summary = "binds a function argument or result to a name of the model";
  let parameters = (ins EnumParameter<Graph_RoleKind>:$kind, OptionalParameter<"::mlir::StringAttr">:$name);
  let description = [{
    `parameter`, `gradient` and `saved` need a name; `input`, `loss`, `output` may have one. `saved`
    is a residual: one section of a step saves it for another one of the same microbatch and copy.
    `step` is the number of the training step, and needs no name.
  }];
  let assemblyFormat = "`<` $kind `` custom<RoleName>($name) `>`";
  let genVerifyDecl = 1;
}

def Graph_InitKind : Graph_Enum<"InitKind", "how a parameter gets its first value", [
  I32EnumAttrCase<"Zeros", 0, "zeros">, I32EnumAttrCase<"Ones", 1, "ones">,
  I32EnumAttrCase<"Constant", 2, "constant">, I32EnumAttrCase<"Uniform", 3, "uniform">,
  I32EnumAttrCase<"Normal", 4, "normal">, I32EnumAttrCase<"File", 5, "file">]>;

def Graph_InitAttr : AttrDef<Graph_Dialect, "Init"> {
  let mnemonic = "init";
  let summary = "initializer of a parameter";
  let description = [{
    `zeros`, `ones`, `constant, c`, `uniform, low, high`, `normal, mean, standard deviation`, or
    `file`: the values are from the model's file, and the parameter's attribute `value` holds them.
  }];
  let parameters = (ins EnumParameter<Graph_InitKind>:$kind,
                        "::mlir::DenseF64ArrayAttr":$arguments);
  let assemblyFormat = "`<` $kind `` custom<InitArguments>($arguments) `>`";
  let genVerifyDecl = 1;
}

// The kind of `graph.reduce`. `pcc::ReduceKind`, without a mean, is that of collectives and of partial
// shardings.
def Graph_ReduceKind : Graph_Enum<"ReduceOpKind", "reduction", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Mean", 1, "mean">,
  I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
  I32EnumAttrCase<"Prod", 4, "prod">]>;
def Graph_ReduceKindAttr : Graph_EnumAttr<Graph_ReduceKind, "reduction">;

def Graph_LossReduction : Graph_Enum<"LossReduction", "how the losses of the samples are combined", [
  I32EnumAttrCase<"Mean", 0, "mean">, I32EnumAttrCase<"Sum", 1, "sum">]>;
def Graph_LossReductionAttr : Graph_EnumAttr<Graph_LossReduction, "loss_reduction", "`<` $value `>`">;

def Graph_Direction : Graph_Enum<"Direction", "comparison direction", [
  I32EnumAttrCase<"EQ", 0, "eq">, I32EnumAttrCase<"NE", 1, "ne">, I32EnumAttrCase<"LT", 2, "lt">,
  I32EnumAttrCase<"LE", 3, "le">, I32EnumAttrCase<"GT", 4, "gt">, I32EnumAttrCase<"GE", 5, "ge">]>;
def Graph_DirectionAttr : Graph_EnumAttr<Graph_Direction, "direction">;

def Graph_GeluForm : Graph_Enum<"GeluForm", "exact (erf) or tanh approximation", [
  I32EnumAttrCase<"Exact", 0, "exact">, I32EnumAttrCase<"Tanh", 1, "tanh">]>;
def Graph_GeluFormAttr : Graph_EnumAttr<Graph_GeluForm, "gelu_form", "`<` $value `>`">;

#endif // PCC_DIALECTS_GRAPH_GRAPHATTRS_TD

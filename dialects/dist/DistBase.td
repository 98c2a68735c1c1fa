// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by all families of dist ops: the dialect, its attributes, op base classes.
#ifndef PCC_DIALECTS_DIST_DISTBASE_TD
#define PCC_DIALECTS_DIST_DISTBASE_TD

include "dialects/dist/DistInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Dist_Dialect : Dialect {
  let name = "dist";
  let cppNamespace = "::pcc::dist";
  let summary = "where values live";
  let description = [{
    Mesh, shardings, reshards and the collectives into which they turn, on tensors. The module
    attribute `dist.mesh` names the ranks of the program; without it there is one rank. Annotations
    on ops and functions, all discardable:

    | attribute | on | meaning |
    | --- | --- | --- |
    | `dist.mesh` | module | the ranks |
    | `dist.in`, `dist.out` | any op | one sharding per operand, per result; in a model also a strategy as text, `"((2,1),(1,4))"` |
    | `dist.sharding` | argument, result of a function | sharding of the value at the boundary |
    | `dist.sharding` | parameter | requested sharding, as a sharding or as text |
    | `dist.constraints` | module | constraints: strategies for ops, parameters and inputs by their names |
    | `dist.fusion` | parameter, collective | i64: collectives of its gradients and its value, or the collective itself, are fused with others of the same number; 0: with none |
    | `dist.gradient_factor` | result of a function | f64 by which partition multiplies it |
    | `dist.own` | argument of a function | its partial value is not reduced: each rank continues with its part as if it were the whole |
    | `dist.local` | function | its types are those of one rank |
    | `dist.file_nodes` | module | the nodes of the model's file and the shardings that it gives to their tensors |
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

class Dist_Attr<string name, string attrMnemonic> : AttrDef<Dist_Dialect, name> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
}

def Dist_MeshAttr : Dist_Attr<"Mesh", "mesh"> {
  let summary = "the ranks of a program as a grid with named axes: `<dp=2, tp=4>`";
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$names,
                        ArrayRefParameter<"int64_t">:$sizes);
  let builders = [AttrBuilder<(ins "const ::pcc::dist::Mesh &":$mesh)>];
  let extraClassDeclaration = "::pcc::dist::Mesh getMesh() const;";
  let genVerifyDecl = 1;
}

def Dist_ShardingAttr : Dist_Attr<"Sharding", "sharding"> {
  let summary = "how a tensor is cut: `<[dp, _, x.y] partial(sum: tp)>`";
  let parameters = (ins ArrayRefParameter<"::mlir::ArrayAttr">:$dims,
                        ArrayRefParameter<"::mlir::StringAttr">:$partialAxes,
                        "::pcc::ReduceKind":$partialKind);
  let builders = [AttrBuilder<(ins "const ::pcc::dist::Sharding &":$sharding)>];
  let extraClassDeclaration = "::pcc::dist::Sharding getSharding() const;";
}

def Dist_GroupAttr : Dist_Attr<"Group", "group"> {
  let summary = "ranks that a collective joins: `<axes [dp]>` or `<ranks [[0, 1], [2, 3]]>`";
  let description = [{
    Over axes: the ranks that differ along these axes only, the first axis slowest. As lists: each
    rank of the program is in exactly one list. An op without a group joins all ranks.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$axes,
                        ArrayRefParameter<"::mlir::DenseI64ArrayAttr">:$ranks);
  let builders = [AttrBuilder<(ins "::llvm::ArrayRef<std::string>":$axes)>];
  let genVerifyDecl = 1;
}

def Dist_TableAttr : Dist_Attr<"Table", "table"> {
  let summary = "rows of integers: `<[[0, 1], [1, 0]]>`";
  let parameters = (ins ArrayRefParameter<"::mlir::DenseI64ArrayAttr">:$rows);
  let builders = [AttrBuilder<(ins "::llvm::ArrayRef<::llvm::SmallVector<int64_t>>":$rows)>];
}

/// The enumeration itself is in C++; the factor rule shares it (Dist.h).
def Dist_ReduceKind : I32EnumAttr<"ReduceKind", "how values are combined", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">,
  I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"Prod", 3, "prod">]> {
  let cppNamespace = "::pcc::dist";
  let genSpecializedAttr = 0;
}
def Dist_ReduceKindAttr : EnumAttr<Dist_Dialect, Dist_ReduceKind, "reduction"> {
  let assemblyFormat = "$value";
}

defvar Dist_Numbers = [F32, F16, BF16, F64, I64, I32, I16, I8,
                       UI64, UI32, UI16, UI8];
def Dist_Tensor : StaticShapeTensorOf<[AnyTypeOf<!listconcat(Dist_Numbers, [I1]), "element">]>;
def Dist_NumberTensor : StaticShapeTensorOf<[AnyTypeOf<Dist_Numbers, "number">]>;
def Dist_IndexScalar : TypeConstraint<
    CPred<"$_self == ::mlir::RankedTensorType::get({}, ::mlir::IntegerType::get($_self.getContext(), 64))">,
    "tensor<i64>", "::mlir::RankedTensorType">,
    BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getI64Type())">;

class Dist_Op<string mnemonic, list<Trait> traits = []> : Op<Dist_Dialect, mnemonic, traits>;

/// A collective without other effects: the same op is erased or merged on every rank at once.
class Dist_CollectiveOp<string mnemonic, list<Trait> traits = []>
    : Dist_Op<mnemonic, !listconcat(traits, [Pure, Dist_CollectiveOpInterface])> {
  let hasVerifier = 1;
}

#endif // PCC_DIALECTS_DIST_DISTBASE_TD

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every family of graph ops shares: the dialect, tensor types, op base classes.
#ifndef PCC_DIALECTS_GRAPH_GRAPHBASE_TD
#define PCC_DIALECTS_GRAPH_GRAPHBASE_TD

include "dialects/interfaces/FactorRuleInterface.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::pcc::graph";
  let summary = "what is computed";
  let description = [{
    A small orthogonal set of tensor ops with value semantics and static global shapes. Ops that
    the field names as one thing are one op. Attributes never hold sizes of dimensions that may be
    split: sizes come from types, so an op stays right when its shapes become local.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
}

// Element types and tensors.
def Graph_Float : AnyTypeOf<[F32, F16, BF16], "floating-point element">;
def Graph_Int : AnyTypeOf<[I64, I32, I8], "integer element">;
def Graph_Number : AnyTypeOf<[Graph_Float, Graph_Int], "number">;
def Graph_Element : AnyTypeOf<[Graph_Number, I1], "element">;

def Graph_Tensor : StaticShapeTensorOf<[Graph_Element]>;
def Graph_NumberTensor : StaticShapeTensorOf<[Graph_Number]>;
def Graph_FloatTensor : StaticShapeTensorOf<[Graph_Float]>;
def Graph_IntTensor : StaticShapeTensorOf<[Graph_Int]>;
def Graph_BoolTensor : StaticShapeTensorOf<[I1]>;
def Graph_LogicTensor : StaticShapeTensorOf<[I1, Graph_Int]>;
def Graph_IndexScalar : TypeConstraint<
    And<[Graph_IntTensor.predicate, CPred<"::llvm::cast<::mlir::ShapedType>($_self).getRank() == 0">]>,
    "integer scalar tensor", "::mlir::TypedValue<::mlir::RankedTensorType>">;
def Graph_FloatScalar : TypeConstraint<
    And<[Graph_FloatTensor.predicate, CPred<"::llvm::cast<::mlir::ShapedType>($_self).getRank() == 0">]>,
    "floating-point scalar tensor", "::mlir::TypedValue<::mlir::RankedTensorType>">;

// Ops whose result types follow from operands and attributes.
def Graph_InferTypes : DeclareOpInterfaceMethods<InferTypeOpInterface, ["inferReturnTypes"]>;

// Every tensor op is pure and states its factor rule.
class Graph_Op<string mnemonic, list<Trait> traits = []>
    : Op<Graph_Dialect, mnemonic,
         !listconcat(traits, [Pure, DeclareOpInterfaceMethods<FactorRuleOpInterface>])>;

#endif // PCC_DIALECTS_GRAPH_GRAPHBASE_TD

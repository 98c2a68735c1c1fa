// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by all families of graph ops: the dialect, tensor types, op base classes.
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
    A small orthogonal set of tensor ops with value semantics and static global shapes. An operation
    with a common name in the field is one op. Attributes never hold sizes of dimensions that may be
    split: sizes come from types, so an op stays right when its shapes become local.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

// Element types.
def Graph_Float : AnyTypeOf<[F32, F16, BF16, F64], "f32, f16, bf16 or f64">;
def Graph_SignedInt : AnyTypeOf<[I64, I32, I16, I8], "i64, i32, i16 or i8">;
def Graph_UnsignedInt : AnyTypeOf<[UI64, UI32, UI16, UI8], "ui64, ui32, ui16 or ui8">;
def Graph_Int : AnyTypeOf<[Graph_SignedInt, Graph_UnsignedInt], "integers">;
def Graph_Number : AnyTypeOf<[Graph_Float, Graph_Int], "floats or integers">;
def Graph_Element : AnyTypeOf<[Graph_Number, I1], "floats, integers or i1">;
def Graph_Logic : AnyTypeOf<[Graph_Int, I1], "integers or i1">;

// Tensors: ranked, static, no empty dimension (so no pass divides by a size of zero), and small
// enough that no product of sizes overflows.
class Graph_TensorOf<Type element>
    : Type<And<[CPred<"::pcc::graph::hasGraphShape($_self)">,
                SubstLeaves<"$_self",
                            "::llvm::cast<::mlir::RankedTensorType>($_self).getElementType()",
                            element.predicate>]>,
           "tensor of " # element.summary # " with static sizes of at least 1",
           "::mlir::RankedTensorType">;

def Graph_Tensor : Graph_TensorOf<Graph_Element>;
def Graph_NumberTensor : Graph_TensorOf<Graph_Number>;
def Graph_FloatTensor : Graph_TensorOf<Graph_Float>;
// Indices, labels and seeds have a sign. An index below 0 is out of range, so ops clamp or drop it. A
// label may be a negative `ignore_index`, and a seed may be any integer.
def Graph_IndexTensor : Graph_TensorOf<Graph_SignedInt>;
def Graph_BoolTensor : Graph_TensorOf<I1>;
def Graph_LogicTensor : Graph_TensorOf<Graph_Logic>;
def Graph_I64Tensor : Graph_TensorOf<I64>;
def Graph_F32Tensor : Graph_TensorOf<F32>;
def Graph_LogSumTensor : Graph_TensorOf<AnyTypeOf<[F32, F64], "f32 or f64">>;

class Graph_ScalarOf<Type tensor, string what>
    : Type<And<[tensor.predicate,
                CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getRank() == 0">]>,
           what # " tensor of rank 0", "::mlir::RankedTensorType">;
def Graph_IndexScalar : Graph_ScalarOf<Graph_IndexTensor, "integer">;
def Graph_FloatScalar : Graph_ScalarOf<Graph_FloatTensor, "floating-point">;

// A number with a sign: axes, starts, widths. MLIR's own I64Attr reads back unsigned.
def Graph_I64Attr : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit integer"> {
  let convertFromStorage = "$_self.getInt()";
}

// Ops whose result types follow from operands and attributes.
defvar Graph_InferTypes = InferTypeOpAdaptor;

// Every tensor op is pure and states its factor rule.
class Graph_Op<string mnemonic, list<Trait> traits = []>
    : Op<Graph_Dialect, mnemonic,
         !listconcat(traits, [Pure, DeclareOpInterfaceMethods<FactorRuleOpInterface>])>;

#endif // PCC_DIALECTS_GRAPH_GRAPHBASE_TD

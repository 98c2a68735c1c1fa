// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise ops: all operands and results have the same shape; broadcasts are explicit.
#ifndef PCC_DIALECTS_GRAPH_GRAPHELEMENTWISE_TD
#define PCC_DIALECTS_GRAPH_GRAPHELEMENTWISE_TD

include "dialects/graph/ops/GraphAttrs.td"

/// Marks ops that compute each element of the result from the same element of the operands.
def Graph_Elementwise : NativeOpTrait<"Elementwise"> { let cppNamespace = "::pcc::graph"; }

class Graph_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : Graph_Op<mnemonic, !listconcat(traits, [Graph_Elementwise, SameOperandsAndResultShape])> {
  // RulesElementwise.cpp says which partial values pass through which op.
  let extraClassDefinition = [{
    ::pcc::FactorRule $cppClass::getFactorRule() {
      return ::pcc::graph::elementwiseRule(getOperation());
    }
  }];
}

class Graph_UnaryOp<string mnemonic, string what, Type tensor = Graph_FloatTensor, dag extra = (ins)>
    : Graph_ElementwiseOp<mnemonic, [SameOperandsAndResultType]> {
  let summary = what;
  let arguments = !con((ins tensor:$input), extra);
  let results = (outs tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

class Graph_BinaryOp<string mnemonic, string what, Type tensor = Graph_NumberTensor, list<Trait> traits = []>
    : Graph_ElementwiseOp<mnemonic, !listconcat(traits, [SameOperandsAndResultType])> {
  let summary = what;
  let arguments = (ins tensor:$lhs, tensor:$rhs);
  let results = (outs tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

// Arithmetic.
def Graph_AddOp : Graph_BinaryOp<"add", "lhs + rhs", Graph_NumberTensor, [Commutative]> { let hasFolder = 1; }
def Graph_SubOp : Graph_BinaryOp<"sub", "lhs - rhs"> { let hasFolder = 1; }
def Graph_MulOp : Graph_BinaryOp<"mul", "lhs * rhs", Graph_NumberTensor, [Commutative]> { let hasFolder = 1; }
def Graph_DivOp : Graph_BinaryOp<"div", "lhs / rhs; integers truncate towards zero"> { let hasFolder = 1; }
def Graph_PowOp : Graph_BinaryOp<"pow", "lhs to the power of rhs", Graph_FloatTensor>;
def Graph_MaxOp : Graph_BinaryOp<"max", "the greater of the two", Graph_NumberTensor, [Commutative]>;
def Graph_MinOp : Graph_BinaryOp<"min", "the less of the two", Graph_NumberTensor, [Commutative]>;
def Graph_ModOp : Graph_BinaryOp<"mod", "remainder with the sign of lhs">;

// Functions of one number.
def Graph_NegOp : Graph_UnaryOp<"neg", "-x", Graph_NumberTensor> { let hasFolder = 1; }
def Graph_AbsOp : Graph_UnaryOp<"abs", "absolute value", Graph_NumberTensor>;
def Graph_SignOp : Graph_UnaryOp<"sign", "-1, 0 or 1", Graph_NumberTensor>;
def Graph_ExpOp : Graph_UnaryOp<"exp", "e to the power of x">;
def Graph_LogOp : Graph_UnaryOp<"log", "natural logarithm">;
def Graph_Log1pOp : Graph_UnaryOp<"log1p", "log(1 + x)">;
def Graph_SqrtOp : Graph_UnaryOp<"sqrt", "square root">;
def Graph_RsqrtOp : Graph_UnaryOp<"rsqrt", "1 / sqrt(x)">;
def Graph_SquareOp : Graph_UnaryOp<"square", "x * x", Graph_NumberTensor>;
def Graph_ReciprocalOp : Graph_UnaryOp<"reciprocal", "1 / x">;
def Graph_SinOp : Graph_UnaryOp<"sin", "sine of radians">;
def Graph_CosOp : Graph_UnaryOp<"cos", "cosine of radians">;
def Graph_TanhOp : Graph_UnaryOp<"tanh", "hyperbolic tangent">;
def Graph_SigmoidOp : Graph_UnaryOp<"sigmoid", "1 / (1 + exp(-x))">;
def Graph_ErfOp : Graph_UnaryOp<"erf", "error function">;
def Graph_FloorOp : Graph_UnaryOp<"floor", "greatest integer not above x">;
def Graph_CeilOp : Graph_UnaryOp<"ceil", "least integer not below x">;
def Graph_RoundOp : Graph_UnaryOp<"round", "nearest integer, halves to even">;

// Activations.
def Graph_ReluOp : Graph_UnaryOp<"relu", "max(x, 0)", Graph_NumberTensor>;
def Graph_LeakyReluOp : Graph_UnaryOp<"leaky_relu", "x if x > 0, else alpha * x", Graph_FloatTensor,
                                      (ins F64Attr:$alpha)>;
def Graph_EluOp : Graph_UnaryOp<"elu", "x if x > 0, else alpha * (exp(x) - 1)", Graph_FloatTensor,
                                (ins F64Attr:$alpha)>;
def Graph_GeluOp : Graph_UnaryOp<"gelu", "x times the normal distribution function of x",
                                 Graph_FloatTensor,
                                 (ins DefaultValuedAttr<Graph_GeluFormAttr, "GeluForm::Exact">:$form)>;
def Graph_SiluOp : Graph_UnaryOp<"silu", "x * sigmoid(x)">;
def Graph_SoftplusOp : Graph_UnaryOp<"softplus", "log(1 + exp(x))">;
def Graph_ClampOp : Graph_UnaryOp<"clamp", "x limited to [low, high]", Graph_NumberTensor,
                                  (ins F64Attr:$low, F64Attr:$high)> { let hasVerifier = 1; }

// Logic.
def Graph_AndOp : Graph_BinaryOp<"and", "bitwise and", Graph_LogicTensor, [Commutative]> { let hasFolder = 1; }
def Graph_OrOp : Graph_BinaryOp<"or", "bitwise or", Graph_LogicTensor, [Commutative]> { let hasFolder = 1; }
def Graph_NotOp : Graph_UnaryOp<"not", "bitwise complement", Graph_LogicTensor>;

def Graph_CompareOp : Graph_ElementwiseOp<"compare", [SameTypeOperands, Graph_InferTypes]> {
  let summary = "true where `lhs direction rhs` holds; with NaN only ne is true";
  let arguments = (ins Graph_DirectionAttr:$direction, Graph_Tensor:$lhs, Graph_Tensor:$rhs);
  let results = (outs Graph_BoolTensor:$result);
  let assemblyFormat = "$direction $lhs `,` $rhs attr-dict `:` type($lhs)";
}
def Graph_SelectOp : Graph_ElementwiseOp<"select",
    [AllTypesMatch<["on_true", "on_false", "result"]>,
     TypesMatchWith<"predicate has the result's shape", "result", "predicate",
                    "::pcc::graph::boolTensorLike($_self)">]> {
  let summary = "on_true where the predicate holds, else on_false";
  let arguments = (ins Graph_BoolTensor:$predicate, Graph_Tensor:$on_true, Graph_Tensor:$on_false);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$predicate `,` $on_true `,` $on_false attr-dict `:` type($result)";
}
def Graph_CastOp : Graph_ElementwiseOp<"cast"> {
  let summary = "converts the element type; to integers truncates toward zero, to i1 is x != 0";
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasFolder = 1;
}

#endif // PCC_DIALECTS_GRAPH_GRAPHELEMENTWISE_TD

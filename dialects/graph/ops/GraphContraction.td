// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PCC_DIALECTS_GRAPH_GRAPHCONTRACTION_TD
#define PCC_DIALECTS_GRAPH_GRAPHCONTRACTION_TD

include "dialects/graph/ops/GraphAttrs.td"

def Graph_MatmulOp : Graph_Op<"matmul", [Graph_InferTypes]> {
  let summary = "batched matrix multiplication";
  let description = [{
    The last two dimensions are the matrices; all dimensions before them are equal batch dimensions.
    `transpose_lhs` and `transpose_rhs` say that an operand is stored with its last two dimensions
    exchanged. Sums are accumulated in f32 or wider.
  }];
  let arguments = (ins Graph_NumberTensor:$lhs, Graph_NumberTensor:$rhs, UnitAttr:$transpose_lhs,
                       UnitAttr:$transpose_rhs);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)";
}

def Graph_EinsumOp : Graph_Op<"einsum", [Graph_InferTypes]> {
  let summary = "einsum of two operands: a sum of products, by letters for their dimensions";
  let description = [{
    `"bij,bjk->bik"` is a batched matmul: dimensions with the same letter are paired, and letters
    that the result lacks are summed. Letters are ASCII; no operand has a letter twice. Sums are
    accumulated in f32 or wider.
  }];
  let arguments = (ins Graph_NumberTensor:$lhs, Graph_NumberTensor:$rhs, StrAttr:$equation);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "$equation $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)";
}

#endif // PCC_DIALECTS_GRAPH_GRAPHCONTRACTION_TD

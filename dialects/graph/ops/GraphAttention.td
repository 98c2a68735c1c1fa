// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention and the rotary position embedding. Tensors are [batch, heads, positions, width].
#ifndef PCC_DIALECTS_GRAPH_GRAPHATTENTION_TD
#define PCC_DIALECTS_GRAPH_GRAPHATTENTION_TD

include "dialects/graph/ops/GraphAttrs.td"

defvar Graph_AttentionOperands = (ins
    Graph_FloatTensor:$query, Graph_FloatTensor:$key, Graph_FloatTensor:$value,
    Optional<Graph_FloatTensor>:$mask, Optional<Graph_IndexScalar>:$offset);
defvar Graph_AttentionAttrs = (ins F64Attr:$scale, UnitAttr:$causal);

def Graph_AttentionOp : Graph_Op<"attention", [Graph_InferTypes, AttrSizedOperandSegments]> {
  let summary = "softmax(scale * query keyᵀ + mask) value";
  let description = [{
    The heads of the query form as many groups as key and value have heads; all heads of a group use
    the same key and value. The mask is added to the scores, and repeated along dimensions in which
    it has size 1. With `causal`, position i of the query sees key positions up to i + `offset`.
    Without `offset`, the offset is the number of key positions minus the number of query positions;
    one rank's block of the query has its own offset. A fully masked row is zero. `log_sum` is the
    logarithm of the sum of the exponentials of each row, in f32, or f64; the gradient recomputes the
    softmax from it (Dao et al.: FlashAttention, NeurIPS 2022).
  }];
  let arguments = !con(Graph_AttentionOperands, Graph_AttentionAttrs);
  let results = (outs Graph_FloatTensor:$result, Graph_LogSumTensor:$log_sum);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`,` $mask^)? `scale` `=` $scale (`offset` `(` $offset^ `:`
    type($offset) `)`)? attr-dict `:` type($query) `,` type($key) `,` type($value)
    (`,` type($mask)^)?
  }];
}

def Graph_AttentionGradientOp : Graph_Op<"attention_gradient",
    [AttrSizedOperandSegments, AllTypesMatch<["query", "query_gradient"]>,
     AllTypesMatch<["key", "key_gradient"]>, AllTypesMatch<["value", "value_gradient"]>,
     AllTypesMatch<["result", "gradient"]>]> {
  let summary = "gradients of an attention's query, key and value, from that of its result";
  let arguments = !con((ins Graph_FloatTensor:$query, Graph_FloatTensor:$key,
                            Graph_FloatTensor:$value, Graph_FloatTensor:$result,
                            Graph_LogSumTensor:$log_sum, Graph_FloatTensor:$gradient,
                            Optional<Graph_FloatTensor>:$mask,
                            Optional<Graph_IndexScalar>:$offset), Graph_AttentionAttrs);
  let results = (outs Graph_FloatTensor:$query_gradient, Graph_FloatTensor:$key_gradient,
                      Graph_FloatTensor:$value_gradient);
  let assemblyFormat = [{
    $query `,` $key `,` $value `,` $result `,` $log_sum `,` $gradient (`,` $mask^)? `scale` `=`
    $scale (`offset` `(` $offset^ `:` type($offset) `)`)? attr-dict `:` type($query) `,` type($key)
    `,` type($value) `,` type($result) `,` type($log_sum) (`,` type($mask)^)?
  }];
  let hasVerifier = 1;
}

def Graph_RotaryEmbeddingOp : Graph_Op<"rotary_embedding", [AllTypesMatch<["input", "result"]>,
                                                            AllTypesMatch<["cosine", "sine"]>]> {
  let summary = "rotates pairs of elements by an angle that depends on their position";
  let description = [{
    Pair i is rotated by its angle a: (u, v) becomes (u cos a - v sin a, u sin a + v cos a). The
    pairs are elements i and i + width / 2, or with `interleaved` 2 i and 2 i + 1. `cosine` and
    `sine` are [positions, width / 2], or [batch, positions, width / 2] if samples differ. Su et
    al.: RoFormer, Neurocomputing 2024.
  }];
  let arguments = (ins Graph_FloatTensor:$input, Graph_FloatTensor:$cosine, Graph_FloatTensor:$sine,
                       UnitAttr:$interleaved);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $cosine `,` $sine attr-dict `:` type($result) `,` type($cosine)
  }];
  let hasVerifier = 1;
}

#endif // PCC_DIALECTS_GRAPH_GRAPHATTENTION_TD

// Cases of the gradient check (../Case.h): attention in all its forms, and the embedding of
// positions. `attention_gradient` itself has no derivative.

!q = tensor<2x4x3x2xf32>
!k = tensor<2x2x5x2xf32>
!v = tensor<2x2x5x3xf32>
!r = tensor<2x4x3x3xf32>
!l = tensor<2x4x3xf32>

func.func @attention(%q: !q, %k: !k, %v: !v) -> !r {
  %r, %l = graph.attention %q, %k, %v scale = 0.5 : !q, !k, !v
  return %r : !r
}

func.func @attention_causal(%q: !q, %k: !k, %v: !v) -> !r {
  %r, %l = graph.attention %q, %k, %v scale = 0.5 {causal} : !q, !k, !v
  return %r : !r
}

// Rows that see no key have a zero result.
func.func @attention_blind(%q: !q, %k: !k, %v: !v) -> !r {
  %o = graph.constant dense<-1> : tensor<i64>
  %r, %l = graph.attention %q, %k, %v scale = 0.5 offset(%o : tensor<i64>) {causal} : !q, !k, !v
  return %r : !r
}

// A mask with a gradient: it is summed along the dimensions in which the mask is repeated.
func.func @attention_mask(%q: !q, %k: !k, %v: !v, %m: tensor<1x4x1x5xf32>) -> !r {
  %r, %l = graph.attention %q, %k, %v, %m scale = 0.5 : !q, !k, !v, tensor<1x4x1x5xf32>
  return %r : !r
}

func.func @attention_full_mask(%q: !q, %k: !k, %v: !v, %m: tensor<2x4x3x5xf32>) -> !r {
  %r, %l = graph.attention %q, %k, %v, %m scale = 1.0 {causal} : !q, !k, !v, tensor<2x4x3x5xf32>
  return %r : !r
}

func.func @attention_constant_mask(%q: !q, %k: !k, %v: !v) -> !r {
  %m = graph.constant dense<[[[[0.0, 0.5, -1.0, 0.25, 2.0]]]]> : tensor<1x1x1x5xf32>
  %r, %l = graph.attention %q, %k, %v, %m scale = 0.5 : !q, !k, !v, tensor<1x1x1x5xf32>
  return %r : !r
}

// The logarithms of the sums have gradients too.
func.func @attention_log_sum(%q: !q, %k: !k, %v: !v) -> !l {
  %r, %l = graph.attention %q, %k, %v scale = 0.5 {causal} : !q, !k, !v
  %0 = graph.reduce sum %r, [3] : !r
  %1 = graph.mul %l, %0 : !l
  return %1 : !l
}

func.func @rotary_embedding(%x: !q, %c: tensor<3x1xf32>, %s: tensor<3x1xf32>) -> !q {
  %r = graph.rotary_embedding %x, %c, %s : !q, tensor<3x1xf32>
  return %r : !q
}

func.func @rotary_embedding_interleaved(%x: tensor<2x2x3x4xf32>, %c: tensor<2x3x2xf32>, %s: tensor<2x3x2xf32>) -> tensor<2x2x3x4xf32> {
  %r = graph.rotary_embedding %x, %c, %s {interleaved} : tensor<2x2x3x4xf32>, tensor<2x3x2xf32>
  return %r : tensor<2x2x3x4xf32>
}

// A softmax between two matmuls that is no attention says why.
// RUN: pcc-opt %s --graph-raise-attention --remarks-filter=graph --remark-format=emitRemark --verify-diagnostics -o /dev/null

!q = tensor<2x4x3x8xf32>
!s = tensor<2x4x3x3xf32>

func.func @soft_cap(%q: !q, %k: !q, %v: !q) -> !q {
  %cap = graph.constant dense<50.0> : !s
  %0 = graph.matmul %q, %k {transpose_rhs} : !q, !q
  %1 = graph.div %0, %cap : !s
  %2 = graph.tanh %1 : !s
  %3 = graph.mul %2, %cap : !s
  // expected-remark @below {{a tanh caps the scores}}
  %4 = graph.softmax %3 axis = 3 : !s
  %5 = graph.matmul %4, %v : !s, !q
  return %5 : !q
}

func.func @factor(%q: !q, %k: !q, %v: !q, %f: !s) -> !q {
  %0 = graph.matmul %q, %k {transpose_rhs} : !q, !q
  %1 = graph.mul %0, %f : !s
  // expected-remark @below {{the scores are multiplied or divided by a value that is not one number}}
  %2 = graph.softmax %1 axis = 3 : !s
  %3 = graph.matmul %2, %v : !s, !q
  return %3 : !q
}

func.func @negative(%q: !q, %k: !q, %v: !q, %f: !s) -> !q {
  %0 = graph.matmul %q, %k {transpose_rhs} : !q, !q
  %1 = graph.sub %f, %0 : !s
  // expected-remark @below {{the scores are subtracted}}
  %2 = graph.softmax %1 axis = 3 : !s
  %3 = graph.matmul %2, %v : !s, !q
  return %3 : !q
}

func.func @other(%q: !q, %k: !q, %v: !q, %f: !s, %p: tensor<2x4x3x3xi1>) -> !q {
  %0 = graph.matmul %q, %k {transpose_rhs} : !q, !q
  %1 = graph.select %p, %0, %f : !s
  // expected-remark @below {{a select mixes the scores with others}}
  %2 = graph.softmax %1 axis = 3 : !s
  %3 = graph.matmul %2, %v : !s, !q
  return %3 : !q
}

func.func @negated(%q: !q, %k: !q, %v: !q) -> !q {
  %0 = graph.matmul %q, %k {transpose_rhs} : !q, !q
  %1 = graph.neg %0 : !s
  // expected-remark @below {{'graph.neg' changes the scores}}
  %2 = graph.softmax %1 axis = 3 : !s
  %3 = graph.matmul %2, %v : !s, !q
  return %3 : !q
}

// Where both masks hide a row, the softmax of its finite scores depends on the scores.
func.func @finite_masks(%q: !q, %k: !q, %v: !q, %m: !s, %p: tensor<2x4x3x3xi1>) -> !q {
  %hidden = graph.constant dense<-1.0e9> : !s
  %0 = graph.matmul %q, %k {transpose_rhs} : !q, !q
  %1 = graph.select %p, %0, %hidden : !s
  %2 = graph.add %1, %m : !s
  // expected-remark @below {{a mask may hide a whole row by a finite score}}
  %3 = graph.softmax %2 axis = 3 : !s
  %4 = graph.matmul %3, %v : !s, !q
  return %4 : !q
}

// The least number of f32 is minus infinity in f16, and rows that it hides would be zero.
func.func @wide_mask(%q: tensor<2x4x3x8xf16>, %k: tensor<2x4x3x8xf16>, %v: tensor<2x4x3x8xf16>, %m: !s) -> tensor<2x4x3x8xf16> {
  %0 = graph.matmul %q, %k {transpose_rhs} : tensor<2x4x3x8xf16>, tensor<2x4x3x8xf16>
  %1 = graph.cast %0 : tensor<2x4x3x3xf16> to !s
  %2 = graph.add %1, %m : !s
  // expected-remark @below {{the mask has a wider element type than the query}}
  %3 = graph.softmax %2 axis = 3 : !s
  %4 = graph.cast %3 : !s to tensor<2x4x3x3xf16>
  %5 = graph.matmul %4, %v : tensor<2x4x3x3xf16>, tensor<2x4x3x8xf16>
  return %5 : tensor<2x4x3x8xf16>
}

// A softmax with one matmul says nothing.
func.func @router(%x: tensor<3x8xf32>, %w: tensor<8x4xf32>) -> tensor<3x4xf32> {
  %0 = graph.matmul %x, %w : tensor<3x8xf32>, tensor<8x4xf32>
  %1 = graph.softmax %0 axis = 1 : tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}

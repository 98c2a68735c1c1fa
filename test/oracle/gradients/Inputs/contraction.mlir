// Cases of the gradient check (../Case.h): matmuls, with every combination of transposed operands.

func.func @matmul(%a: tensor<2x4xf32>, %b: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %r = graph.matmul %a, %b : tensor<2x4xf32>, tensor<4x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @matmul_tr(%a: tensor<2x4xf32>, %b: tensor<3x4xf32>) -> tensor<2x3xf32> {
  %r = graph.matmul %a, %b {transpose_rhs} : tensor<2x4xf32>, tensor<3x4xf32>
  return %r : tensor<2x3xf32>
}

func.func @matmul_tl(%a: tensor<4x2xf32>, %b: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %r = graph.matmul %a, %b {transpose_lhs} : tensor<4x2xf32>, tensor<4x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @matmul_tl_tr(%a: tensor<4x2xf32>, %b: tensor<3x4xf32>) -> tensor<2x3xf32> {
  %r = graph.matmul %a, %b {transpose_lhs, transpose_rhs} : tensor<4x2xf32>, tensor<3x4xf32>
  return %r : tensor<2x3xf32>
}

func.func @batched_matmul(%a: tensor<2x2x2x4xf32>, %b: tensor<2x2x4x3xf32>) -> tensor<2x2x2x3xf32> {
  %r = graph.matmul %a, %b : tensor<2x2x2x4xf32>, tensor<2x2x4x3xf32>
  return %r : tensor<2x2x2x3xf32>
}

func.func @batched_matmul_tr(%a: tensor<2x2x2x4xf32>, %b: tensor<2x2x3x4xf32>) -> tensor<2x2x2x3xf32> {
  %r = graph.matmul %a, %b {transpose_rhs} : tensor<2x2x2x4xf32>, tensor<2x2x3x4xf32>
  return %r : tensor<2x2x2x3xf32>
}

func.func @batched_matmul_tl(%a: tensor<2x2x4x2xf32>, %b: tensor<2x2x4x3xf32>) -> tensor<2x2x2x3xf32> {
  %r = graph.matmul %a, %b {transpose_lhs} : tensor<2x2x4x2xf32>, tensor<2x2x4x3xf32>
  return %r : tensor<2x2x2x3xf32>
}

func.func @batched_matmul_tl_tr(%a: tensor<2x2x4x2xf32>, %b: tensor<2x2x3x4xf32>) -> tensor<2x2x2x3xf32> {
  %r = graph.matmul %a, %b {transpose_lhs, transpose_rhs} : tensor<2x2x4x2xf32>, tensor<2x2x3x4xf32>
  return %r : tensor<2x2x2x3xf32>
}

// The gradient of a weight shared by the batch is the sum over the batch.
func.func @matmul_broadcast_batch(%a: tensor<3x2x4xf32>, %b: tensor<4x3xf32>) -> tensor<3x2x3xf32> {
  %0 = graph.broadcast %b, [1, 2] : tensor<4x3xf32> to tensor<3x4x3xf32>
  %r = graph.matmul %a, %0 : tensor<3x2x4xf32>, tensor<3x4x3xf32>
  return %r : tensor<3x2x3xf32>
}

func.func @einsum(%a: tensor<2x3x4xf32>, %b: tensor<4x2x2xf32>) -> tensor<2x3x2xf32> {
  %r = graph.einsum "bij,jkb->bik" %a, %b : tensor<2x3x4xf32>, tensor<4x2x2xf32>
  return %r : tensor<2x3x2xf32>
}

// A letter that only one operand has: every element along it has the same gradient.
func.func @einsum_alone(%a: tensor<2x3x4xf32>, %b: tensor<4x2xf32>) -> tensor<2xf32> {
  %r = graph.einsum "iaj,jk->i" %a, %b : tensor<2x3x4xf32>, tensor<4x2xf32>
  return %r : tensor<2xf32>
}

func.func @einsum_outer(%a: tensor<3xf32>, %b: tensor<2xf32>) -> tensor<2x3xf32> {
  %r = graph.einsum "i,j->ji" %a, %b : tensor<3xf32>, tensor<2xf32>
  return %r : tensor<2x3xf32>
}

func.func @einsum_scalar(%a: tensor<f32>, %b: tensor<2x3xf32>) -> tensor<f32> {
  %r = graph.einsum ",ij->" %a, %b : tensor<f32>, tensor<2x3xf32>
  return %r : tensor<f32>
}

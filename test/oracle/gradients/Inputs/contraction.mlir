// Cases of the gradient check (../Case.h): products, with every combination of transposed operands.

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

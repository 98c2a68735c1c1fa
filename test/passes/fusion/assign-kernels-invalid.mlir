// RUN: pcc-opt %s --split-input-file --verify-diagnostics --fuse-assign-kernels

// Annotated ops that no matmul instruction can include: the error names the first one.
func.func @no_product(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{cannot run in the instruction of the matmul that has its annotation: expected annotations as "--fuse-epilogues" sets them}}
  %0 = graph.tanh %x {task.matmul_group = 0 : i64} : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Another kernel would have to run between the matmul and the op.
func.func @between(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.matmul %x, %w {task.matmul_group = 0 : i64} : tensor<4x8xf32>, tensor<8x8xf32>
  %1 = graph.matmul %0, %w : tensor<4x8xf32>, tensor<8x8xf32>
  // expected-error @below {{cannot run in the instruction of the matmul}}
  %2 = graph.add %0, %1 {task.matmul_group = 0 : i64} : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// An instruction has one matmul.
func.func @two_products(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.matmul %x, %x {task.matmul_group = 0 : i64} : tensor<8x8xf32>, tensor<8x8xf32>
  // expected-error @below {{cannot run in the instruction of the matmul}}
  %1 = graph.matmul %0, %x {task.matmul_group = 0 : i64} : tensor<8x8xf32>, tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// Without an activation, only sums, a bias and relu are supported.
func.func @tanh(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.matmul %x, %x {task.matmul_group = 0 : i64} : tensor<8x8xf32>, tensor<8x8xf32>
  // expected-error @below {{cannot run in the instruction of the matmul}}
  %1 = graph.tanh %0 {task.matmul_group = 0 : i64} : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// An annotated transpose without an attention.
func.func @no_attention(%x: tensor<1x2x3x4xf32>) -> tensor<1x3x2x4xf32> {
  // expected-error @below {{cannot run in the instruction of the attention that has its annotation: expected annotations as "--fuse-head-transposes" sets them}}
  %0 = graph.transpose %x, [0, 2, 1, 3] {task.attention = 0 : i64} : tensor<1x2x3x4xf32>
  return %0 : tensor<1x3x2x4xf32>
}

// -----

// All transposes of an attention are annotated, or none.
func.func @some(%x: tensor<1x2x3x4xf32>, %y: tensor<1x3x2x4xf32>) -> tensor<1x3x2x4xf32> {
  %0 = graph.transpose %x, [0, 2, 1, 3] {task.attention = 0 : i64} : tensor<1x2x3x4xf32>
  // expected-error @below {{cannot run in the instruction of the attention that has its annotation}}
  %r, %l = graph.attention %0, %y, %y scale = 0.5 {task.attention = 0 : i64} : tensor<1x3x2x4xf32>, tensor<1x3x2x4xf32>, tensor<1x3x2x4xf32>
  return %r : tensor<1x3x2x4xf32>
}

// -----

// A matmul without readers has no instruction, whatever its annotations.
func.func @dead(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.matmul %x, %x {task.matmul_group = 0 : i64} : tensor<8x8xf32>, tensor<8x8xf32>
  %1 = graph.tanh %x : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

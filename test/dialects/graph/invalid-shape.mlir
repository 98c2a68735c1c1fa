// RUN: pcc-opt %s --split-input-file --verify-diagnostics

// reshape C1
func.func @reshape_type(%x: tensor<6xf32>) {
  // expected-error @+1 {{'graph.reshape' op expected equal element types, got 'f32' in 'input' and 'f16' in 'result'}}
  %0 = graph.reshape %x : tensor<6xf32> to tensor<6xf16>
  return
}

// -----

// reshape C2
func.func @reshape_count(%x: tensor<6xf32>) {
  // expected-error @+1 {{'graph.reshape' op expected as many elements after as before, got 8 from 6}}
  %0 = graph.reshape %x : tensor<6xf32> to tensor<2x4xf32>
  return
}

// -----

// transpose C1
func.func @transpose_rank(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.transpose' op expected a permutation of 2 dimensions, got 3}}
  %0 = graph.transpose %x, [0, 1, 2] : tensor<2x3xf32>
  return
}

// -----

// transpose C2: a dimension twice.
func.func @transpose_twice(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected each of 0 to 1 once in 'permutation', got 1 twice}}
  %0 = graph.transpose %x, [1, 1] : tensor<2x3xf32>
  return
}

// -----

// transpose C2: no such dimension.
func.func @transpose_range(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected each of 0 to 1 once in 'permutation', got -1}}
  %0 = graph.transpose %x, [-1, 0] : tensor<2x3xf32>
  return
}

// -----

// transpose: the result type is the inferred one.
func.func @transpose_result(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<3x2xf32>' are incompatible with return type(s) of operation 'tensor<2x3xf32>'}}
  %0 = "graph.transpose"(%x) {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// broadcast C1
func.func @broadcast_type(%x: tensor<3xf32>) {
  // expected-error @+1 {{'graph.broadcast' op expected equal element types}}
  %0 = graph.broadcast %x, [1] : tensor<3xf32> to tensor<2x3xi32>
  return
}

// -----

// broadcast C2
func.func @broadcast_rank(%x: tensor<3xf32>) {
  // expected-error @+1 {{expected one of 'dims' for each of the 1 input dimensions, got 0}}
  %0 = graph.broadcast %x, [] : tensor<3xf32> to tensor<2x3xf32>
  return
}

// -----

// broadcast C3
func.func @broadcast_range(%x: tensor<3xf32>) {
  // expected-error @+1 {{expected 'dims' in [0, 2), got 2}}
  %0 = graph.broadcast %x, [2] : tensor<3xf32> to tensor<2x3xf32>
  return
}

// -----

// broadcast C4
func.func @broadcast_order(%x: tensor<3x2xf32>) {
  // expected-error @+1 {{expected 'dims' in ascending order, got 0 after 1}}
  %0 = graph.broadcast %x, [1, 0] : tensor<3x2xf32> to tensor<2x3xf32>
  return
}

// -----

// broadcast C5
func.func @broadcast_size(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected input dimension 0 of size 1 or 3, got 2}}
  %0 = graph.broadcast %x, [1] : tensor<2xf32> to tensor<2x3xf32>
  return
}

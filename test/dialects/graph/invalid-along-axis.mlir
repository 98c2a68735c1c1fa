// RUN: pcc-opt %s --split-input-file --verify-diagnostics

// argmax C1
func.func @argmax_axis(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.argmax' op expected 'axis' in [0, 2), got 2}}
  %0 = graph.argmax %x axis = 2 : tensor<2x3xf32>
  return
}

// -----

// argmin C1
func.func @argmin_axis(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.argmin' op expected 'axis' in [0, 2), got -1}}
  %0 = graph.argmin %x axis = -1 : tensor<2x3xf32>
  return
}

// -----

// cumsum C1
func.func @cumsum_axis(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.cumsum' op expected 'axis' in [0, 2), got 3}}
  %0 = graph.cumsum %x axis = 3 : tensor<2x3xf32>
  return
}

// -----

// top_k C1
func.func @top_k_axis(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.top_k' op expected 'axis' in [0, 2), got 2}}
  %0:2 = graph.top_k %x axis = 2 : tensor<2x3xf32> to tensor<2x1xf32>
  return
}

// -----

// top_k C2
func.func @top_k_types(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.top_k' op expected equal element types, got 'f32' in 'input' and 'f16' in 'values'}}
  %0:2 = graph.top_k %x axis = 1 : tensor<2x3xf32> to tensor<2x1xf16>
  return
}

// -----

// top_k C3
func.func @top_k_sizes(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.top_k' op expected equal sizes of dimension 0, got 2 in 'input' and 1 in 'values'}}
  %0:2 = graph.top_k %x axis = 1 : tensor<2x3xf32> to tensor<1x1xf32>
  return
}

// -----

// top_k C4
func.func @top_k_places(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.top_k' op expected at most 3 elements along 'axis', got 4}}
  %0:2 = graph.top_k %x axis = 1 : tensor<2x3xf32> to tensor<2x4xf32>
  return
}

// -----

// einsum C1
func.func @einsum_types(%x: tensor<2x3xf32>, %y: tensor<2x3xf16>) {
  // expected-error @+1 {{'graph.einsum' op expected equal element types, got 'f32' in 'lhs' and 'f16' in 'rhs'}}
  %0 = graph.einsum "ij,ij->i" %x, %y : tensor<2x3xf32>, tensor<2x3xf16>
  return
}

// -----

// einsum C2: a letter twice in one operand
func.func @einsum_diagonal(%x: tensor<3x3xf32>) {
  // expected-error @+1 {{'graph.einsum' op expected an 'equation' like "bij,bjk->bik" with every letter once in a tensor, got "ii,ij->j"}}
  %0 = graph.einsum "ii,ij->j" %x, %x : tensor<3x3xf32>, tensor<3x3xf32>
  return
}

// -----

// einsum C3
func.func @einsum_letters(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.einsum' op expected 2 letters for 'rhs', got 1}}
  %0 = graph.einsum "ij,j->i" %x, %x : tensor<2x3xf32>, tensor<2x3xf32>
  return
}

// -----

// einsum C4
func.func @einsum_sizes(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.einsum' op expected equal sizes of 'j', got 3 and 2}}
  %0 = graph.einsum "ij,jk->ik" %x, %x : tensor<2x3xf32>, tensor<2x3xf32>
  return
}

// RUN: pcc-opt %s --split-input-file --verify-diagnostics

// matmul C1
func.func @matmul_types(%a: tensor<2x3xf32>, %b: tensor<3x2xf16>) {
  // expected-error @+1 {{'graph.matmul' op expected equal element types, got 'f32' in 'lhs' and 'f16' in 'rhs'}}
  %0 = graph.matmul %a, %b : tensor<2x3xf32>, tensor<3x2xf16>
  return
}

// -----

// matmul C2
func.func @matmul_ranks(%a: tensor<4x2x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error @+1 {{'graph.matmul' op expected operands of equal rank, got 3 and 2; broadcast batch dimensions first}}
  %0 = graph.matmul %a, %b : tensor<4x2x3xf32>, tensor<3x2xf32>
  return
}

// -----

// matmul C3
func.func @matmul_vectors(%a: tensor<3xf32>) {
  // expected-error @+1 {{'graph.matmul' op expected operands of rank 2 or more, got 1}}
  %0 = graph.matmul %a, %a : tensor<3xf32>, tensor<3xf32>
  return
}

// -----

// matmul C4
func.func @matmul_batch(%a: tensor<4x2x3xf32>, %b: tensor<5x3x2xf32>) {
  // expected-error @+1 {{'graph.matmul' op expected equal sizes of batch dimension 0, got 4 and 5}}
  %0 = graph.matmul %a, %b : tensor<4x2x3xf32>, tensor<5x3x2xf32>
  return
}

// -----

// matmul C5
func.func @matmul_depth(%a: tensor<2x16xf32>, %b: tensor<8x2xf32>) {
  // expected-error @+1 {{'graph.matmul' op expected equal contracted sizes, got 16 in 'lhs' and 8 in 'rhs'}}
  %0 = graph.matmul %a, %b : tensor<2x16xf32>, tensor<8x2xf32>
  return
}

// -----

// matmul C5 counts transposes.
func.func @matmul_transposed(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.matmul' op expected equal contracted sizes, got 2 in 'lhs' and 3 in 'rhs'}}
  %0 = graph.matmul %a, %a {transpose_lhs, transpose_rhs} : tensor<2x3xf32>, tensor<2x3xf32>
  return
}

// -----

// reduce C1
func.func @reduce_range(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.reduce' op expected 'dims' in [0, 2), got -1}}
  %0 = graph.reduce sum %x, [-1] : tensor<2x3xf32>
  return
}

// -----

// reduce C2
func.func @reduce_order(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.reduce' op expected 'dims' in ascending order, got 1 after 1}}
  %0 = graph.reduce sum %x, [1, 1] : tensor<2x3xf32>
  return
}

// -----

// reduce C3
func.func @reduce_mean(%x: tensor<2x3xi32>) {
  // expected-error @+1 {{'graph.reduce' op expected floating-point elements for 'mean', got 'i32'; cast first}}
  %0 = graph.reduce mean %x, [1] : tensor<2x3xi32>
  return
}

// -----

// softmax C1
func.func @softmax_axis(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.softmax' op expected 'axis' in [0, 2), got 2}}
  %0 = graph.softmax %x axis = 2 : tensor<2x3xf32>
  return
}

// -----

// softmax_cross_entropy C1
func.func @loss_scalar(%x: tensor<f32>) {
  // expected-error @+1 {{'graph.softmax_cross_entropy' op expected 'logits' of rank 1 or more, got 0}}
  %0 = graph.softmax_cross_entropy %x, %x : tensor<f32>, tensor<f32>
  return
}

// -----

// softmax_cross_entropy C2: class numbers lack the last dimension.
func.func @loss_classes(%x: tensor<2x3xf32>, %l: tensor<3xi64>) {
  // expected-error @+1 {{'graph.softmax_cross_entropy' op expected 'labels' of shape [2], got [3]}}
  %0 = graph.softmax_cross_entropy %x, %l : tensor<2x3xf32>, tensor<3xi64>
  return
}

// -----

// softmax_cross_entropy C2: probabilities have it.
func.func @loss_probabilities(%x: tensor<2x3xf32>, %l: tensor<2xf32>) {
  // expected-error @+1 {{'graph.softmax_cross_entropy' op expected 'labels' of shape [2, 3], got [2]}}
  %0 = graph.softmax_cross_entropy %x, %l : tensor<2x3xf32>, tensor<2xf32>
  return
}

// -----

// softmax_cross_entropy C3
func.func @loss_types(%x: tensor<2x3xf32>, %l: tensor<2x3xf16>) {
  // expected-error @+1 {{expected equal element types, got 'f32' in 'logits' and 'f16' in 'labels'}}
  %0 = graph.softmax_cross_entropy %x, %l : tensor<2x3xf32>, tensor<2x3xf16>
  return
}

// -----

// softmax_cross_entropy C4
func.func @loss_ignored_probabilities(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected labels that are class numbers beside 'ignore_index', got 'f32' probabilities}}
  %0 = graph.softmax_cross_entropy %x, %x {ignore_index = 0 : i64} : tensor<2x3xf32>, tensor<2x3xf32>
  return
}

// -----

// Labels are numbers.
func.func @loss_index_labels(%x: tensor<2x3xf32>, %l: tensor<2xindex>) {
  // expected-error @+1 {{'graph.softmax_cross_entropy' op expected a tensor of numbers with static sizes of at least 1, got 'tensor<2xindex>'}}
  %0 = graph.softmax_cross_entropy %x, %l {ignore_index = 1} : tensor<2x3xf32>, tensor<2xindex>
  return
}

// -----

// softmax_cross_entropy C5
func.func @loss_ignored_range(%x: tensor<2x3xf32>, %l: tensor<2xi8>) {
  // expected-error @+1 {{expected 'ignore_index' to be one of 'i8', got 255}}
  %0 = graph.softmax_cross_entropy %x, %l {ignore_index = 255 : i64} : tensor<2x3xf32>, tensor<2xi8>
  return
}

// -----

// The rate of an optimizer step is a scalar.
func.func @sgd_rate(%p: tensor<2xf32>, %r: tensor<1xf32>) {
  // expected-error @+1 {{'graph.sgd' op operand #2 must be floating-point tensor of rank 0, but got 'tensor<1xf32>'}}
  %0 = graph.sgd %p, %p, %r : tensor<2xf32>, tensor<1xf32>
  return
}

// -----

// Optimizer steps C1: parameter, gradient and states have one shape.
func.func @sgd_shapes(%p: tensor<2xf32>, %g: tensor<3xf32>, %r: tensor<f32>) {
  // expected-error @+1 {{failed to verify that all of {parameter, gradient} have same shape}}
  %0 = graph.sgd %p, %g, %r : tensor<2xf32> (tensor<3xf32>), tensor<f32>
  return
}

// -----

func.func @momentum_shapes(%p: tensor<2xf32>, %v: tensor<2x1xf32>, %r: tensor<f32>) {
  // expected-error @+1 {{failed to verify that all of {parameter, gradient, velocity} have same shape}}
  %0:2 = graph.momentum %p, %p, %v, %r {momentum = 0.9} : tensor<2xf32> (tensor<2xf32>, tensor<2x1xf32>), tensor<f32>
  return
}

// -----

// A new value has the type of the old one.
func.func @momentum_types(%p: tensor<2xf32>, %v: tensor<2xf16>, %r: tensor<f32>) {
  // expected-error @+1 {{failed to verify that all of {velocity, new_velocity} have same type}}
  %0:2 = "graph.momentum"(%p, %p, %v, %r) {momentum = 0.9}
    : (tensor<2xf32>, tensor<2xf32>, tensor<2xf16>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

// Optimizer steps C4: a step that may be skipped has a scale.
func.func @sgd_skips(%p: tensor<2xf32>, %r: tensor<f32>) {
  // expected-error @+1 {{'graph.sgd' op expected a 'scale' beside 'zero_skips', got none}}
  %0 = graph.sgd %p, %p, %r {zero_skips} : tensor<2xf32>, tensor<f32>
  return
}

// -----

// Optimizer steps C2: beta is less than 1.
func.func @adam_beta(%p: tensor<2xf32>, %r: tensor<f32>, %s: tensor<i64>) {
  // expected-error @+1 {{'graph.adam' op expected 'beta2' in [0, 1), got 1.000000e+00}}
  %0:3 = graph.adam %p, %p, %p, %p, %r, %s {beta1 = 0.9, beta2 = 1.0, epsilon = 1.0e-8} : tensor<2xf32>, tensor<f32>, tensor<i64>
  return
}

// -----

func.func @lamb_beta(%p: tensor<2xf32>, %r: tensor<f32>, %s: tensor<i64>) {
  // expected-error @+1 {{'graph.lamb' op expected 'beta1' in [0, 1), got -1.000000e-01}}
  %0:3 = graph.lamb %p, %p, %p, %p, %r, %s {beta1 = -0.1, beta2 = 0.9, epsilon = 1.0e-8} : tensor<2xf32>, tensor<f32>, tensor<i64>
  return
}

// -----

// Optimizer steps C3: the divisor is kept away from zero.
func.func @adam_weight_decay_epsilon(%p: tensor<2xf32>, %r: tensor<f32>, %s: tensor<i64>) {
  // expected-error @+1 {{'graph.adam_weight_decay' op expected 'epsilon' to be a number above 0, got 0.000000e+00}}
  %0:3 = graph.adam_weight_decay %p, %p, %p, %p, %r, %s {beta1 = 0.9, beta2 = 0.9, epsilon = 0.0} : tensor<2xf32>, tensor<f32>, tensor<i64>
  return
}

// -----

func.func @adagrad_epsilon(%p: tensor<2xf32>, %r: tensor<f32>) {
  // expected-error @+1 {{'graph.adagrad' op expected 'epsilon' to be a number above 0, got -1.000000e+00}}
  %0:2 = graph.adagrad %p, %p, %p, %r {epsilon = -1.0} : tensor<2xf32>, tensor<f32>
  return
}

// -----

// reduce C4
func.func @reduce_first(%x: tensor<4x3xf32>) {
  // expected-error @+1 {{'graph.reduce' op expected 'first_wins' for 'max' or 'min' along one dimension}}
  %0 = graph.reduce max %x, [0, 1] {first_wins} : tensor<4x3xf32>
  return
}

// -----

func.func @reduce_first_sum(%x: tensor<4x3xf32>) {
  // expected-error @+1 {{'graph.reduce' op expected 'first_wins' for 'max' or 'min' along one dimension}}
  %0 = graph.reduce sum %x, [0] {first_wins} : tensor<4x3xf32>
  return
}

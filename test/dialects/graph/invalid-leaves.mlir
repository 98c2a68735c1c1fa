// RUN: pcc-opt %s --split-input-file --verify-diagnostics

// Tensors are ranked and static, without empty dimensions.
func.func @dynamic(%x: tensor<?xf32>) {
  // expected-error @+1 {{must be tensor of floats or integers with static sizes of at least 1, but got 'tensor<?xf32>'}}
  %0 = graph.neg %x : tensor<?xf32>
  return
}

// -----

func.func @empty(%x: tensor<2x0xf32>) {
  // expected-error @+1 {{must be tensor of floats or integers with static sizes of at least 1, but got 'tensor<2x0xf32>'}}
  %0 = graph.neg %x : tensor<2x0xf32>
  return
}

// -----

// The product of sizes must not overflow.
func.func @huge(%x: tensor<4294967296x4294967296xf32>) {
  // expected-error @+1 {{with static sizes of at least 1}}
  %0 = graph.neg %x : tensor<4294967296x4294967296xf32>
  return
}

// -----

func.func @no_tensor(%x: f32) {
  // expected-error @+1 {{invalid kind of type specified: expected builtin.tensor, but found 'f32'}}
  %0 = graph.neg %x : f32
  return
}

// -----

// parameter C1
// expected-error @+1 {{'graph.parameter' op expected floating-point elements for 'normal', got 'i32'}}
graph.parameter @w : tensor<2xi32> init(<normal, 0.0, 1.0>)

// -----

// parameter C6
// expected-error @+1 {{'graph.parameter' op expected 'graph.part' with a 'whole', a 'shape' of positive sizes, a 'period' and an 'offset', got {whole = "all"}}}
graph.parameter @w : tensor<2xf32> init(<zeros>) {graph.part = {whole = "all"}}

// -----

// parameter C7: two of six elements in each of two periods of three; starting at the last element, two are too many.
// expected-error @+1 {{'graph.parameter' op expected 'graph.part' inside of its whole, got 4 elements of 6, from 2 on in every 3}}
graph.parameter @w : tensor<4xf32> init(<zeros>) {graph.part = {whole = "all", shape = array<i64: 6>, period = 3 : i64, offset = 2 : i64}}

// -----

// parameter C2: a parameter from a file has values.
// expected-error @+1 {{expected 'value' beside 'file'}}
graph.parameter @w : tensor<2xf32> init(<file>)

// -----

// parameter C2: only a parameter from a file has values.
// expected-error @+1 {{expected no 'value' unless the initializer is 'file'}}
graph.parameter @w : tensor<2xf32> init(<zeros>) {value = dense<0.0> : tensor<2xf32>}

// -----

// parameter C3
// expected-error @+1 {{expected 'value' of type 'tensor<2xf32>', got 'tensor<3xf32>'}}
graph.parameter @w : tensor<2xf32> init(<file>) {value = dense<0.0> : tensor<3xf32>}

// -----

// parameter C4
// expected-error @+1 {{expected a dense value or a dense resource}}
graph.parameter @w : tensor<2xf32> init(<file>) {value = sparse<[[0]], [1.0]> : tensor<2xf32>}

// -----

// constant C1
func.func @constant_type() {
  // expected-error @+1 {{failed to verify that all of {value, result} have same type}}
  %0 = "graph.constant"() {value = dense<1.0> : tensor<3xf32>} : () -> tensor<2xf32>
  return
}

// -----

// constant C2
func.func @constant_sparse() {
  // expected-error @+1 {{'graph.constant' op expected a dense value or a dense resource}}
  %0 = graph.constant sparse<[[0]], [1.0]> : tensor<2xf32>
  return
}

// -----

// iota C1
func.func @iota_axis() {
  // expected-error @+1 {{'graph.iota' op expected 'axis' in [0, 2), got 2}}
  %0 = graph.iota axis = 2 : tensor<2x3xi64>
  return
}

// -----

// iota C1: a scalar has no axis.
func.func @iota_scalar() {
  // expected-error @+1 {{expected 'axis' in [0, 0), got -1}}
  %0 = graph.iota axis = -1 : tensor<i64>
  return
}

// -----

// rng_uniform C1
func.func @rng_shape(%i: tensor<2xi64>, %seed: tensor<i64>) {
  // expected-error @+1 {{'graph.rng_uniform' op expected 'result' of shape [2], got [3]}}
  %0 = graph.rng_uniform %i, %seed : (tensor<2xi64>, tensor<i64>) -> tensor<3xf32>
  return
}

// -----

func.func @rng_seed(%i: tensor<2xi64>, %seed: tensor<1xi64>) {
  // expected-error @+1 {{operand #1 must be integer tensor of rank 0, but got 'tensor<1xi64>'}}
  %0 = graph.rng_uniform %i, %seed : (tensor<2xi64>, tensor<1xi64>) -> tensor<2xf32>
  return
}

// RUN: pcc-opt %s --split-input-file --verify-diagnostics

// Elementwise ops have one shape and one element type.
func.func @shapes(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "graph.add"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @types(%a: tensor<2xf32>, %b: tensor<2xf16>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "graph.add"(%a, %b) : (tensor<2xf32>, tensor<2xf16>) -> tensor<2xf32>
  return
}

// -----

// Functions of real numbers take floats.
func.func @exp_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be tensor of f32, f16, bf16 or f64 with static sizes of at least 1, but got 'tensor<2xi32>'}}
  %0 = graph.exp %x : tensor<2xi32>
  return
}

// -----

// Bitwise ops do not accept floats.
func.func @and_of_floats(%x: tensor<2xf32>) {
  // expected-error @+1 {{operand #0 must be tensor of integers or i1 with static sizes of at least 1, but got 'tensor<2xf32>'}}
  %0 = graph.and %x, %x : tensor<2xf32>
  return
}

// -----

func.func @compare_types(%a: tensor<2xf32>, %b: tensor<2xi32>) {
  // expected-error @+1 {{requires all operands to have the same type}}
  %0 = "graph.compare"(%a, %b) {direction = #graph<direction lt>} : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xi1>
  return
}

// -----

func.func @compare_result(%a: tensor<2xf32>) {
  // expected-error @+1 {{'graph.compare' op result #0 must be tensor of 1-bit signless integer with static sizes of at least 1, but got 'tensor<2xi8>'}}
  %0 = "graph.compare"(%a, %a) {direction = #graph<direction lt>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi8>
  return
}

// -----

func.func @select_predicate(%p: tensor<3xi1>, %a: tensor<2xf32>) {
  // expected-error @+1 {{failed to verify that predicate has the result's shape}}
  %0 = "graph.select"(%p, %a, %a) : (tensor<3xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @cast_shape(%a: tensor<2xf32>) {
  // expected-error @+1 {{requires the same shape for all operands and results}}
  %0 = graph.cast %a : tensor<2xf32> to tensor<3xi32>
  return
}

// -----

// clamp C1
func.func @clamp(%x: tensor<2xf32>) {
  // expected-error @+1 {{'graph.clamp' op expected 'low' not above 'high', got}}
  %0 = graph.clamp %x {low = 1.0, high = 0.0} : tensor<2xf32>
  return
}

// -----

// clamp C2: no integer lies between the limits.
func.func @clamp_between(%x: tensor<2xi32>) {
  // expected-error @+1 {{'graph.clamp' op expected one of 'i32' between 'low' and 'high', got}}
  %0 = graph.clamp %x {low = 0.2, high = 0.8} : tensor<2xi32>
  return
}

// -----

// clamp C2: none of the type's integers does.
func.func @clamp_above(%x: tensor<2xi8>) {
  // expected-error @+1 {{'graph.clamp' op expected one of 'i8' between 'low' and 'high', got}}
  %0 = graph.clamp %x {low = 127.5, high = 200.0} : tensor<2xi8>
  return
}

// -----

// A type that is no tensor at all is an error, not a crash.
func.func @select_scalar(%p: i1, %x: i32) {
  // expected-error @+1 {{invalid kind of type specified}}
  %0 = graph.select %p, %x, %x : i32
  return
}

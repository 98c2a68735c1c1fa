// RUN: pcc-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// All element types read back; constants of types without a sign are printed without one.
// CHECK-LABEL: func.func @types
func.func @types(%a: tensor<2xf64>, %b: tensor<2xi16>, %c: tensor<2xui8>, %d: tensor<2xui64>) {
  // CHECK: graph.exp %arg0 : tensor<2xf64>
  %0 = graph.exp %a : tensor<2xf64>
  // CHECK: graph.mod %arg1, %arg1 : tensor<2xi16>
  %1 = graph.mod %b, %b : tensor<2xi16>
  // CHECK: graph.and %arg2, %arg2 : tensor<2xui8>
  %2 = graph.and %c, %c : tensor<2xui8>
  // CHECK: graph.cast %arg3 : tensor<2xui64> to tensor<2xf64>
  %3 = graph.cast %d : tensor<2xui64> to tensor<2xf64>
  // CHECK: graph.constant dense<[18446744073709551615, 0]> : tensor<2xui64>
  %4 = graph.constant dense<[18446744073709551615, 0]> : tensor<2xui64>
  return
}

// -----

// Indices have a sign.
func.func @indices(%x: tensor<4x2xf32>, %i: tensor<3xui32>) {
  // expected-error @+1 {{operand #1 must be tensor of i64, i32, i16 or i8 with static sizes of at least 1, but got 'tensor<3xui32>'}}
  %0 = graph.gather %x, %i axis = 0 : tensor<4x2xf32>, tensor<3xui32>
  return
}

// -----

// attention_gradient C7: the sums of an attention in f64 are f64.
func.func @sums(%q: tensor<1x1x2x4xf64>, %o: tensor<1x1x2x4xf64>, %l: tensor<1x1x2xf32>) {
  // expected-error @+1 {{expected equal element types, got 'f64' in 'the sums of the query' and 'f32' in 'log_sum'}}
  %0, %1, %2 = graph.attention_gradient %q, %q, %q, %o, %l, %o scale = 1.0 : tensor<1x1x2x4xf64>, tensor<1x1x2x4xf64>, tensor<1x1x2x4xf64>, tensor<1x1x2x4xf64>, tensor<1x1x2xf32>
  return
}

// -----

// pad C3: a value that the type does not hold.
func.func @pad(%x: tensor<2xui8>) {
  // expected-error @+1 {{-1}}
  %0 = graph.pad %x axis = 0 low = 1 high = 0 {value = -1.0 : f64} : tensor<2xui8>
  return
}

// -----

// clamp C2: no number of the type lies between the limits.
func.func @clamp(%x: tensor<2xui8>) {
  // expected-error @+1 {{expected one of 'ui8' between 'low' and 'high', got -3.0}}
  %0 = graph.clamp %x {low = -3.0 : f64, high = -1.0 : f64} : tensor<2xui8>
  return
}

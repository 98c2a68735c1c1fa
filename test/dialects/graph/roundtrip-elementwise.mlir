// RUN: pcc-opt %s | pcc-opt | FileCheck %s
// RUN: pcc-opt %s --mlir-print-op-generic | pcc-opt | FileCheck %s

// Binary ops.
// CHECK-LABEL: func.func @binary
func.func @binary(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // CHECK: graph.add %arg0, %arg1 : tensor<2x3xf32>
  %0 = graph.add %a, %b : tensor<2x3xf32>
  // CHECK: graph.sub
  %1 = graph.sub %a, %b : tensor<2x3xf32>
  // CHECK: graph.mul
  %2 = graph.mul %a, %b : tensor<2x3xf32>
  // CHECK: graph.div
  %3 = graph.div %a, %b : tensor<2x3xf32>
  // CHECK: graph.pow
  %4 = graph.pow %a, %b : tensor<2x3xf32>
  // CHECK: graph.max
  %5 = graph.max %a, %b : tensor<2x3xf32>
  // CHECK: graph.min
  %6 = graph.min %a, %b : tensor<2x3xf32>
  // CHECK: graph.mod
  %7 = graph.mod %a, %b : tensor<2x3xf32>
  return
}

// Functions of one number.
// CHECK-LABEL: func.func @unary
func.func @unary(%x: tensor<4xf32>) {
  // CHECK: graph.neg %arg0 : tensor<4xf32>
  %0 = graph.neg %x : tensor<4xf32>
  // CHECK-NEXT: graph.abs
  %1 = graph.abs %x : tensor<4xf32>
  // CHECK-NEXT: graph.sign
  %2 = graph.sign %x : tensor<4xf32>
  // CHECK-NEXT: graph.exp
  %3 = graph.exp %x : tensor<4xf32>
  // CHECK-NEXT: graph.log
  %4 = graph.log %x : tensor<4xf32>
  // CHECK-NEXT: graph.log1p
  %5 = graph.log1p %x : tensor<4xf32>
  // CHECK-NEXT: graph.sqrt
  %6 = graph.sqrt %x : tensor<4xf32>
  // CHECK-NEXT: graph.rsqrt
  %7 = graph.rsqrt %x : tensor<4xf32>
  // CHECK-NEXT: graph.square
  %8 = graph.square %x : tensor<4xf32>
  // CHECK-NEXT: graph.reciprocal
  %9 = graph.reciprocal %x : tensor<4xf32>
  // CHECK-NEXT: graph.sin
  %10 = graph.sin %x : tensor<4xf32>
  // CHECK-NEXT: graph.cos
  %11 = graph.cos %x : tensor<4xf32>
  // CHECK-NEXT: graph.tanh
  %12 = graph.tanh %x : tensor<4xf32>
  // CHECK-NEXT: graph.sigmoid
  %13 = graph.sigmoid %x : tensor<4xf32>
  // CHECK-NEXT: graph.erf
  %14 = graph.erf %x : tensor<4xf32>
  // CHECK-NEXT: graph.floor
  %15 = graph.floor %x : tensor<4xf32>
  // CHECK-NEXT: graph.ceil
  %16 = graph.ceil %x : tensor<4xf32>
  // CHECK-NEXT: graph.round
  %17 = graph.round %x : tensor<4xf32>
  return
}

// Activations with their attributes.
// CHECK-LABEL: func.func @activations
func.func @activations(%x: tensor<4xbf16>) {
  // CHECK: graph.relu %arg0 : tensor<4xbf16>
  %0 = graph.relu %x : tensor<4xbf16>
  // CHECK-NEXT: graph.leaky_relu %arg0 {alpha = 1.000000e-02 : f64} : tensor<4xbf16>
  %1 = graph.leaky_relu %x {alpha = 0.01} : tensor<4xbf16>
  // CHECK-NEXT: graph.elu %arg0 {alpha = 1.000000e+00 : f64} : tensor<4xbf16>
  %2 = graph.elu %x {alpha = 1.0} : tensor<4xbf16>
  // CHECK-NEXT: graph.gelu %arg0 : tensor<4xbf16>
  %3 = graph.gelu %x : tensor<4xbf16>
  // CHECK-NEXT: graph.gelu %arg0 {form = #graph.gelu_form<tanh>} : tensor<4xbf16>
  %4 = graph.gelu %x {form = #graph.gelu_form<tanh>} : tensor<4xbf16>
  // CHECK-NEXT: graph.silu
  %5 = graph.silu %x : tensor<4xbf16>
  // CHECK-NEXT: graph.softplus
  %6 = graph.softplus %x : tensor<4xbf16>
  // CHECK-NEXT: graph.clamp %arg0 {high = 6.000000e+00 : f64, low = 0.000000e+00 : f64} : tensor<4xbf16>
  %7 = graph.clamp %x {low = 0.0, high = 6.0} : tensor<4xbf16>
  return
}

// Logic, comparisons, choices and conversions.
// CHECK-LABEL: func.func @logic
func.func @logic(%p: tensor<4xi1>, %n: tensor<4xi32>, %x: tensor<4xf32>) {
  // CHECK: graph.and %arg0, %arg0 : tensor<4xi1>
  %0 = graph.and %p, %p : tensor<4xi1>
  // CHECK: graph.or %arg1, %arg1 : tensor<4xi32>
  %1 = graph.or %n, %n : tensor<4xi32>
  // CHECK: graph.not %arg0 : tensor<4xi1>
  %2 = graph.not %p : tensor<4xi1>
  // CHECK: graph.compare gt %arg2, %arg2 : tensor<4xf32>
  %3 = graph.compare gt %x, %x : tensor<4xf32>
  // CHECK: graph.select %{{.*}}, %arg1, %arg1 : tensor<4xi32>
  %4 = graph.select %3, %n, %n : tensor<4xi32>
  // CHECK: graph.cast %arg0 : tensor<4xi1> to tensor<4xf32>
  %5 = graph.cast %p : tensor<4xi1> to tensor<4xf32>
  return
}

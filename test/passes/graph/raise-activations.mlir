// RUN: pcc-opt %s --graph-raise-activations --cse | FileCheck %s
// RUN: pcc-opt %s --graph-raise-activations --cse --mlir-print-debuginfo | FileCheck %s --check-prefix=NAMES
// RUN: pcc-opt %s --graph-raise-activations --cse -o %t.mlir
// RUN: pcc verify %s %t.mlir | FileCheck %s --check-prefix=VERIFY

// VERIFY: verify: {{[1-9][0-9]*}} passed, 0 failed, 0 skipped

!t = tensor<4x6xf32>

// x / √2, the product from the left.
// CHECK-LABEL: func.func @exact
// CHECK-NEXT: %[[R:.*]] = graph.gelu %arg0 : tensor<4x6xf32>
// CHECK-NEXT: return %[[R]]
// NAMES: #[[DIV:.*]] = loc("/gelu/Div")
// NAMES: loc(fused[#[[DIV]],
func.func @exact(%x: !t) -> !t {
  %root = graph.constant dense<1.41421354> : !t
  %one = graph.constant dense<1.0> : !t
  %half = graph.constant dense<0.5> : !t
  %0 = graph.div %x, %root : !t loc("/gelu/Div")
  %1 = graph.erf %0 : !t loc("/gelu/Erf")
  %2 = graph.add %1, %one : !t loc("/gelu/Add")
  %3 = graph.mul %x, %2 : !t loc("/gelu/Mul")
  %4 = graph.mul %3, %half : !t loc("/gelu/Mul_1")
  return %4 : !t
}

// x * 0.5 first, √½ as a factor, operands exchanged; x itself is a multiplication.
// CHECK-LABEL: func.func @exact_other_orders
// CHECK-NEXT: %[[X:.*]] = graph.mul %arg0, %arg1
// CHECK-NEXT: %[[R:.*]] = graph.gelu %[[X]] : tensor<4x6xf32>
// CHECK-NEXT: return %[[R]]
func.func @exact_other_orders(%a: !t, %b: !t) -> !t {
  %root = graph.constant dense<0.707106769> : !t
  %one = graph.constant dense<1.0> : !t
  %half = graph.constant dense<0.5> : !t
  %x = graph.mul %a, %b : !t
  %0 = graph.mul %root, %x : !t
  %1 = graph.erf %0 : !t
  %2 = graph.add %one, %1 : !t
  %3 = graph.mul %half, %x : !t
  %4 = graph.mul %2, %3 : !t
  return %4 : !t
}

// x (0.5 + 0.5 erf).
// CHECK-LABEL: func.func @halves_inside
// CHECK-NEXT: graph.gelu
func.func @halves_inside(%x: !t) -> !t {
  %root = graph.constant dense<0.707106769> : !t
  %half = graph.constant dense<0.5> : !t
  %0 = graph.mul %x, %root : !t
  %1 = graph.erf %0 : !t
  %2 = graph.mul %1, %half : !t
  %3 = graph.add %2, %half : !t
  %4 = graph.mul %x, %3 : !t
  return %4 : !t
}

// The cube as a power.
// CHECK-LABEL: func.func @tanh_power
// CHECK-NEXT: graph.gelu %arg0 {form = #graph.gelu_form<tanh>} : tensor<4x6xf32>
func.func @tanh_power(%x: !t) -> !t {
  %three = graph.constant dense<3.0> : !t
  %c = graph.constant dense<4.471500e-02> : !t
  %s = graph.constant dense<0.797884583> : !t
  %one = graph.constant dense<1.0> : !t
  %half = graph.constant dense<0.5> : !t
  %0 = graph.mul %x, %half : !t
  %1 = graph.pow %x, %three : !t
  %2 = graph.mul %1, %c : !t
  %3 = graph.add %x, %2 : !t
  %4 = graph.mul %3, %s : !t
  %5 = graph.tanh %4 : !t
  %6 = graph.add %5, %one : !t
  %7 = graph.mul %0, %6 : !t
  return %7 : !t
}

// The cube as multiplications, x factored out of the sum.
// CHECK-LABEL: func.func @tanh_nested
// CHECK-NEXT: graph.gelu %arg0 {form = #graph.gelu_form<tanh>} : tensor<4x6xf32>
func.func @tanh_nested(%x: !t) -> !t {
  %c = graph.constant dense<4.471500e-02> : !t
  %s = graph.constant dense<0.797884583> : !t
  %one = graph.constant dense<1.0> : !t
  %half = graph.constant dense<0.5> : !t
  %0 = graph.mul %c, %x : !t
  %1 = graph.mul %0, %x : !t
  %2 = graph.add %1, %one : !t
  %3 = graph.mul %x, %2 : !t
  %4 = graph.mul %3, %s : !t
  %5 = graph.tanh %4 : !t
  %6 = graph.add %one, %5 : !t
  %7 = graph.mul %x, %6 : !t
  %8 = graph.mul %7, %half : !t
  return %8 : !t
}

// Another constant is not gelu.
// CHECK-LABEL: func.func @no_gelu
// CHECK-NOT: graph.gelu
// CHECK: return
func.func @no_gelu(%x: !t) -> !t {
  %root = graph.constant dense<1.5> : !t
  %one = graph.constant dense<1.0> : !t
  %half = graph.constant dense<0.5> : !t
  %0 = graph.div %x, %root : !t
  %1 = graph.erf %0 : !t
  %2 = graph.add %1, %one : !t
  %3 = graph.mul %x, %2 : !t
  %4 = graph.mul %3, %half : !t
  return %4 : !t
}

// A value that another op reads stays.
// CHECK-LABEL: func.func @silu
// CHECK: %[[S:.*]] = graph.sigmoid %arg0
// CHECK: %[[R:.*]] = graph.silu %arg0
// CHECK: return %[[R]], %[[S]]
func.func @silu(%x: !t) -> (!t, !t) {
  %0 = graph.sigmoid %x : !t
  %1 = graph.mul %0, %x : !t
  return %1, %0 : !t, !t
}

// The approximation of gelu by a sigmoid is a silu of a multiple.
// CHECK-LABEL: func.func @quick_gelu
// CHECK: %[[M:.*]] = graph.mul %arg0, %{{.*}}
// CHECK: %[[S:.*]] = graph.silu %[[M]]
// CHECK: graph.mul %[[S]], %{{.*}}
// CHECK-NOT: graph.sigmoid
func.func @quick_gelu(%x: !t) -> !t {
  %c = graph.constant dense<1.702> : !t
  %0 = graph.mul %x, %c : !t
  %1 = graph.sigmoid %0 : !t
  %2 = graph.mul %x, %1 : !t
  return %2 : !t
}

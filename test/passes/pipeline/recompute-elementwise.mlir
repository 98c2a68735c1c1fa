// RUN: pcc-opt %s --split-input-file --pipeline-recompute-elementwise | FileCheck %s

// The gradient of the gate needs the gate, so the backward pass computes silu again instead of
// reading a saved result. It does not compute the product again, whose reader is a matmul, nor the
// tanh, whose operand it does not read otherwise.

// CHECK-LABEL: func.func @forward_backward
// CHECK: graph.silu %arg1 {pipe.recompute}
// CHECK: graph.silu %{{.*}} {pipe.recompute}
// CHECK: graph.mul %{{[0-9]+}}, %{{[0-9]+}} : tensor<8x8xf32>
// CHECK: graph.tanh %{{[0-9]+}} : tensor<8x8xf32>
// CHECK: graph.sigmoid %{{[0-9]+}} : tensor<8x8xf32>
// CHECK: graph.exp %{{[0-9]+}} : tensor<8x8xf32>
// CHECK: graph.reduce sum
module attributes {pipe.constraints = [{op = "/kept", recompute = false}]} {
  func.func @forward_backward(
      %x: tensor<8x8xf32> {graph.role = #graph.role<input "x">},
      %y: tensor<8x8xf32> {graph.role = #graph.role<input "y">},
      %w: tensor<8x8xf32> {graph.role = #graph.role<parameter "w">})
      -> (tensor<f32> {graph.role = #graph.role<loss "loss">},
          tensor<8x8xf32> {graph.role = #graph.role<gradient "w">}) {
    %0 = graph.silu %y : tensor<8x8xf32>
    %gate = graph.matmul %x, %w : tensor<8x8xf32>, tensor<8x8xf32>
    %1 = graph.silu %gate : tensor<8x8xf32>
    %2 = graph.mul %1, %0 : tensor<8x8xf32>
    %3 = graph.matmul %2, %w : tensor<8x8xf32>, tensor<8x8xf32>
    %4 = graph.tanh %3 : tensor<8x8xf32>
    // The sigmoid is named in a constraint, and the exponential is read by a matmul.
    %5 = graph.sigmoid %gate : tensor<8x8xf32> loc("/kept")
    %6 = graph.exp %gate : tensor<8x8xf32>
    %7 = graph.add %4, %5 : tensor<8x8xf32>
    %8 = graph.add %7, %6 : tensor<8x8xf32>
    %loss = graph.reduce sum %8, [0, 1] : tensor<8x8xf32>
    %g0 = graph.mul %4, %1 : tensor<8x8xf32>
    %g1 = graph.mul %g0, %0 : tensor<8x8xf32>
    %g2 = graph.mul %g1, %gate : tensor<8x8xf32>
    %g3 = graph.mul %g2, %5 : tensor<8x8xf32>
    %g4 = graph.matmul %g3, %6 : tensor<8x8xf32>, tensor<8x8xf32>
    %g5 = graph.matmul %g4, %2 {transpose_lhs} : tensor<8x8xf32>, tensor<8x8xf32>
    return %loss, %g5 : tensor<f32>, tensor<8x8xf32>
  }
}

// -----

// What a constraint recomputes is not saved, so nothing is computed from it at little cost.

// CHECK-LABEL: func.func @forward_backward
// CHECK: graph.silu %{{[0-9]+}} : tensor<8x8xf32>
module attributes {pipe.constraints = [{op = "/gate", recompute}]} {
  func.func @forward_backward(
      %x: tensor<8x8xf32> {graph.role = #graph.role<input "x">},
      %w: tensor<8x8xf32> {graph.role = #graph.role<parameter "w">})
      -> (tensor<f32> {graph.role = #graph.role<loss "loss">},
          tensor<8x8xf32> {graph.role = #graph.role<gradient "w">}) {
    %gate = graph.matmul %x, %w : tensor<8x8xf32>, tensor<8x8xf32> loc("/gate")
    %1 = graph.silu %gate : tensor<8x8xf32>
    %2 = graph.matmul %1, %w : tensor<8x8xf32>, tensor<8x8xf32>
    %loss = graph.reduce sum %2, [0, 1] : tensor<8x8xf32>
    %g0 = graph.mul %2, %1 : tensor<8x8xf32>
    %g1 = graph.mul %g0, %gate : tensor<8x8xf32>
    return %loss, %g1 : tensor<f32>, tensor<8x8xf32>
  }
}

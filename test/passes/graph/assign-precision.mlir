// RUN: pcc-opt %s --graph-assign-precision=type=bf16 --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: pcc-opt %s "--graph-assign-precision=type=f16 constraints=fc=f32,matmul=half" | FileCheck %s --check-prefix=NAMED
// RUN: pcc-opt %s --graph-assign-precision=type=f32 | FileCheck %s --check-prefix=SINGLE
// RUN: not pcc-opt %s "--graph-assign-precision=constraints=other=f32" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not pcc-opt %s "--graph-assign-precision=constraints=fc=f64" 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not pcc-opt %s "--graph-assign-precision=type=f8" 2>&1 | FileCheck %s --check-prefix=HALF

// A matmul computes in bf16. Its bias follows: the vector is cast, not the broadcast of it. The
// norm is in f32, and so is what follows it. Parameters and results keep their types.
// CHECK-LABEL: func.func @forward(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x8xf32>
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<8x8xf32>
// CHECK-SAME: %[[B:[a-z0-9]+]]: tensor<8xf32>
// CHECK-SAME: %[[S:[a-z0-9]+]]: tensor<8xf32>
// CHECK-SAME: -> (tensor<4x8xf32>
// CHECK-DAG: %[[X16:.+]] = graph.cast %[[X]] : tensor<4x8xf32> to tensor<4x8xbf16> loc("x.cast"
// CHECK-DAG: %[[W16:.+]] = graph.cast %[[W]] : tensor<8x8xf32> to tensor<8x8xbf16> loc("w.cast"
// CHECK-DAG: %[[B16:.+]] = graph.cast %[[B]] : tensor<8xf32> to tensor<8xbf16> loc("b.cast"
// CHECK-DAG: %[[BIAS:.+]] = graph.broadcast %[[B16]], [1] {{.*}} to tensor<4x8xbf16>
// CHECK-DAG: %[[P:.+]] = graph.matmul %[[X16]], %[[W16]] : tensor<4x8xbf16>
// CHECK: %[[SUM:.+]] = graph.add %[[P]], %[[BIAS]] : tensor<4x8xbf16>
// CHECK: %[[R:.+]] = graph.relu %[[SUM]] : tensor<4x8xbf16>
// CHECK: %[[R32:.+]] = graph.cast %[[R]] : tensor<4x8xbf16> to tensor<4x8xf32> loc("act/relu.cast"
// CHECK: %[[N:.+]] = graph.rms_norm %[[R32]], %[[S]]
// A value that depends on the data and is f32 makes the sum f32: the residual stream.
// CHECK: %[[OUT:.+]] = graph.add %[[N]], %[[X]] : tensor<4x8xf32>
// CHECK: return %[[OUT]]

// NAMED-NOT: f16
// SINGLE-NOT: bf16

// UNKNOWN: error: precision constraint 'other' matches no op
// TYPE: error: precision constraint 'fc=f64': expected NAME=f32 or NAME=half, NAME a regular expression
// HALF: error: expected precision 'bf16', 'f16' or 'f32', got 'f8'
graph.parameter @w : tensor<8x8xf32> init(#graph.init<ones>)
graph.parameter @b : tensor<8xf32> init(#graph.init<zeros>)
graph.parameter @s : tensor<8xf32> init(#graph.init<ones>)
func.func @forward(%x: tensor<4x8xf32> {graph.role = #graph.role<input "x">},
                   %w: tensor<8x8xf32> {graph.role = #graph.role<parameter "w">},
                   %b: tensor<8xf32> {graph.role = #graph.role<parameter "b">},
                   %s: tensor<8xf32> {graph.role = #graph.role<parameter "s">})
    -> (tensor<4x8xf32> {graph.role = #graph.role<output "y">}) {
  %p = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32> loc("fc/matmul")
  %bias = graph.broadcast %b, [1] : tensor<8xf32> to tensor<4x8xf32>
  %sum = graph.add %p, %bias : tensor<4x8xf32>
  %r = graph.relu %sum : tensor<4x8xf32> loc("act/relu")
  %n = graph.rms_norm %r, %s axis = 1 epsilon = 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>
  %y = graph.add %n, %x : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// What follows a product of constants is in bf16, too: the gates of a recurrent cell in the first step.
// CHECK-LABEL: func.func @first_step(
// CHECK: %[[B:.+]] = graph.constant dense<2.0
// CHECK: %[[B16:.+]] = graph.cast %[[B]] : tensor<4x8xf32> to tensor<4x8xbf16>
// CHECK: %[[P:.+]] = graph.matmul {{.*}} : tensor<4x8xbf16>
// CHECK: %[[S:.+]] = graph.add %[[P]], %[[B16]] : tensor<4x8xbf16>
// CHECK: %[[G:.+]] = graph.tanh %[[S]] : tensor<4x8xbf16>
// CHECK: graph.cast %[[G]] : tensor<4x8xbf16> to tensor<4x8xf32>
func.func @first_step() -> tensor<4x8xf32> {
  %h = graph.constant dense<0.0> : tensor<4x8xf32>
  %w = graph.constant dense<1.0> : tensor<8x8xf32>
  %b = graph.constant dense<2.0> : tensor<4x8xf32>
  %p = graph.matmul %h, %w : tensor<4x8xf32>, tensor<8x8xf32> loc("fc/recurrent")
  %s = graph.add %p, %b : tensor<4x8xf32>
  %g = graph.tanh %s : tensor<4x8xf32>
  return %g : tensor<4x8xf32>
}

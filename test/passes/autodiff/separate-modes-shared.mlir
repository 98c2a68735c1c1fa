// RUN: pcc-opt %s --autodiff-attach-loss=loss=mse --autodiff-separate-modes | FileCheck %s
// RUN: pcc-opt %s --autodiff-attach-loss=loss=mse --autodiff-separate-modes --autodiff-differentiate \
// RUN:   | FileCheck %s --check-prefix=GRADIENT

graph.parameter @scale : tensor<3xf32> init(#graph.init<ones>)
graph.parameter @mean : tensor<3xf32> init(#graph.init<zeros>) {trainable = false}
graph.parameter @variance : tensor<3xf32> init(#graph.init<ones>) {trainable = false}

// A module that the model applies twice: evaluation uses the running statistics both times.
// CHECK-LABEL: func.func @forward(
// CHECK: %[[FIRST:.+]] = graph.batch_norm_inference %arg0, %arg1, %arg1, %arg2, %arg3
// CHECK: graph.batch_norm_inference %[[FIRST]], %arg1, %arg1, %arg2, %arg3

// Training updates them twice, one after the other.
// CHECK-LABEL: func.func @forward_loss(
// CHECK-SAME: -> (tensor<f32> {graph.role = #graph.role<loss>}, tensor<3xf32> {graph.role = #graph.role<parameter "mean">}, tensor<3xf32> {graph.role = #graph.role<parameter "variance">})
// CHECK: %[[Y:.+]], %[[MEAN:.+]], %[[VARIANCE:.+]] = graph.batch_norm %{{.*}}, %{{.*}}, %{{.*}}, %arg3, %arg4
// CHECK: %{{.+}}, %[[MEAN2:.+]], %[[VARIANCE2:.+]] = graph.batch_norm %[[Y]], %{{.*}}, %{{.*}}, %[[MEAN]], %[[VARIANCE]]
// CHECK: return %{{.*}}, %[[MEAN2]], %[[VARIANCE2]]

// No gradient passes the statistics.
// GRADIENT-LABEL: func.func @forward_backward(
// GRADIENT-SAME: graph.role<gradient "scale">
// GRADIENT-NOT: graph.role<gradient
func.func @forward(%x: tensor<4x3xf32> {graph.role = #graph.role<input "x">},
                   %s: tensor<3xf32> {graph.role = #graph.role<parameter "scale">},
                   %m: tensor<3xf32> {graph.role = #graph.role<parameter "mean">},
                   %v: tensor<3xf32> {graph.role = #graph.role<parameter "variance">})
    -> (tensor<4x3xf32> {graph.role = #graph.role<output "y">}) {
  %0 = graph.batch_norm_inference %x, %s, %s, %m, %v epsilon = 0.125 {momentum = 0.75 : f64}
    : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
  %1 = graph.batch_norm_inference %0, %s, %s, %m, %v epsilon = 0.125 {momentum = 0.75 : f64}
    : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
  return %1 : tensor<4x3xf32>
}

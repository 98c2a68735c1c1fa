// RUN: pcc-opt %s --autodiff-attach-loss=loss=mse --autodiff-separate-modes | FileCheck %s
// RUN: pcc-opt %s --autodiff-attach-loss=loss=mse --autodiff-separate-modes=freeze-batch-norm | FileCheck %s --check-prefix=FREEZE

graph.parameter @scale : tensor<3xf32> init(#graph.init<ones>)
graph.parameter @mean : tensor<3xf32> init(#graph.init<zeros>) {trainable = false}
graph.parameter @variance : tensor<3xf32> init(#graph.init<ones>) {trainable = false}

// Evaluation: running statistics, nothing dropped. A batch norm whose statistics are constants is left alone in both.
// CHECK-LABEL: func.func @forward(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x3xf32>
// CHECK-NOT: graph.batch_norm %
// CHECK: %[[Y:.+]] = graph.batch_norm_inference %[[X]]
// CHECK: graph.batch_norm_inference
// CHECK-NOT: graph.dropout

// Training: statistics of the batch, new running ones; the seed follows the number of the run. Marks stay.
// CHECK-LABEL: func.func @forward_loss(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x3xf32> {graph.role = #graph.role<input "x">}
// CHECK-SAME: %[[MEAN:[a-z0-9]+]]: tensor<3xf32> {graph.role = #graph.role<parameter "mean">}
// CHECK-SAME: %[[NUMBER:[a-z0-9]+]]: tensor<i64> {graph.role = #graph.role<step>})
// CHECK-SAME: -> (tensor<f32> {graph.role = #graph.role<loss>}, tensor<3xf32> {graph.role = #graph.role<parameter "mean">}, tensor<3xf32> {graph.role = #graph.role<parameter "variance">})
// CHECK: %[[Y:.+]], %[[NEW_MEAN:.+]], %[[NEW_VARIANCE:.+]] = graph.batch_norm %[[X]], {{.*}} epsilon = 1.250000e-01 momentum = 7.500000e-01 {pipe.stage = 1 : i64}
// CHECK: graph.batch_norm_inference %[[Y]]
// CHECK: %[[SEED:.+]] = graph.constant dense<7> : tensor<i64>
// CHECK: %[[STRIDE:.+]] = graph.constant dense<-7046029254386353131> : tensor<i64>
// CHECK: %[[DISTANCE:.+]] = graph.mul %[[NUMBER]], %[[STRIDE]]
// CHECK: %[[VARIED:.+]] = graph.add %[[SEED]], %[[DISTANCE]]
// CHECK: graph.dropout %{{.*}}, %{{.*}}, %[[VARIED]] rate = 5.000000e-01
// CHECK: return %{{.*}}, %[[NEW_MEAN]], %[[NEW_VARIANCE]]

// FREEZE-LABEL: func.func @forward_loss(
// FREEZE-NOT: graph.batch_norm %
// FREEZE: return %{{[a-z0-9]+}} : tensor<f32>
func.func @forward(%x: tensor<4x3xf32> {graph.role = #graph.role<input "x">},
                   %s: tensor<3xf32> {graph.role = #graph.role<parameter "scale">},
                   %m: tensor<3xf32> {graph.role = #graph.role<parameter "mean">},
                   %v: tensor<3xf32> {graph.role = #graph.role<parameter "variance">})
    -> (tensor<4x3xf32> {graph.role = #graph.role<output "y">}) {
  %0 = graph.batch_norm_inference %x, %s, %s, %m, %v epsilon = 0.125 {momentum = 0.75 : f64, pipe.stage = 1 : i64}
    : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
  %ones = graph.constant dense<1.0> : tensor<3xf32>
  %1 = graph.batch_norm_inference %0, %s, %s, %ones, %ones epsilon = 0.125
    : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
  %index = graph.iota axis = 1 : tensor<4x3xi64>
  %seed = graph.constant dense<7> : tensor<i64>
  %2 = graph.dropout %1, %index, %seed rate = 0.5 : tensor<4x3xf32>, tensor<i64>
  return %2 : tensor<4x3xf32>
}

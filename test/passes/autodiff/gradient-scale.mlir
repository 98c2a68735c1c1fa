// RUN: pcc-opt %s "--autodiff-differentiate=loss-scale=8" "--autodiff-build-update=optimizer=sgd,lr=0.5 clip-norm=2 loss-scale=8" | FileCheck %s
// RUN: pcc-opt %s "--autodiff-differentiate=loss-scale=8 dynamic-loss-scale" "--autodiff-build-update=optimizer=adam,lr=0.5 loss-scale=8 dynamic-loss-scale" | FileCheck %s --check-prefix=DYNAMIC
// RUN: pcc-opt %s --autodiff-differentiate "--autodiff-build-update=optimizer=sgd,lr=0.5 loss-scale=8" | FileCheck %s --check-prefix=STATIC
// RUN: pcc-opt %s --autodiff-differentiate "--autodiff-build-update=optimizer=adam,lr=0.5 skip-nonfinite" | FileCheck %s --check-prefix=SKIP --implicit-check-not="@loss_scale "

// The loss is scaled for its gradients only. The norm is that of the gradients without the scale.
// CHECK-LABEL: func.func @forward_backward(
// CHECK: graph.constant dense<8.000000e+00> : tensor<f32>
// CHECK-LABEL: func.func @update(
// CHECK-SAME: %[[G:[a-z0-9]+]]: tensor<4xf32> {graph.role = #graph.role<gradient "w">}
// CHECK: %[[SQUARES:.+]] = graph.square %[[G]] : tensor<4xf32>
// CHECK: %[[TOTAL:.+]] = graph.reduce sum %[[SQUARES]], [0]
// CHECK: %[[INVERSE:.+]] = graph.constant dense<1.250000e-01>
// CHECK: %[[ROOT:.+]] = graph.sqrt %[[TOTAL]]
// CHECK: %[[NORM:.+]] = graph.mul %[[ROOT]], %[[INVERSE]]
// CHECK: %[[LIMIT:.+]] = graph.add %[[NORM]], %{{.*}}
// CHECK: %[[RATIO:.+]] = graph.div %{{.*}}, %[[LIMIT]]
// CHECK: %[[CLIP:.+]] = graph.min %[[RATIO]], %{{.*}}
// CHECK: %[[SCALE:.+]] = graph.mul %[[CLIP]], %[[INVERSE]]
// CHECK: graph.sgd %{{.*}}, %[[G]], %{{.*}} scale %[[SCALE]] : tensor<f32>
// CHECK-NOT: zero_skips

// A dynamic scale is a state, and has a least value. Adam counts the steps that were not skipped.
// DYNAMIC: graph.parameter @loss_scale : tensor<f32> init(<constant, 8.000000e+00>) {graph.state_of = @loss_scale, {{.*}}trainable = false}
// DYNAMIC: graph.parameter @loss_scale.good_steps : tensor<i64>
// DYNAMIC: graph.parameter @skipped_steps : tensor<i64>
// DYNAMIC-LABEL: func.func @forward_backward(
// DYNAMIC-SAME: %[[SEED:[a-z0-9]+]]: tensor<f32> {graph.role = #graph.role<parameter "loss_scale">}
// DYNAMIC: graph.mul {{.*}}%[[SEED]]
// DYNAMIC-LABEL: func.func @update(
// DYNAMIC-SAME: %[[OLD:[a-z0-9]+]]: tensor<f32> {graph.role = #graph.role<parameter "loss_scale">}
// DYNAMIC-SAME: %[[SKIPPED:[a-z0-9]+]]: tensor<i64> {graph.role = #graph.role<parameter "skipped_steps">}
// DYNAMIC-SAME: %[[STEP:[a-z0-9]+]]: tensor<i64> {graph.role = #graph.role<step>}
// DYNAMIC: %[[FINITE:.+]] = graph.compare le
// DYNAMIC: %[[SCALE:.+]] = graph.select %[[FINITE]]
// DYNAMIC: %[[COUNT:.+]] = graph.sub %[[STEP]], %[[SKIPPED]]
// DYNAMIC: %[[LEAST:.+]] = graph.constant dense<6.1035
// DYNAMIC: %[[ALLOWED:.+]] = graph.compare ge %[[HALVED:.+]], %[[LEAST]]
// DYNAMIC: %[[LOWERED:.+]] = graph.select %[[ALLOWED]], %[[HALVED]], %[[OLD]]
// DYNAMIC: graph.select %[[FINITE]], %{{.*}}, %[[LOWERED]]
// DYNAMIC: graph.adam {{.*}}, %[[COUNT]] scale %[[SCALE]] : tensor<f32> {{.*}}zero_skips

// Without a scale, a step is skipped in the same way, and the norm is a state.
// SKIP: graph.parameter @gradient_norm : tensor<f32>
// SKIP: graph.parameter @skipped_steps : tensor<i64>
// SKIP-LABEL: func.func @update(
// SKIP-SAME: %[[SKIPPED:[a-z0-9]+]]: tensor<i64> {graph.role = #graph.role<parameter "skipped_steps">}
// SKIP-SAME: %[[STEP:[a-z0-9]+]]: tensor<i64> {graph.role = #graph.role<step>}
// SKIP: %[[FINITE:.+]] = graph.compare le
// SKIP: %[[SCALE:.+]] = graph.select %[[FINITE]]
// SKIP: %[[COUNT:.+]] = graph.sub %[[STEP]], %[[SKIPPED]]
// SKIP: %[[MORE:.+]] = graph.add %[[SKIPPED]]
// SKIP: graph.select %[[FINITE]], %[[SKIPPED]], %[[MORE]]
// SKIP: graph.adam {{.*}}, %[[COUNT]] scale %[[SCALE]] : tensor<f32> {{.*}}zero_skips

// Without a norm there is only the inverse.
// STATIC-LABEL: func.func @update(
// STATIC-NOT: graph.square
// STATIC: %[[SCALE:.+]] = graph.constant dense<1.250000e-01>
// STATIC: graph.sgd {{.*}} scale %[[SCALE]]
graph.parameter @w : tensor<4xf32> init(#graph.init<ones>)
func.func @forward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">},
                   %w: tensor<4xf32> {graph.role = #graph.role<parameter "w">})
    -> (tensor<f32> {graph.role = #graph.role<loss>}) {
  %p = graph.mul %x, %w : tensor<4xf32>
  %s = graph.reduce sum %p, [0] : tensor<4xf32>
  %l = graph.square %s : tensor<f32>
  return %l : tensor<f32>
}

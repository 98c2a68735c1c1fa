// RUN: pcc-opt %s --autodiff-build-update=optimizer=momentum,lr=0.01,momentum=0.8,weight_decay=0.001,nesterov --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: pcc-opt %s --autodiff-build-update=optimizer=sgd,lr=0.5 | FileCheck %s --check-prefix=SGD
// RUN: pcc-opt %s --autodiff-build-update=optimizer=lamb,lr=0.5,beta1=0.8,weight_decay=0.001 | FileCheck %s --check-prefix=LAMB
// RUN: pcc-opt %s --autodiff-build-update=optimizer=sgd,lr=0.5,warmup=10 | FileCheck %s --check-prefix=WARMUP
// RUN: not pcc-opt %s --autodiff-build-update=optimizer=sgd,lr=0.5,momentum=0.9 2>&1 | FileCheck %s --check-prefix=OPTION

// States are declared beside their parameters and share their annotations. Arguments and results are
// grouped: parameters, gradients, states. States are in f32.

// CHECK: graph.parameter @layer.w :
// CHECK-NEXT: graph.parameter @layer.w.velocity : tensor<2xf32> init(<zeros>)
// CHECK-SAME: graph.state_of = @layer.w
// CHECK-SAME: layerwise_parallel
// CHECK-SAME: trainable = false
// CHECK: graph.parameter @b.velocity : tensor<f32>
// CHECK-LABEL: func.func @update(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<2xf32> {graph.role = #graph.role<parameter "layer.w">}
// CHECK-SAME: %[[B:[a-z0-9]+]]: tensor<bf16> {graph.role = #graph.role<parameter "b">}
// CHECK-SAME: %[[GW:[a-z0-9]+]]: tensor<2xf32> {graph.role = #graph.role<gradient "layer.w">}
// CHECK-SAME: %[[GB:[a-z0-9]+]]: tensor<f32> {graph.role = #graph.role<gradient "b">}
// CHECK-SAME: %[[VW:[a-z0-9]+]]: tensor<2xf32> {graph.role = #graph.role<parameter "layer.w.velocity">}
// CHECK-SAME: %[[VB:[a-z0-9]+]]: tensor<f32> {graph.role = #graph.role<parameter "b.velocity">}
// CHECK-SAME: -> (tensor<2xf32> {graph.role = #graph.role<parameter "layer.w">}, tensor<bf16> {graph.role = #graph.role<parameter "b">}, tensor<2xf32> {graph.role = #graph.role<parameter "layer.w.velocity">}, tensor<f32> {graph.role = #graph.role<parameter "b.velocity">})
// CHECK: %[[RATE:.+]] = graph.constant dense<0.00999999977> : tensor<f32> loc("learning_rate")
// CHECK: %[[NW:.+]], %[[NVW:.+]] = graph.momentum %[[W]], %[[GW]], %[[VW]], %[[RATE]]
// CHECK-SAME: momentum = 8.000000e-01 : f64
// CHECK-SAME: nesterov
// CHECK-SAME: weight_decay = 1.000000e-03 : f64
// CHECK-SAME: loc("layer.w.update")
// CHECK: %[[NB:.+]], %[[NVB:.+]] = graph.momentum %[[B]], %[[GB]], %[[VB]], %[[RATE]]
// CHECK: return %[[NW]], %[[NB]], %[[NVW]], %[[NVB]]

// SGD-NOT: velocity
// SGD-LABEL: func.func @update(
// SGD: %[[NEW:.+]] = graph.sgd
// SGD: return %[[NEW]]

// An optimizer that depends on the step number takes it as the last argument.
// LAMB: graph.parameter @layer.w.moment1 : tensor<2xf32> init(<zeros>)
// LAMB: graph.parameter @layer.w.moment2 : tensor<2xf32> init(<zeros>)
// LAMB-LABEL: func.func @update(
// LAMB-SAME: %[[STEP:[a-z0-9]+]]: tensor<i64> {graph.role = #graph.role<step>}) ->
// LAMB: graph.lamb %{{.*}}, %[[STEP]] {beta1 = 8.000000e-01 : f64, beta2 = {{0.99.*}} : f64, epsilon = {{.*E-7}} : f64, weight_decay = 1.000000e-03 : f64}
// LAMB: graph.lamb {{.*}} : tensor<bf16> (tensor<f32>, tensor<f32>, tensor<f32>), tensor<f32>, tensor<i64>

// The same holds for an optimizer whose rate changes.
// WARMUP-LABEL: func.func @update(
// WARMUP-SAME: %[[STEP:[a-z0-9]+]]: tensor<i64> {graph.role = #graph.role<step>}) ->
// WARMUP: %[[NOW:.+]] = graph.cast %[[STEP]]
// WARMUP: %[[RATE:.+]] = graph.mul
// WARMUP: graph.sgd %{{.*}}, %{{.*}}, %[[RATE]]

// OPTION: error: unknown option 'momentum' of optimizer 'sgd'; known: 'lr', 'schedule', 'steps', 'every', 'factor', 'least', 'warmup', 'weight_decay'
graph.parameter @"layer.w" : tensor<2xf32> init(#graph.init<ones>) {layerwise_parallel}
graph.parameter @b : tensor<bf16> init(#graph.init<zeros>)
func.func @forward_backward()
    -> (tensor<f32> {graph.role = #graph.role<loss>},
        tensor<2xf32> {graph.role = #graph.role<gradient "layer.w">},
        tensor<f32> {graph.role = #graph.role<gradient "b">}) {
  %0 = graph.constant dense<1.0> : tensor<f32>
  %1 = graph.constant dense<1.0> : tensor<2xf32>
  return %0, %1, %0 : tensor<f32>, tensor<2xf32>, tensor<f32>
}

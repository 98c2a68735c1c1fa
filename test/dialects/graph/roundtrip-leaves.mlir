// RUN: pcc-opt %s | pcc-opt | FileCheck %s
// RUN: pcc-opt %s --mlir-print-op-generic | pcc-opt | FileCheck %s

// Parameters of every initializer, and optimizer states, keep their attributes.
// CHECK: graph.parameter @w : tensor<4x2xf32> init(<uniform, -5.000000e-01, 5.000000e-01>)
graph.parameter @w : tensor<4x2xf32> init(<uniform, -0.5, 0.5>)
// CHECK: graph.parameter @layer1.bias : tensor<2xf32> init(<normal, 0.000000e+00, 1.000000e+00>) {layerwise_parallel}
graph.parameter @"layer1.bias" : tensor<2xf32> init(<normal, 0.0, 1.0>) {layerwise_parallel}
// CHECK: graph.parameter @w.momentum : tensor<4x2xf32> init(<zeros>) {trainable = false}
graph.parameter @"w.momentum" : tensor<4x2xf32> init(<zeros>) {trainable = false}
// CHECK: graph.parameter @scale : tensor<bf16> init(<ones>) {parallel_optimizer = false}
graph.parameter @scale : tensor<bf16> init(<ones>) {parallel_optimizer = false}
// CHECK: graph.parameter @c : tensor<2xf16> init(<constant, 2.500000e+00>)
graph.parameter @c : tensor<2xf16> init(<constant, 2.5>)
// CHECK: graph.parameter @f : tensor<2xf32> init(<file>) {value = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>}
graph.parameter @f : tensor<2xf32> init(<file>) {value = dense<[1.0, 2.0]> : tensor<2xf32>}

// Roles are attributes of arguments and results; only parameters and gradients need a name.
// CHECK-LABEL: func.func @roles
// CHECK-SAME: %arg0: tensor<2xf32> {graph.role = #graph.role<input "x">}
// CHECK-SAME: %arg1: tensor<2xf32> {graph.role = #graph.role<parameter "layer1.bias">}
// CHECK-SAME: %arg2: tensor<i64> {graph.role = #graph.role<step>}
// CHECK-SAME: -> (tensor<f32> {graph.role = #graph.role<loss>}, tensor<2xf32> {graph.role = #graph.role<gradient "layer1.bias">}, tensor<2xf32> {graph.role = #graph.role<output>})
func.func @roles(%x: tensor<2xf32> {graph.role = #graph.role<input "x">},
                 %b: tensor<2xf32> {graph.role = #graph.role<parameter "layer1.bias">},
                 %step: tensor<i64> {graph.role = #graph.role<step>})
    -> (tensor<f32> {graph.role = #graph.role<loss>},
        tensor<2xf32> {graph.role = #graph.role<gradient "layer1.bias">},
        tensor<2xf32> {graph.role = #graph.role<output>}) {
  %0 = graph.constant dense<0.0> : tensor<f32>
  return %0, %b, %x : tensor<f32>, tensor<2xf32>, tensor<2xf32>
}

// Constants: splats, lists, resources, every element type.
// CHECK-LABEL: func.func @constants
func.func @constants() {
  // CHECK: graph.constant dense<1.000000e+00> : tensor<2x3xf32>
  %0 = graph.constant dense<1.0> : tensor<2x3xf32>
  // CHECK: graph.constant dense<[true, false]> : tensor<2xi1>
  %1 = graph.constant dense<[true, false]> : tensor<2xi1>
  // CHECK: graph.constant dense_resource<r> : tensor<2xi8>
  %2 = graph.constant dense_resource<r> : tensor<2xi8>
  return
}

// CHECK-LABEL: func.func @counters
func.func @counters(%seed: tensor<i64>) -> tensor<2x3xf32> {
  // CHECK: graph.iota axis = 1 : tensor<2x3xi64>
  %0 = graph.iota axis = 1 : tensor<2x3xi64>
  // CHECK: graph.rng_uniform %{{.*}}, %{{.*}} : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xf32>
  %1 = graph.rng_uniform %0, %seed : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

{-#
  dialect_resources: {
    builtin: {
      r: "0x010000000102"
    }
  }
#-}

// RUN: pcc-opt %s --split-input-file --strategy-data-parallel=device-num=4 | FileCheck %s

// A sum leaves the function partial, a maximum does not: accumulation over actions and the loss
// report add.

// CHECK-LABEL: func.func @results(
// CHECK-SAME: -> (tensor<f32> {dist.sharding = #dist.sharding<[] partial(sum: dp)>}
// CHECK-SAME: tensor<f32> {dist.sharding = #dist.sharding<[]>, graph.role = #graph.role<loss>}
// CHECK: graph.reduce {{ ?}}max {{.+}}dist.out = [#dist.sharding<[] partial(max: dp)>]
func.func @results(%x: tensor<8xf32> {graph.role = #graph.role<input "x">})
    -> (tensor<f32>, tensor<f32> {graph.role = #graph.role<loss>}) {
  %0 = graph.reduce sum %x, [0] : tensor<8xf32>
  %1 = graph.reduce max %x, [0] : tensor<8xf32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// -----

// Values that are not tensors have no sharding.

// CHECK: func.func @scalar(%{{.+}}: f32) -> f32 {
func.func @scalar(%x: f32) -> f32 {
  return %x : f32
}

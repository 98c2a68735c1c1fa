// RUN: pcc-opt %s | pcc-opt | FileCheck %s
// RUN: pcc-opt %s --mlir-print-op-generic | pcc-opt | FileCheck %s

// CHECK-LABEL: func.func @order
func.func @order(%x: tensor<4x5xf32>, %n: tensor<4x5xi32>) {
  // CHECK: graph.argmax %arg0 axis = 1 : tensor<4x5xf32>
  %0 = graph.argmax %x axis = 1 : tensor<4x5xf32>
  // CHECK: graph.argmin %arg1 axis = 0 {last} : tensor<4x5xi32>
  %1 = graph.argmin %n axis = 0 {last} : tensor<4x5xi32>
  // CHECK: graph.top_k %arg0 axis = 1 : tensor<4x5xf32> to tensor<4x2xf32>
  %2:2 = graph.top_k %x axis = 1 : tensor<4x5xf32> to tensor<4x2xf32>
  // CHECK: graph.top_k %arg1 axis = 0 {smallest} : tensor<4x5xi32> to tensor<4x5xi32>
  %3:2 = graph.top_k %n axis = 0 {smallest} : tensor<4x5xi32> to tensor<4x5xi32>
  return
}

// CHECK-LABEL: func.func @sums
func.func @sums(%x: tensor<4x5xf32>) {
  // CHECK: graph.cumsum %arg0 axis = 1 : tensor<4x5xf32>
  %0 = graph.cumsum %x axis = 1 : tensor<4x5xf32>
  // CHECK: graph.cumsum %arg0 axis = 0 {exclusive, reverse} : tensor<4x5xf32>
  %1 = graph.cumsum %x axis = 0 {exclusive, reverse} : tensor<4x5xf32>
  return
}

// CHECK-LABEL: func.func @einsum
func.func @einsum(%x: tensor<4x5xf32>, %y: tensor<5x4x6xf32>, %s: tensor<f32>) -> tensor<6x4xf32> {
  // CHECK: graph.einsum "ij,jik->ki" %arg0, %arg1 : tensor<4x5xf32>, tensor<5x4x6xf32>
  %0 = graph.einsum "ij,jik->ki" %x, %y : tensor<4x5xf32>, tensor<5x4x6xf32>
  // CHECK: graph.einsum ",ij->" %arg2, %arg0 : tensor<f32>, tensor<4x5xf32>
  %1 = graph.einsum ",ij->" %s, %x : tensor<f32>, tensor<4x5xf32>
  return %0 : tensor<6x4xf32>
}

// RUN: pcc-opt %s | pcc-opt | FileCheck %s
// RUN: pcc-opt %s --mlir-print-op-generic | pcc-opt | FileCheck %s

// CHECK-LABEL: func.func @movement
func.func @movement(%x: tensor<4x6xf32>, %v: tensor<6xf32>, %s: tensor<f32>) {
  // CHECK: graph.reshape %arg0 : tensor<4x6xf32> to tensor<2x2x6xf32>
  %0 = graph.reshape %x : tensor<4x6xf32> to tensor<2x2x6xf32>
  // CHECK: graph.transpose %{{.*}}, [2, 0, 1] : tensor<2x2x6xf32>
  %1 = graph.transpose %0, [2, 0, 1] : tensor<2x2x6xf32>
  // CHECK: graph.broadcast %arg1, [1] : tensor<6xf32> to tensor<4x6xf32>
  %2 = graph.broadcast %v, [1] : tensor<6xf32> to tensor<4x6xf32>
  // CHECK: graph.broadcast %arg2, [] : tensor<f32> to tensor<4x6xf32>
  %3 = graph.broadcast %s, [] : tensor<f32> to tensor<4x6xf32>
  return
}

// CHECK-LABEL: func.func @axis
func.func @axis(%x: tensor<4x6xf32>, %start: tensor<i64>) {
  // CHECK: graph.slice %arg0 axis = 1 start = 1 {stride = 2 : i64} : tensor<4x6xf32> to tensor<4x3xf32>
  %0 = graph.slice %x axis = 1 start = 1 {stride = 2} : tensor<4x6xf32> to tensor<4x3xf32>
  // CHECK: graph.slice %arg0 axis = 0 start = 3 {stride = -1 : i64} : tensor<4x6xf32> to tensor<4x6xf32>
  %1 = graph.slice %x axis = 0 start = 3 {stride = -1} : tensor<4x6xf32> to tensor<4x6xf32>
  // CHECK: graph.dynamic_slice %arg0, %arg1 axis = 0 : (tensor<4x6xf32>, tensor<i64>) -> tensor<2x6xf32>
  %2 = graph.dynamic_slice %x, %start axis = 0 : (tensor<4x6xf32>, tensor<i64>) -> tensor<2x6xf32>
  // CHECK: graph.dynamic_update_slice %arg0, %{{.*}}, %arg1 axis = 0 : (tensor<4x6xf32>, tensor<2x6xf32>, tensor<i64>) -> tensor<4x6xf32>
  %3 = graph.dynamic_update_slice %x, %2, %start axis = 0
    : (tensor<4x6xf32>, tensor<2x6xf32>, tensor<i64>) -> tensor<4x6xf32>
  // CHECK: graph.pad %arg0 axis = 1 low = 1 high = -2 : tensor<4x6xf32>
  %4 = graph.pad %x axis = 1 low = 1 high = -2 : tensor<4x6xf32>
  // CHECK: graph.concat %arg0, %{{.*}} axis = 1 : tensor<4x6xf32>, tensor<4x5xf32>
  %5 = graph.concat %x, %4 axis = 1 : tensor<4x6xf32>, tensor<4x5xf32>
  // CHECK: graph.split %arg0 axis = 1 : tensor<4x6xf32> to tensor<4x1xf32>, tensor<4x5xf32>
  %6:2 = graph.split %x axis = 1 : tensor<4x6xf32> to tensor<4x1xf32>, tensor<4x5xf32>
  return
}

// CHECK-LABEL: func.func @indices
func.func @indices(%table: tensor<10x6xf32>, %i: tensor<2x3xi32>) {
  // CHECK: graph.gather %arg0, %arg1 axis = 0 : tensor<10x6xf32>, tensor<2x3xi32>
  %0 = graph.gather %table, %i axis = 0 : tensor<10x6xf32>, tensor<2x3xi32>
  // CHECK: graph.scatter_add %arg0, %arg1, %{{.*}} axis = 0 : (tensor<10x6xf32>, tensor<2x3xi32>, tensor<2x3x6xf32>) -> tensor<10x6xf32>
  %1 = graph.scatter_add %table, %i, %0 axis = 0
    : (tensor<10x6xf32>, tensor<2x3xi32>, tensor<2x3x6xf32>) -> tensor<10x6xf32>
  // CHECK: graph.one_hot %arg1 axis = 2 : tensor<2x3xi32> to tensor<2x3x5xf32>
  %2 = graph.one_hot %i axis = 2 : tensor<2x3xi32> to tensor<2x3x5xf32>
  return
}

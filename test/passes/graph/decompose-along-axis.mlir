// RUN: pcc-opt %s --graph-decompose=ops=argmax,argmin,top_k,cumsum | FileCheck %s
// RUN: pcc-opt %s --graph-decompose -o %t.mlir
// RUN: pcc verify %s %t.mlir --allow-nan | FileCheck %s --check-prefix=VERIFY

// Composites and their decompositions compute the same, including ties and NaN.
// VERIFY: verify: 16 passed, 0 failed, 0 skipped

// The first element that equals the maximum. NaN equals no element, but is the maximum if present.
// CHECK-LABEL: func.func @argmax
// CHECK: %[[MAX:.+]] = graph.reduce max %arg0, [1] : tensor<2x3xf32>
// CHECK: %[[ALL:.+]] = graph.broadcast %[[MAX]], [0]
// CHECK: %[[IS:.+]] = graph.compare eq %arg0, %[[ALL]]
// CHECK: %[[NAN:.+]] = graph.compare ne %arg0, %arg0
// CHECK: %[[EITHER:.+]] = graph.or %[[IS]], %[[NAN]]
// CHECK: %[[NUMBER:.+]] = graph.iota axis = 1 : tensor<2x3xi64>
// CHECK: %[[NONE:.+]] = graph.constant dense<3>
// CHECK: %[[CANDIDATES:.+]] = graph.select %[[EITHER]], %[[NUMBER]], %[[NONE]]
// CHECK: graph.reduce min %[[CANDIDATES]], [1] : tensor<2x3xi64>
func.func @argmax(%x: tensor<2x3xf32>) -> tensor<2xi64> {
  %0 = graph.argmax %x axis = 1 : tensor<2x3xf32>
  return %0 : tensor<2xi64>
}

// CHECK-LABEL: func.func @argmin
// CHECK: graph.reduce min %arg0, [0] : tensor<7x3xi32>
// CHECK-NOT: graph.compare ne
// CHECK: graph.reduce max %{{.*}}, [0] : tensor<7x3xi64>
func.func @argmin(%x: tensor<7x3xi32>) -> tensor<3xi64> {
  %0 = graph.argmin %x axis = 0 {last} : tensor<7x3xi32>
  return %0 : tensor<3xi64>
}

// Ties and numbers without order.
func.func @special() -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2x4xf32>, tensor<2x4xi64>, tensor<2x3xi64>) {
  %x = graph.constant dense<[[1.0, 0x7FC00000, 3.0, 0x7FC00000], [2.0, 2.0, -1.0, -1.0]]> : tensor<2x4xf32>
  %0 = graph.argmax %x axis = 1 : tensor<2x4xf32>
  %1 = graph.argmax %x axis = 1 {last} : tensor<2x4xf32>
  %2 = graph.argmin %x axis = 1 : tensor<2x4xf32>
  %3 = graph.argmin %x axis = 1 {last} : tensor<2x4xf32>
  %4:2 = graph.top_k %x axis = 1 : tensor<2x4xf32> to tensor<2x4xf32>
  %5:2 = graph.top_k %x axis = 1 {smallest} : tensor<2x4xf32> to tensor<2x3xf32>
  return %0, %1, %2, %3, %4#0, %4#1, %5#1 : tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2x4xf32>, tensor<2x4xi64>, tensor<2x3xi64>
}

// An element's position is the number of elements before it. Each position sums over its only element.
// CHECK-LABEL: func.func @top_k
// CHECK: %[[PLACE:.+]] = graph.reduce sum %{{.*}}, [2] : tensor<2x5x5xi64>
// CHECK: %[[PLACES:.+]] = graph.broadcast %[[PLACE]], [0, 2] : tensor<2x5xi64> to tensor<2x3x5xi64>
// CHECK: graph.compare eq %[[PLACES]], %{{.*}} : tensor<2x3x5xi64>
// CHECK: graph.reduce sum %{{.*}}, [2] : tensor<2x3x5xf32>
// CHECK: graph.reduce sum %{{.*}}, [2] : tensor<2x3x5xi64>
func.func @top_k(%x: tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>) {
  %0:2 = graph.top_k %x axis = 1 : tensor<2x5xf32> to tensor<2x3xf32>
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x3xi64>
}

// CHECK-LABEL: func.func @top_k_first_axis
func.func @top_k_first_axis(%x: tensor<9x2xi32>) -> (tensor<4x2xi32>, tensor<4x2xi64>) {
  %0:2 = graph.top_k %x axis = 0 {smallest} : tensor<9x2xi32> to tensor<4x2xi32>
  return %0#0, %0#1 : tensor<4x2xi32>, tensor<4x2xi64>
}

// Sums of two, four and eight elements.
// CHECK-LABEL: func.func @cumsum
// CHECK: %[[BY1:.+]] = graph.pad %arg0 axis = 1 low = 1 high = -1
// CHECK: %[[OF2:.+]] = graph.add %arg0, %[[BY1]]
// CHECK: %[[BY2:.+]] = graph.pad %[[OF2]] axis = 1 low = 2 high = -2
// CHECK: %[[OF4:.+]] = graph.add %[[OF2]], %[[BY2]]
// CHECK: %[[BY4:.+]] = graph.pad %[[OF4]] axis = 1 low = 4 high = -4
// CHECK: %[[OF8:.+]] = graph.add %[[OF4]], %[[BY4]]
// CHECK: return %[[OF8]]
func.func @cumsum(%x: tensor<2x5xf32>) -> tensor<2x5xf32> {
  %0 = graph.cumsum %x axis = 1 : tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// From the end, without the element itself, and in f32.
// CHECK-LABEL: func.func @cumsum_reverse
// CHECK: graph.cast %arg0 : tensor<5x2xbf16> to tensor<5x2xf32>
// CHECK: graph.pad %{{.*}} axis = 0 low = -1 high = 1
func.func @cumsum_reverse(%x: tensor<5x2xbf16>, %n: tensor<6xi32>) -> (tensor<5x2xbf16>, tensor<6xi32>) {
  %0 = graph.cumsum %x axis = 0 {exclusive, reverse} : tensor<5x2xbf16>
  %1 = graph.cumsum %n axis = 0 {exclusive} : tensor<6xi32>
  return %0, %1 : tensor<5x2xbf16>, tensor<6xi32>
}

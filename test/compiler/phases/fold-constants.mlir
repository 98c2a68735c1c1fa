// RUN: pcc-opt %s --fold-constants --canonicalize | FileCheck %s
// RUN: pcc-opt %s --fold-constants -o %t.mlir && pcc verify %s %t.mlir | FileCheck %s --check-prefix=VERIFY

// VERIFY: verify: 4 passed, 0 failed, 0 skipped

// Positions and the mask that they give are constants. Masks that are equal for all samples are
// stored once.
// CHECK-LABEL: func.func @mask
// CHECK-NOT: cumsum
// CHECK: %[[MASK:.+]] = graph.constant dense<{{\[\[\[\[}}true, false, false], [true, true, false], [true, true, true]]]]> : tensor<1x1x3x3xi1>
// CHECK: %[[ALL:.+]] = graph.broadcast %[[MASK]], [0, 1, 2, 3] : tensor<1x1x3x3xi1> to tensor<2x2x3x3xi1>
// CHECK: graph.select %[[ALL]], %arg0
func.func @mask(%x: tensor<2x2x3x3xf32> {graph.role = #graph.role<input "x">}) -> tensor<2x2x3x3xf32> {
  %one = graph.constant dense<1> : tensor<2x3xi64>
  %count = graph.cumsum %one axis = 1 : tensor<2x3xi64>
  %rows = graph.broadcast %count, [0, 2] : tensor<2x3xi64> to tensor<2x2x3x3xi64>
  %columns = graph.broadcast %count, [0, 3] : tensor<2x3xi64> to tensor<2x2x3x3xi64>
  %seen = graph.compare ge %rows, %columns : tensor<2x2x3x3xi64>
  %low = graph.constant dense<-1.0e9> : tensor<2x2x3x3xf32>
  %0 = graph.select %seen, %x, %low : tensor<2x2x3x3xf32>
  return %0 : tensor<2x2x3x3xf32>
}

// An element everywhere becomes a splat.
// CHECK-LABEL: func.func @splat
// CHECK: graph.constant dense<2.500000e+00> : tensor<2x3xf32>
func.func @splat(%x: tensor<2x3xf32> {graph.role = #graph.role<input "x">}) -> tensor<2x3xf32> {
  %c = graph.constant dense<[[2.5, 2.5, 2.5], [2.5, 2.5, 2.5]]> : tensor<2x3xf32>
  %0 = graph.mul %x, %c : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// What depends on inputs, on parameters or on random numbers stays; so do positions, which are as
// short as a constant.
// CHECK-LABEL: func.func @computed
// CHECK: graph.iota axis = 1
// CHECK: graph.add
func.func @computed(%x: tensor<2x3xi64> {graph.role = #graph.role<input "x">}) -> tensor<2x3xi64> {
  %0 = graph.iota axis = 1 : tensor<2x3xi64>
  %1 = graph.add %x, %0 : tensor<2x3xi64>
  return %1 : tensor<2x3xi64>
}

// Random numbers of a known seed are drawn where they are read.
// CHECK-LABEL: func.func @random
// CHECK: graph.rng_uniform
func.func @random(%x: tensor<2x3xf32> {graph.role = #graph.role<input "x">}) -> tensor<2x3xf32> {
  %index = graph.iota axis = 1 : tensor<2x3xi64>
  %seed = graph.constant dense<7> : tensor<i64>
  %0 = graph.rng_uniform %index, %seed : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xf32>
  %1 = graph.mul %x, %0 : tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// RUN: pcc-opt %s --dist-reshards-to-collectives -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: pcc verify %s %t.mlir

// Ranks that keep nothing hold the neutral integer of a maximum or minimum.

module attributes {dist.mesh = #dist.mesh<x=2>} {
  // CHECK-LABEL: func.func @max
  // CHECK: graph.constant dense<-2147483648> : tensor<8xi32>
  func.func @max(%a: tensor<8xi32>) -> tensor<8xi32> {
    %0 = dist.reshard %a from [_] to [_] partial(max: x) : tensor<8xi32>
    return %0 : tensor<8xi32>
  }
  // CHECK-LABEL: func.func @min
  // CHECK: graph.constant dense<127> : tensor<8xi8>
  func.func @min(%a: tensor<8xi8>) -> tensor<8xi8> {
    %0 = dist.reshard %a from [_] to [_] partial(min: x) : tensor<8xi8>
    return %0 : tensor<8xi8>
  }
}

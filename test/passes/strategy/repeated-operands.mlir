// RUN: pcc-opt %s --split-input-file --strategy-collect-constraints --strategy-semi-auto=device-num=8 | FileCheck %s

// The strategy of a node may refer to its operands in the file: to the bias, not to its repetition.
// The sharding of the repeated dimension follows from the other operand.

// CHECK: dist.mesh = #dist.mesh<x=2, y=4>
// CHECK-LABEL: func.func @node(
// CHECK-SAME: tensor<8xf32> {dist.sharding = #dist.sharding<[y]>
// CHECK: graph.broadcast {{.+}}dist.in = [#dist.sharding<[y]>], dist.out = [#dist.sharding<[x, y]>]
// CHECK: graph.add {{.+}}dist.in = [#dist.sharding<[x, y]>, #dist.sharding<[x, y]>], dist.out = [#dist.sharding<[x, y]>]
module attributes {dist.constraints = [{op_name = "/fc/Add", in = "((2,4),(4))"}]} {
  func.func @node(%x: tensor<4x8xf32> {graph.role = #graph.role<input "x">},
                  %b: tensor<8xf32> {graph.role = #graph.role<parameter "b">}) -> tensor<4x8xf32> {
    %0 = graph.broadcast %b, [1] : tensor<8xf32> to tensor<4x8xf32> loc("/fc/Add")
    %1 = graph.add %x, %0 : tensor<4x8xf32> loc("/fc/Add")
    return %1 : tensor<4x8xf32>
  }
}

// -----

// By names of axes; a pattern applies to the ops whose operands it fits in this way.

// CHECK-LABEL: func.func @named(
// CHECK: graph.add {{.+}}dist.out = [#dist.sharding<[dp, tp]>]
// CHECK: graph.relu {{.+}}dist.out = [#dist.sharding<[dp, tp]>]
module attributes {dist.mesh = #dist.mesh<dp=2, tp=4>, dist.constraints = [{op = "/fc/.*", in = "[dp, tp], [tp]"}]} {
  func.func @named(%x: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
    %0 = graph.broadcast %b, [1] : tensor<8xf32> to tensor<4x8xf32> loc("/fc/Add")
    %1 = graph.add %x, %0 : tensor<4x8xf32> loc("/fc/Add")
    %2 = graph.relu %1 : tensor<4x8xf32> loc("/fc/Relu")
    return %2 : tensor<4x8xf32>
  }
}

// -----

// Both operands are repeated to each other, one of them from a dimension of size one.

// CHECK: dist.mesh = #dist.mesh<x=2, y=2, z=2>
// CHECK-LABEL: func.func @both(
// CHECK-SAME: tensor<8x1x32xf32> {dist.sharding = #dist.sharding<[x, _, z]>
// CHECK-SAME: tensor<16x32xf32> {dist.sharding = #dist.sharding<[y, z]>
// CHECK: graph.sub {{.+}}dist.out = [#dist.sharding<[x, y, z]>]
func.func @both(%x: tensor<8x1x32xf32>, %y: tensor<16x32xf32>) -> tensor<8x16x32xf32> {
  %0 = graph.broadcast %x, [0, 1, 2] : tensor<8x1x32xf32> to tensor<8x16x32xf32>
  %1 = graph.broadcast %y, [1, 2] : tensor<16x32xf32> to tensor<8x16x32xf32>
  %2 = graph.sub %0, %1 {dist.in = "((2,1,2),(2,2))"} : tensor<8x16x32xf32>
  return %2 : tensor<8x16x32xf32>
}

// -----

// A strategy may still refer to the operand that the op itself reads.

// CHECK-LABEL: func.func @itself(
// CHECK: graph.add {{.+}}dist.out = [#dist.sharding<[x, y]>]
func.func @itself(%x: tensor<4x8xf32>, %b: tensor<1x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.broadcast %b, [0, 1] : tensor<1x8xf32> to tensor<4x8xf32>
  %1 = graph.add %x, %0 {dist.in = "((2,4),(2,4))"} : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

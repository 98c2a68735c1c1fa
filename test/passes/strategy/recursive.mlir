// RUN: pcc-opt %s --split-input-file --strategy-collect-pins --strategy-recursive=device-num=8 | FileCheck %s

// The papers' example: rows twice, the depth once. The sum over the depth stays partial.

// CHECK: module attributes {dist.mesh = #dist.mesh<x=2, y=2, z=2>}
// CHECK: graph.matmul
// CHECK-SAME: dist.in = [#dist.sharding<[x.z, y]>, #dist.sharding<[_, y]>], dist.out = [#dist.sharding<[x.z, _] partial(sum: y)>]
func.func @forward(%x: tensor<256x784xf32> {graph.role = #graph.role<input "x">},
                   %w: tensor<512x784xf32> {graph.role = #graph.role<parameter "w">})
    -> (tensor<256x512xf32> {graph.role = #graph.role<output "y">}) {
  %0 = graph.matmul %x, %w {transpose_rhs} : tensor<256x784xf32>, tensor<512x784xf32>
  return %0 : tensor<256x512xf32>
}

// -----

// Rounds in which every op cuts alike are one axis.

// CHECK: module attributes {dist.mesh = #dist.mesh<x=8>}
// CHECK: graph.matmul {{.+}}dist.out = [#dist.sharding<[x, _]>]
// CHECK: graph.relu {{.+}}dist.out = [#dist.sharding<[x, _]>]
func.func @forward(%x: tensor<4096x16xf32> {graph.role = #graph.role<input "x">},
                   %w: tensor<16x16xf32> {graph.role = #graph.role<parameter "w">})
    -> (tensor<4096x16xf32> {graph.role = #graph.role<output "y">}) {
  %0 = graph.matmul %x, %w : tensor<4096x16xf32>, tensor<16x16xf32>
  %1 = graph.relu %0 : tensor<4096x16xf32>
  return %1 : tensor<4096x16xf32>
}

// -----

// What is given holds, on its mesh, and neighbours cut what they share alike.

// CHECK: module attributes {dist.mesh = #dist.mesh<x=8>}
// CHECK: graph.matmul {{.+}}dist.in = [#dist.sharding<[_, _]>, #dist.sharding<[_, x]>]
// CHECK: graph.relu {{.+}}dist.out = [#dist.sharding<[_, x]>]
func.func @forward(%x: tensor<4096x16xf32> {graph.role = #graph.role<input "x">},
                   %w: tensor<16x16xf32> {graph.role = #graph.role<parameter "w">})
    -> (tensor<4096x16xf32> {graph.role = #graph.role<output "y">}) {
  %0 = graph.matmul %x, %w {dist.in = "((1,1),(1,8))"} : tensor<4096x16xf32>, tensor<16x16xf32>
  %1 = graph.relu %0 : tensor<4096x16xf32>
  return %1 : tensor<4096x16xf32>
}

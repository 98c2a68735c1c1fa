// RUN: pcc-opt %s --split-input-file --strategy-collect-constraints --strategy-recursive=device-num=8 | FileCheck %s
// RUN: pcc-opt %s --split-input-file --attach-cluster=cluster=8xh100 --strategy-collect-constraints --strategy-recursive="device-num=8 improvement=roofline" --remark-format=emitRemark --remarks-filter=strategy 2>%t | FileCheck %s --check-prefix=BETTER
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: not pcc-opt %s --split-input-file --attach-cluster=cluster=4xh100 --strategy-collect-constraints --strategy-recursive="device-num=8 improvement=roofline" 2>&1 | FileCheck %s --check-prefix=FEW

// FEW: error: expected a cluster of at least 8 devices, one for each rank, got 4

// The papers' example: rows are cut twice, the depth once. The sum over the depth stays partial.

// On the machine more cuts of the parameter pay off: the sum over two axes stays partial.

// CHECK: module attributes {dist.mesh = #dist.mesh<x=2, y=2, z=2>}
// CHECK: graph.matmul
// CHECK-SAME: dist.in = [#dist.sharding<[x.z, y]>, #dist.sharding<[_, y]>], dist.out = [#dist.sharding<[x.z, _] partial(sum: y)>]
// REMARK: remark: {{.*}} improve | Category:strategy | before_seconds=4.284{{.+}}, mesh="x=2, y=2, z=2", step_seconds=3.702
// BETTER: graph.matmul {{.+}}dist.in = [#dist.sharding<[x, y.z]>, #dist.sharding<[_, y.z]>], dist.out = [#dist.sharding<[x, _] partial(sum: y, z)>]
func.func @forward(%x: tensor<256x784xf32> {graph.role = #graph.role<input "x">},
                   %w: tensor<512x784xf32> {graph.role = #graph.role<parameter "w">})
    -> (tensor<256x512xf32> {graph.role = #graph.role<output "y">}) {
  %0 = graph.matmul %x, %w {transpose_rhs} : tensor<256x784xf32>, tensor<512x784xf32>
  return %0 : tensor<256x512xf32>
}

// -----

// Rounds in which every op cuts alike become one axis.

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

// Given shardings hold, on their mesh, and neighbors cut shared values alike, whatever the cost.

// BETTER: graph.matmul {{.+}}dist.in = [#dist.sharding<[_, _]>, #dist.sharding<[_, x]>]
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

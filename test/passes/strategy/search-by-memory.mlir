// RUN: pcc-opt %s --split-input-file --strategy-collect-constraints --strategy-search-by-memory="device-num=8 full-batch" | FileCheck %s
// RUN: pcc-opt %s --split-input-file --strategy-collect-constraints --strategy-search-by-memory="device-num=8 full-batch algorithm=best" | FileCheck %s
// RUN: pcc-opt %s --split-input-file --strategy-collect-constraints --strategy-recursive="device-num=8 full-batch improvement=memory" | FileCheck %s --check-prefix=CUT
// RUN: pcc-opt %s --split-input-file --strategy-collect-constraints --strategy-search-by-memory="device-num=8 full-batch beta=0" | FileCheck %s --check-prefix=WORK
// RUN: pcc-opt %s --split-input-file --strategy-collect-constraints --strategy-search-by-memory="device-num=8 full-batch" --remark-format=emitRemark --remarks-filter=strategy 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// One operand costs 4,096 bytes, the other 16,384, and as much for its gradient, weighted by 0.4.
// The result must be whole, and gathering it is weighted by 400. By work alone the depth is split,
// as its operand's slice shows. Recursive cuts begin with columns, and end without any split, too.

// REMARK: remark: {{.*}} search | {{.*}}activations=0.000000e+00, computation=2.048000e+04, mesh=x=8, parameters=1.638400e+04, total=2.703360e+04
// CHECK: graph.matmul {{.+}}dist.in = [#dist.sharding<[_, _]>, #dist.sharding<[_, _]>]
// CUT: module attributes {dist.mesh = #dist.mesh<x=8>}
// CUT: graph.matmul {{.+}}dist.in = [#dist.sharding<[_, _]>, #dist.sharding<[_, _]>]
// WORK: graph.matmul {{.+}}dist.in = [#dist.sharding<[_, x]>, #dist.sharding<[x, _]>]
func.func @forward(%x: tensor<16x64xf32> {graph.role = #graph.role<input "x">},
                   %w: tensor<64x64xf32> {graph.role = #graph.role<parameter "w">})
    -> (tensor<16x64xf32> {graph.role = #graph.role<output "y">}) {
  %0 = graph.matmul %x, %w : tensor<16x64xf32>, tensor<64x64xf32>
  return %0 : tensor<16x64xf32>
}

// -----

// A constraint holds, and its reader follows; a broadcast follows as well, and has no cost.

// REMARK: remark: {{.*}} search | {{.*}}mesh="x=4, y=2", parameters=4.160000e+03
// CHECK: module attributes {dist.mesh = #dist.mesh<x=4, y=2>}
// CHECK: graph.broadcast {{.+}}dist.in = [#dist.sharding<[y]>]
// CHECK: graph.add {{.+}}dist.out = [#dist.sharding<[x, y]>]
// CUT: module attributes {dist.mesh = #dist.mesh<x=4, y=2>}
// CUT: graph.add {{.+}}dist.out = [#dist.sharding<[x, y]>]
func.func @forward(%x: tensor<128x64xf32> {graph.role = #graph.role<input "x">},
                   %w: tensor<64x32xf32> {graph.role = #graph.role<parameter "w">},
                   %b: tensor<32xf32> {graph.role = #graph.role<parameter "b">})
    -> (tensor<128x32xf32> {graph.role = #graph.role<output "y">}) {
  %0 = graph.matmul %x, %w {dist.in = "((4,1),(1,2))"} : tensor<128x64xf32>, tensor<64x32xf32>
  %1 = graph.broadcast %b, [1] : tensor<32xf32> to tensor<128x32xf32>
  %2 = graph.add %0, %1 : tensor<128x32xf32>
  return %2 : tensor<128x32xf32>
}

// -----

// A reshape is handled between two ops: 8 parts of the first dimension are 8 parts of the
// rows.

// WORK: module attributes {dist.mesh = #dist.mesh<x=8>}
// WORK: graph.relu {{.+}}dist.out = [#dist.sharding<[x, _, _]>]
// WORK: graph.matmul {{.+}}dist.in = [#dist.sharding<[x, _]>, #dist.sharding<[_, _]>]
func.func @forward(%x: tensor<8x16x32xf32> {graph.role = #graph.role<input "x">},
                   %w: tensor<32x64xf32> {graph.role = #graph.role<parameter "w">})
    -> (tensor<128x64xf32> {graph.role = #graph.role<output "y">}) {
  %0 = graph.relu %x : tensor<8x16x32xf32>
  %1 = graph.reshape %0 : tensor<8x16x32xf32> to tensor<128x32xf32>
  %2 = graph.matmul %1, %w : tensor<128x32xf32>, tensor<32x64xf32>
  return %2 : tensor<128x64xf32>
}

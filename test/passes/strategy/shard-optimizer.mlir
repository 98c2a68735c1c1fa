// RUN: pcc-opt %s --strategy-shard-optimizer="level=1 threshold=64" -o %t.1.mlir
// RUN: FileCheck %s --check-prefixes=CHECK,ONE < %t.1.mlir
// RUN: pcc-opt %s --strategy-shard-optimizer="level=2 threshold=64" -o %t.2.mlir
// RUN: FileCheck %s --check-prefixes=CHECK,TWO < %t.2.mlir
// RUN: pcc-opt %s --strategy-shard-optimizer="level=3 threshold=64" -o %t.3.mlir
// RUN: FileCheck %s --check-prefixes=CHECK,THREE < %t.3.mlir
// RUN: pcc-opt %s --strategy-shard-optimizer="level=1 threshold=64" --strategy-report-bytes --remark-format=emitRemark --remarks-filter=strategy 2>&1 | FileCheck %s --check-prefix=REMARK

// The annotated program partitions to the same step at every level, including the norms of LAMB.
// RUN: pcc-opt %t.1.mlir --dist-insert-reshards --dist-reshards-to-collectives --dist-localize -o %t.1.local.mlir
// RUN: FileCheck %s --check-prefix=LOCAL1 < %t.1.local.mlir
// RUN: pcc verify %s %t.1.local.mlir | FileCheck %s --check-prefix=VERIFY
// RUN: pcc-opt %t.2.mlir --dist-insert-reshards --dist-reshards-to-collectives --dist-localize -o %t.2.local.mlir
// RUN: FileCheck %s --check-prefix=LOCAL2 < %t.2.local.mlir
// RUN: pcc verify %s %t.2.local.mlir | FileCheck %s --check-prefix=VERIFY
// RUN: pcc-opt %t.3.mlir --dist-insert-reshards --dist-reshards-to-collectives --dist-localize -o %t.3.local.mlir
// RUN: FileCheck %s --check-prefix=LOCAL3 < %t.3.local.mlir
// RUN: pcc verify %s %t.3.local.mlir | FileCheck %s --check-prefix=VERIFY
// VERIFY: verify: {{[1-9][0-9]*}} passed, 0 failed, 0 skipped

// A cut is appended to the mode's cuts, in the first dimension that it divides: the rows of "tall" (16 /
// 2 ranks along tp are 8, over 2 along dp), the columns of "flat", because 3 rows are not divisible by 4.
// All ranks along tp have the same gradient of "flat": they slice it before it is summed along dp.
// CHECK-LABEL: func.func @forward_backward(
// ONE-SAME: tensor<16x2xf32> {dist.sharding = #dist.sharding<[tp, _]>, graph.role = #graph.role<parameter "tall">}
// ONE-SAME: tensor<3x8xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "flat">}
// ONE-SAME: -> (tensor<16x2xf32> {dist.sharding = #dist.sharding<[tp, _] partial(sum: dp)>, graph.role = #graph.role<gradient "tall">}
// TWO-SAME: tensor<16x2xf32> {dist.sharding = #dist.sharding<[tp, _]>, graph.role = #graph.role<parameter "tall">}
// TWO-SAME: -> (tensor<16x2xf32> {dist.sharding = #dist.sharding<[tp.dp, _]>, graph.role = #graph.role<gradient "tall">}
// TWO-SAME: tensor<3x8xf32> {dist.sharding = #dist.sharding<[_, tp.dp]>, graph.role = #graph.role<gradient "flat">}
// THREE-SAME: tensor<16x2xf32> {dist.sharding = #dist.sharding<[tp.dp, _]>, graph.role = #graph.role<parameter "tall">}
// THREE-SAME: tensor<3x8xf32> {dist.sharding = #dist.sharding<[_, tp.dp]>, graph.role = #graph.role<parameter "flat">}
// THREE-SAME: tensor<8x8xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "out">}
// The ops that read a parameter see it unchanged.
// CHECK: graph.matmul {{.*}}dist.in = [#dist.sharding<[_, dp]>, #dist.sharding<[tp, _]>]

// CHECK-LABEL: func.func @update(
// ONE-SAME: tensor<16x2xf32> {dist.sharding = #dist.sharding<[tp, _] partial(sum: dp)>, graph.role = #graph.role<gradient "tall">}
// ONE-SAME: tensor<16x2xf32> {dist.sharding = #dist.sharding<[tp.dp, _]>, graph.role = #graph.role<parameter "tall.moment1">}
// ONE-SAME: -> (tensor<16x2xf32> {dist.sharding = #dist.sharding<[tp, _]>, graph.role = #graph.role<parameter "tall">}
// ONE-SAME: tensor<16x2xf32> {dist.sharding = #dist.sharding<[tp.dp, _]>, graph.role = #graph.role<parameter "tall.moment2">}
// TWO-SAME: tensor<16x2xf32> {dist.sharding = #dist.sharding<[tp.dp, _]>, graph.role = #graph.role<gradient "tall">}
// THREE-SAME: tensor<3x8xf32> {dist.sharding = #dist.sharding<[_, tp.dp]>, graph.role = #graph.role<parameter "flat.velocity">}
// CHECK: graph.lamb {{.*}}dist.in = [#dist.sharding<[tp.dp, _]>, #dist.sharding<[tp.dp, _]>, #dist.sharding<[tp.dp, _]>, #dist.sharding<[tp.dp, _]>, #dist.sharding<[]>, #dist.sharding<[]>], dist.out = [#dist.sharding<[tp.dp, _]>, #dist.sharding<[tp.dp, _]>, #dist.sharding<[tp.dp, _]>]
// CHECK: graph.cast {{.*}}dist.in = [#dist.sharding<[_, tp.dp]>]
// CHECK: graph.momentum {{.*}}dist.in = [#dist.sharding<[_, tp.dp]>, #dist.sharding<[_, tp.dp]>, #dist.sharding<[_, tp.dp]>, #dist.sharding<[]>]
// Updates of parameters that stay whole are unchanged.
// CHECK-COUNT-4: graph.sgd %arg{{[0-9]+}}, %arg{{[0-9]+}}, %0 : tensor

// Each decision is reported with its bytes, or with the reason against it.
// REMARK-DAG: [Passed] shard-optimizer | Category:strategy | bytes_sharded=32, bytes_whole=64, dimension=0, level=1, parameter=tall, ranks=2, sharding="[tp.dp, _]", state_bytes_sharded=64, state_bytes_whole=128
// REMARK-DAG: [Passed] shard-optimizer | Category:strategy | bytes_sharded=24, bytes_whole=96, dimension=1, level=1, parameter=flat, ranks=4, sharding="[_, tp.dp]", state_bytes_sharded=24, state_bytes_whole=96
// REMARK-DAG: [Missed] shard-optimizer | Category:strategy | Reason="it is marked parallel_optimizer = false", bytes=256, parameter=out
// REMARK-DAG: [Missed] shard-optimizer | Category:strategy | Reason="it has less than the threshold of 64 bytes", bytes=4, parameter=small
// REMARK-DAG: [Missed] shard-optimizer | Category:strategy | Reason="4 ranks divide none of its dimensions", bytes=100, parameter=odd
// REMARK-DAG: [Missed] shard-optimizer | Category:strategy | Reason="each rank has its own", bytes=256, parameter=own
// REMARK: bytes-per-rank | Category:strategy | gradients=776, parameters=776, states=88

// A reduce-scatter for each gradient that is sharded: in @update at level 1, otherwise in
// @forward_backward; the sums of two norms; a gather after the update, or, at level 3, before use.
// LOCAL1-LABEL: func.func @forward_backward
// LOCAL1-NOT: dist.{{reduce_scatter|all_gather|all_reduce}}
// LOCAL1-LABEL: func.func @update
// LOCAL1: dist.reduce_scatter
// LOCAL1: dist.all_gather
// LOCAL2-LABEL: func.func @forward_backward
// LOCAL2: dist.reduce_scatter
// LOCAL2-LABEL: func.func @update
// LOCAL2-NOT: dist.reduce_scatter
// LOCAL2: dist.all_reduce sum {{.*}} : tensor<f32>
// LOCAL2: dist.all_reduce sum {{.*}} : tensor<f32>
// LOCAL2: dist.all_gather
// LOCAL3-LABEL: func.func @forward_backward
// LOCAL3: dist.all_gather
// LOCAL3-LABEL: func.func @update
// LOCAL3-NOT: dist.all_gather
module attributes {dist.mesh = #dist.mesh<dp=2, tp=2>} {
  graph.parameter @tall : tensor<16x2xf32> init(#graph.init<uniform, -1.0, 1.0>)
  graph.parameter @tall.moment1 : tensor<16x2xf32> init(#graph.init<zeros>) {trainable = false}
  graph.parameter @tall.moment2 : tensor<16x2xf32> init(#graph.init<ones>) {trainable = false}
  graph.parameter @flat : tensor<3x8xf32> init(#graph.init<uniform, -1.0, 1.0>)
  graph.parameter @flat.velocity : tensor<3x8xf32> init(#graph.init<zeros>) {trainable = false}
  graph.parameter @out : tensor<8x8xf32> init(#graph.init<zeros>) {parallel_optimizer = false}
  graph.parameter @small : tensor<f32> init(#graph.init<zeros>)
  graph.parameter @odd : tensor<5x5xf32> init(#graph.init<zeros>)
  graph.parameter @own : tensor<8x8xf32> init(#graph.init<zeros>) {layerwise_parallel}
  func.func @forward_backward(
      %x: tensor<2x4xf32> {dist.sharding = #dist.sharding<[_, dp]>, graph.role = #graph.role<input "x">},
      %tall: tensor<16x2xf32> {dist.sharding = #dist.sharding<[tp, _]>, graph.role = #graph.role<parameter "tall">},
      %flat: tensor<3x8xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "flat">},
      %out: tensor<8x8xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "out">},
      %small: tensor<f32> {dist.sharding = #dist.sharding<[]>, graph.role = #graph.role<parameter "small">},
      %odd: tensor<5x5xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "odd">},
      %own: tensor<8x8xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "own">})
      -> (tensor<16x2xf32> {dist.sharding = #dist.sharding<[tp, _] partial(sum: dp)>, graph.role = #graph.role<gradient "tall">},
          tensor<3x8xf32> {dist.sharding = #dist.sharding<[_, _] partial(sum: dp)>, graph.role = #graph.role<gradient "flat">},
          tensor<8x8xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<gradient "out">},
          tensor<f32> {dist.sharding = #dist.sharding<[]>, graph.role = #graph.role<gradient "small">},
          tensor<5x5xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<gradient "odd">},
          tensor<8x8xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<gradient "own">}) {
    %y = graph.matmul %x, %tall {transpose_lhs, transpose_rhs, dist.in = [#dist.sharding<[_, dp]>, #dist.sharding<[tp, _]>], dist.out = [#dist.sharding<[dp, tp]>]} : tensor<2x4xf32>, tensor<16x2xf32>
    %g = graph.matmul %y, %x {transpose_lhs, transpose_rhs, dist.in = [#dist.sharding<[dp, tp]>, #dist.sharding<[_, dp]>], dist.out = [#dist.sharding<[tp, _] partial(sum: dp)>]} : tensor<4x16xf32>, tensor<2x4xf32>
    return %g, %flat, %out, %small, %odd, %own : tensor<16x2xf32>, tensor<3x8xf32>, tensor<8x8xf32>, tensor<f32>, tensor<5x5xf32>, tensor<8x8xf32>
  }
  func.func @update(
      %tall: tensor<16x2xf32> {dist.sharding = #dist.sharding<[tp, _]>, graph.role = #graph.role<parameter "tall">},
      %flat: tensor<3x8xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "flat">},
      %out: tensor<8x8xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "out">},
      %small: tensor<f32> {dist.sharding = #dist.sharding<[]>, graph.role = #graph.role<parameter "small">},
      %odd: tensor<5x5xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "odd">},
      %own: tensor<8x8xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "own">},
      %gtall: tensor<16x2xf32> {dist.sharding = #dist.sharding<[tp, _] partial(sum: dp)>, graph.role = #graph.role<gradient "tall">},
      %gflat: tensor<3x8xf32> {dist.sharding = #dist.sharding<[_, _] partial(sum: dp)>, graph.role = #graph.role<gradient "flat">},
      %gout: tensor<8x8xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<gradient "out">},
      %gsmall: tensor<f32> {dist.sharding = #dist.sharding<[]>, graph.role = #graph.role<gradient "small">},
      %godd: tensor<5x5xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<gradient "odd">},
      %gown: tensor<8x8xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<gradient "own">},
      %m1: tensor<16x2xf32> {dist.sharding = #dist.sharding<[tp, _]>, graph.role = #graph.role<parameter "tall.moment1">},
      %m2: tensor<16x2xf32> {dist.sharding = #dist.sharding<[tp, _]>, graph.role = #graph.role<parameter "tall.moment2">},
      %v: tensor<3x8xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "flat.velocity">},
      %step: tensor<i64> {dist.sharding = #dist.sharding<[]>, graph.role = #graph.role<step>})
      -> (tensor<16x2xf32> {dist.sharding = #dist.sharding<[tp, _]>, graph.role = #graph.role<parameter "tall">},
          tensor<3x8xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "flat">},
          tensor<8x8xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "out">},
          tensor<f32> {dist.sharding = #dist.sharding<[]>, graph.role = #graph.role<parameter "small">},
          tensor<5x5xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "odd">},
          tensor<8x8xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "own">},
          tensor<16x2xf32> {dist.sharding = #dist.sharding<[tp, _]>, graph.role = #graph.role<parameter "tall.moment1">},
          tensor<16x2xf32> {dist.sharding = #dist.sharding<[tp, _]>, graph.role = #graph.role<parameter "tall.moment2">},
          tensor<3x8xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "flat.velocity">}) {
    %rate = graph.constant dense<0.1> : tensor<f32>
    %0:3 = graph.lamb %tall, %gtall, %m1, %m2, %rate, %step {beta1 = 0.9, beta2 = 0.99, epsilon = 1.0e-6} : tensor<16x2xf32>, tensor<f32>, tensor<i64>
    %narrow = graph.cast %gflat : tensor<3x8xf32> to tensor<3x8xbf16>
    %1:2 = graph.momentum %flat, %narrow, %v, %rate {momentum = 0.9} : tensor<3x8xf32> (tensor<3x8xbf16>, tensor<3x8xf32>), tensor<f32>
    %2 = graph.sgd %out, %gout, %rate : tensor<8x8xf32>, tensor<f32>
    %3 = graph.sgd %small, %gsmall, %rate : tensor<f32>, tensor<f32>
    %4 = graph.sgd %odd, %godd, %rate : tensor<5x5xf32>, tensor<f32>
    %5 = graph.sgd %own, %gown, %rate : tensor<8x8xf32>, tensor<f32>
    return %0#0, %1#0, %2, %3, %4, %5, %0#1, %0#2, %1#1 : tensor<16x2xf32>, tensor<3x8xf32>, tensor<8x8xf32>, tensor<f32>, tensor<5x5xf32>, tensor<8x8xf32>, tensor<16x2xf32>, tensor<16x2xf32>, tensor<3x8xf32>
  }
}

// RUN: pcc-opt %s --strategy-data-parallel=device-num=4 -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: pcc verify %s %t.mlir
// RUN: pcc-opt %s --strategy-data-parallel="device-num=4 full-batch=true" | FileCheck %s --check-prefix=FULL
// RUN: pcc-opt %s --strategy-data-parallel="device-num=4 gradients-mean=false" | FileCheck %s --check-prefix=SUM
// RUN: pcc-opt %s --strategy-data-parallel="device-num=1" | FileCheck %s --check-prefix=ONE

// Inputs are split along the batch, parameters are whole; ops follow. Sums over the batch stay
// partial. Splats and broadcasts with a batch dimension are split along it.

// CHECK: module attributes {dist.mesh = #dist.mesh<dp=4>}
// CHECK-LABEL: func.func @forward_backward(
// CHECK-SAME: tensor<8x6xf32> {dist.sharding = #dist.sharding<[dp, _]>, graph.role = #graph.role<input "x">}
// CHECK-SAME: tensor<6x2xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "w">}
// CHECK-SAME: -> (tensor<f32> {dist.sharding = #dist.sharding<[] partial(sum: dp)>, graph.role = #graph.role<loss>}
// CHECK-SAME: tensor<6x2xf32> {dist.sharding = #dist.sharding<[_, _] partial(sum: dp)>, graph.role = #graph.role<gradient "w">})
// CHECK: graph.constant {{.+}} {dist.in = [], dist.out = [#dist.sharding<[dp, _]>]}
// CHECK: graph.matmul {{.+}}dist.in = [#dist.sharding<[dp, _]>, #dist.sharding<[_, _]>], dist.out = [#dist.sharding<[dp, _]>]
// CHECK: graph.broadcast {{.+}}dist.in = [#dist.sharding<[_]>], dist.out = [#dist.sharding<[dp, _]>]
// CHECK: graph.reduce {{.+}}dist.out = [#dist.sharding<[] partial(sum: dp)>]
// CHECK: graph.matmul {{.+}}dist.out = [#dist.sharding<[_, _] partial(sum: dp)>], transpose_lhs

// Gradients keep their shardings from the forward pass and are whole at the boundary.

// CHECK-LABEL: func.func @update(
// CHECK-SAME: tensor<6x2xf32> {dist.sharding = #dist.sharding<[_, _] partial(sum: dp)>, graph.role = #graph.role<gradient "w">}
// CHECK: graph.sgd {{.+}}dist.in = [#dist.sharding<[_, _]>, #dist.sharding<[_, _]>, #dist.sharding<[]>]

// With full-batch, the ranks are fed the whole batch; the ops use their slice.

// FULL: tensor<8x6xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<input "x">}
// FULL: graph.matmul {{.+}}dist.in = [#dist.sharding<[dp, _]>, #dist.sharding<[_, _]>]

// Without gradients-mean, each gradient is that of the sum of the ranks' losses.

// SUM: dist.gradient_factor = 4.000000e+00 : f64

// One rank: no sharding has an axis.

// ONE: dist.mesh = #dist.mesh<dp=1>
// ONE-NOT: dp,
// ONE-NOT: partial
module {
  graph.parameter @w : tensor<6x2xf32> init(<uniform, -1.0, 1.0>)
  graph.parameter @b : tensor<2xf32> init(<zeros>) {trainable = false}
  func.func @forward_backward(%x: tensor<8x6xf32> {graph.role = #graph.role<input "x">},
                              %w: tensor<6x2xf32> {graph.role = #graph.role<parameter "w">},
                              %b: tensor<2xf32> {graph.role = #graph.role<parameter "b">})
      -> (tensor<f32> {graph.role = #graph.role<loss>},
          tensor<6x2xf32> {graph.role = #graph.role<gradient "w">}) {
    %g = graph.constant dense<6.250000e-02> : tensor<8x2xf32>
    %y = graph.matmul %x, %w : tensor<8x6xf32>, tensor<6x2xf32>
    %r = graph.broadcast %b, [1] : tensor<2xf32> to tensor<8x2xf32>
    %z = graph.add %y, %r : tensor<8x2xf32>
    %loss = graph.reduce mean %z, [0, 1] : tensor<8x2xf32>
    %gw = graph.matmul %x, %g {transpose_lhs} : tensor<8x6xf32>, tensor<8x2xf32>
    return %loss, %gw : tensor<f32>, tensor<6x2xf32>
  }
  func.func @update(%w: tensor<6x2xf32> {graph.role = #graph.role<parameter "w">},
                    %g: tensor<6x2xf32> {graph.role = #graph.role<gradient "w">})
      -> (tensor<6x2xf32> {graph.role = #graph.role<parameter "w">}) {
    %rate = graph.constant dense<0.1> : tensor<f32>
    %0 = graph.sgd %w, %g, %rate : tensor<6x2xf32>, tensor<f32>
    return %0 : tensor<6x2xf32>
  }
}

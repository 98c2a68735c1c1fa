// RUN: pcc-opt %s --split-input-file --strategy-collect-constraints --strategy-semi-auto=device-num=8 | FileCheck %s

// Strategies given as tuples become one mesh. Other shardings follow: the activation follows its operand, the
// bias its user, the input the matmul. A partial sum meets no other one here, and is reduced before the bias.

// CHECK: module attributes {dist.mesh = #dist.mesh<x=2, y=4>}
// CHECK-LABEL: func.func @forward(
// CHECK-SAME: tensor<8x16xf32> {dist.sharding = #dist.sharding<[x, _]>
// CHECK-SAME: tensor<16x64xf32> {dist.sharding = #dist.sharding<[_, y]>
// CHECK-SAME: tensor<64x16xf32> {dist.sharding = #dist.sharding<[y, _]>
// CHECK-SAME: tensor<16xf32> {dist.sharding = #dist.sharding<[_]>
// CHECK: graph.relu {{.+}}dist.out = [#dist.sharding<[x, y]>]
// CHECK: graph.matmul {{.+}}dist.out = [#dist.sharding<[x, _] partial(sum: y)>]
// CHECK: graph.broadcast {{.+}}dist.out = [#dist.sharding<[x, _]>]
// CHECK: graph.add {{.+}}dist.in = [#dist.sharding<[x, _]>, #dist.sharding<[x, _]>]
func.func @forward(%x: tensor<8x16xf32> {graph.role = #graph.role<input "x">},
                   %w1: tensor<16x64xf32> {graph.role = #graph.role<parameter "w1">},
                   %w2: tensor<64x16xf32> {graph.role = #graph.role<parameter "w2">},
                   %b2: tensor<16xf32> {graph.role = #graph.role<parameter "b2">})
    -> (tensor<8x16xf32> {graph.role = #graph.role<output "y">}) {
  %0 = graph.matmul %x, %w1 {dist.in = "((2,1),(1,4))"} : tensor<8x16xf32>, tensor<16x64xf32>
  %1 = graph.relu %0 : tensor<8x64xf32>
  %2 = graph.matmul %1, %w2 {dist.in = "((2,4),(4,1))"} : tensor<8x64xf32>, tensor<64x16xf32>
  %3 = graph.broadcast %b2, [1] : tensor<16xf32> to tensor<8x16xf32>
  %4 = graph.add %2, %3 : tensor<8x16xf32>
  return %4 : tensor<8x16xf32>
}

// -----

// Two partial sums that meet are added first and reduced once, whatever whole value is between them.

// CHECK-LABEL: func.func @residual(
// CHECK: %[[A:.+]] = graph.matmul {{.+}}dist.out = [#dist.sharding<[_, _] partial(sum: tp)>]
// CHECK: graph.add {{.+}}dist.in = [#dist.sharding<[_, _] partial(sum: tp)>, #dist.sharding<[_, _] partial(sum: tp)>]
// CHECK: graph.add {{.+}}dist.out = [#dist.sharding<[_, _] partial(sum: tp)>]
// CHECK: graph.relu {{.+}}dist.in = [#dist.sharding<[_, _]>]
module attributes {dist.mesh = #dist.mesh<tp=8>} {
  func.func @residual(%x: tensor<4x64xf32>, %w: tensor<64x4xf32>, %v: tensor<64x4xf32>,
                      %r: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = graph.matmul %x, %w {dist.in = "[_, tp], [tp, _]"} : tensor<4x64xf32>, tensor<64x4xf32>
    %1 = graph.add %r, %0 : tensor<4x4xf32>
    %2 = graph.matmul %x, %v {dist.in = "[_, tp], [tp, _]"} : tensor<4x64xf32>, tensor<64x4xf32>
    %3 = graph.add %1, %2 : tensor<4x4xf32>
    %4 = graph.relu %3 : tensor<4x4xf32>
    return %4 : tensor<4x4xf32>
  }
}

// -----

// An output strategy describes the result that users see: the sum is scattered along the first dimension.

// CHECK-LABEL: func.func @scattered(
// CHECK: graph.matmul {{.+}}dist.out = [#dist.sharding<[_, _] partial(sum: x)>]
// CHECK: graph.relu {{.+}}dist.in = [#dist.sharding<[x, _]>]
func.func @scattered(%x: tensor<8x64xf32>, %w: tensor<64x4xf32>) -> tensor<8x4xf32> {
  %0 = graph.matmul %x, %w {dist.in = "((1,8),(8,1))", dist.out = "((8,1))"} : tensor<8x64xf32>, tensor<64x4xf32>
  %1 = graph.relu %0 : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// -----

// Without any constraint the batch is split by the largest divisor that the ranks have.

// CHECK: dist.mesh = #dist.mesh<dp0=4, dp1=2>
// CHECK: graph.tanh {{.+}}dist.out = [#dist.sharding<[dp0, _]>]
func.func @batch(%x: tensor<4x6xf32> {graph.role = #graph.role<input "x">}) -> tensor<4x6xf32> {
  %0 = graph.tanh %x : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// A scalar input has no influence on the sharding of its repetition.

// CHECK-LABEL: func.func @scaled(
// CHECK: graph.broadcast {{.+}}dist.out = [#dist.sharding<[dp0, _]>]
// CHECK: graph.mul {{.+}}dist.out = [#dist.sharding<[dp0, _]>]
func.func @scaled(%x: tensor<4x6xf32> {graph.role = #graph.role<input "x">},
                  %s: tensor<f32> {graph.role = #graph.role<input "s">}) -> tensor<4x6xf32> {
  %0 = graph.broadcast %s, [] : tensor<f32> to tensor<4x6xf32>
  %1 = graph.mul %x, %0 : tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// -----

// Parameters and inputs may be constrained as well, by regular expressions on their names that support \d and \w.

// CHECK-LABEL: func.func @named(
// CHECK-SAME: tensor<16x8xf32> {dist.sharding = #dist.sharding<[tp, _]>
// CHECK: graph.matmul {{.+}}dist.out = [#dist.sharding<[_, _] partial(sum: tp)>]
module attributes {dist.mesh = #dist.mesh<tp=8>,
                   dist.constraints = [{parameter = "layer\\d[.\\d]\\w+", sharding = "[tp, _]"}]} {
  graph.parameter @layer1.weight : tensor<16x8xf32> init(<zeros>)
  func.func @named(%x: tensor<8x16xf32> {graph.role = #graph.role<input "x">},
                   %w: tensor<16x8xf32> {graph.role = #graph.role<parameter "layer1.weight">}) -> tensor<8x8xf32> {
    %0 = graph.matmul %x, %w : tensor<8x16xf32>, tensor<16x8xf32>
    return %0 : tensor<8x8xf32>
  }
}

// -----

// A value in a sharding that another op already reads costs nothing more; a gradient has its parameter's sharding.

// CHECK: dist.mesh = #dist.mesh<x=2, y=2, z=2>
// CHECK-LABEL: func.func @forward_backward(
// CHECK: graph.tanh {{.+}}dist.out = [#dist.sharding<[x, y.z]>]
// CHECK: graph.matmul {{.+}}dist.in = [#dist.sharding<[x.y, _]>, #dist.sharding<[_, z]>]
// CHECK: graph.matmul {{.+}}dist.in = [#dist.sharding<[x.y, _]>, #dist.sharding<[x.y, z]>], dist.out = [#dist.sharding<[_, z] partial(sum: x, y)>]
func.func @forward_backward(%x: tensor<64x64xf32> {graph.role = #graph.role<input "x">},
                            %w: tensor<64x24xf32> {graph.role = #graph.role<parameter "w">})
    -> (tensor<64x24xf32> {graph.role = #graph.role<gradient "w">}) {
  %0 = graph.tanh %x {dist.in = "((2,4))"} : tensor<64x64xf32>
  %1 = graph.matmul %0, %w {dist.in = "((4,1),(1,2))"} : tensor<64x64xf32>, tensor<64x24xf32>
  %2 = graph.matmul %0, %1 {transpose_lhs} : tensor<64x64xf32>, tensor<64x24xf32>
  return %2 : tensor<64x24xf32>
}

// -----

// The gradient of a table that is split over its rows: each rank adds up its own rows, also behind a scale.

// CHECK-LABEL: func.func @table(
// CHECK: graph.scatter_add {{.+}}dist.out = [#dist.sharding<[tp, _] partial(sum: dp)>]
// CHECK: graph.mul {{.+}}dist.out = [#dist.sharding<[tp, _] partial(sum: dp)>]
module attributes {dist.mesh = #dist.mesh<dp=2, tp=4>} {
  func.func @table(%ids: tensor<8xi64> {graph.role = #graph.role<input "ids">},
                   %table: tensor<64x4xf32> {graph.role = #graph.role<parameter "table">},
                   %slope: tensor<8x4xf32> {graph.role = #graph.role<input "slope">})
      -> (tensor<8x4xf32>, tensor<64x4xf32> {graph.role = #graph.role<gradient "table">}) {
    %zero = graph.constant dense<0.0> : tensor<64x4xf32>
    %half = graph.constant dense<0.5> : tensor<64x4xf32>
    %0 = graph.gather %table, %ids axis = 0 {dist.in = "[tp, _], [dp]"} : tensor<64x4xf32>, tensor<8xi64>
    %1 = graph.mul %0, %slope : tensor<8x4xf32>
    %2 = graph.scatter_add %zero, %ids, %1 axis = 0 : (tensor<64x4xf32>, tensor<8xi64>, tensor<8x4xf32>) -> tensor<64x4xf32>
    %3 = graph.mul %2, %half : tensor<64x4xf32>
    return %1, %3 : tensor<8x4xf32>, tensor<64x4xf32>
  }
}

// -----

// An op whose operand is whole follows its reader, which is split: each rank computes the block that it reads.

// CHECK-LABEL: func.func @whole_operand(
// CHECK: graph.matmul {{.+}}dist.in = [#dist.sharding<[_, _]>, #dist.sharding<[_, x]>]
// CHECK: graph.tanh {{.+}}dist.in = [#dist.sharding<[_, x]>]
// CHECK: graph.add {{.+}}dist.in = [#dist.sharding<[_, x]>, #dist.sharding<[_, x]>]
func.func @whole_operand(%x: tensor<128x64xf32> {graph.role = #graph.role<input "x">},
                         %w: tensor<64x64xf32> {graph.role = #graph.role<parameter "w">})
    -> (tensor<128x64xf32> {graph.role = #graph.role<output "y">}) {
  %0 = graph.matmul %x, %w {dist.in = "((1,1),(1,8))"} : tensor<128x64xf32>, tensor<64x64xf32>
  %1 = graph.tanh %x : tensor<128x64xf32>
  %2 = graph.add %0, %1 : tensor<128x64xf32>
  return %2 : tensor<128x64xf32>
}

// -----

// Another reader takes the value whole. A gather of the blocks would cost more than to compute them everywhere.

// CHECK-LABEL: func.func @whole_reader(
// CHECK: graph.tanh {{.+}}dist.in = [#dist.sharding<[_, _]>]
// CHECK: graph.add {{.+}}dist.in = [#dist.sharding<[_, x]>, #dist.sharding<[_, x]>]
func.func @whole_reader(%x: tensor<128x64xf32> {graph.role = #graph.role<input "x">},
                        %w: tensor<64x64xf32> {graph.role = #graph.role<parameter "w">},
                        %v: tensor<64x8xf32> {graph.role = #graph.role<parameter "v">})
    -> (tensor<128x64xf32> {graph.role = #graph.role<output "y">},
        tensor<128x8xf32> {graph.role = #graph.role<output "z">}) {
  %0 = graph.matmul %x, %w {dist.in = "((1,1),(1,8))"} : tensor<128x64xf32>, tensor<64x64xf32>
  %1 = graph.tanh %x : tensor<128x64xf32>
  %2 = graph.add %0, %1 : tensor<128x64xf32>
  %3 = graph.matmul %1, %v {dist.in = "((1,1),(1,1))"} : tensor<128x64xf32>, tensor<64x8xf32>
  return %2, %3 : tensor<128x64xf32>, tensor<128x8xf32>
}

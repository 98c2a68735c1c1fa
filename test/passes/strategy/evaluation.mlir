// RUN: pcc-opt %s --strategy-semi-auto=device-num=4 | FileCheck %s

// An evaluation takes the shardings of the same ops of the training step, here those of a search. Its parameters
// alone would not give them: the first matmul cuts its weight over the ranks that split the samples. Ops with other
// types or attributes, or that training lacks, follow their neighbors.

// CHECK-LABEL: func.func @forward(
// CHECK: graph.matmul %arg0, %arg1 {dist.in = [#dist.sharding<[dp, _]>, #dist.sharding<[_, _]>], dist.out = [#dist.sharding<[dp, _]>]}
// CHECK: graph.tanh {{.+}}dist.out = [#dist.sharding<[dp, _]>]
// CHECK: graph.reduce sum {{.+}}, [1] {dist.in = [#dist.sharding<[dp, _]>], dist.out = [#dist.sharding<[dp]>]}
// CHECK: graph.exp {{.+}}dist.out = [#dist.sharding<[dp]>]
// CHECK-LABEL: func.func @other_batch(
// CHECK: graph.matmul %arg0, %arg1 {{.*}}dist.in = [#dist.sharding<[_, dp]>, #dist.sharding<[dp, _]>]
// CHECK-LABEL: func.func @forward_backward(
// CHECK: graph.matmul %arg0, %arg1 {dist.in = [#dist.sharding<[dp, _]>, #dist.sharding<[_, _]>], dist.out = [#dist.sharding<[dp, _]>]}
module attributes {dist.mesh = #dist.mesh<dp=4>, dist.constraints = [
    {parameter = "w", sharding = "[dp, _]"},
    {op_exact = "forward_backward:matmul#0", in = "[dp, _], [_, _]", out = "[dp, _]", restored}]} {
  graph.parameter @w : tensor<8x8xf32> init(#graph.init<zeros>)
  func.func @forward(%x: tensor<8x8xf32> {graph.role = #graph.role<input "x">},
                     %w: tensor<8x8xf32> {graph.role = #graph.role<parameter "w">}) -> tensor<8xf32> {
    %0 = graph.matmul %x, %w : tensor<8x8xf32>, tensor<8x8xf32> loc("matmul")
    %1 = graph.tanh %0 : tensor<8x8xf32>
    %2 = graph.reduce sum %1, [1] : tensor<8x8xf32> loc("loss")
    %3 = graph.exp %2 : tensor<8xf32>
    return %3 : tensor<8xf32>
  }
  func.func @other_batch(%x: tensor<6x8xf32> {graph.role = #graph.role<input "z">},
                         %w: tensor<8x8xf32> {graph.role = #graph.role<parameter "w">}) -> tensor<6x8xf32> {
    %0 = graph.matmul %x, %w : tensor<6x8xf32>, tensor<8x8xf32> loc("matmul")
    return %0 : tensor<6x8xf32>
  }
  func.func @forward_backward(%x: tensor<8x8xf32> {graph.role = #graph.role<input "x">},
                              %w: tensor<8x8xf32> {graph.role = #graph.role<parameter "w">})
      -> (tensor<f32> {graph.role = #graph.role<loss>}, tensor<8x8xf32> {graph.role = #graph.role<gradient "w">}) {
    %0 = graph.matmul %x, %w : tensor<8x8xf32>, tensor<8x8xf32> loc("matmul")
    %1 = graph.tanh %0 : tensor<8x8xf32>
    %2 = graph.reduce sum %1, [0, 1] : tensor<8x8xf32> loc("loss")
    %3 = graph.neg %1 : tensor<8x8xf32>
    %4 = graph.transpose %x, [1, 0] : tensor<8x8xf32>
    %5 = graph.matmul %4, %3 : tensor<8x8xf32>, tensor<8x8xf32> loc("matmul.grad")
    return %2, %5 : tensor<f32>, tensor<8x8xf32>
  }
}

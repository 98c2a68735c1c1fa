// Hand-written collectives that feed one another on four ranks, and a ring of transfers: every rank
// sends to the next one and continues with the value received from the preceding one.
module attributes {dist.mesh = #dist.mesh<x=2, y=2>} {
  graph.parameter @w : tensor<4x4xf32> init(#graph.init<uniform, -1.0, 1.0>)
  func.func @forward(%batch: tensor<8x4xf32> {graph.role = #graph.role<input "batch">},
                     %p: tensor<4x4xf32> {graph.role = #graph.role<parameter "w">})
      -> (tensor<f32> {graph.role = #graph.role<loss>, dist.sharding = #dist.sharding<[] partial(sum: x, y)>},
          tensor<8x4xf32> {graph.role = #graph.role<output "all">}) attributes {dist.local} {
    %rank = dist.rank
    %two = graph.constant dense<2> : tensor<i64>
    %start = graph.mul %rank, %two : tensor<i64>
    %x = graph.dynamic_slice %batch, %start axis = 0 : (tensor<8x4xf32>, tensor<i64>) -> tensor<2x4xf32>
    %w = dist.mirror %p : tensor<4x4xf32>
    %0 = graph.matmul %x, %w : tensor<2x4xf32>, tensor<4x4xf32>
    %1 = dist.all_gather %0 axis = 0 over <axes [x]> : tensor<2x4xf32> to tensor<4x4xf32>
    %2 = dist.all_to_all %1 split = 1 concat = 0 over <axes [y]> : tensor<4x4xf32> to tensor<8x2xf32>
    %3 = graph.reshape %2 : tensor<8x2xf32> to tensor<4x4xf32>
    %4 = dist.reduce_scatter sum %3 axis = 0 over <ranks [[0, 3], [2, 1]]> : tensor<4x4xf32> to tensor<2x4xf32>
    %5 = dist.broadcast %4 root = 1 over <axes [y]> : tensor<2x4xf32>
    %6 = dist.reduce sum %5 root = 0 over <axes [x]> : tensor<2x4xf32>
    %7 = graph.add %6, %0 : tensor<2x4xf32>
    dist.send %7 to [1, 2, 3, 0] {tag = 1 : i64} : tensor<2x4xf32>
    %8 = dist.recv from [3, 0, 1, 2] {tag = 1 : i64} : tensor<2x4xf32>
    dist.barrier
    %9 = graph.mul %7, %8 : tensor<2x4xf32>
    %10 = graph.tanh %9 : tensor<2x4xf32>
    %loss = graph.reduce mean %10, [0, 1] : tensor<2x4xf32>
    %all = dist.all_gather %10 axis = 0 : tensor<2x4xf32> to tensor<8x4xf32>
    return %loss, %all : tensor<f32>, tensor<8x4xf32>
  }
}

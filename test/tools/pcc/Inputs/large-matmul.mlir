// One matmul, whose time gives the f32 rate of a device.
graph.parameter @w : tensor<4096x4096xf32> init(<normal, 0.0, 0.1>)
func.func @forward(%x: tensor<4096x4096xf32> {graph.role = #graph.role<input "x">}, %w: tensor<4096x4096xf32> {graph.role = #graph.role<parameter "w">}) -> (tensor<4096x4096xf32> {graph.role = #graph.role<output "y">}) {
  %0 = graph.matmul %x, %w : tensor<4096x4096xf32>, tensor<4096x4096xf32> loc("y")
  return %0 : tensor<4096x4096xf32>
}

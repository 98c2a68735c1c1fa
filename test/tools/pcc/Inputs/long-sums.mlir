// Parameters whose gradients are sums of 4,096 rows. A GPU computes them in two steps, and the loss as well.
graph.parameter @scale : tensor<64xf32> init(<normal, 1.0, 0.1>)
graph.parameter @shift : tensor<64xf32> init(<normal, 0.0, 0.1>)
func.func @forward(%x: tensor<4096x64xf32> {graph.role = #graph.role<input "x">},
                   %scale: tensor<64xf32> {graph.role = #graph.role<parameter "scale">},
                   %shift: tensor<64xf32> {graph.role = #graph.role<parameter "shift">})
    -> (tensor<4096x64xf32> {graph.role = #graph.role<output "y">}) {
  %0 = graph.broadcast %scale, [1] : tensor<64xf32> to tensor<4096x64xf32>
  %1 = graph.mul %x, %0 : tensor<4096x64xf32> loc("scale")
  %2 = graph.broadcast %shift, [1] : tensor<64xf32> to tensor<4096x64xf32>
  %3 = graph.add %1, %2 : tensor<4096x64xf32> loc("shift")
  return %3 : tensor<4096x64xf32>
}

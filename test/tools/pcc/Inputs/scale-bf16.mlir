// One weight of bf16 for each feature, at first 1; its gradient is the mean of the feature.
graph.parameter @scale : tensor<4xbf16> init(#graph.init<ones>)
func.func @forward(%x: tensor<8x4xbf16> {graph.role = #graph.role<input "x">},
                   %scale: tensor<4xbf16> {graph.role = #graph.role<parameter "scale">})
    -> (tensor<f32> {graph.role = #graph.role<output "loss">}) {
  %all = graph.broadcast %scale, [1] : tensor<4xbf16> to tensor<8x4xbf16>
  %y = graph.mul %x, %all : tensor<8x4xbf16>
  %wide = graph.cast %y : tensor<8x4xbf16> to tensor<8x4xf32>
  %rows = graph.reduce sum %wide, [1] : tensor<8x4xf32>
  %loss = graph.reduce mean %rows, [0] : tensor<8xf32>
  return %loss : tensor<f32>
}

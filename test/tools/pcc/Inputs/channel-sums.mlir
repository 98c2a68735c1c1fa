// Factors and biases of channels, in f32 and bf16. Their gradients are sums over samples and pixels, which a GPU computes in two steps.
graph.parameter @scale : tensor<8xf32> init(<normal, 1.0, 0.1>)
graph.parameter @shift : tensor<8xf32> init(<normal, 0.0, 0.1>)
graph.parameter @half.scale : tensor<8xbf16> init(<normal, 1.0, 0.1>)
graph.parameter @half.shift : tensor<8xbf16> init(<normal, 0.0, 0.1>)
func.func @forward(%x: tensor<4x8x96x96xf32> {graph.role = #graph.role<input "x">},
                   %scale: tensor<8xf32> {graph.role = #graph.role<parameter "scale">},
                   %shift: tensor<8xf32> {graph.role = #graph.role<parameter "shift">},
                   %half_scale: tensor<8xbf16> {graph.role = #graph.role<parameter "half.scale">},
                   %half_shift: tensor<8xbf16> {graph.role = #graph.role<parameter "half.shift">})
    -> (tensor<4x8x96x96xf32> {graph.role = #graph.role<output "y">}) {
  %0 = graph.broadcast %scale, [1] : tensor<8xf32> to tensor<4x8x96x96xf32>
  %1 = graph.mul %x, %0 : tensor<4x8x96x96xf32> loc("scale")
  %2 = graph.broadcast %shift, [1] : tensor<8xf32> to tensor<4x8x96x96xf32>
  %3 = graph.add %1, %2 : tensor<4x8x96x96xf32> loc("shift")
  %4 = graph.cast %3 : tensor<4x8x96x96xf32> to tensor<4x8x96x96xbf16> loc("narrow")
  %5 = graph.broadcast %half_scale, [1] : tensor<8xbf16> to tensor<4x8x96x96xbf16>
  %6 = graph.mul %4, %5 : tensor<4x8x96x96xbf16> loc("half.scale")
  %7 = graph.broadcast %half_shift, [1] : tensor<8xbf16> to tensor<4x8x96x96xbf16>
  %8 = graph.add %6, %7 : tensor<4x8x96x96xbf16> loc("half.shift")
  %9 = graph.cast %8 : tensor<4x8x96x96xbf16> to tensor<4x8x96x96xf32> loc("wide")
  return %9 : tensor<4x8x96x96xf32>
}

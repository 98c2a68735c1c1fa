// A small convolutional network: bias and relu after the first convolution, max and average
// pooling, and a strided convolution with groups.
graph.parameter @w1 : tensor<8x3x3x3xf32> init(<normal, 0.0, 0.3>)
graph.parameter @b1 : tensor<8xf32> init(<normal, 0.0, 0.1>)
graph.parameter @w2 : tensor<8x4x3x3xf32> init(<normal, 0.0, 0.3>)
graph.parameter @w3 : tensor<8x10xf32> init(<normal, 0.0, 0.5>)
func.func @forward(%x: tensor<8x3x16x16xf32> {graph.role = #graph.role<input "x">},
                   %w1: tensor<8x3x3x3xf32> {graph.role = #graph.role<parameter "w1">},
                   %b1: tensor<8xf32> {graph.role = #graph.role<parameter "b1">},
                   %w2: tensor<8x4x3x3xf32> {graph.role = #graph.role<parameter "w2">},
                   %w3: tensor<8x10xf32> {graph.role = #graph.role<parameter "w3">})
    -> (tensor<8x10xf32> {graph.role = #graph.role<output "logits">}) {
  %c1 = graph.conv2d %x, %w1 {padding = array<i64: 1, 1, 1, 1>} : tensor<8x3x16x16xf32>, tensor<8x3x3x3xf32> loc("conv1")
  %b = graph.broadcast %b1, [1] : tensor<8xf32> to tensor<8x8x16x16xf32>
  %s1 = graph.add %c1, %b : tensor<8x8x16x16xf32> loc("bias1")
  %r1 = graph.relu %s1 : tensor<8x8x16x16xf32>
  %p1 = graph.max_pool %r1 window = [3, 3] {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : tensor<8x8x16x16xf32> loc("pool1")
  %c2 = graph.conv2d %p1, %w2 {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : tensor<8x8x8x8xf32>, tensor<8x4x3x3xf32> loc("conv2")
  %p2 = graph.avg_pool %c2 window = [3, 3] {padding = array<i64: 1, 1, 1, 1>} : tensor<8x8x4x4xf32> loc("pool2")
  %g = graph.reduce mean %p2, [2, 3] : tensor<8x8x4x4xf32>
  %logits = graph.matmul %g, %w3 : tensor<8x8xf32>, tensor<8x10xf32>
  return %logits : tensor<8x10xf32>
}

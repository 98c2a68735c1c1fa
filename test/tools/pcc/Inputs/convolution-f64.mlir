// A convolution in f64 with groups, strides and padding, then a layer; data are f64.
module {
  graph.parameter @conv.weight : tensor<4x1x3x3xf64> init(#graph.init<normal, 0.0, 0.3>)
  graph.parameter @fc.weight : tensor<5x64xf64> init(#graph.init<normal, 0.0, 0.1>)
  func.func @forward(%x: tensor<8x2x8x8xf64> {graph.role = #graph.role<input "x">},
                     %w1: tensor<4x1x3x3xf64> {graph.role = #graph.role<parameter "conv.weight">},
                     %w2: tensor<5x64xf64> {graph.role = #graph.role<parameter "fc.weight">})
      -> (tensor<8x5xf64> {graph.role = #graph.role<output "logits">}) {
    %0 = graph.conv2d %x, %w1 {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : tensor<8x2x8x8xf64>, tensor<4x1x3x3xf64>
    %1 = graph.gelu %0 : tensor<8x4x4x4xf64>
    %2 = graph.reshape %1 : tensor<8x4x4x4xf64> to tensor<8x64xf64>
    %3 = graph.matmul %2, %w2 {transpose_rhs} : tensor<8x64xf64>, tensor<5x64xf64>
    return %3 : tensor<8x5xf64>
  }
}

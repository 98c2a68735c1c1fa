// A perceptron of two layers in f16; data and scores are in f32.
module {
  graph.parameter @fc1.weight : tensor<16x8xf16> init(#graph.init<normal, 0.0, 0.1>)
  graph.parameter @fc1.bias : tensor<16xf16> init(#graph.init<zeros>)
  graph.parameter @fc2.weight : tensor<5x16xf16> init(#graph.init<normal, 0.0, 0.1>)
  func.func @forward(%x: tensor<16x8xf32> {graph.role = #graph.role<input "x">},
                     %w1: tensor<16x8xf16> {graph.role = #graph.role<parameter "fc1.weight">},
                     %b1: tensor<16xf16> {graph.role = #graph.role<parameter "fc1.bias">},
                     %w2: tensor<5x16xf16> {graph.role = #graph.role<parameter "fc2.weight">})
      -> (tensor<16x5xf32> {graph.role = #graph.role<output "logits">}) {
    %narrow = graph.cast %x : tensor<16x8xf32> to tensor<16x8xf16>
    %0 = graph.matmul %narrow, %w1 {transpose_rhs} : tensor<16x8xf16>, tensor<16x8xf16>
    %1 = graph.broadcast %b1, [1] : tensor<16xf16> to tensor<16x16xf16>
    %2 = graph.add %0, %1 : tensor<16x16xf16>
    %3 = graph.relu %2 : tensor<16x16xf16>
    %4 = graph.matmul %3, %w2 {transpose_rhs} : tensor<16x16xf16>, tensor<5x16xf16>
    %5 = graph.cast %4 : tensor<16x5xf16> to tensor<16x5xf32>
    return %5 : tensor<16x5xf32>
  }
}

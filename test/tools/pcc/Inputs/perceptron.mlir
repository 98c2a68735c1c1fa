// A perceptron of two layers; 5 classes, which no even number of ranks divides.
module {
  graph.parameter @fc1.weight : tensor<16x8xf32> init(#graph.init<normal, 0.0, 0.1>)
  graph.parameter @fc1.bias : tensor<16xf32> init(#graph.init<zeros>)
  graph.parameter @fc2.weight : tensor<5x16xf32> init(#graph.init<normal, 0.0, 0.1>)
  func.func @forward(%x: tensor<16x8xf32> {graph.role = #graph.role<input "x">},
                     %w1: tensor<16x8xf32> {graph.role = #graph.role<parameter "fc1.weight">},
                     %b1: tensor<16xf32> {graph.role = #graph.role<parameter "fc1.bias">},
                     %w2: tensor<5x16xf32> {graph.role = #graph.role<parameter "fc2.weight">})
      -> (tensor<16x5xf32> {graph.role = #graph.role<output "logits">}) {
    %0 = graph.matmul %x, %w1 {transpose_rhs} : tensor<16x8xf32>, tensor<16x8xf32>
    %1 = graph.broadcast %b1, [1] : tensor<16xf32> to tensor<16x16xf32>
    %2 = graph.add %0, %1 : tensor<16x16xf32>
    %3 = graph.relu %2 : tensor<16x16xf32>
    %4 = graph.matmul %3, %w2 {transpose_rhs} : tensor<16x16xf32>, tensor<5x16xf32>
    return %4 : tensor<16x5xf32>
  }
}

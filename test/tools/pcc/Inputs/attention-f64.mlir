// A causal attention in f64 between two layers.
module {
  graph.parameter @qkv.weight : tensor<24x8xf64> init(#graph.init<normal, 0.0, 0.3>)
  graph.parameter @out.weight : tensor<5x8xf64> init(#graph.init<normal, 0.0, 0.3>)
  func.func @forward(%x: tensor<4x6x8xf64> {graph.role = #graph.role<input "x">},
                     %w1: tensor<24x8xf64> {graph.role = #graph.role<parameter "qkv.weight">},
                     %w2: tensor<5x8xf64> {graph.role = #graph.role<parameter "out.weight">})
      -> (tensor<4x6x5xf64> {graph.role = #graph.role<output "logits">}) {
    %0 = graph.einsum "abc,dc->abd" %x, %w1 : tensor<4x6x8xf64>, tensor<24x8xf64>
    %1 = graph.reshape %0 : tensor<4x6x24xf64> to tensor<4x6x6x4xf64>
    %2 = graph.transpose %1, [0, 2, 1, 3] : tensor<4x6x6x4xf64>
    %q, %k, %v = graph.split %2 axis = 1 : tensor<4x6x6x4xf64> to tensor<4x2x6x4xf64>, tensor<4x2x6x4xf64>, tensor<4x2x6x4xf64>
    %r, %l = graph.attention %q, %k, %v scale = 0.5 {causal} : tensor<4x2x6x4xf64>, tensor<4x2x6x4xf64>, tensor<4x2x6x4xf64>
    %3 = graph.transpose %r, [0, 2, 1, 3] : tensor<4x2x6x4xf64>
    %4 = graph.reshape %3 : tensor<4x6x2x4xf64> to tensor<4x6x8xf64>
    %5 = graph.einsum "abc,dc->abd" %4, %w2 : tensor<4x6x8xf64>, tensor<5x8xf64>
    return %5 : tensor<4x6x5xf64>
  }
}

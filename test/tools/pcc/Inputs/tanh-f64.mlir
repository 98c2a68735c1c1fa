// One layer in f64 with a tanh; the parameters start with constants.
module {
  graph.parameter @weight : tensor<2x3xf64> init(#graph.init<constant, 0.1>)
  graph.parameter @bias : tensor<2xf64> init(#graph.init<zeros>)
  func.func @forward(%x: tensor<4x3xf64> {graph.role = #graph.role<input "x">},
                     %w: tensor<2x3xf64> {graph.role = #graph.role<parameter "weight">},
                     %b: tensor<2xf64> {graph.role = #graph.role<parameter "bias">})
      -> (tensor<4x2xf64> {graph.role = #graph.role<output "y">}) {
    %0 = graph.matmul %x, %w {transpose_rhs} : tensor<4x3xf64>, tensor<2x3xf64>
    %1 = graph.broadcast %b, [1] : tensor<2xf64> to tensor<4x2xf64>
    %2 = graph.add %0, %1 : tensor<4x2xf64>
    %3 = graph.tanh %2 : tensor<4x2xf64>
    return %3 : tensor<4x2xf64>
  }
}

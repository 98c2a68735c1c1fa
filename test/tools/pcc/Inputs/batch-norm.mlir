// Batch norms of rows and of positions, and dropout, in training as in an export for evaluation.
module {
  graph.parameter @fc1.weight : tensor<12x8xf32> init(#graph.init<normal, 0.0, 0.5>)
  graph.parameter @bn1.scale : tensor<12xf32> init(#graph.init<uniform, 0.5, 1.5>)
  graph.parameter @bn1.bias : tensor<12xf32> init(#graph.init<zeros>)
  graph.parameter @bn1.mean : tensor<12xf32> init(#graph.init<zeros>) {trainable = false}
  graph.parameter @bn1.variance : tensor<12xf32> init(#graph.init<ones>) {trainable = false}
  graph.parameter @bn2.scale : tensor<3xf32> init(#graph.init<ones>)
  graph.parameter @bn2.bias : tensor<3xf32> init(#graph.init<zeros>)
  graph.parameter @bn2.mean : tensor<3xf32> init(#graph.init<zeros>) {trainable = false}
  graph.parameter @bn2.variance : tensor<3xf32> init(#graph.init<ones>) {trainable = false}
  graph.parameter @fc2.weight : tensor<5x12xf32> init(#graph.init<normal, 0.0, 0.5>)
  func.func @forward(%x: tensor<16x8xf32> {graph.role = #graph.role<input "x">},
                     %w1: tensor<12x8xf32> {graph.role = #graph.role<parameter "fc1.weight">},
                     %s1: tensor<12xf32> {graph.role = #graph.role<parameter "bn1.scale">},
                     %b1: tensor<12xf32> {graph.role = #graph.role<parameter "bn1.bias">},
                     %m1: tensor<12xf32> {graph.role = #graph.role<parameter "bn1.mean">},
                     %v1: tensor<12xf32> {graph.role = #graph.role<parameter "bn1.variance">},
                     %s2: tensor<3xf32> {graph.role = #graph.role<parameter "bn2.scale">},
                     %b2: tensor<3xf32> {graph.role = #graph.role<parameter "bn2.bias">},
                     %m2: tensor<3xf32> {graph.role = #graph.role<parameter "bn2.mean">},
                     %v2: tensor<3xf32> {graph.role = #graph.role<parameter "bn2.variance">},
                     %w2: tensor<5x12xf32> {graph.role = #graph.role<parameter "fc2.weight">})
      -> (tensor<16x5xf32> {graph.role = #graph.role<output "logits">}) {
    %0 = graph.matmul %x, %w1 {transpose_rhs} : tensor<16x8xf32>, tensor<12x8xf32>
    %1 = graph.batch_norm_inference %0, %s1, %b1, %m1, %v1 epsilon = 1.0e-3
      : tensor<16x12xf32>, tensor<12xf32>, tensor<12xf32>
    %2 = graph.reshape %1 : tensor<16x12xf32> to tensor<16x3x4xf32>
    %3 = graph.batch_norm_inference %2, %s2, %b2, %m2, %v2 epsilon = 1.0e-3 {momentum = 0.75 : f64}
      : tensor<16x3x4xf32>, tensor<3xf32>, tensor<3xf32>
    %4 = graph.reshape %3 : tensor<16x3x4xf32> to tensor<16x12xf32>
    %row = graph.iota axis = 0 : tensor<16x12xi64>
    %twelve = graph.constant dense<12> : tensor<16x12xi64>
    %start = graph.mul %row, %twelve : tensor<16x12xi64>
    %column = graph.iota axis = 1 : tensor<16x12xi64>
    %index = graph.add %start, %column : tensor<16x12xi64>
    %seed = graph.constant dense<11> : tensor<i64>
    %5 = graph.dropout %4, %index, %seed rate = 0.25 : tensor<16x12xf32>, tensor<i64>
    %6 = graph.matmul %5, %w2 {transpose_rhs} : tensor<16x12xf32>, tensor<5x12xf32>
    return %6 : tensor<16x5xf32>
  }
}

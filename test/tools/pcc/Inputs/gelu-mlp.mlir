// Two hidden layers with gelu by the tanh formula; the second has no bias, and a width that is not a multiple of 8.
graph.parameter @w1 : tensor<24x12xf32> init(<normal, 0.0, 0.3>)
graph.parameter @b1 : tensor<24xf32> init(<normal, 0.0, 0.1>)
graph.parameter @w2 : tensor<24x16xf32> init(<normal, 0.0, 0.3>)
graph.parameter @w3 : tensor<16x13xf32> init(<normal, 0.0, 0.3>)
graph.parameter @b3 : tensor<13xf32> init(<normal, 0.0, 0.1>)
graph.parameter @w4 : tensor<13x10xf32> init(<normal, 0.0, 0.5>)
graph.parameter @b4 : tensor<10xf32> init(<normal, 0.0, 0.1>)
func.func @forward(%x: tensor<32x12xf32> {graph.role = #graph.role<input "x">},
                   %w1: tensor<24x12xf32> {graph.role = #graph.role<parameter "w1">},
                   %b1: tensor<24xf32> {graph.role = #graph.role<parameter "b1">},
                   %w2: tensor<24x16xf32> {graph.role = #graph.role<parameter "w2">},
                   %w3: tensor<16x13xf32> {graph.role = #graph.role<parameter "w3">},
                   %b3: tensor<13xf32> {graph.role = #graph.role<parameter "b3">},
                   %w4: tensor<13x10xf32> {graph.role = #graph.role<parameter "w4">},
                   %b4: tensor<10xf32> {graph.role = #graph.role<parameter "b4">})
    -> (tensor<32x10xf32> {graph.role = #graph.role<output "logits">}) {
  %p1 = graph.matmul %x, %w1 {transpose_rhs} : tensor<32x12xf32>, tensor<24x12xf32> loc("fc1")
  %c1 = graph.broadcast %b1, [1] : tensor<24xf32> to tensor<32x24xf32>
  %s1 = graph.add %p1, %c1 : tensor<32x24xf32> loc("bias1")
  %g1 = graph.gelu %s1 {form = #graph.gelu_form<tanh>} : tensor<32x24xf32> loc("gelu1")
  %p2 = graph.matmul %g1, %w2 : tensor<32x24xf32>, tensor<24x16xf32> loc("fc2")
  %g2 = graph.gelu %p2 {form = #graph.gelu_form<tanh>} : tensor<32x16xf32> loc("gelu2")
  %p3 = graph.matmul %g2, %w3 : tensor<32x16xf32>, tensor<16x13xf32> loc("fc3")
  %c3 = graph.broadcast %b3, [1] : tensor<13xf32> to tensor<32x13xf32>
  %s3 = graph.add %p3, %c3 : tensor<32x13xf32> loc("bias3")
  %g3 = graph.gelu %s3 {form = #graph.gelu_form<tanh>} : tensor<32x13xf32> loc("gelu3")
  %p4 = graph.matmul %g3, %w4 : tensor<32x13xf32>, tensor<13x10xf32> loc("fc4")
  %c4 = graph.broadcast %b4, [1] : tensor<10xf32> to tensor<32x10xf32>
  %s4 = graph.add %p4, %c4 : tensor<32x10xf32> loc("bias4")
  return %s4 : tensor<32x10xf32>
}

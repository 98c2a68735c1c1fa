module {
  graph.parameter @wq : tensor<16x16xf32> init(<uniform, -0.1, 0.1>)
  graph.parameter @wk : tensor<16x16xf32> init(<uniform, -0.1, 0.1>)
  graph.parameter @wv : tensor<16x16xf32> init(<uniform, -0.1, 0.1>)
  graph.parameter @wo : tensor<16x16xf32> init(<uniform, -0.1, 0.1>)
  graph.parameter @w1 : tensor<16x64xf32> init(<uniform, -0.1, 0.1>)
  graph.parameter @w2 : tensor<64x16xf32> init(<uniform, -0.1, 0.1>)
  // batch 4, sequence 8, width 16, 4 heads of 4
  func.func @forward(%x: tensor<4x8x16xf32> {graph.role = #graph.role<input "x">},
                     %wq: tensor<16x16xf32> {graph.role = #graph.role<parameter "wq">},
                     %wk: tensor<16x16xf32> {graph.role = #graph.role<parameter "wk">},
                     %wv: tensor<16x16xf32> {graph.role = #graph.role<parameter "wv">},
                     %wo: tensor<16x16xf32> {graph.role = #graph.role<parameter "wo">},
                     %w1: tensor<16x64xf32> {graph.role = #graph.role<parameter "w1">},
                     %w2: tensor<64x16xf32> {graph.role = #graph.role<parameter "w2">})
      -> (tensor<f32> {graph.role = #graph.role<loss>}) {
    %t = graph.tanh %x : tensor<4x8x16xf32>
    %f = graph.reshape %t : tensor<4x8x16xf32> to tensor<32x16xf32>
    %q0 = graph.matmul %f, %wq : tensor<32x16xf32>, tensor<16x16xf32>
    %k0 = graph.matmul %f, %wk : tensor<32x16xf32>, tensor<16x16xf32>
    %v0 = graph.matmul %f, %wv : tensor<32x16xf32>, tensor<16x16xf32>
    %q1 = graph.reshape %q0 : tensor<32x16xf32> to tensor<4x8x4x4xf32>
    %k1 = graph.reshape %k0 : tensor<32x16xf32> to tensor<4x8x4x4xf32>
    %v1 = graph.reshape %v0 : tensor<32x16xf32> to tensor<4x8x4x4xf32>
    %q = graph.transpose %q1, [0, 2, 1, 3] : tensor<4x8x4x4xf32>
    %k = graph.transpose %k1, [0, 2, 1, 3] : tensor<4x8x4x4xf32>
    %v = graph.transpose %v1, [0, 2, 1, 3] : tensor<4x8x4x4xf32>
    %s = graph.matmul %q, %k {transpose_rhs} : tensor<4x4x8x4xf32>, tensor<4x4x8x4xf32>
    %p = graph.softmax %s axis = 3 : tensor<4x4x8x8xf32>
    %o = graph.matmul %p, %v : tensor<4x4x8x8xf32>, tensor<4x4x8x4xf32>
    %o1 = graph.transpose %o, [0, 2, 1, 3] : tensor<4x4x8x4xf32>
    %o2 = graph.reshape %o1 : tensor<4x8x4x4xf32> to tensor<32x16xf32>
    %a = graph.matmul %o2, %wo : tensor<32x16xf32>, tensor<16x16xf32>
    %r = graph.add %f, %a : tensor<32x16xf32>
    %n = graph.tanh %r : tensor<32x16xf32>
    %h = graph.matmul %n, %w1 : tensor<32x16xf32>, tensor<16x64xf32>
    %g = graph.gelu %h : tensor<32x64xf32>
    %m = graph.matmul %g, %w2 : tensor<32x64xf32>, tensor<64x16xf32>
    %z = graph.add %r, %m : tensor<32x16xf32>
    %y = graph.square %z : tensor<32x16xf32>
    %loss = graph.reduce mean %y, [0, 1] : tensor<32x16xf32>
    return %loss : tensor<f32>
  }
}

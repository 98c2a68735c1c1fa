// Matmuls and convolutions with ops that their instruction may include, and ops that it may not.
// Constant biases of a matmul without an activation and of an integer matmul; a matmul that reads
// the sum of its own operand; a derivative of gelu at a vector that is repeated.
func.func @forward(%x: tensor<32x16xf32> {graph.role = #graph.role<input "x">},
                   %w: tensor<16x8xf32> {graph.role = #graph.role<input "w">},
                   %image: tensor<2x3x8x8xf32> {graph.role = #graph.role<input "image">},
                   %window: tensor<4x3x3x3xf32> {graph.role = #graph.role<input "window">},
                   %i: tensor<4x8xi32> {graph.role = #graph.role<input "i">},
                   %j: tensor<8x4xi32> {graph.role = #graph.role<input "j">},
                   %k: tensor<4xi32> {graph.role = #graph.role<input "k">},
                   %cube: tensor<8x8x8xf32> {graph.role = #graph.role<input "cube">},
                   %b: tensor<8xf32> {graph.role = #graph.role<input "b">})
    -> (tensor<32x8xf32> {graph.role = #graph.role<output "rectified">},
        tensor<32x8xf32> {graph.role = #graph.role<output "plain">},
        tensor<2x4x6x6xf32> {graph.role = #graph.role<output "convolved">},
        tensor<4x4xi32> {graph.role = #graph.role<output "integers">},
        tensor<64x8xf32> {graph.role = #graph.role<output "own_sum">},
        tensor<32x8xf32> {graph.role = #graph.role<output "slope">}) {
  %c = graph.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %0 = graph.matmul %x, %w : tensor<32x16xf32>, tensor<16x8xf32>
  %1 = graph.broadcast %c, [1] : tensor<8xf32> to tensor<32x8xf32>
  %2 = graph.add %0, %1 : tensor<32x8xf32>
  %3 = graph.relu %2 : tensor<32x8xf32>
  %twice = graph.add %x, %x : tensor<32x16xf32>
  %4 = graph.matmul %twice, %w : tensor<32x16xf32>, tensor<16x8xf32>
  %5 = graph.add %4, %1 : tensor<32x8xf32>

  %channels = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %6 = graph.conv2d %image, %window {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>
  %7 = graph.broadcast %channels, [1] : tensor<4xf32> to tensor<2x4x6x6xf32>
  %8 = graph.add %6, %7 : tensor<2x4x6x6xf32>
  %9 = graph.relu %8 : tensor<2x4x6x6xf32>

  %10 = graph.matmul %i, %j : tensor<4x8xi32>, tensor<8x4xi32>
  %11 = graph.broadcast %k, [1] : tensor<4xi32> to tensor<4x4xi32>
  %12 = graph.add %10, %11 : tensor<4x4xi32>

  %13 = graph.reduce sum %cube, [0] : tensor<8x8x8xf32>
  %14 = graph.reshape %cube : tensor<8x8x8xf32> to tensor<8x64xf32>
  %15 = graph.matmul %14, %13 {transpose_lhs} : tensor<8x64xf32>, tensor<8x8xf32>

  %half = graph.constant dense<5.000000e-01> : tensor<32x8xf32>
  %one = graph.constant dense<1.000000e+00> : tensor<32x8xf32>
  %inner = graph.constant dense<0.797884583> : tensor<32x8xf32>
  %cubic = graph.constant dense<4.471500e-02> : tensor<32x8xf32>
  %thrice = graph.constant dense<0.107032225> : tensor<32x8xf32>
  %20 = graph.broadcast %b, [1] : tensor<8xf32> to tensor<32x8xf32>
  %21 = graph.square %20 : tensor<32x8xf32>
  %22 = graph.mul %21, %20 : tensor<32x8xf32>
  %23 = graph.mul %22, %cubic : tensor<32x8xf32>
  %24 = graph.add %20, %23 : tensor<32x8xf32>
  %25 = graph.mul %24, %inner : tensor<32x8xf32>
  %26 = graph.tanh %25 : tensor<32x8xf32>
  %27 = graph.mul %20, %20 : tensor<32x8xf32>
  %28 = graph.mul %27, %thrice : tensor<32x8xf32>
  %29 = graph.add %28, %inner : tensor<32x8xf32>
  %30 = graph.mul %26, %26 : tensor<32x8xf32>
  %31 = graph.sub %one, %30 : tensor<32x8xf32>
  %32 = graph.mul %20, %29 : tensor<32x8xf32>
  %33 = graph.mul %32, %31 : tensor<32x8xf32>
  %34 = graph.add %26, %33 : tensor<32x8xf32>
  %35 = graph.add %34, %one : tensor<32x8xf32>
  %36 = graph.mul %35, %half : tensor<32x8xf32>
  %37 = graph.matmul %3, %13 : tensor<32x8xf32>, tensor<8x8xf32>
  %38 = graph.mul %37, %36 : tensor<32x8xf32>
  return %3, %5, %9, %12, %15, %38 : tensor<32x8xf32>, tensor<32x8xf32>, tensor<2x4x6x6xf32>, tensor<4x4xi32>, tensor<64x8xf32>, tensor<32x8xf32>
}

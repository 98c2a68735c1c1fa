// Cases of the gradient check (../Case.h): ops whose results depend on the elements along one axis.

func.func @top_k(%x: tensor<3x5xf32> {check.values = dense<[[0.1, 1.5, -0.7, 0.9, 0.4], [-1.0, 0.2, 1.1, -0.3, 0.6], [0.8, -0.1, 0.3, -1.2, 1.9]]> : tensor<3x5xf32>}) -> tensor<3x2xf32> {
  %v, %i = graph.top_k %x axis = 1 : tensor<3x5xf32> to tensor<3x2xf32>
  return %v : tensor<3x2xf32>
}

// The smallest elements, along another axis, all of them.
func.func @top_k_smallest(%x: tensor<3x2xf32> {check.values = dense<[[0.1, 1.5], [-0.7, 0.9], [0.4, -1.0]]> : tensor<3x2xf32>}) -> tensor<3x2xf32> {
  %v, %i = graph.top_k %x axis = 0 {smallest} : tensor<3x2xf32> to tensor<3x2xf32>
  return %v : tensor<3x2xf32>
}

func.func @cumsum(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %r = graph.cumsum %x axis = 1 : tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

func.func @cumsum_exclusive(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %r = graph.cumsum %x axis = 0 {exclusive} : tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

func.func @cumsum_reverse(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %r = graph.cumsum %x axis = 1 {exclusive, reverse} : tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

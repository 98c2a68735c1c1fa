// Cases of the gradient check (../Case.h): ops that choose elements by computed indices.

func.func @dynamic_slice(%x: tensor<2x5xf32>, %s: tensor<i64> {check.values = dense<1> : tensor<i64>}) -> tensor<2x3xf32> {
  %r = graph.dynamic_slice %x, %s axis = 1 : (tensor<2x5xf32>, tensor<i64>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// A start out of range is moved to the nearest legal one, here 2.
func.func @dynamic_slice_moved(%x: tensor<2x5xf32>, %s: tensor<i64> {check.values = dense<9> : tensor<i64>}) -> tensor<2x3xf32> {
  %r = graph.dynamic_slice %x, %s axis = 1 : (tensor<2x5xf32>, tensor<i64>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @dynamic_update_slice(%x: tensor<2x5xf32>, %u: tensor<2x3xf32>, %s: tensor<i64> {check.values = dense<1> : tensor<i64>}) -> tensor<2x5xf32> {
  %r = graph.dynamic_update_slice %x, %u, %s axis = 1 : (tensor<2x5xf32>, tensor<2x3xf32>, tensor<i64>) -> tensor<2x5xf32>
  return %r : tensor<2x5xf32>
}

func.func @dynamic_update_slice_moved(%x: tensor<2x5xf32>, %u: tensor<2x3xf32>, %s: tensor<i64> {check.values = dense<-4> : tensor<i64>}) -> tensor<2x5xf32> {
  %r = graph.dynamic_update_slice %x, %u, %s axis = 1 : (tensor<2x5xf32>, tensor<2x3xf32>, tensor<i64>) -> tensor<2x5xf32>
  return %r : tensor<2x5xf32>
}

// Row 2 is read twice: its gradients add up.
func.func @gather(%x: tensor<4x2xf32>, %i: tensor<3xi64> {check.values = dense<[2, 0, 2]> : tensor<3xi64>}) -> tensor<3x2xf32> {
  %r = graph.gather %x, %i axis = 0 : tensor<4x2xf32>, tensor<3xi64>
  return %r : tensor<3x2xf32>
}

func.func @gather_inner(%x: tensor<2x4x2xf32>, %i: tensor<2x2xi32> {check.range = [0.00, 4.00]}) -> tensor<2x2x2x2xf32> {
  %r = graph.gather %x, %i axis = 1 : tensor<2x4x2xf32>, tensor<2x2xi32>
  return %r : tensor<2x2x2x2xf32>
}

func.func @gather_out_of_range(%x: tensor<4x2xf32>, %i: tensor<3xi64> {check.values = dense<[-1, 7, 1]> : tensor<3xi64>}) -> tensor<3x2xf32> {
  %r = graph.gather %x, %i axis = 0 : tensor<4x2xf32>, tensor<3xi64>
  return %r : tensor<3x2xf32>
}

func.func @scatter_add(%x: tensor<4x2xf32>, %i: tensor<3xi64> {check.values = dense<[2, 0, 2]> : tensor<3xi64>}, %u: tensor<3x2xf32>) -> tensor<4x2xf32> {
  %r = graph.scatter_add %x, %i, %u axis = 0 : (tensor<4x2xf32>, tensor<3xi64>, tensor<3x2xf32>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

func.func @scatter_add_inner(%x: tensor<2x4x2xf32>, %i: tensor<2x2xi32> {check.range = [0.00, 4.00]}, %u: tensor<2x2x2x2xf32>) -> tensor<2x4x2xf32> {
  %r = graph.scatter_add %x, %i, %u axis = 1 : (tensor<2x4x2xf32>, tensor<2x2xi32>, tensor<2x2x2x2xf32>) -> tensor<2x4x2xf32>
  return %r : tensor<2x4x2xf32>
}

// Updates with an index out of range are dropped and have gradient zero.
func.func @scatter_add_out_of_range(%x: tensor<4x2xf32>, %i: tensor<3xi64> {check.values = dense<[-1, 7, 1]> : tensor<3xi64>}, %u: tensor<3x2xf32>) -> tensor<4x2xf32> {
  %r = graph.scatter_add %x, %i, %u axis = 0 : (tensor<4x2xf32>, tensor<3xi64>, tensor<3x2xf32>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// 128 rows are one more than the positive range of i8.
func.func @scatter_add_bytes(%x: tensor<128xf32>, %i: tensor<3xi8> {check.values = dense<[-1, 127, 1]> : tensor<3xi8>}, %u: tensor<3xf32>) -> tensor<128xf32> {
  %r = graph.scatter_add %x, %i, %u axis = 0 : (tensor<128xf32>, tensor<3xi8>, tensor<3xf32>) -> tensor<128xf32>
  return %r : tensor<128xf32>
}

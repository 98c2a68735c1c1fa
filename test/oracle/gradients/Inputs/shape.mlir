// Cases of the gradient check (../Case.h): ops that move elements to fixed places.

func.func @reshape(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %r = graph.reshape %x : tensor<2x3xf32> to tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

func.func @transpose(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %r = graph.transpose %x, [2, 0, 1] : tensor<2x3x4xf32>
  return %r : tensor<4x2x3xf32>
}

func.func @broadcast_scalar(%x: tensor<f32>) -> tensor<2x3xf32> {
  %r = graph.broadcast %x, [] : tensor<f32> to tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @broadcast_rows(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  %r = graph.broadcast %x, [1] : tensor<3xf32> to tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @broadcast_stretch(%x: tensor<2x1xf32>) -> tensor<2x4x3xf32> {
  %r = graph.broadcast %x, [0, 2] : tensor<2x1xf32> to tensor<2x4x3xf32>
  return %r : tensor<2x4x3xf32>
}

func.func @broadcast_unit(%x: tensor<1x3xf32>) -> tensor<1x2x3xf32> {
  %r = graph.broadcast %x, [0, 2] : tensor<1x3xf32> to tensor<1x2x3xf32>
  return %r : tensor<1x2x3xf32>
}

func.func @slice(%x: tensor<2x5xf32>) -> tensor<2x3xf32> {
  %r = graph.slice %x axis = 1 start = 1 : tensor<2x5xf32> to tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @slice_whole(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.slice %x axis = 0 start = 0 : tensor<2x3xf32> to tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @slice_stride(%x: tensor<8x2xf32>) -> tensor<3x2xf32> {
  %r = graph.slice %x axis = 0 start = 1 {stride = 2 : i64} : tensor<8x2xf32> to tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// The zeros after the last element reach past the end and are cut off.
func.func @slice_stride_to_the_end(%x: tensor<2x7xf32>) -> tensor<2x3xf32> {
  %r = graph.slice %x axis = 1 start = 0 {stride = 3 : i64} : tensor<2x7xf32> to tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @slice_backwards(%x: tensor<2x5xf32>) -> tensor<2x3xf32> {
  %r = graph.slice %x axis = 1 start = 3 {stride = -1 : i64} : tensor<2x5xf32> to tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @slice_backwards_stride(%x: tensor<2x6xf32>) -> tensor<2x3xf32> {
  %r = graph.slice %x axis = 1 start = 5 {stride = -2 : i64} : tensor<2x6xf32> to tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// With a single element any stride is legal.
func.func @slice_single(%x: tensor<2x5xf32>) -> tensor<2x1xf32> {
  %r = graph.slice %x axis = 1 start = 3 {stride = -1000000000000 : i64} : tensor<2x5xf32> to tensor<2x1xf32>
  return %r : tensor<2x1xf32>
}

func.func @pad(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %r = graph.pad %x axis = 1 low = 1 high = 2 {value = 3.0 : f64} : tensor<2x3xf32>
  return %r : tensor<2x6xf32>
}

func.func @pad_cut(%x: tensor<2x5xf32>) -> tensor<2x4xf32> {
  %r = graph.pad %x axis = 1 low = -2 high = 1 : tensor<2x5xf32>
  return %r : tensor<2x4xf32>
}

func.func @concat(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>, %c: tensor<2x3xf32>) -> tensor<2x7xf32> {
  %r = graph.concat %a, %b, %c axis = 1 : tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x3xf32>
  return %r : tensor<2x7xf32>
}

func.func @split(%x: tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x2xf32>) {
  %0, %1 = graph.split %x axis = 1 : tensor<2x5xf32> to tensor<2x3xf32>, tensor<2x2xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x2xf32>
}

// An unused result of a split has gradient zero.
func.func @split_unused(%x: tensor<2x5xf32>) -> tensor<2x3xf32> {
  %0, %1 = graph.split %x axis = 1 : tensor<2x5xf32> to tensor<2x3xf32>, tensor<2x2xf32>
  return %0 : tensor<2x3xf32>
}

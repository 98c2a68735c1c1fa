// RUN: pcc-opt %s --fuse-split-reductions --fuse-assign-kernels | FileCheck %s

// The batch is so large that the partial results of a channel are split once more.
// CHECK-LABEL: @batch
// CHECK-SAME: task.forms = [#task.form<rows 262144 x 49>, #task.form<columns 32 x 8192>, #task.form<columns 128 x 64>]
// CHECK: graph.reduce sum {{.*}}, [2, 3] {{.*}} : tensor<4096x64x7x7xf32>
// CHECK: graph.reshape {{.*}} : tensor<4096x64xf32> to tensor<32x128x64xf32>
func.func @batch(%x: tensor<4096x64x7x7xf32>) -> tensor<64xf32> {
  %0 = graph.reduce sum %x, [0, 2, 3] : tensor<4096x64x7x7xf32>
  return %0 : tensor<64xf32>
}

// The channels of a convolution's result, with many rows of a device: a block for each of 16,384 runs.
// CHECK-LABEL: @resnet
// CHECK-SAME: task.forms = [#task.form<rows 16384 x 12544>, #task.form<columns 256 x 64>]
func.func @resnet(%x: tensor<256x64x112x112xbf16>) -> tensor<64xbf16> {
  %0 = graph.reduce mean %x, [0, 2, 3] : tensor<256x64x112x112xbf16>
  return %0 : tensor<64xbf16>
}

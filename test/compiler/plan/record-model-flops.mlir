// RUN: pcc-opt %s --split-input-file --plan-record-model-flops | FileCheck %s

// Two runs in a step: a matmul of bf16 with 2 * 4 * 8 * 16 flops, a convolution of f32 with one product for each element of
// the result, channel and place of the window. Ops that run in no step, and elementwise ops, do not count.

// CHECK: module attributes {pcc.model_flops = {BF16 = 2.048000e+03 : f64, F32 = 1.944000e+03 : f64}}
module {
  func.func @forward(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>) -> tensor<4x16xbf16> {
    %0 = graph.matmul %x, %w : tensor<4x8xbf16>, tensor<8x16xbf16>
    return %0 : tensor<4x16xbf16>
  }
  func.func @forward_backward(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>, %image: tensor<1x2x5x5xf32>,
                              %kernel: tensor<3x2x3x3xf32>) -> (tensor<4x16xbf16>, tensor<1x3x3x3xf32>) {
    %0 = graph.matmul %x, %w : tensor<4x8xbf16>, tensor<8x16xbf16>
    %1 = graph.add %0, %0 : tensor<4x16xbf16>
    %2 = graph.conv2d %image, %kernel : tensor<1x2x5x5xf32>, tensor<3x2x3x3xf32>
    return %1, %2 : tensor<4x16xbf16>, tensor<1x3x3x3xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @forward_backward microbatch = 1 copy = 0
  }
}

// -----

// A model without a step.

// CHECK: module {
// CHECK-NOT: pcc.model_flops
module {
  func.func @forward(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
    %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x16xf32>
    return %0 : tensor<4x16xf32>
  }
}

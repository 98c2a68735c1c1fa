// A maximum is compared with the very value of which it is the maximum. A gradient goes through both, also in half
// types. There one kernel rounds a value when it writes it, and some kernels fuse a multiplication and an addition.

// RUN: pcc verify %s --loss=softmax_cross_entropy --optimizer=sgd,lr=0.5 | FileCheck %s
// RUN: env LD_LIBRARY_PATH=%build/test/emulator pcc verify %s --loss=softmax_cross_entropy --optimizer=sgd,lr=0.5 --target=cuda:emulator | FileCheck %s
// CHECK: verify: {{[1-9][0-9]*}} passed, 0 failed, 0 skipped
// RUN: pcc verify %s --loss=softmax_cross_entropy --optimizer=sgd,lr=0.5 --target=cuda:emulator --record=%t
// RUN: env LD_LIBRARY_PATH=%build/test/emulator pcc-run %t.pcx --expected=%t.expected | FileCheck %s --check-prefix=RUN-ON
// RUN-ON: {{^}}{{[1-9][0-9]*}} results as expected

module {
  graph.parameter @w : tensor<8x5xbf16> init(#graph.init<normal, 0.0, 0.3>)
  graph.parameter @b : tensor<5xbf16> init(#graph.init<normal, 0.0, 0.3>)
  func.func @forward(%x: tensor<4x16x8xf32> {graph.role = #graph.role<input "x">},
                     %w: tensor<8x5xbf16> {graph.role = #graph.role<parameter "w">},
                     %b: tensor<5xbf16> {graph.role = #graph.role<parameter "b">})
      -> (tensor<4x5xf32> {graph.role = #graph.role<output "logits">}) {
    %rows = graph.reshape %x : tensor<4x16x8xf32> to tensor<64x8xf32>
    %half = graph.cast %rows : tensor<64x8xf32> to tensor<64x8xbf16>
    %p = graph.matmul %half, %w : tensor<64x8xbf16>, tensor<8x5xbf16>
    %bias = graph.broadcast %b, [1] : tensor<5xbf16> to tensor<64x5xbf16>
    %s = graph.add %p, %bias : tensor<64x5xbf16>
    %t = graph.tanh %s : tensor<64x5xbf16>
    %scaled = graph.mul %t, %bias : tensor<64x5xbf16>
    %places = graph.reshape %scaled : tensor<64x5xbf16> to tensor<4x16x5xbf16>
    %most = graph.reduce max %places, [1] : tensor<4x16x5xbf16>
    %logits = graph.cast %most : tensor<4x5xbf16> to tensor<4x5xf32>
    return %logits : tensor<4x5xf32>
  }
}

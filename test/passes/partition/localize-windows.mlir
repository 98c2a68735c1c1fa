// RUN: pcc-opt %s --split-input-file --dist-localize | FileCheck %s

// Each rank fetches the missing rows of its windows: one row from its neighbor. The row of padding stays zero.

// CHECK-LABEL: func.func @conv2d(
// CHECK: %[[H:.+]] = dist.block_exchange %arg0 adding
// CHECK-SAME{LITERAL}: [[0, 0, 0, 0, 0, 0, 1, 1, 2, 4, 0, 0, 1, 0], [0, 1, 0, 0, 0, 0, 1, 1, 1, 4, 0, 0, 3, 0], [1, 0, 0, 0, 1, 0, 1, 1, 1, 4, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 1, 1, 2, 4, 0, 0, 1, 0]]
// CHECK-SAME: over <axes [sp]> : tensor<1x1x2x4xf32> to tensor<1x1x4x4xf32>
// CHECK: graph.conv2d %[[H]], %arg1 {padding = array<i64: 0, 1, 0, 1>} : tensor<1x1x4x4xf32>, tensor<1x1x3x3xf32>
module attributes {dist.mesh = #dist.mesh<sp=2>} {
  func.func @conv2d(%x: tensor<1x1x4x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>},
                    %w: tensor<1x1x3x3xf32> {dist.sharding = #dist.sharding<[_, _, _, _]>})
      -> (tensor<1x1x4x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>}) {
    %0 = graph.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>, dist.in = [#dist.sharding<[_, _, sp, _]>, #dist.sharding<[_, _, _, _]>], dist.out = [#dist.sharding<[_, _, sp, _]>]} : tensor<1x1x4x4xf32>, tensor<1x1x3x3xf32>
    return %0 : tensor<1x1x4x4xf32>
  }
}

// -----

// Gradients of the image go back the same way and are added.

// CHECK-LABEL: func.func @input_gradient(
// CHECK: %[[G:.+]] = graph.conv2d_input_gradient %arg0, %arg1 {padding = array<i64: 0, 1, 0, 1>} : tensor<1x1x2x4xf32>, tensor<1x1x3x3xf32> to tensor<1x1x4x4xf32>
// CHECK: dist.block_exchange %[[G]] adding
// CHECK-SAME{LITERAL}: [[0, 0, 0, 0, 1, 0, 1, 1, 2, 4, 0, 0, 0, 0], [1, 0, 0, 0, 3, 0, 1, 1, 1, 4, 0, 0, 0, 0],
// CHECK-SAME: : tensor<1x1x4x4xf32> to tensor<1x1x2x4xf32>
module attributes {dist.mesh = #dist.mesh<sp=2>} {
  func.func @input_gradient(%g: tensor<1x1x4x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>},
                            %w: tensor<1x1x3x3xf32> {dist.sharding = #dist.sharding<[_, _, _, _]>})
      -> (tensor<1x1x4x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>}) {
    %0 = graph.conv2d_input_gradient %g, %w {padding = array<i64: 1, 1, 1, 1>, dist.in = [#dist.sharding<[_, _, sp, _]>, #dist.sharding<[_, _, _, _]>], dist.out = [#dist.sharding<[_, _, sp, _]>]} : tensor<1x1x4x4xf32>, tensor<1x1x3x3xf32> to tensor<1x1x4x4xf32>
    return %0 : tensor<1x1x4x4xf32>
  }
}

// -----

// Windows that end at block borders need no exchange.

// CHECK-LABEL: func.func @without_halo(
// CHECK-NEXT: graph.max_pool %arg0 window = [2, 2] {strides = array<i64: 2, 2>} : tensor<1x1x2x4xf32>
module attributes {dist.mesh = #dist.mesh<sp=2>} {
  func.func @without_halo(%x: tensor<1x1x4x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>})
      -> (tensor<1x1x2x2xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>}) {
    %0 = graph.max_pool %x window = [2, 2] {strides = array<i64: 2, 2>, dist.in = [#dist.sharding<[_, _, sp, _]>], dist.out = [#dist.sharding<[_, _, sp, _]>]} : tensor<1x1x4x4xf32>
    return %0 : tensor<1x1x2x2xf32>
  }
}

// -----

// Elements outside of the image are never the maximum.

// CHECK-LABEL: func.func @padded(
// CHECK: %[[H:.+]] = dist.block_exchange
// CHECK: %[[IN:.+]] = graph.broadcast %{{.+}}, [2] : tensor<3xi1> to tensor<1x1x3x4xi1>
// CHECK: %[[NONE:.+]] = graph.constant dense<0xFF800000> : tensor<1x1x3x4xf32>
// CHECK: %[[S:.+]] = graph.select %[[IN]], %[[H]], %[[NONE]]
// CHECK: graph.max_pool %[[S]] window = [3, 1] {strides = array<i64: 2, 1>} : tensor<1x1x3x4xf32>
module attributes {dist.mesh = #dist.mesh<sp=2>} {
  func.func @padded(%x: tensor<1x1x4x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>})
      -> (tensor<1x1x2x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>}) {
    %0 = graph.max_pool %x window = [3, 1] {padding = array<i64: 1, 0, 1, 0>, strides = array<i64: 2, 1>, dist.in = [#dist.sharding<[_, _, sp, _]>], dist.out = [#dist.sharding<[_, _, sp, _]>]} : tensor<1x1x4x4xf32>
    return %0 : tensor<1x1x2x4xf32>
  }
}

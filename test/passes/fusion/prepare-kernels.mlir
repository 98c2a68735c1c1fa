// RUN: pcc-opt %s --split-input-file --fuse-prepare-kernels | FileCheck %s
// RUN: pcc-opt %s --split-input-file --fuse-prepare-kernels=multiplies-half | FileCheck %s --check-prefix=HALF
// RUN: pcc-opt %s --split-input-file --fuse-prepare-kernels=multiplies-bf16=false | FileCheck %s --check-prefix=NONE

// Results of a split are slices.
// CHECK-LABEL: @split
func.func @split(%x: tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<4x4xf32>) {
  // CHECK: graph.slice %{{.*}} axis = 1 start = 0
  // CHECK: graph.slice %{{.*}} axis = 1 start = 2
  %0, %1 = graph.split %x axis = 1 : tensor<4x6xf32> to tensor<4x2xf32>, tensor<4x4xf32>
  return %0, %1 : tensor<4x2xf32>, tensor<4x4xf32>
}

// -----

// Matmuls of types that the device does not multiply are computed in f32 and rounded once.
// NONE-LABEL: @matmuls
// NONE-NOT: graph.matmul {{.*}}f16>
// NONE: %[[C:.*]] = graph.matmul {{.*}} : tensor<2x2xf32>, tensor<2x2xf32>
// NONE: graph.cast %[[C]] : tensor<2x2xf32> to tensor<2x2xbf16>
// HALF-LABEL: @matmuls
// HALF: graph.matmul %arg0, %arg1 {transpose_rhs} : tensor<2x3xf16>, tensor<4x3xf16>
// CHECK-LABEL: @matmuls
func.func @matmuls(%a: tensor<2x3xf16>, %b: tensor<4x3xf16>, %c: tensor<2x2xbf16>) -> (tensor<2x4xf16>, tensor<2x2xbf16>) {
  // CHECK: %[[A:.*]] = graph.cast %arg0 : tensor<2x3xf16> to tensor<2x3xf32>
  // CHECK: %[[B:.*]] = graph.cast %arg1 : tensor<4x3xf16> to tensor<4x3xf32>
  // CHECK: %[[P:.*]] = graph.matmul %[[A]], %[[B]] {transpose_rhs} : tensor<2x3xf32>, tensor<4x3xf32>
  // CHECK: graph.cast %[[P]] : tensor<2x4xf32> to tensor<2x4xf16>
  // CHECK: graph.matmul %arg2, %arg2 : tensor<2x2xbf16>, tensor<2x2xbf16>
  %0 = graph.matmul %a, %b {transpose_rhs} : tensor<2x3xf16>, tensor<4x3xf16>
  %1 = graph.matmul %c, %c : tensor<2x2xbf16>, tensor<2x2xbf16>
  return %0, %1 : tensor<2x4xf16>, tensor<2x2xbf16>
}

// -----

// A sum over actions is in f32. A gradient reduced in f32 is reduced in place and scaled afterwards.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @forward_backward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">})
      -> (tensor<4xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 0.5>}) {
    return %x : tensor<4xf32>
  }
  // CHECK-LABEL: func.func @update
  // CHECK-SAME: tensor<4xf32> {graph.role = #graph.role<gradient "w">, pipe.unscaled = {{.*}}}
  func.func @update(%w: tensor<4xf32> {graph.role = #graph.role<parameter "w">},
                    %g: tensor<4xf32> {graph.role = #graph.role<gradient "w">})
      -> (tensor<4xf32> {graph.role = #graph.role<parameter "w">}) {
    // CHECK: %[[R:.*]] = dist.all_reduce sum %arg1 : tensor<4xf32>
    // CHECK: %[[S:.*]] = graph.constant dense<5.000000e-01> : tensor<4xf32>
    // CHECK: %[[M:.*]] = graph.mul %[[R]], %[[S]] : tensor<4xf32>
    // CHECK: graph.sub %{{.*}}, %[[M]]
    %0 = dist.all_reduce sum %g : tensor<4xf32>
    %1 = graph.sub %w, %0 : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @forward_backward microbatch = 1 copy = 0
    pipe.action @update
  }
}

// -----

// The slice is scaled instead of the whole sum.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @forward_backward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">})
      -> (tensor<4xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 0.5>}) {
    return %x : tensor<4xf32>
  }
  // CHECK-LABEL: func.func @update
  // CHECK-SAME: tensor<4xf32> {graph.role = #graph.role<gradient "w">, pipe.unscaled = {{.*}}}
  func.func @update(%w: tensor<2xf32> {graph.role = #graph.role<parameter "w">},
                    %g: tensor<4xf32> {graph.role = #graph.role<gradient "w">})
      -> (tensor<2xf32> {graph.role = #graph.role<parameter "w">}) {
    // CHECK: %[[R:.*]] = dist.reduce_scatter sum %arg1
    // CHECK: %[[S:.*]] = graph.constant dense<5.000000e-01> : tensor<2xf32>
    // CHECK: %[[M:.*]] = graph.mul %[[R]], %[[S]] : tensor<2xf32>
    // CHECK: graph.sub %{{.*}}, %[[M]]
    %0 = dist.reduce_scatter sum %g axis = 0 : tensor<4xf32> to tensor<2xf32>
    %1 = graph.sub %w, %0 : tensor<2xf32>
    return %1 : tensor<2xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @forward_backward microbatch = 1 copy = 0
    pipe.action @update
  }
}

// -----

// A gradient that is reduced in its own type is scaled and cast first.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @forward_backward(%x: tensor<4xf16> {graph.role = #graph.role<input "x">})
      -> (tensor<4xf16> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 0.5>}) {
    return %x : tensor<4xf16>
  }
  // CHECK-LABEL: func.func @update
  // CHECK-SAME: tensor<4xf32> {graph.role = #graph.role<gradient "w">, pipe.unscaled = {{.*}}}
  func.func @update(%w: tensor<4xf16> {graph.role = #graph.role<parameter "w">},
                    %g: tensor<4xf16> {graph.role = #graph.role<gradient "w">})
      -> (tensor<4xf16> {graph.role = #graph.role<parameter "w">}) {
    // CHECK: %[[S:.*]] = graph.constant dense<5.000000e-01> : tensor<4xf32>
    // CHECK: %[[M:.*]] = graph.mul %arg1, %[[S]] : tensor<4xf32>
    // CHECK: %[[C:.*]] = graph.cast %[[M]] : tensor<4xf32> to tensor<4xf16>
    // CHECK: %[[R:.*]] = dist.all_reduce sum %[[C]] : tensor<4xf16>
    // CHECK: graph.sub %{{.*}}, %[[R]]
    %0 = dist.all_reduce sum %g : tensor<4xf16>
    %1 = graph.sub %w, %0 : tensor<4xf16>
    return %1 : tensor<4xf16>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @forward_backward microbatch = 1 copy = 0
    pipe.action @update
  }
}

// -----

// A product in bf16 that is cast only to be summed over actions is summed as it is: the sum is in f32 anyway. What a
// pointwise kernel casts before it writes stays, and so does a product that nothing sums.
module {
  // CHECK-LABEL: func.func @narrow_products
  // CHECK-SAME: -> (tensor<4x4xbf16> {{{.*}}"w"{{.*}}}, tensor<4x4xf32> {{{.*}}"v"{{.*}}}, tensor<4x4xf32> {{{.*}}"y"{{.*}}})
  func.func @narrow_products(%x: tensor<4x4xbf16> {graph.role = #graph.role<input "x">})
      -> (tensor<4x4xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.0>},
          tensor<4x4xf32> {graph.role = #graph.role<gradient "v">, pipe.accumulate = #pipe.accumulate<scale = 1.0>},
          tensor<4x4xf32> {graph.role = #graph.role<output "y">}) {
    // CHECK: %[[P:.*]] = graph.matmul
    %0 = graph.matmul %x, %x : tensor<4x4xbf16>, tensor<4x4xbf16>
    %1 = graph.cast %0 : tensor<4x4xbf16> to tensor<4x4xf32>
    // CHECK: %[[E:.*]] = graph.exp
    %2 = graph.exp %x : tensor<4x4xbf16>
    // CHECK: %[[V:.*]] = graph.cast %[[E]]
    %3 = graph.cast %2 : tensor<4x4xbf16> to tensor<4x4xf32>
    %4 = graph.matmul %x, %2 : tensor<4x4xbf16>, tensor<4x4xbf16>
    // CHECK: %[[Y:.*]] = graph.cast
    %5 = graph.cast %4 : tensor<4x4xbf16> to tensor<4x4xf32>
    // CHECK: return %[[P]], %[[V]], %[[Y]]
    return %1, %3, %5 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @narrow_products microbatch = 0 copy = 0
    pipe.action @narrow_products microbatch = 1 copy = 0
  }
}

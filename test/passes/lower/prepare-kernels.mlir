// RUN: pcc-opt %s --split-input-file --lower-prepare-kernels | FileCheck %s

// Pieces of a split are slices.
// CHECK-LABEL: @split
func.func @split(%x: tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<4x4xf32>) {
  // CHECK: graph.slice %{{.*}} axis = 1 start = 0
  // CHECK: graph.slice %{{.*}} axis = 1 start = 2
  %0, %1 = graph.split %x axis = 1 : tensor<4x6xf32> to tensor<4x2xf32>, tensor<4x4xf32>
  return %0, %1 : tensor<4x2xf32>, tensor<4x4xf32>
}

// -----

// A sum over slots arrives in f32; it is scaled and cast behind its reduction.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @forward_backward(%x: tensor<4xf16> {graph.role = #graph.role<input "x">})
      -> (tensor<4xf16> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 0.5>}) {
    return %x : tensor<4xf16>
  }
  // CHECK-LABEL: @update
  // CHECK-SAME: tensor<4xf32> {graph.role = #graph.role<gradient "w">}
  func.func @update(%w: tensor<4xf16> {graph.role = #graph.role<parameter "w">},
                    %g: tensor<4xf16> {graph.role = #graph.role<gradient "w">})
      -> (tensor<4xf16> {graph.role = #graph.role<parameter "w">}) {
    // CHECK: %[[R:.*]] = dist.all_reduce sum %{{.*}} : tensor<4xf32>
    // CHECK: %[[S:.*]] = graph.constant dense<5.000000e-01> : tensor<4xf32>
    // CHECK: %[[M:.*]] = graph.mul %[[R]], %[[S]] : tensor<4xf32>
    // CHECK: %[[C:.*]] = graph.cast %[[M]] : tensor<4xf32> to tensor<4xf16>
    // CHECK: graph.sub %{{.*}}, %[[C]]
    %0 = dist.all_reduce sum %g : tensor<4xf16>
    %1 = graph.sub %w, %0 : tensor<4xf16>
    return %1 : tensor<4xf16>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.slot @forward_backward microbatch = 0 copy = 0
    pipe.slot @forward_backward microbatch = 1 copy = 0
    pipe.slot @update
  }
}

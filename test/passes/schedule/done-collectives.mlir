// RUN: pcc-opt %s --pass-pipeline='builtin.module(attach-cluster{cluster=4xV100},func.func(fuse-assign-kernels),schedule-order-kernels,schedule-plan-memory,schedule-verify-memory,lower-to-task)' | FileCheck %s

// The sum of the first gradient, which no kernel reads, is estimated to be done when the third
// matmul begins. The gradient's memory (%[[G]]) is free from there on, and the slice is added to
// its sum just before. So no matmul waits. The last slice is added when the section ends.
// CHECK: %[[G:.*]] = task.buffer "backward.matmul0"
// CHECK: task.section @backward {
// CHECK-NEXT: task.matmul {{.*}} into %[[G]]
// CHECK-NEXT: task.reduce_scatter %[[G]] into %[[SLICE:[0-9]+]] {{.*}}signals = array<i32: [[DONE:[0-9]+]]>
// CHECK-NEXT: task.matmul
// CHECK-NEXT: task.accumulate %[[SLICE]] into {{.*}}waits = array<i32: [[DONE]]>
// CHECK-NEXT: task.matmul {{.*}} into %[[G]]
// CHECK-NEXT: task.matmul
// CHECK-NEXT: task.reduce_scatter {{.*}} into %[[LAST:[0-9]+]]
// CHECK-NEXT: task.accumulate %[[LAST]]
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  graph.parameter @v : tensor<1024x1024xf32> init(#graph.init<zeros>)
  graph.parameter @w : tensor<512x1024xf32> init(#graph.init<zeros>)
  func.func @backward(%x: tensor<1024x1024xf32> {graph.role = #graph.role<input "x">},
                      %v: tensor<1024x1024xf32> {graph.role = #graph.role<parameter "v">})
      -> (tensor<512x1024xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.0>},
          tensor<512x1024xf32> {graph.role = #graph.role<gradient "u">, pipe.accumulate = #pipe.accumulate<scale = 1.0>})
      attributes {dist.local} {
    %0 = graph.matmul %x, %x : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %1 = dist.reduce_scatter sum %0 axis = 0 over <axes [dp]> : tensor<1024x1024xf32> to tensor<512x1024xf32>
    %2 = graph.matmul %x, %v : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %3 = graph.matmul %2, %v : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %4 = graph.matmul %3, %v : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %5 = dist.reduce_scatter sum %4 axis = 0 over <axes [dp]> : tensor<1024x1024xf32> to tensor<512x1024xf32>
    return %1, %5 : tensor<512x1024xf32>, tensor<512x1024xf32>
  }
  func.func @update(%g: tensor<512x1024xf32> {graph.role = #graph.role<gradient "w">},
                    %h: tensor<512x1024xf32> {graph.role = #graph.role<gradient "u">},
                    %w: tensor<512x1024xf32> {graph.role = #graph.role<parameter "w">})
      -> (tensor<512x1024xf32> {graph.role = #graph.role<parameter "w">}) attributes {dist.local} {
    %0 = graph.add %g, %h : tensor<512x1024xf32>
    %1 = graph.sub %w, %0 : tensor<512x1024xf32>
    return %1 : tensor<512x1024xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @backward microbatch = 0
    pipe.action @backward microbatch = 1
    pipe.action @update
  }
}

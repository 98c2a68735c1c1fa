// RUN: pcc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fuse-assign-kernels),schedule-overlap-reductions,schedule-plan-memory,schedule-verify-memory)' | FileCheck %s

// Hoisted collectives of the update run between the kernels of other sections. A gradient without
// readers other than its reduction is reduced in place.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  graph.parameter @w : tensor<4x4xf32> init(#graph.init<zeros>)
  // CHECK: task.bytes = #task.bytes<persistent = 64, temporary = 64, input = 64>
  func.func @forward_backward(%x: tensor<4x4xf32> {graph.role = #graph.role<input "x">}) -> (tensor<4x4xf32> {graph.role = #graph.role<gradient "w">}) {
    // CHECK: graph.matmul {{.*}}task.place = #task.place<temporary + 0>
    %0 = graph.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
  func.func @update(%w: tensor<4x4xf32> {graph.role = #graph.role<parameter "w">}, %g: tensor<4x4xf32> {graph.role = #graph.role<gradient "w">})
      -> (tensor<4x4xf32> {graph.role = #graph.role<parameter "w">}) {
    // CHECK: dist.all_reduce {{.*}}task.place = #task.place<temporary + 0>
    %0 = dist.all_reduce sum %g : tensor<4x4xf32>
    %1 = graph.sub %w, %0 : tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @update
  }
}

// -----

// Two gradients are one value: the last collective that reads it reduces it in place, and no other
// buffer is needed.
module attributes {dist.mesh = #dist.mesh<x=2, y=2>} {
  graph.parameter @v : tensor<4x4xf32> init(#graph.init<zeros>)
  graph.parameter @w : tensor<2x4xf32> init(#graph.init<zeros>)
  // CHECK: task.bytes = #task.bytes<persistent = 128, temporary = 128, input = 64>
  func.func @forward_backward(%x: tensor<4x4xf32> {graph.role = #graph.role<input "x">})
      -> (tensor<4x4xf32> {graph.role = #graph.role<gradient "v">}, tensor<4x4xf32> {graph.role = #graph.role<gradient "w">}) {
    // CHECK: graph.matmul {{.*}}task.place = [[GRADIENT:#task.place<temporary \+ [0-9]+>]]
    %0 = graph.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32>
    return %0, %0 : tensor<4x4xf32>, tensor<4x4xf32>
  }
  func.func @update(%v: tensor<4x4xf32> {graph.role = #graph.role<parameter "v">}, %w: tensor<2x4xf32> {graph.role = #graph.role<parameter "w">},
                    %gv: tensor<4x4xf32> {graph.role = #graph.role<gradient "v">}, %gw: tensor<4x4xf32> {graph.role = #graph.role<gradient "w">})
      -> (tensor<4x4xf32> {graph.role = #graph.role<parameter "v">}, tensor<2x4xf32> {graph.role = #graph.role<parameter "w">}) {
    %0 = dist.reduce_scatter sum %gw axis = 0 over <axes [x]> : tensor<4x4xf32> to tensor<2x4xf32>
    %s = dist.all_reduce sum %0 over <axes [y]> : tensor<2x4xf32>
    %1 = graph.sub %w, %s : tensor<2x4xf32>
    // CHECK: dist.all_reduce {{.*}}tensor<2x4xf32>
    // CHECK: dist.all_reduce {{.*}}task.place = [[GRADIENT]]
    %2 = dist.all_reduce sum %gv : tensor<4x4xf32>
    %3 = graph.sub %v, %2 : tensor<4x4xf32>
    return %3, %1 : tensor<4x4xf32>, tensor<2x4xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @update
  }
}

// -----

// The gradient is an output, too. Outputs have the section's value, so the ranks sum in another buffer.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  graph.parameter @w : tensor<4x4xf32> init(#graph.init<zeros>)
  func.func @forward_backward(%x: tensor<4x4xf32> {graph.role = #graph.role<input "x">})
      -> (tensor<4x4xf32> {graph.role = #graph.role<gradient "w">}, tensor<16xf32> {graph.role = #graph.role<output "y">}) {
    // CHECK: graph.matmul {{.*}}task.place = #task.place<temporary + 0>
    %0 = graph.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32>
    %1 = graph.reshape %0 : tensor<4x4xf32> to tensor<16xf32>
    return %0, %1 : tensor<4x4xf32>, tensor<16xf32>
  }
  func.func @update(%w: tensor<4x4xf32> {graph.role = #graph.role<parameter "w">}, %g: tensor<4x4xf32> {graph.role = #graph.role<gradient "w">})
      -> (tensor<4x4xf32> {graph.role = #graph.role<parameter "w">}) {
    // CHECK: dist.all_reduce {{.*}}task.place = #task.place<temporary + 64>
    %0 = dist.all_reduce sum %g : tensor<4x4xf32>
    %1 = graph.sub %w, %0 : tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @update
  }
}

// -----

// Another section that runs later reads the gradient as a saved value.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  graph.parameter @w : tensor<4x4xf32> init(#graph.init<zeros>)
  func.func @backward_input(%x: tensor<4x4xf32> {graph.role = #graph.role<input "x">})
      -> (tensor<4x4xf32> {graph.role = #graph.role<gradient "w">}, tensor<4x4xf32> {graph.role = #graph.role<saved "s">}) {
    // CHECK: graph.matmul {{.*}}task.place = [[SAVED:#task.place<temporary \+ [0-9]+>]]
    %0 = graph.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32>
    return %0, %0 : tensor<4x4xf32>, tensor<4x4xf32>
  }
  func.func @backward_weight(%s: tensor<4x4xf32> {graph.role = #graph.role<saved "s">}) -> (tensor<4x4xf32> {graph.role = #graph.role<output "y">}) {
    %0 = graph.exp %s : tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
  func.func @update(%w: tensor<4x4xf32> {graph.role = #graph.role<parameter "w">}, %g: tensor<4x4xf32> {graph.role = #graph.role<gradient "w">})
      -> (tensor<4x4xf32> {graph.role = #graph.role<parameter "w">}) {
    // CHECK-NOT: dist.all_reduce {{.*}}task.place = [[SAVED]]
    // CHECK: dist.all_reduce
    %0 = dist.all_reduce sum %g : tensor<4x4xf32>
    %1 = graph.sub %w, %0 : tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @backward_input microbatch = 0 copy = 0
    pipe.action @backward_weight microbatch = 0 copy = 0
    pipe.action @update
  }
}

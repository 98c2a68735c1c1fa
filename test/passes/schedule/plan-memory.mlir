// RUN: pcc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fuse-assign-kernels),schedule-plan-memory)' --verify-diagnostics | FileCheck %s

// Inputs and parameters have their own spaces; an elementwise kernel writes over an operand that is dead afterwards.
// CHECK: task.bytes = #task.bytes<persistent = 64, temporary = 64, input = 64>
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %{{.*}}: tensor<4x4xf32> {{{.*}}task.place = #task.place<input + 0>}
// CHECK-SAME: %{{.*}}: tensor<4x4xf32> {{{.*}}task.place = #task.place<persistent + 0>}
func.func @forward(%x: tensor<4x4xf32> {graph.role = #graph.role<input "x">},
                   %w: tensor<4x4xf32> {graph.role = #graph.role<parameter "w">})
    -> (tensor<4x4xf32> {graph.role = #graph.role<output "y">}) {
  // CHECK: graph.matmul {{.*}}task.place = #task.place<temporary + 0>
  %0 = graph.matmul %x, %w : tensor<4x4xf32>, tensor<4x4xf32>
  // CHECK: graph.exp {{.*}}task.place = #task.place<temporary + 0>
  %1 = graph.exp %0 : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// The gradient stays in one buffer from the section that computes it, through its reduction, to the
// update, which writes the parameter in place.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  // CHECK: graph.parameter @w {{.*}}task.place = #task.place<persistent + 0>
  graph.parameter @w : tensor<16x4xf32> init(#graph.init<zeros>)
  // CHECK-LABEL: func.func @forward_backward
  func.func @forward_backward(%x: tensor<4x16xf32> {graph.role = #graph.role<input "x">},
                              %g: tensor<4x4xf32> {graph.role = #graph.role<input "g">})
      -> (tensor<16x4xf32> {graph.role = #graph.role<gradient "w">}) {
    // CHECK: graph.matmul {{.*}}task.place = #task.place<temporary + 0>
    %0 = graph.matmul %x, %g {transpose_lhs} : tensor<4x16xf32>, tensor<4x4xf32>
    return %0 : tensor<16x4xf32>
  }
  // CHECK-LABEL: func.func @update
  func.func @update(%w: tensor<16x4xf32> {graph.role = #graph.role<parameter "w">},
                    %g: tensor<16x4xf32> {graph.role = #graph.role<gradient "w">})
      -> (tensor<16x4xf32> {graph.role = #graph.role<parameter "w">}) {
    // CHECK: dist.all_reduce {{.*}}task.place = #task.place<temporary + 0>
    %0 = dist.all_reduce sum %g : tensor<16x4xf32>
    // CHECK: graph.sub {{.*}}task.place = #task.place<persistent + 0>
    %1 = graph.sub %w, %0 : tensor<16x4xf32>
    return %1 : tensor<16x4xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @update
  }
}

// -----

// Summed over two actions: the matmul itself adds to a persistent accumulator.
module {
  graph.parameter @w : tensor<16x4xf32> init(#graph.init<zeros>)
  // CHECK-LABEL: func.func @forward_backward
  // CHECK-SAME: task.place = #task.place<persistent + 256>
  func.func @forward_backward(%x: tensor<4x16xf32> {graph.role = #graph.role<input "x">},
                              %g: tensor<4x4xf32> {graph.role = #graph.role<input "g">})
      -> (tensor<16x4xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.0>}) {
    // CHECK: graph.matmul {{.*}}task.place = #task.place<persistent + 256>
    %0 = graph.matmul %x, %g {transpose_lhs} : tensor<4x16xf32>, tensor<4x4xf32>
    return %0 : tensor<16x4xf32>
  }
  func.func @update(%w: tensor<16x4xf32> {graph.role = #graph.role<parameter "w">},
                    %g: tensor<16x4xf32> {graph.role = #graph.role<gradient "w">})
      -> (tensor<16x4xf32> {graph.role = #graph.role<parameter "w">}) {
    %1 = graph.sub %w, %g : tensor<16x4xf32>
    return %1 : tensor<16x4xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @forward_backward microbatch = 1 copy = 0
    pipe.action @update
  }
}

// -----

// Gradients in bf16 are added to accumulators in f32 right behind their kernels. So they share one place.
module {
  graph.parameter @w : tensor<16x4xbf16> init(#graph.init<zeros>)
  graph.parameter @v : tensor<16x4xbf16> init(#graph.init<zeros>)
  // CHECK-LABEL: func.func @forward_backward
  func.func @forward_backward(%x: tensor<4x16xbf16> {graph.role = #graph.role<input "x">},
                              %g: tensor<4x4xbf16> {graph.role = #graph.role<input "g">})
      -> (tensor<16x4xbf16> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.0>},
          tensor<16x4xbf16> {graph.role = #graph.role<gradient "v">, pipe.accumulate = #pipe.accumulate<scale = 1.0>}) {
    // CHECK: graph.matmul {{.*}}task.place = #task.place<temporary + 0>
    %0 = graph.matmul %x, %g {transpose_lhs} : tensor<4x16xbf16>, tensor<4x4xbf16>
    // CHECK: graph.add {{.*}}task.place = #task.place<temporary + 128>
    %1 = graph.add %g, %g : tensor<4x4xbf16>
    // CHECK: graph.matmul {{.*}}task.place = #task.place<temporary + 0>
    %2 = graph.matmul %x, %1 {transpose_lhs} : tensor<4x16xbf16>, tensor<4x4xbf16>
    return %0, %2 : tensor<16x4xbf16>, tensor<16x4xbf16>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @forward_backward microbatch = 1 copy = 0
  }
}

// -----

// A parameter whose old value is still read after the new one is computed keeps its buffer: the new value is copied later.
// CHECK-LABEL: func.func @swap_order
func.func @swap_order(%w: tensor<4x4xf32> {graph.role = #graph.role<parameter "w">})
    -> (tensor<4x4xf32> {graph.role = #graph.role<parameter "w">}, tensor<4x4xf32> {graph.role = #graph.role<output "y">}) {
  // CHECK: graph.matmul {{.*}}task.place = #task.place<temporary
  %0 = graph.matmul %w, %w : tensor<4x4xf32>, tensor<4x4xf32>
  %1 = graph.matmul %0, %w : tensor<4x4xf32>, tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// The loss is sum(a * b), so the gradient of b is a itself: the new a must not be written over it
// before b is updated.
module {
  graph.parameter @a : tensor<4xf32> init(#graph.init<ones>)
  graph.parameter @b : tensor<4xf32> init(#graph.init<ones>)
  func.func @forward_backward(%a: tensor<4xf32> {graph.role = #graph.role<parameter "a">},
                              %b: tensor<4xf32> {graph.role = #graph.role<parameter "b">})
      -> (tensor<4xf32> {graph.role = #graph.role<gradient "a">},
          tensor<4xf32> {graph.role = #graph.role<gradient "b">}) {
    return %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  // CHECK-LABEL: func.func @update
  func.func @update(%a: tensor<4xf32> {graph.role = #graph.role<parameter "a">},
                    %b: tensor<4xf32> {graph.role = #graph.role<parameter "b">},
                    %ga: tensor<4xf32> {graph.role = #graph.role<gradient "a">},
                    %gb: tensor<4xf32> {graph.role = #graph.role<gradient "b">})
      -> (tensor<4xf32> {graph.role = #graph.role<parameter "a">},
          tensor<4xf32> {graph.role = #graph.role<parameter "b">}) {
    // CHECK: graph.sub {{.*}}task.place = #task.place<temporary + 0>
    %0 = graph.sub %a, %ga : tensor<4xf32>
    // CHECK: graph.sub {{.*}}task.place = #task.place<persistent + 64>
    %1 = graph.sub %b, %gb : tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @update
  }
}

// -----

// expected-error @below {{argument 0 of "lonely" has no source: expected a role of input, parameter or step, or that of a result of an earlier section of the step}}
func.func @lonely(%g: tensor<4xf32> {graph.role = #graph.role<gradient "w">}) -> tensor<4xf32> {
  %0 = graph.neg %g : tensor<4xf32>
  return %0 : tensor<4xf32>
}

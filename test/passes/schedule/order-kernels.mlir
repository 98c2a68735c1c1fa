// RUN: pcc-opt %s --split-input-file --pass-pipeline='builtin.module(attach-cluster{cluster=4xV100},func.func(fuse-assign-kernels),schedule-overlap-reductions,schedule-order-kernels)' | FileCheck %s
// RUN: pcc-opt %s --split-input-file --pass-pipeline='builtin.module(attach-cluster{cluster=4xV100},func.func(fuse-assign-kernels),schedule-overlap-reductions,schedule-order-kernels)' --remarks-filter=schedule --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: pcc-opt %s --split-input-file --pass-pipeline='builtin.module(attach-cluster{cluster=4xV100},func.func(fuse-assign-kernels),schedule-overlap-reductions,schedule-order-kernels{memory-limit=1})' --remarks-filter=schedule --remark-format=emitRemark -o %t.limit 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: FileCheck %s --check-prefix=KEPT --input-file=%t.limit
// RUN: not pcc-opt %s --split-input-file --pass-pipeline='builtin.module(attach-cluster{cluster=2xbanana},func.func(fuse-assign-kernels),schedule-order-kernels)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=MACHINE
// MACHINE: error: {{.*}}banana

// Two copies of two layers: the second copy is computed while the sum of the first is under way.

// REMARK: order-kernels {{.*}}Function=interleaved | bound_us=1.00{{[0-9]+}}e+03, found_us=1.04{{[0-9]+}}e+03, given_us=1.13{{[0-9]+}}e+03
// CHECK-LABEL: func.func @interleaved
// CHECK: graph.matmul %arg0, %arg2 {task.kernel = 0 : i64}
// CHECK: dist.all_reduce {{.*}}task.kernel = 1 : i64
// CHECK: graph.matmul %{{[0-9]+}}, %arg2 {task.kernel = 4 : i64}
// CHECK: dist.all_reduce {{.*}}task.kernel = 5 : i64
// CHECK: graph.matmul %arg1, %arg2 {task.kernel = 2 : i64}
// CHECK: dist.all_reduce {{.*}}task.kernel = 3 : i64
// CHECK: graph.matmul %{{[0-9]+}}, %arg2 {task.kernel = 6 : i64}
// CHECK: dist.all_reduce {{.*}}task.kernel = 7 : i64
module attributes {dist.mesh = #dist.mesh<tp=2>} {
  func.func @interleaved(%x: tensor<1024x1024xf32> {graph.role = #graph.role<input "x">, pipe.copy = 0 : i64},
                         %y: tensor<1024x1024xf32> {graph.role = #graph.role<input "x">, pipe.copy = 1 : i64},
                         %w: tensor<1024x1024xf32> {graph.role = #graph.role<parameter "w">})
      -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>) attributes {dist.local} {
    %0 = graph.matmul %x, %w : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %1 = dist.all_reduce sum %0 over <axes [tp]> : tensor<1024x1024xf32>
    %2 = graph.matmul %1, %w : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %3 = dist.all_reduce sum %2 over <axes [tp]> : tensor<1024x1024xf32>
    %4 = graph.matmul %y, %w : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %5 = dist.all_reduce sum %4 over <axes [tp]> : tensor<1024x1024xf32>
    %6 = graph.matmul %5, %w : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %7 = dist.all_reduce sum %6 over <axes [tp]> : tensor<1024x1024xf32>
    return %3, %7 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
  }
  pipe.step @train micro_batches = 1 copies = 2 micro_reduction = sum {
    pipe.action @interleaved microbatch = 0
  }
}

// -----

// The gradient of a weight, for which nothing waits, is computed while other ops wait for a sum.

// REMARK: order-kernels {{.*}}Function=backward | bound_us=7.5{{[0-9]+}}e+02, found_us=7.5{{[0-9]+}}e+02, given_us=7.9{{[0-9]+}}e+02
// CHECK-LABEL: func.func @backward
// CHECK: graph.matmul %arg0, %arg0 {task.kernel = 2 : i64}
// CHECK: graph.matmul %arg0, %arg1 {task.kernel = 0 : i64}
// CHECK: dist.all_reduce {{.*}}task.kernel = 1 : i64
// CHECK: graph.matmul %{{[0-9]+}}, %arg1 {task.kernel = 3 : i64}
module attributes {dist.mesh = #dist.mesh<tp=2>} {
  func.func @backward(%g: tensor<1024x1024xf32> {graph.role = #graph.role<input "g">},
                      %w: tensor<1024x1024xf32> {graph.role = #graph.role<parameter "w">})
      -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>) attributes {dist.local} {
    %1 = graph.matmul %g, %g : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %0 = graph.matmul %g, %w : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %2 = dist.all_reduce sum %0 over <axes [tp]> : tensor<1024x1024xf32>
    %3 = graph.matmul %2, %w : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    return %1, %3 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @backward microbatch = 0 copy = 0
  }
}

// -----

// One stream is busy all the time already: nothing changes.

// REMARK: order-kernels {{.*}}Function=alone | bound_us=[[US:[0-9.e+]+]], found_us=[[US]], given_us=[[US]]
// CHECK-LABEL: func.func @alone
// CHECK: graph.matmul {{.*}}task.kernel = 0 : i64
// CHECK: dist.all_reduce {{.*}}task.kernel = 1 : i64
module attributes {dist.mesh = #dist.mesh<tp=2>} {
  func.func @alone(%x: tensor<64x64xf32> {graph.role = #graph.role<input "x">}) -> tensor<64x64xf32> attributes {dist.local} {
    %0 = graph.matmul %x, %x : tensor<64x64xf32>, tensor<64x64xf32>
    %1 = dist.all_reduce sum %0 over <axes [tp]> : tensor<64x64xf32>
    return %1 : tensor<64x64xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @alone microbatch = 0 copy = 0
  }
}

// -----

// Hoisted collectives of the update are ordered together with the section of their last action. The
// gradient of w, formerly kernel 0 and complete first, is computed while others wait for the sum
// over tp. It is reduced after that sum. The update begins with the first reduced gradient.

// REMARK: order-kernels {{.*}}Function=last | bound_us=1.00{{[0-9]+}}e+03, found_us=1.04{{[0-9]+}}e+03, given_us=1.08{{[0-9]+}}e+03
// REMARK: order-kernels {{.*}}Function=update | bound_us=[[US:6.1[0-9]+e.01]], found_us=[[US]], given_us=7.9{{[0-9]+}}e+01
// CHECK-LABEL: func.func @last
// CHECK: graph.matmul %arg0, %arg0 {task.kernel = 2 : i64}
// CHECK: graph.matmul %arg0, %arg1 {task.kernel = 0 : i64}
// CHECK: dist.all_reduce {{.*}}task.kernel = 1 : i64
// CHECK-LABEL: func.func @update
// CHECK-SAME: task.hoisted = {{\[\[}}@last, 2], [@last, 4]]
// CHECK: dist.all_reduce sum %arg1 {{.*}}task.kernel = 1 : i64
// CHECK: graph.neg {{.*}}task.kernel = 3 : i64
// CHECK: dist.all_reduce sum %arg0 {{.*}}task.kernel = 0 : i64
// CHECK: graph.neg {{.*}}task.kernel = 2 : i64
module attributes {dist.mesh = #dist.mesh<dp=2, tp=2>} {
  func.func @last(%g: tensor<1024x1024xf32> {graph.role = #graph.role<input "g">},
                      %v: tensor<1024x1024xf32> {graph.role = #graph.role<parameter "v">})
      -> (tensor<1024x1024xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.0>},
          tensor<1024x1024xf32> {graph.role = #graph.role<gradient "v">, pipe.accumulate = #pipe.accumulate<scale = 1.0>})
      attributes {dist.local} {
    %0 = graph.matmul %g, %g : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %1 = graph.matmul %g, %v : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %2 = dist.all_reduce sum %1 over <axes [tp]> : tensor<1024x1024xf32>
    %3 = graph.matmul %2, %v : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %4 = graph.matmul %3, %2 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    return %0, %4 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
  }
  func.func @update(%w: tensor<1024x1024xf32> {graph.role = #graph.role<gradient "w">},
                    %v: tensor<1024x1024xf32> {graph.role = #graph.role<gradient "v">})
      -> (tensor<1024x1024xf32> {graph.role = #graph.role<parameter "w">},
          tensor<1024x1024xf32> {graph.role = #graph.role<parameter "v">}) attributes {dist.local} {
    %0 = dist.all_reduce sum %v over <axes [dp]> : tensor<1024x1024xf32>
    %1 = graph.neg %0 : tensor<1024x1024xf32>
    %2 = dist.all_reduce sum %w over <axes [dp]> : tensor<1024x1024xf32>
    %3 = graph.neg %2 : tensor<1024x1024xf32>
    return %3, %1 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
  }
  pipe.step @train micro_batches = 3 copies = 1 micro_reduction = sum {
    pipe.action @last microbatch = 0 copy = 0
    pipe.action @last microbatch = 1 copy = 0
    pipe.action @last microbatch = 2 copy = 0
    pipe.action @update
  }
}

// -----

// Each parameter is gathered while the preceding layer is computed, and no earlier; the same in evaluation.

// CHECK-LABEL: func.func @gathers
// CHECK: dist.all_gather %arg1 {{.*}}task.kernel = 0 : i64
// CHECK: dist.all_gather %arg2 {{.*}}task.kernel = 1 : i64
// CHECK: dist.all_gather %arg3 {{.*}}task.kernel = 3 : i64
// CHECK: dist.all_gather %arg4 {{.*}}task.kernel = 5 : i64
// CHECK-LABEL: func.func @evaluation
// CHECK: dist.all_gather %arg1 {{.*}}task.kernel = 0 : i64
// CHECK: dist.all_gather %arg2 {{.*}}task.kernel = 1 : i64
// CHECK: dist.all_gather %arg3 {{.*}}task.kernel = 3 : i64
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @gathers(%x: tensor<1024x1024xf32> {graph.role = #graph.role<input "x">},
                     %w0: tensor<512x1024xf32> {graph.role = #graph.role<parameter "w0">},
                     %w1: tensor<512x1024xf32> {graph.role = #graph.role<parameter "w1">},
                     %w2: tensor<512x1024xf32> {graph.role = #graph.role<parameter "w2">},
                     %w3: tensor<512x1024xf32> {graph.role = #graph.role<parameter "w3">}) -> tensor<1024x1024xf32> attributes {dist.local} {
    %0 = dist.all_gather %w0 axis = 0 : tensor<512x1024xf32> to tensor<1024x1024xf32>
    %1 = dist.all_gather %w1 axis = 0 : tensor<512x1024xf32> to tensor<1024x1024xf32>
    %2 = dist.all_gather %w2 axis = 0 : tensor<512x1024xf32> to tensor<1024x1024xf32>
    %3 = dist.all_gather %w3 axis = 0 : tensor<512x1024xf32> to tensor<1024x1024xf32>
    %4 = graph.matmul %x, %0 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %5 = graph.matmul %4, %1 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %6 = graph.matmul %5, %2 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %7 = graph.matmul %6, %3 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    return %7 : tensor<1024x1024xf32>
  }
  func.func @evaluation(%x: tensor<1024x1024xf32> {graph.role = #graph.role<input "x">},
                     %w0: tensor<512x1024xf32> {graph.role = #graph.role<parameter "w0">},
                     %w1: tensor<512x1024xf32> {graph.role = #graph.role<parameter "w1">},
                     %w2: tensor<512x1024xf32> {graph.role = #graph.role<parameter "w2">}) -> tensor<1024x1024xf32> attributes {dist.local} {
    %0 = dist.all_gather %w0 axis = 0 : tensor<512x1024xf32> to tensor<1024x1024xf32>
    %1 = dist.all_gather %w1 axis = 0 : tensor<512x1024xf32> to tensor<1024x1024xf32>
    %2 = dist.all_gather %w2 axis = 0 : tensor<512x1024xf32> to tensor<1024x1024xf32>
    %4 = graph.matmul %x, %0 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %5 = graph.matmul %4, %1 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %6 = graph.matmul %5, %2 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    return %6 : tensor<1024x1024xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @gathers microbatch = 0 copy = 0
  }
}

// -----

// While the sum is in flight, the first matmul runs. Its operand takes more memory then.
// Without that memory, the given order stays.

// CHECK-LABEL: func.func @memory
// CHECK: graph.exp {{.*}}task.kernel = 0 : i64
// CHECK: graph.matmul {{.*}}task.kernel = 3 : i64
// CHECK: dist.all_reduce {{.*}}task.kernel = 2 : i64
// LIMIT: [Missed] order-kernels | Category:schedule | Reason=memory, found_bytes=32505856, kept_bytes=2{{[0-9]+}}, limit_bytes=1
// KEPT-LABEL: func.func @memory
// KEPT: graph.exp {{.*}}task.kernel = 0 : i64
// KEPT: dist.all_reduce {{.*}}task.kernel = 3 : i64
module attributes {dist.mesh = #dist.mesh<tp=2>} {
  func.func @memory(%x: tensor<1024x2048xf32> {graph.role = #graph.role<input "x">}, %z: tensor<1024x1024xf32> {graph.role = #graph.role<input "z">},
                    %v: tensor<2048x256xf32> {graph.role = #graph.role<parameter "v">}, %w: tensor<1024x1024xf32> {graph.role = #graph.role<parameter "w">})
      -> (tensor<1024x256xf32>, tensor<1024x1024xf32>) attributes {dist.local} {
    %0 = graph.exp %x : tensor<1024x2048xf32>
    %1 = graph.matmul %0, %v : tensor<1024x2048xf32>, tensor<2048x256xf32>
    %2 = graph.matmul %z, %w : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %3 = dist.all_reduce sum %2 : tensor<1024x1024xf32>
    %4 = graph.matmul %3, %w : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    return %1, %4 : tensor<1024x256xf32>, tensor<1024x1024xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @memory microbatch = 0 copy = 0
  }
}

// -----

// A parameter that is gathered late occupies memory for a short time. If memory is scarce, kernels
// compute in the given order, but the gather still moves behind them.

// CHECK-LABEL: func.func @memory_of_messages
// CHECK: dist.all_gather {{.*}}task.kernel = 3 : i64
// CHECK: graph.exp {{.*}}task.kernel = 0 : i64
// CHECK: graph.matmul {{.*}}task.kernel = 4 : i64
// KEPT-LABEL: func.func @memory_of_messages
// KEPT: dist.all_gather {{.*}}task.kernel = 2 : i64
// KEPT: graph.exp {{.*}}task.kernel = 0 : i64
// KEPT: graph.matmul {{.*}}task.kernel = 1 : i64
module attributes {dist.mesh = #dist.mesh<tp=2>} {
  func.func @memory_of_messages(
      %x: tensor<1024x2048xf32> {graph.role = #graph.role<input "x">}, %z: tensor<1024x1024xf32> {graph.role = #graph.role<input "z">},
      %v: tensor<2048x256xf32> {graph.role = #graph.role<parameter "v">}, %w: tensor<1024x1024xf32> {graph.role = #graph.role<parameter "w">},
      %u: tensor<512x1024xf32> {graph.role = #graph.role<parameter "u">})
      -> (tensor<1024x256xf32>, tensor<1024x1024xf32>) attributes {dist.local} {
    %g = dist.all_gather %u axis = 0 : tensor<512x1024xf32> to tensor<1024x1024xf32>
    %0 = graph.exp %x : tensor<1024x2048xf32>
    %1 = graph.matmul %0, %v : tensor<1024x2048xf32>, tensor<2048x256xf32>
    %2 = graph.matmul %z, %w : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %3 = dist.all_reduce sum %2 : tensor<1024x1024xf32>
    %4 = graph.matmul %3, %g : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    return %1, %4 : tensor<1024x256xf32>, tensor<1024x1024xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @memory_of_messages microbatch = 0 copy = 0
  }
}

// -----

// A message to another stage has no operands or readers in the section: it is not delayed.

// CHECK-LABEL: func.func @sends
// CHECK: pipe.send {{.*}}task.kernel = 0 : i64
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @gradients(%x: tensor<1024x1024xf32> {graph.role = #graph.role<input "x">})
      -> (tensor<1024x1024xf32> {graph.role = #graph.role<gradient "w">}) attributes {dist.local} {
    %0 = graph.matmul %x, %x : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    return %0 : tensor<1024x1024xf32>
  }
  func.func @sends(%g: tensor<1024x1024xf32> {graph.role = #graph.role<gradient "w">},
                   %v: tensor<1024x1024xf32> {graph.role = #graph.role<parameter "v">})
      -> (tensor<1024x1024xf32> {graph.role = #graph.role<parameter "v">}) attributes {dist.local} {
    pipe.send %g to 0 tag = 0 : tensor<1024x1024xf32>
    %0 = graph.matmul %v, %v : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %1 = graph.matmul %0, %v : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    return %1 : tensor<1024x1024xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @gradients microbatch = 0 copy = 0
    pipe.action @sends
  }
}

// -----

// Reduced gradients that no kernel of the section reads: other values may lie where the gradients
// lay from the kernel on that begins after the reduction. The last one is not done before the
// section ends. The terms of v are added in their order, right behind their kernels.

// CHECK-LABEL: func.func @accumulates
// CHECK: graph.matmul %arg0, %arg0 {task.kernel = 0 : i64}
// CHECK: dist.reduce_scatter {{.*}}task.done = 3 : i64, task.kernel = 1 : i64
// CHECK: dist.reduce_scatter {{.*}}{task.kernel =
// CHECK: dist.reduce_scatter {{.*}}{task.kernel =
// CHECK: dist.reduce_scatter {{.*}}task.done = 9 : i64
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @accumulates(%g: tensor<1024x1024xf32> {graph.role = #graph.role<input "g">},
                         %v: tensor<1024x1024xf32> {graph.role = #graph.role<parameter "v">})
      -> (tensor<512x1024xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.0>},
          tensor<512x1024xf32> {graph.role = #graph.role<gradient "v">, pipe.accumulate = #pipe.accumulate<scale = 1.0>},
          tensor<512x1024xf32> {graph.role = #graph.role<gradient "v">, pipe.accumulate = #pipe.accumulate<scale = 1.0>},
          tensor<512x1024xf32> {graph.role = #graph.role<gradient "u">, pipe.accumulate = #pipe.accumulate<scale = 1.0>})
      attributes {dist.local} {
    %0 = graph.matmul %g, %g : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %1 = dist.reduce_scatter sum %0 axis = 0 over <axes [dp]> : tensor<1024x1024xf32> to tensor<512x1024xf32>
    %2 = graph.matmul %g, %v : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %3 = graph.matmul %2, %g : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %4 = dist.reduce_scatter sum %3 axis = 0 over <axes [dp]> : tensor<1024x1024xf32> to tensor<512x1024xf32>
    %5 = graph.matmul %2, %v : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %6 = dist.reduce_scatter sum %5 axis = 0 over <axes [dp]> : tensor<1024x1024xf32> to tensor<512x1024xf32>
    %7 = graph.matmul %5, %2 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %8 = dist.reduce_scatter sum %7 axis = 0 over <axes [dp]> : tensor<1024x1024xf32> to tensor<512x1024xf32>
    return %1, %4, %6, %8 : tensor<512x1024xf32>, tensor<512x1024xf32>, tensor<512x1024xf32>, tensor<512x1024xf32>
  }
  func.func @update(%w: tensor<512x1024xf32> {graph.role = #graph.role<gradient "w">})
      -> (tensor<512x1024xf32> {graph.role = #graph.role<parameter "w">}) attributes {dist.local} {
    %0 = graph.neg %w : tensor<512x1024xf32>
    return %0 : tensor<512x1024xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @accumulates microbatch = 0
    pipe.action @accumulates microbatch = 1
    pipe.action @update
  }
}

// RUN: pcc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fuse-assign-kernels),schedule-overlap-reductions)' | FileCheck %s

// The gradient of w is complete after kernel 0 of the last action, that of v after kernel 1. They are
// reduced in this order, whatever the order in the update. The computation of the new values stays.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @forward_backward(%x: tensor<4x16xf32> {graph.role = #graph.role<input "x">},
                              %y: tensor<4x4xf32> {graph.role = #graph.role<input "y">})
      -> (tensor<16x4xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.0>},
          tensor<4x4xf32> {graph.role = #graph.role<gradient "v">, pipe.accumulate = #pipe.accumulate<scale = 1.0>}) {
    %0 = graph.matmul %x, %y {transpose_lhs} : tensor<4x16xf32>, tensor<4x4xf32>
    %1 = graph.matmul %y, %y : tensor<4x4xf32>, tensor<4x4xf32>
    return %0, %1 : tensor<16x4xf32>, tensor<4x4xf32>
  }
  // CHECK-LABEL: func.func @update
  // CHECK-SAME: task.forms = [#task.form<collective 1 x 1>, #task.form<collective 1 x 1>, #task.form<map 16 x 1>, #task.form<map 64 x 1>]
  // CHECK-SAME: task.hoisted = {{\[\[}}@forward_backward, 0], [@forward_backward, 1]]
  func.func @update(%v: tensor<4x4xf32> {graph.role = #graph.role<parameter "v">},
                    %w: tensor<16x4xf32> {graph.role = #graph.role<parameter "w">},
                    %gv: tensor<4x4xf32> {graph.role = #graph.role<gradient "v">},
                    %gw: tensor<16x4xf32> {graph.role = #graph.role<gradient "w">})
      -> (tensor<4x4xf32> {graph.role = #graph.role<parameter "v">},
          tensor<16x4xf32> {graph.role = #graph.role<parameter "w">}) {
    // CHECK: dist.all_reduce sum %{{.+}} {task.kernel = 1 : i64} : tensor<4x4xf32>
    %0 = dist.all_reduce sum %gv : tensor<4x4xf32>
    // CHECK: graph.sub {{.+}} {task.kernel = 2 : i64}
    %1 = graph.sub %v, %0 : tensor<4x4xf32>
    // CHECK: dist.all_reduce sum %{{.+}} {task.kernel = 0 : i64} : tensor<16x4xf32>
    %2 = dist.all_reduce sum %gw : tensor<16x4xf32>
    // CHECK: graph.sub {{.+}} {task.kernel = 3 : i64}
    %3 = graph.sub %w, %2 : tensor<16x4xf32>
    return %1, %3 : tensor<4x4xf32>, tensor<16x4xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @forward_backward microbatch = 1 copy = 0
    pipe.action @update
  }
}

// -----

// A gradient that is the sum of two sections is complete in the section that runs last, whichever begins first.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @backward.0(%x: tensor<4xf32> {graph.role = #graph.role<input "x">})
      -> (tensor<4xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.0>}) {
    %0 = graph.exp %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @backward.1(%x: tensor<4xf32> {graph.role = #graph.role<input "x">})
      -> (tensor<4xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.0>}) {
    %0 = graph.relu %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  // CHECK-LABEL: func.func @update
  // CHECK-SAME: task.hoisted = {{\[\[}}@backward.0, 0]]
  func.func @update(%g: tensor<4xf32> {graph.role = #graph.role<gradient "w">})
      -> (tensor<4xf32> {graph.role = #graph.role<parameter "w">}) {
    %0 = dist.all_reduce sum %g : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @backward.0 microbatch = 0 copy = 0
    pipe.action @backward.1 microbatch = 0 copy = 0
    pipe.action @backward.1 microbatch = 1 copy = 0
    pipe.action @backward.0 microbatch = 1 copy = 0
    pipe.action @update
  }
}

// -----

// With one action the gradient is no sum. It is reduced in place, and therefore after its other readers.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @forward_backward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">}, %y: tensor<4x4xf32> {graph.role = #graph.role<input "y">})
      -> (tensor<4xf32> {graph.role = #graph.role<gradient "w">}, tensor<4x4xf32> {graph.role = #graph.role<output "y">}) {
    %0 = graph.exp %x : tensor<4xf32>
    %1 = graph.reshape %0 : tensor<4xf32> to tensor<4x1xf32>
    %2 = graph.matmul %y, %y : tensor<4x4xf32>, tensor<4x4xf32>
    %3 = graph.matmul %1, %1 {transpose_rhs} : tensor<4x1xf32>, tensor<4x1xf32>
    %4 = graph.matmul %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>
    return %0, %4 : tensor<4xf32>, tensor<4x4xf32>
  }
  // CHECK-LABEL: func.func @update
  // CHECK-SAME: task.hoisted = {{\[\[}}@forward_backward, 2]]
  func.func @update(%g: tensor<4xf32> {graph.role = #graph.role<gradient "w">})
      -> (tensor<2xf32> {graph.role = #graph.role<parameter "w">}) {
    %0 = dist.reduce_scatter sum %g axis = 0 : tensor<4xf32> to tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @update
  }
}

// -----

// Ops between a gradient and its collective move with it; a sum over all gradients waits for the
// last of them. Not moved: readers of parameters, all-reduces over lists of ranks, and reductions
// other than sums.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @forward_backward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">}, %y: tensor<4xf32> {graph.role = #graph.role<input "y">})
      -> (tensor<4xf32> {graph.role = #graph.role<gradient "v">, pipe.accumulate = #pipe.accumulate<scale = 1.0>},
          tensor<4xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.0>}) {
    %0 = graph.exp %x : tensor<4xf32>
    %1 = graph.relu %y : tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
  // CHECK-LABEL: func.func @update
  // CHECK-SAME: task.hoisted = {{\[\[}}@forward_backward, 0], [@forward_backward, 0], [@forward_backward, 1], [@forward_backward, 1]]
  func.func @update(%gv: tensor<4xf32> {graph.role = #graph.role<gradient "v">}, %gw: tensor<4xf32> {graph.role = #graph.role<gradient "w">},
                    %w: tensor<4xf32> {graph.role = #graph.role<parameter "w">})
      -> (tensor<4xbf16> {graph.role = #graph.role<parameter "a">}, tensor<8xf32> {graph.role = #graph.role<parameter "b">},
          tensor<4xf32> {graph.role = #graph.role<parameter "c">}, tensor<4xf32> {graph.role = #graph.role<parameter "d">},
          tensor<4xf32> {graph.role = #graph.role<parameter "w">}) {
    // CHECK: graph.concat {{.+}}task.kernel = 2
    %0 = graph.concat %gv, %gw axis = 0 : tensor<4xf32>, tensor<4xf32>
    // CHECK: dist.all_reduce {{.+}}task.kernel = 3
    %1 = dist.all_reduce sum %0 : tensor<8xf32>
    // CHECK: graph.cast {{.+}}task.kernel = 0
    %2 = graph.cast %gv : tensor<4xf32> to tensor<4xbf16>
    // CHECK: dist.all_reduce {{.+}}task.kernel = 1
    %3 = dist.all_reduce sum %2 : tensor<4xbf16>
    %4 = dist.all_reduce sum %gv over <ranks [[0], [1]]> : tensor<4xf32>
    %5 = dist.all_reduce max %gv : tensor<4xf32>
    %6 = graph.add %w, %gw : tensor<4xf32>
    %7 = dist.all_reduce sum %6 : tensor<4xf32>
    return %3, %1, %4, %5, %7 : tensor<4xbf16>, tensor<8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @forward_backward microbatch = 1 copy = 0
    pipe.action @update
  }
}

// -----

// Another stage waits for the sent value. Reductions come after the last collective that the value
// needs, here that of kernel 1 in the last action of @backward, and not after that of kernel 4.
module attributes {dist.mesh = #dist.mesh<dp=2, tp=2>} {
  func.func @backward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">})
      -> (tensor<4xf32> {graph.role = #graph.role<gradient "v">, pipe.accumulate = #pipe.accumulate<scale = 1.0>},
          tensor<4xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.0>}) {
    %0 = graph.exp %x : tensor<4xf32>
    // CHECK: dist.all_reduce {{.+}}task.kernel = 1
    %1 = dist.all_reduce sum %0 over <axes [tp]> : tensor<4xf32>
    // CHECK: graph.relu {{.+}}task.kernel = 2
    %2 = graph.relu %1 : tensor<4xf32>
    pipe.send %2 to 0 tag = 0 : tensor<4xf32>
    // CHECK: dist.all_reduce {{.+}}task.kernel = 4
    %3 = dist.all_reduce sum %2 over <axes [tp]> : tensor<4xf32>
    return %0, %3 : tensor<4xf32>, tensor<4xf32>
  }
  // CHECK-LABEL: func.func @update
  // CHECK-SAME: task.hoisted = {{\[\[}}@backward, 1], [@backward, 4]]
  func.func @update(%v: tensor<4xf32> {graph.role = #graph.role<gradient "v">}, %w: tensor<4xf32> {graph.role = #graph.role<gradient "w">})
      -> (tensor<4xf32> {graph.role = #graph.role<parameter "v">}, tensor<4xf32> {graph.role = #graph.role<parameter "w">}) {
    %0 = dist.all_reduce sum %v over <axes [dp]> : tensor<4xf32>
    %1 = dist.all_reduce sum %w over <axes [dp]> : tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @backward microbatch = 0 copy = 0
    pipe.action @backward microbatch = 1 copy = 0
    pipe.action @update
  }
}

// -----

// A collective that no message needs delays no reduction, even if it precedes the message: "v" is
// reduced after kernel 1, not after kernel 3.
module attributes {dist.mesh = #dist.mesh<dp=2, tp=2>} {
  func.func @backward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">})
      -> (tensor<4xf32> {graph.role = #graph.role<gradient "v">, pipe.accumulate = #pipe.accumulate<scale = 1.0>},
          tensor<4xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.0>}) {
    %0 = graph.exp %x : tensor<4xf32>
    // CHECK: dist.all_reduce {{.+}}task.kernel = 1
    %1 = dist.all_reduce sum %0 over <axes [tp]> : tensor<4xf32>
    // CHECK: graph.relu {{.+}}task.kernel = 2
    %2 = graph.relu %1 : tensor<4xf32>
    // CHECK: dist.all_reduce {{.+}}task.kernel = 3
    %3 = dist.all_reduce sum %2 over <axes [tp]> : tensor<4xf32>
    pipe.send %2 to 0 tag = 0 : tensor<4xf32>
    return %0, %3 : tensor<4xf32>, tensor<4xf32>
  }
  // CHECK-LABEL: func.func @update
  // CHECK-SAME: task.hoisted = {{\[\[}}@backward, 1], [@backward, 3]]
  func.func @update(%v: tensor<4xf32> {graph.role = #graph.role<gradient "v">}, %w: tensor<4xf32> {graph.role = #graph.role<gradient "w">})
      -> (tensor<4xf32> {graph.role = #graph.role<parameter "v">}, tensor<4xf32> {graph.role = #graph.role<parameter "w">}) {
    %0 = dist.all_reduce sum %v over <axes [dp]> : tensor<4xf32>
    %1 = dist.all_reduce sum %w over <axes [dp]> : tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @backward microbatch = 0 copy = 0
    pipe.action @backward microbatch = 1 copy = 0
    pipe.action @update
  }
}

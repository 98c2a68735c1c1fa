// RUN: pcc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fuse-assign-kernels),schedule-overlap-reductions,schedule-plan-memory,lower-to-task)' | FileCheck %s

// The last action runs a section of its own. It adds to the sums of the other section and reduces each sum when
// complete. Its results are those of the original section, without partial sums. Readers of a reduced gradient wait.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  graph.parameter @v : tensor<4x4xf32> init(#graph.init<zeros>)
  graph.parameter @w : tensor<4x4xf32> init(#graph.init<zeros>)
  func.func @backward.0(%x: tensor<4x4xf32> {graph.role = #graph.role<input "x">, dist.sharding = #dist.sharding<[dp, _]>})
      -> (tensor<4x4xf32> {graph.role = #graph.role<gradient "v">, dist.sharding = #dist.sharding<[_, _] partial(sum: dp)>, pipe.accumulate = #pipe.accumulate<scale = 1.0>},
          tensor<4x4xf32> {graph.role = #graph.role<gradient "w">, dist.sharding = #dist.sharding<[_, _] partial(sum: dp)>, pipe.accumulate = #pipe.accumulate<scale = 1.0>})
      attributes {dist.local} {
    %0 = graph.exp %x : tensor<4x4xf32>
    %1 = graph.matmul %0, %0 : tensor<4x4xf32>, tensor<4x4xf32>
    return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
  }
  func.func @update(%v: tensor<4x4xf32> {graph.role = #graph.role<parameter "v">}, %w: tensor<4x4xf32> {graph.role = #graph.role<parameter "w">},
                    %gv: tensor<4x4xf32> {graph.role = #graph.role<gradient "v">}, %gw: tensor<4x4xf32> {graph.role = #graph.role<gradient "w">})
      -> (tensor<4x4xf32> {graph.role = #graph.role<parameter "v">}, tensor<4x4xf32> {graph.role = #graph.role<parameter "w">}) {
    %0 = dist.all_reduce sum %gv : tensor<4x4xf32>
    %1 = graph.sub %v, %0 : tensor<4x4xf32>
    %2 = dist.all_reduce sum %gw : tensor<4x4xf32>
    %3 = graph.sub %w, %2 : tensor<4x4xf32>
    return %1, %3 : tensor<4x4xf32>, tensor<4x4xf32>
  }
  pipe.step @train micro_batches = 3 copies = 1 micro_reduction = sum {
    pipe.action @backward.0 microbatch = 0 copy = 0
    pipe.action @backward.0 microbatch = 1 copy = 0
    pipe.action @backward.0 microbatch = 2 copy = 0
    pipe.action @update
  }
}
// CHECK-DAG: %[[GV:.+]] = task.buffer "v" persistent offset = 128
// CHECK-DAG: %[[GW:.+]] = task.buffer "w" persistent offset = 192
// CHECK: task.result gradient "v" in %[[GV]] {{.+}} of @backward_last.0 {accumulated}
// CHECK: task.result gradient "w" in %[[GW]] {{.+}} of @backward_last.0 {accumulated}
// CHECK: task.section @backward.0 {
// CHECK-NEXT: task.launch @kernel0_exp
// CHECK-NEXT: task.accumulate %[[T:.+]] into %[[GV]] :
// CHECK-NEXT: task.matmul {{.+}} into %[[GW]] {{.+}}accumulation add_after_first
// CHECK-NOT: task.all_reduce
// CHECK: task.section @backward_last.0 last_of @backward.0 {
// CHECK-NEXT: task.launch @kernel0_exp
// CHECK-NEXT: task.accumulate %[[T]] into %[[GV]] {accumulation = #task<accumulation add>,
// CHECK-NEXT: task.all_reduce %[[GV]] into %[[GV]] {{.+}}signals = array<i32: [[V:[0-9]+]]>
// CHECK-NEXT: task.matmul {{.+}} into %[[GW]] {{.+}}accumulation add>
// CHECK-NEXT: task.all_reduce %[[GW]] into %[[GW]] {{.+}}signals = array<i32: [[W:[0-9]+]]>
// CHECK-NOT: task.all_reduce
// CHECK: task.section @update {
// CHECK-NEXT: task.launch {{.+}}waits = array<i32: [[V]]>
// CHECK-NEXT: task.launch {{.+}}waits = array<i32: [[W]]>
// CHECK-NOT: task.all_reduce
// CHECK: task.action @backward.0 microbatch = 0 copy = 0
// CHECK-NEXT: task.action @backward.0 microbatch = 1 copy = 0
// CHECK-NEXT: task.action @backward_last.0 microbatch = 2 copy = 0
// CHECK-NEXT: task.action @update

// -----

// With a single action there is no other section. A reduce-scatter leaves the gradient partial. Its
// destination overlaps no value of the section that is still to be read.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  graph.parameter @w : tensor<2x4xf32> init(#graph.init<zeros>)
  func.func @forward_backward(%x: tensor<4x4xf32> {graph.role = #graph.role<input "x">, dist.sharding = #dist.sharding<[dp, _]>})
      -> (tensor<4x4xf32> {graph.role = #graph.role<gradient "w">, dist.sharding = #dist.sharding<[_, _] partial(sum: dp)>}, tensor<f32> {graph.role = #graph.role<loss>})
      attributes {dist.local} {
    %0 = graph.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32>
    %1 = graph.matmul %x, %x {transpose_lhs} : tensor<4x4xf32>, tensor<4x4xf32>
    %2 = graph.reduce sum %1, [0, 1] : tensor<4x4xf32>
    return %0, %2 : tensor<4x4xf32>, tensor<f32>
  }
  func.func @update(%w: tensor<2x4xf32> {graph.role = #graph.role<parameter "w">}, %g: tensor<4x4xf32> {graph.role = #graph.role<gradient "w">})
      -> (tensor<2x4xf32> {graph.role = #graph.role<parameter "w">}) {
    %0 = dist.reduce_scatter sum %g axis = 0 : tensor<4x4xf32> to tensor<2x4xf32>
    %1 = graph.sub %w, %0 : tensor<2x4xf32>
    return %1 : tensor<2x4xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @update
  }
}
// CHECK: task.result gradient "w" {{.+}} of @forward_backward {partial_axes = ["dp"]}
// CHECK-NOT: last_of
// CHECK: task.section @forward_backward {
// CHECK-NEXT: task.matmul {{.+}} into %[[G:[0-9]+]]
// CHECK-NEXT: task.reduce_scatter %[[G]] into %[[S:[0-9]+]]
// CHECK-NEXT: task.matmul {{.+}} into %[[P:[0-9]+]]
// CHECK-NEXT: task.launch
// CHECK: task.section @update {
// CHECK-NEXT: task.launch @{{.+}}(%{{[0-9]+}}, %[[S]])

// -----

// A gradient may be reduced in another section than the one that completes it, after a collective that a message
// needs. The result is ready at the end of that section.
module attributes {dist.mesh = #dist.mesh<dp=2>, pipe.stage = 1 : i64} {
  graph.parameter @v : tensor<4x4xf32> init(#graph.init<zeros>)
  func.func @backward.1(%x: tensor<4x4xf32> {graph.role = #graph.role<input "x">, dist.sharding = #dist.sharding<[dp, _]>})
      -> (tensor<4x4xf32> {graph.role = #graph.role<gradient "v">, dist.sharding = #dist.sharding<[_, _] partial(sum: dp)>, pipe.accumulate = #pipe.accumulate<scale = 1.0>})
      attributes {dist.local} {
    %0 = graph.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
  func.func @backward.0(%x: tensor<4x4xf32> {graph.role = #graph.role<input "x">, dist.sharding = #dist.sharding<[dp, _]>})
      attributes {dist.local} {
    %0 = dist.all_reduce sum %x : tensor<4x4xf32>
    pipe.send %0 to 0 tag = 0 : tensor<4x4xf32>
    return
  }
  func.func @update(%v: tensor<4x4xf32> {graph.role = #graph.role<parameter "v">}, %g: tensor<4x4xf32> {graph.role = #graph.role<gradient "v">})
      -> (tensor<4x4xf32> {graph.role = #graph.role<parameter "v">}) {
    %0 = dist.all_reduce sum %g : tensor<4x4xf32>
    %1 = graph.sub %v, %0 : tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @backward.1 microbatch = 0 copy = 0
    pipe.action @backward.1 microbatch = 1 copy = 0
    pipe.action @backward.0 microbatch = 0 copy = 0
    pipe.action @backward.0 microbatch = 1 copy = 0
    pipe.action @update
  }
}
// CHECK: task.result gradient "v" in %[[GV:[0-9]+]] <{{.+}} of @backward_last.0 {accumulated}
// CHECK-NOT: backward_last.1
// CHECK: task.section @backward_last.0 last_of @backward.0 {
// CHECK-NEXT: task.all_reduce
// CHECK: task.all_reduce %[[GV]] into %[[GV]]

// -----

// Two parameters share one gradient and its buffer. The ranks scatter it for "b", then sum it in
// place for "a". Both results are that sum, which is not partial.
module attributes {dist.mesh = #dist.mesh<x=2, y=2>} {
  graph.parameter @a : tensor<4x4xf32> init(#graph.init<zeros>)
  graph.parameter @b : tensor<2x4xf32> init(#graph.init<zeros>)
  func.func @forward_backward(%x: tensor<4x4xf32> {graph.role = #graph.role<input "x">, dist.sharding = #dist.sharding<[x.y, _]>})
      -> (tensor<4x4xf32> {graph.role = #graph.role<gradient "a">, dist.sharding = #dist.sharding<[_, _] partial(sum: x, y)>},
          tensor<4x4xf32> {graph.role = #graph.role<gradient "b">, dist.sharding = #dist.sharding<[_, _] partial(sum: x, y)>})
      attributes {dist.local} {
    %0 = graph.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32>
    return %0, %0 : tensor<4x4xf32>, tensor<4x4xf32>
  }
  func.func @update(%a: tensor<4x4xf32> {graph.role = #graph.role<parameter "a">}, %b: tensor<2x4xf32> {graph.role = #graph.role<parameter "b">},
                    %ga: tensor<4x4xf32> {graph.role = #graph.role<gradient "a">}, %gb: tensor<4x4xf32> {graph.role = #graph.role<gradient "b">})
      -> (tensor<4x4xf32> {graph.role = #graph.role<parameter "a">}, tensor<2x4xf32> {graph.role = #graph.role<parameter "b">}) {
    %0 = dist.reduce_scatter sum %gb axis = 0 over <axes [x]> : tensor<4x4xf32> to tensor<2x4xf32>
    %s = dist.all_reduce sum %0 over <axes [y]> : tensor<2x4xf32>
    %1 = graph.sub %b, %s : tensor<2x4xf32>
    %2 = dist.all_reduce sum %ga : tensor<4x4xf32>
    %3 = graph.sub %a, %2 : tensor<4x4xf32>
    return %3, %1 : tensor<4x4xf32>, tensor<2x4xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @update
  }
}
// CHECK: task.result gradient "a" in %[[G:[0-9]+]] {{.+}} of @forward_backward
// CHECK-NOT: partial_axes
// CHECK: task.result gradient "b" in %[[G]] {{.+}} of @forward_backward
// CHECK-NOT: partial_axes
// CHECK: task.section @forward_backward {
// CHECK: task.reduce_scatter %[[G]] into
// CHECK: task.all_reduce %[[G]] into %[[G]]

// RUN: pcc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fuse-assign-kernels),schedule-plan-memory,lower-to-task)' | FileCheck %s

// One instruction per kernel; the update reduces in place, waits, and writes the parameter in its buffer.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  graph.parameter @w : tensor<16x4xf32> init(#graph.init<zeros>)
  func.func @forward_backward(%x: tensor<4x16xf32> {graph.role = #graph.role<input "x">, dist.sharding = #dist.sharding<[dp, _]>},
                              %g: tensor<4x4xf32> {graph.role = #graph.role<input "g">, dist.sharding = #dist.sharding<[dp, _]>})
      -> (tensor<16x4xf32> {graph.role = #graph.role<gradient "w">, dist.sharding = #dist.sharding<[_, _] partial(sum: dp)>})
      attributes {dist.local} {
    %0 = graph.matmul %x, %g {transpose_lhs} : tensor<4x16xf32>, tensor<4x4xf32>
    return %0 : tensor<16x4xf32>
  }
  func.func @update(%w: tensor<16x4xf32> {graph.role = #graph.role<parameter "w">},
                    %g: tensor<16x4xf32> {graph.role = #graph.role<gradient "w">})
      -> (tensor<16x4xf32> {graph.role = #graph.role<parameter "w">}) {
    %0 = dist.all_reduce sum %g : tensor<16x4xf32>
    %1 = graph.sub %w, %0 : tensor<16x4xf32>
    return %1 : tensor<16x4xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @update
  }
}
// CHECK: task.program @train attributes {constant_bytes = 0 : i64, input_bytes = 320 : i64, {{.*}}persistent_bytes = 256 : i64, temporary_bytes = 256 : i64}
// CHECK-DAG: %[[X:.*]] = task.buffer "x" input offset = 0 : memref<4x16xf32>
// CHECK-DAG: %[[G:.*]] = task.buffer "g" input offset = 256 : memref<4x4xf32>
// CHECK-DAG: %[[W:.*]] = task.buffer "w" persistent offset = 0 : memref<16x4xf32>
// CHECK-DAG: %[[D:.*]] = task.buffer "{{.*}}" temporary offset = 0 : memref<16x4xf32>
// CHECK: task.input "x" in %[[X]] <[8, 16] at <0 + dp * 4>, <0>>
// CHECK: task.result gradient "w" in %[[D]] <[16, 4] at <0>, <0>> of @forward_backward {partial_axes = ["dp"]}
// CHECK: task.section @forward_backward
// CHECK: task.matmul %[[X]], %[[G]] into %[[D]] batch = 1 m = 16 n = 4 k = 4 {signals = array<i32: 0>, transpose_a}
// CHECK: task.section @update
// CHECK: task.all_reduce %[[D]] into %[[D]] groups = dense<{{\[\[}}0, 1]]> {{.*}}signals = array<i32: 1>, waits = array<i32: 0>
// CHECK: task.launch @kernel0_sub(%[[W]], %[[D]]) trip = 1 {{.*}}waits = array<i32: 1>}
// CHECK: task.action @forward_backward microbatch = 0 copy = 0
// CHECK: task.action @update microbatch = 0 copy = 0
// CHECK: func.func private @kernel0_sub(%{{.*}}: tensor<16x4xf32>, %{{.*}}: tensor<16x4xf32>) -> (tensor<16x4xf32> {task.tied = 0 : i64})
// CHECK-SAME: task.form = #task.form<map 64 x 1>

// -----

// Equal kernels are one function, whatever their buffers.
func.func @forward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">}, %y: tensor<4x1xf32> {graph.role = #graph.role<input "y">})
    -> (tensor<4xf32> {graph.role = #graph.role<output "a">}, tensor<4xf32> {graph.role = #graph.role<output "b">}) {
  %0 = graph.exp %x : tensor<4xf32>
  %1 = graph.reshape %y : tensor<4x1xf32> to tensor<4xf32>
  %2 = graph.matmul %y, %y {transpose_lhs} : tensor<4x1xf32>, tensor<4x1xf32>
  %3 = graph.reshape %2 : tensor<1x1xf32> to tensor<1xf32>
  %4 = graph.broadcast %3, [0] : tensor<1xf32> to tensor<4xf32>
  %5 = graph.exp %4 : tensor<4xf32>
  return %0, %5 : tensor<4xf32>, tensor<4xf32>
}
// CHECK: func.func private @kernel0_exp
// CHECK: func.func private @kernel1_exp
// CHECK-NOT: func.func

// -----

// A state that takes the old value of a parameter is copied before the parameter is written.
module {
  graph.parameter @w : tensor<4xf32> init(#graph.init<zeros>)
  graph.parameter @w.previous : tensor<4xf32> init(#graph.init<zeros>) {trainable = false}
  func.func @update(%w: tensor<4xf32> {graph.role = #graph.role<parameter "w">},
                    %p: tensor<4xf32> {graph.role = #graph.role<parameter "w.previous">})
      -> (tensor<4xf32> {graph.role = #graph.role<parameter "w">}, tensor<4xf32> {graph.role = #graph.role<parameter "w.previous">}) {
    %0 = graph.sub %w, %p : tensor<4xf32>
    return %0, %w : tensor<4xf32>, tensor<4xf32>
  }
}
// CHECK-DAG: %[[W:.*]] = task.buffer "w" persistent offset = 0
// CHECK-DAG: %[[P:.*]] = task.buffer "w.previous" persistent offset = 64
// CHECK: task.section @update
// CHECK: task.launch @kernel0_sub(%[[W]], %[[P]], %[[NEW:.*]]) trip
// CHECK: task.copy %[[W]] into %[[P]]
// CHECK: task.copy %[[NEW]] into %[[W]]

// -----

// No instruction of the action waits for the reduction of the output: the next action's writer does.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @repeated(%x: tensor<4xf32> {graph.role = #graph.role<input "x">})
      -> (tensor<4xf32> {graph.role = #graph.role<output "y">}) attributes {dist.local} {
    %0 = graph.exp %x : tensor<4xf32>
    %1 = dist.all_reduce sum %0 : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @repeated microbatch = 0 copy = 0
    pipe.action @repeated microbatch = 1 copy = 0
  }
}
// CHECK: task.section @repeated
// CHECK: task.launch {{.*}}waits = array<i32: [[REDUCED:[0-9]+]]>
// CHECK: task.all_reduce {{.*}}signals = array<i32: [[REDUCED]]>

// -----

// A reduction over a middle dimension is cut into blocks of columns, two for each of three leading
// positions. A reduction whose results are not adjacent is cut into rows.
func.func @forward(%x: tensor<3x20x512xf32> {graph.role = #graph.role<input "x">}, %y: tensor<3x20x512xf32> {graph.role = #graph.role<input "y">})
    -> (tensor<3x512xf32> {graph.role = #graph.role<output "a">}, tensor<20xf32> {graph.role = #graph.role<output "b">}) {
  // CHECK: task.launch @kernel0_reduce{{.*}} trip = 6
  %0 = graph.reduce sum %x, [1] : tensor<3x20x512xf32>
  // CHECK: task.launch @kernel1_reduce{{.*}} trip = 10
  %1 = graph.reduce sum %y, [0, 2] : tensor<3x20x512xf32>
  return %0, %1 : tensor<3x512xf32>, tensor<20xf32>
}

// -----

// Transfers and barriers. A rank without a sender gets zeros. Instructions after a barrier wait for
// it at once. A collective whose operand is another collective's result waits for it, and sees the
// result in its own shape.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @forward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">}) -> (tensor<6xf32> {graph.role = #graph.role<output "y">}) attributes {dist.local} {
    %0 = graph.exp %x : tensor<4xf32>
    dist.send %0 to [1, -1] {tag = 2 : i64} : tensor<4xf32>
    %1 = dist.recv from [-1, 0] {tag = 2 : i64} : tensor<4xf32>
    dist.barrier
    %2 = graph.reshape %1 : tensor<4xf32> to tensor<2x2xf32>
    %3 = dist.all_to_all %2 split = 0 concat = 1 : tensor<2x2xf32> to tensor<1x4xf32>
    %4 = graph.reshape %3 : tensor<1x4xf32> to tensor<4xf32>
    %5 = dist.block_exchange %4 adding [[0, 1, 0, 3, 1]] : tensor<4xf32> to tensor<6xf32>
    return %5 : tensor<6xf32>
  }
}
// CHECK: task.section @forward
// CHECK: task.send %[[SENT:.+]] to <[1, -1]> tag = 2
// CHECK: task.fill %[[GOT:.+]] {
// CHECK: task.recv %[[GOT]] from <[-1, 0]> tag = 2 {signals = array<i32: [[RECEIVED:[0-9]+]]>,
// CHECK: task.barrier groups = {{.+}}, stream = #task<stream compute>
// CHECK: task.all_to_all {{.+}} {axis = 0 : i64, concat_axis = 1 : i64, signals = array<i32: [[DONE:[0-9]+]]>, waits = array<i32: [[RECEIVED]], {{[0-9]+}}>} : memref<2x2xf32>, memref<1x4xf32>
// CHECK: task.block_exchange {{.+}}reduction = #task<reduction sum>, waits = array<i32: [[DONE]], {{[0-9]+}}>} : memref<4xf32>, memref<6xf32>

// -----

// A sent buffer is written again in the next action, after the send is done.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @repeated(%x: tensor<4xf32> {graph.role = #graph.role<input "x">})
      -> (tensor<4xf32> {graph.role = #graph.role<output "y">}) attributes {dist.local} {
    %0 = graph.exp %x : tensor<4xf32>
    dist.send %0 to [1, 0] : tensor<4xf32>
    %1 = dist.recv from [1, 0] : tensor<4xf32>
    %2 = graph.exp %1 : tensor<4xf32>
    return %2 : tensor<4xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @repeated microbatch = 0 copy = 0
    pipe.action @repeated microbatch = 1 copy = 0
  }
}
// CHECK: task.section @repeated
// CHECK: task.launch {{.+}}waits = array<i32: [[SENT:[0-9]+]]>
// CHECK: task.send {{.+}} {signals = array<i32: [[SENT]]>
// CHECK: task.recv {{.+}} {signals = array<i32: [[RECEIVED:[0-9]+]]>
// CHECK: task.launch {{.+}}waits = array<i32: [[RECEIVED]]>

// -----

// The next action fills the inputs again: the last instruction of this action waits for the
// collective that reads them.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @repeated(%x: tensor<4xf32> {graph.role = #graph.role<input "x">})
      -> (tensor<8xf32> {graph.role = #graph.role<output "y">}, tensor<4xf32> {graph.role = #graph.role<output "z">}) attributes {dist.local} {
    %0 = dist.all_gather %x axis = 0 : tensor<4xf32> to tensor<8xf32>
    %1 = graph.exp %x : tensor<4xf32>
    return %0, %1 : tensor<8xf32>, tensor<4xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @repeated microbatch = 0 copy = 0
    pipe.action @repeated microbatch = 1 copy = 0
  }
}
// CHECK: task.section @repeated
// CHECK: task.all_gather {{.+}} signals = array<i32: [[GATHERED:[0-9]+]]>
// CHECK: task.launch {{.+}}waits = array<i32: [[GATHERED]]>

// -----

// Without a later instruction the collective is awaited at once.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @repeated(%x: tensor<4xf32> {graph.role = #graph.role<input "x">})
      -> (tensor<8xf32> {graph.role = #graph.role<output "y">}) attributes {dist.local} {
    %0 = dist.all_gather %x axis = 0 : tensor<4xf32> to tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @repeated microbatch = 0 copy = 0
    pipe.action @repeated microbatch = 1 copy = 0
  }
}
// CHECK: task.section @repeated
// CHECK: task.all_gather {{.+}} stream = #task<stream compute>

// -----

// A gather of four rows of 40 bytes leaves three of the table. Two kernels read the same value: one all of it.
func.func @forward(%table: tensor<7x10xf32> {graph.role = #graph.role<parameter "table">},
                   %rows: tensor<4xi64> {graph.role = #graph.role<input "rows">})
    -> (tensor<4x10xf32> {graph.role = #graph.role<output "a">}, tensor<7x10xf32> {graph.role = #graph.role<output "b">}) {
  %0 = graph.gather %table, %rows axis = 0 : tensor<7x10xf32>, tensor<4xi64>
  %1 = graph.exp %table : tensor<7x10xf32>
  return %0, %1 : tensor<4x10xf32>, tensor<7x10xf32>
}
graph.parameter @table : tensor<7x10xf32> init(#graph.init<zeros>)
// CHECK: task.launch @kernel0_gather{{.+}}task.untouched = 120 : i64
// CHECK: task.launch @kernel1_exp
// CHECK-NOT: task.untouched
// CHECK: func.func

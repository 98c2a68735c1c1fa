// RUN: pcc-opt %s --split-input-file --fuse-assign-kernels --verify-diagnostics | FileCheck %s

// A matmul includes the bias and the relu after it: one library call.
// CHECK-LABEL: @linear
// CHECK-SAME: task.forms = [#task.form<matmul 64 x 1>]
func.func @linear(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  // CHECK: graph.matmul {{.*}}task.kernel = 0
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x16xf32>
  // CHECK: graph.broadcast
  // CHECK-NOT: task.kernel
  // CHECK-SAME: to tensor<4x16xf32>
  %1 = graph.broadcast %b, [1] : tensor<16xf32> to tensor<4x16xf32>
  // CHECK: graph.add {{.*}}task.kernel = 0
  %2 = graph.add %0, %1 : tensor<4x16xf32>
  // CHECK: graph.relu {{.*}}task.kernel = 0
  %3 = graph.relu %2 : tensor<4x16xf32>
  return %3 : tensor<4x16xf32>
}

// -----

// One number for all rows is not a bias of a matmul, even if a row has one element.
// CHECK-LABEL: @scalar_bias
// CHECK-SAME: task.forms = [#task.form<matmul 4 x 1>, #task.form<map 4 x 1>]
func.func @scalar_bias(%x: tensor<4x8xf32>, %w: tensor<8x1xf32>, %b: tensor<f32>) -> tensor<4x1xf32> {
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x1xf32>
  %1 = graph.broadcast %b, [] : tensor<f32> to tensor<4x1xf32>
  %2 = graph.add %0, %1 : tensor<4x1xf32>
  return %2 : tensor<4x1xf32>
}

// -----

// The value before the relu has another reader: the relu is a kernel.
// CHECK-LABEL: @preactivation
// CHECK-SAME: task.forms = [#task.form<matmul 64 x 1>, #task.form<map 64 x 1>]
func.func @preactivation(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x16xf32>
  %1 = graph.relu %0 : tensor<4x16xf32>
  return %0, %1 : tensor<4x16xf32>, tensor<4x16xf32>
}

// -----

// A softmax and the row-wise ops after it are one kernel.
// CHECK-LABEL: @softmax
// CHECK-SAME: task.forms = [#task.form<rows 4 x 10>]
func.func @softmax(%x: tensor<4x10xf32>) -> tensor<4x10xf32> {
  %max = graph.reduce max %x, [1] : tensor<4x10xf32>
  %0 = graph.broadcast %max, [0] : tensor<4xf32> to tensor<4x10xf32>
  %1 = graph.sub %x, %0 : tensor<4x10xf32>
  %2 = graph.exp %1 : tensor<4x10xf32>
  %sum = graph.reduce sum %2, [1] : tensor<4x10xf32>
  %3 = graph.broadcast %sum, [0] : tensor<4xf32> to tensor<4x10xf32>
  %4 = graph.div %2, %3 : tensor<4x10xf32>
  return %4 : tensor<4x10xf32>
}

// -----

// The gradient of an activation and the gradient of the preceding bias: one pass over the rows.
// CHECK-LABEL: @bias_gradient
// CHECK-SAME: task.forms = [#task.form<columns 4 x 10>]
func.func @bias_gradient(%h: tensor<4x10xf32>, %g: tensor<4x10xf32>) -> (tensor<4x10xf32>, tensor<10xf32>) {
  %zero = graph.constant dense<0.0> : tensor<4x10xf32>
  %0 = graph.compare gt %h, %zero : tensor<4x10xf32>
  %1 = graph.select %0, %g, %zero : tensor<4x10xf32>
  %2 = graph.reduce sum %1, [0] : tensor<4x10xf32>
  return %1, %2 : tensor<4x10xf32>, tensor<10xf32>
}

// -----

// A reduction over rows and one over columns of the same value do not share loops.
// CHECK-LABEL: @both
// CHECK-SAME: task.forms = [#task.form<rows 4 x 10>, #task.form<columns 4 x 10>]
func.func @both(%x: tensor<4x10xf32>) -> (tensor<4xf32>, tensor<10xf32>) {
  %0 = graph.exp %x : tensor<4x10xf32>
  %1 = graph.reduce sum %0, [1] : tensor<4x10xf32>
  %2 = graph.reduce sum %0, [0] : tensor<4x10xf32>
  return %1, %2 : tensor<4xf32>, tensor<10xf32>
}

// -----

// Joining exp and add would put the matmul between them inside the kernel: they stay apart.
// CHECK-LABEL: @around_a_product
// CHECK-SAME: task.forms = [#task.form<map 16 x 1>, #task.form<matmul 16 x 1>, #task.form<map 16 x 1>]
func.func @around_a_product(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.exp %x : tensor<4x4xf32>
  %1 = graph.matmul %0, %x : tensor<4x4xf32>, tensor<4x4xf32>
  %2 = graph.add %0, %1 : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// A cheap value that must be in memory gets a kernel; otherwise its readers compute it.
// CHECK-LABEL: @materialised
// CHECK-SAME: task.forms = [#task.form<map 12 x 1>, #task.form<map 12 x 1>]
func.func @materialised(%x: tensor<4xf32>, %y: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %0 = graph.broadcast %x, [1] : tensor<4xf32> to tensor<3x4xf32>
  %i = graph.iota axis = 0 : tensor<3x4xf32>
  %1 = graph.mul %y, %i : tensor<3x4xf32>
  return %0, %1 : tensor<3x4xf32>, tensor<3x4xf32>
}

// -----

// Collectives run as early as their input allows.
// CHECK-LABEL: @update
// CHECK-SAME: task.forms = [#task.form<collective 1 x 1>, #task.form<collective 1 x 1>, #task.form<map 8 x 1>, #task.form<map 8 x 1>]
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @update(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = dist.all_reduce sum %a : tensor<8xf32>
    %1 = graph.neg %0 : tensor<8xf32>
    %2 = dist.all_reduce sum %b : tensor<8xf32>
    %3 = graph.neg %2 : tensor<8xf32>
    return %1, %3 : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// A value that only dead ops read is dead.
// CHECK-LABEL: @dead
// CHECK-SAME: task.forms = [#task.form<map 4 x 1>]
func.func @dead(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.abs %x : tensor<4xf32>
  %1 = graph.exp %0 : tensor<4xf32>
  %2 = graph.square %x : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// The same holds for a cheap value that only a dead op would need in memory.
// CHECK-LABEL: @dead_operand
// CHECK-SAME: task.forms = [#task.form<map 16 x 1>]
// CHECK: graph.broadcast
// CHECK-NOT: task.kernel
// CHECK-SAME: to tensor<4x4xf32>
func.func @dead_operand(%x: tensor<4x4xf32>, %b: tensor<4xf32>) -> tensor<4x4xf32> {
  %0 = graph.broadcast %b, [1] : tensor<4xf32> to tensor<4x4xf32>
  %1 = graph.matmul %x, %0 : tensor<4x4xf32>, tensor<4x4xf32>
  %2 = graph.exp %x : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

func.func @whole(%x: tensor<4x10xf32>) -> tensor<4x10xf32> {
  // expected-error @below {{has no kernel: expected core ops, run "--graph-decompose" and "--fuse-prepare-kernels" first}}
  %0 = graph.softmax %x axis = 1 : tensor<4x10xf32>
  return %0 : tensor<4x10xf32>
}

// -----

// Sends, receives and barriers keep their order. A sent value and a reader of the answer are not
// one kernel, although one pass could compute both. Otherwise the rank would wait for an answer to
// a message that it has not sent.
// CHECK-LABEL: @exchange
// CHECK-SAME: task.forms = [#task.form<map 4 x 1>, #task.form<collective 1 x 1>, #task.form<collective 1 x 1>, #task.form<collective 1 x 1>, #task.form<map 4 x 1>]
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @exchange(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dist.local} {
    // CHECK: graph.exp {{.*}}task.kernel = 0
    %0 = graph.exp %x : tensor<4xf32>
    // CHECK: dist.send {{.*}}task.kernel = 1
    dist.send %0 to [1, 0] : tensor<4xf32>
    // CHECK: dist.recv {{.*}}task.kernel = 2
    %1 = dist.recv from [1, 0] : tensor<4xf32>
    // CHECK: dist.barrier {{.*}}task.kernel = 3
    dist.barrier
    // CHECK: graph.add {{.*}}task.kernel = 4
    %2 = graph.add %0, %1 : tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}

// -----

// A message sends a copy of an input, because the next action overwrites the input while the
// message is in flight.
// CHECK-LABEL: @sends_input
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32>
// CHECK: %[[V:.+]] = graph.reshape %[[X]] : tensor<4xf32> to tensor<2x2xf32>
// CHECK: %[[COPY:.+]] = graph.reshape %[[V]] {task.kernel = 0 : i64} : tensor<2x2xf32> to tensor<2x2xf32>
// CHECK: pipe.send %[[COPY]]
func.func @sends_input(%x: tensor<4xf32> {graph.role = #graph.role<input "x">}) {
  %0 = graph.reshape %x : tensor<4xf32> to tensor<2x2xf32>
  pipe.send %0 to 1 tag = 0 : tensor<2x2xf32>
  return
}

// -----

// The cast at the end is in the kernel whose other result the second layer needs. Kernels are in the
// order of their first ops, so the third layer, which could run at once, still comes third.
// CHECK-LABEL: @late_cast
func.func @late_cast(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>, %w: tensor<8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xbf16>) {
  // CHECK: graph.matmul {{.*}}task.kernel = 0
  %0 = graph.matmul %x, %w : tensor<8x8xf32>, tensor<8x8xf32>
  // CHECK: graph.exp {{.*}}task.kernel = 1
  %1 = graph.exp %0 : tensor<8x8xf32>
  // CHECK: graph.matmul {{.*}}task.kernel = 2
  %2 = graph.matmul %1, %w : tensor<8x8xf32>, tensor<8x8xf32>
  // CHECK: graph.matmul {{.*}}task.kernel = 3
  %3 = graph.matmul %y, %w : tensor<8x8xf32>, tensor<8x8xf32>
  // CHECK: graph.cast {{.*}}task.kernel = 1
  %4 = graph.cast %1 : tensor<8x8xf32> to tensor<8x8xbf16>
  return %2, %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xbf16>
}

// -----

// The offset of a rank's block is computed in the kernel that reads it. A number that depends on a value is not.
// CHECK-LABEL: @offset
// CHECK-SAME: task.forms = [#task.form<map 4 x 1>, #task.form<map 1 x 1>, #task.form<map 4 x 1>]
module attributes {dist.mesh = #dist.mesh<tp=2>} {
func.func @offset(%x: tensor<8xf32>, %i: tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>) attributes {dist.local} {
  %rank = dist.rank over <axes [tp]>
  %size = graph.constant dense<4> : tensor<i64>
  %0 = graph.mul %rank, %size : tensor<i64>
  %1 = graph.dynamic_slice %x, %0 axis = 0 : (tensor<8xf32>, tensor<i64>) -> tensor<4xf32>
  %2 = graph.mul %i, %size : tensor<i64>
  %3 = graph.dynamic_slice %x, %2 axis = 0 : (tensor<8xf32>, tensor<i64>) -> tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}
}

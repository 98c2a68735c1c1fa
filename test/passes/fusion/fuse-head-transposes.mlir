// RUN: pcc-opt %s --fuse-head-transposes --remarks-filter=fusion --remark-format=emitRemark --verify-diagnostics -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: pcc verify %s %t.mlir | FileCheck %s --check-prefix=VERIFY
// RUN: pcc-opt %t.mlir --fuse-assign-kernels --schedule-plan-memory --schedule-verify-memory -o %t.planned.mlir
// RUN: FileCheck %s --check-prefix=KERNELS < %t.planned.mlir
// RUN: pcc-opt %t.planned.mlir --lower-to-task | FileCheck %s --check-prefix=TASK
// VERIFY: verify: {{[1-9][0-9]*}} passed, 0 failed, 0 skipped

// expected-remark @below {{attentions=2, gradients=1}}
module {
  // Forward and backward: each instruction has its own transposes; the gradient also has one of the
  // attention's result. No kernel transposes.
  // CHECK-LABEL: @both
  // CHECK: %[[Q:.*]] = graph.transpose %arg0, [0, 2, 1, 3] {task.attention = 0 : i64}
  // CHECK: %[[K:.*]] = graph.transpose %arg1, [0, 2, 1, 3] {task.attention = 0 : i64}
  // CHECK: %[[V:.*]] = graph.transpose %arg2, [0, 2, 1, 3] {task.attention = 0 : i64}
  // CHECK: %[[R:.*]], %[[L:.*]] = graph.attention %[[Q]], %[[K]], %[[V]] scale = 5.000000e-01 {causal, task.attention = 0 : i64}
  // CHECK-NEXT: %[[O:.*]] = graph.transpose %[[R]], [0, 2, 1, 3] {task.attention = 0 : i64}
  // CHECK: graph.transpose %arg0, [0, 2, 1, 3] {task.attention = 1 : i64}
  // CHECK: graph.transpose %arg1, [0, 2, 1, 3] {task.attention = 1 : i64}
  // CHECK: graph.transpose %arg2, [0, 2, 1, 3] {task.attention = 1 : i64}
  // CHECK: graph.transpose %[[O]], [0, 2, 1, 3] {task.attention = 1 : i64}
  // CHECK: graph.transpose %arg3, [0, 2, 1, 3] {task.attention = 1 : i64}
  // CHECK-NEXT: graph.attention_gradient {{.*}} {causal, task.attention = 1 : i64}
  // CHECK-COUNT-3: graph.transpose %{{.*}}, [0, 2, 1, 3] {task.attention = 1 : i64}
  // CHECK-NOT: graph.transpose
  // KERNELS-LABEL: @both
  // KERNELS-SAME: task.forms = [#task.form<attention 120 x 1>, #task.form<attention 120 x 1>]
  // TASK: task.section @both
  // TASK: task.attention %{{.*}} {causal, positions_first} : memref<1x5x3x8xf32>, memref<1x7x3x8xf32>, memref<1x7x3x8xf32>, memref<1x5x3x8xf32>, memref<1x3x5xf32>
  // TASK: task.attention %{{.*}} gradients %{{.*}} {causal, positions_first} : memref<1x5x3x8xf32>
  func.func @both(%q: tensor<1x5x3x8xf32> {graph.role = #graph.role<input "q">}, %k: tensor<1x7x3x8xf32> {graph.role = #graph.role<input "k">},
                  %v: tensor<1x7x3x8xf32> {graph.role = #graph.role<input "v">}, %g: tensor<1x5x3x8xf32> {graph.role = #graph.role<input "g">})
      -> (tensor<1x5x24xf32> {graph.role = #graph.role<output "o">}, tensor<1x5x3x8xf32> {graph.role = #graph.role<output "a">},
          tensor<1x7x3x8xf32> {graph.role = #graph.role<output "b">}, tensor<1x7x3x8xf32> {graph.role = #graph.role<output "c">}) {
    %0 = graph.transpose %q, [0, 2, 1, 3] : tensor<1x5x3x8xf32>
    %1 = graph.transpose %k, [0, 2, 1, 3] : tensor<1x7x3x8xf32>
    %2 = graph.transpose %v, [0, 2, 1, 3] : tensor<1x7x3x8xf32>
    %r, %l = graph.attention %0, %1, %2 scale = 0.5 {causal} : tensor<1x3x5x8xf32>, tensor<1x3x7x8xf32>, tensor<1x3x7x8xf32>
    %3 = graph.transpose %r, [0, 2, 1, 3] : tensor<1x3x5x8xf32>
    %4 = graph.reshape %3 : tensor<1x5x3x8xf32> to tensor<1x5x24xf32>
    %5 = graph.transpose %g, [0, 2, 1, 3] : tensor<1x5x3x8xf32>
    %dq, %dk, %dv = graph.attention_gradient %0, %1, %2, %r, %l, %5 scale = 0.5 {causal} : tensor<1x3x5x8xf32>, tensor<1x3x7x8xf32>, tensor<1x3x7x8xf32>, tensor<1x3x5x8xf32>, tensor<1x3x5xf32>
    %6 = graph.transpose %dq, [0, 2, 1, 3] : tensor<1x3x5x8xf32>
    %7 = graph.transpose %dk, [0, 2, 1, 3] : tensor<1x3x7x8xf32>
    %8 = graph.transpose %dv, [0, 2, 1, 3] : tensor<1x3x7x8xf32>
    return %4, %6, %7, %8 : tensor<1x5x24xf32>, tensor<1x5x3x8xf32>, tensor<1x7x3x8xf32>, tensor<1x7x3x8xf32>
  }

  // A transpose with another reader stays for that reader; its operand is stored in memory.
  // CHECK-LABEL: @shared
  // CHECK: %[[X:.*]] = graph.broadcast %arg0
  // CHECK: %[[T:.*]] = graph.transpose %[[X]], [0, 2, 1, 3] :
  // CHECK-COUNT-3: graph.transpose %[[X]], [0, 2, 1, 3] {task.attention = 0 : i64}
  // CHECK: graph.neg %[[T]]
  // KERNELS-LABEL: @shared
  // KERNELS: graph.broadcast {{.*}}task.kernel = 0
  func.func @shared(%x: tensor<8xf32> {graph.role = #graph.role<input "row">})
      -> (tensor<1x5x3x8xf32> {graph.role = #graph.role<output "o">}, tensor<1x3x5x8xf32> {graph.role = #graph.role<output "n">}) {
    %0 = graph.broadcast %x, [3] : tensor<8xf32> to tensor<1x5x3x8xf32>
    %1 = graph.transpose %0, [0, 2, 1, 3] : tensor<1x5x3x8xf32>
    %r, %l = graph.attention %1, %1, %1 scale = 0.5 : tensor<1x3x5x8xf32>, tensor<1x3x5x8xf32>, tensor<1x3x5x8xf32>
    %2 = graph.transpose %r, [0, 2, 1, 3] : tensor<1x3x5x8xf32>
    %3 = graph.neg %1 : tensor<1x3x5x8xf32>
    return %2, %3 : tensor<1x5x3x8xf32>, tensor<1x3x5x8xf32>
  }

  // All or none. The query does not come from such a transpose; the result is returned as it is; a
  // gradient is read with the heads first, so the attention of that gradient is not fused either.
  // CHECK-LABEL: @none
  // CHECK-NOT: task.attention
  func.func @none(%x: tensor<1x3x5x8xf32> {graph.role = #graph.role<input "m">}, %y: tensor<1x5x3x8xf32> {graph.role = #graph.role<input "n">})
      -> (tensor<1x5x3x8xf32> {graph.role = #graph.role<output "a">}, tensor<1x3x5x8xf32> {graph.role = #graph.role<output "b">},
          tensor<1x5x3x8xf32> {graph.role = #graph.role<output "c">}, tensor<1x3x5x8xf32> {graph.role = #graph.role<output "d">},
          tensor<1x5x3x8xf32> {graph.role = #graph.role<output "e">}, tensor<1x5x3x8xf32> {graph.role = #graph.role<output "f">}) {
    %0 = graph.transpose %y, [0, 2, 1, 3] : tensor<1x5x3x8xf32>
    %r, %l = graph.attention %x, %0, %0 scale = 0.5 : tensor<1x3x5x8xf32>, tensor<1x3x5x8xf32>, tensor<1x3x5x8xf32>
    %1 = graph.transpose %r, [0, 2, 1, 3] : tensor<1x3x5x8xf32>
    %s, %m = graph.attention %0, %0, %0 scale = 0.5 : tensor<1x3x5x8xf32>, tensor<1x3x5x8xf32>, tensor<1x3x5x8xf32>
    %t, %n = graph.attention %0, %0, %0 scale = 0.25 : tensor<1x3x5x8xf32>, tensor<1x3x5x8xf32>, tensor<1x3x5x8xf32>
    %2 = graph.transpose %t, [0, 2, 1, 3] : tensor<1x3x5x8xf32>
    %dq, %dk, %dv = graph.attention_gradient %0, %0, %0, %t, %n, %0 scale = 0.25 : tensor<1x3x5x8xf32>, tensor<1x3x5x8xf32>, tensor<1x3x5x8xf32>, tensor<1x3x5x8xf32>, tensor<1x3x5xf32>
    %3 = graph.transpose %dq, [0, 2, 1, 3] : tensor<1x3x5x8xf32>
    %4 = graph.transpose %dk, [0, 2, 1, 3] : tensor<1x3x5x8xf32>
    return %1, %s, %2, %dv, %3, %4 : tensor<1x5x3x8xf32>, tensor<1x3x5x8xf32>, tensor<1x5x3x8xf32>, tensor<1x3x5x8xf32>, tensor<1x5x3x8xf32>, tensor<1x5x3x8xf32>
  }
}

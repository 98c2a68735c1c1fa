// RUN: pcc-opt %s --pass-pipeline='builtin.module(builtin.module(func.func(fuse-assign-kernels),schedule-plan-memory,lower-to-task),lower-share-kernels)' | FileCheck %s

// Kernels of all stages are in one module; equal kernels exist once.
module {
  module @stage0 attributes {pipe.stage = 0 : i64} {
    func.func @forward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">}) {
      %0 = graph.exp %x : tensor<4xf32>
      pipe.send %0 to 1 tag = 0 : tensor<4xf32>
      return
    }
  }
  module @stage1 attributes {pipe.stage = 1 : i64} {
    func.func @forward() -> (tensor<4xf32> {graph.role = #graph.role<output "y">}) {
      %0 = pipe.recv from 0 tag = 0 : tensor<4xf32>
      %1 = graph.broadcast %0, [0] : tensor<4xf32> to tensor<4x2xf32>
      %2 = graph.reduce sum %1, [1] : tensor<4x2xf32>
      %3 = graph.matmul %1, %1 {transpose_lhs} : tensor<4x2xf32>, tensor<4x2xf32>
      %4 = graph.exp %2 : tensor<4xf32>
      return %4 : tensor<4xf32>
    }
  }
  module @stage2 attributes {pipe.stage = 2 : i64} {
    func.func @forward(%x: tensor<4xf32> {graph.role = #graph.role<input "z">}) -> (tensor<4xf32> {graph.role = #graph.role<output "z">}) {
      %0 = graph.exp %x : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
  }
}
// CHECK: module @stage0
// CHECK: task.launch @[[EXP:kernel0_exp]]
// CHECK: task.send {{.*}} to <1 + pp * 1> tag = 0
// CHECK: module @stage1
// CHECK: task.recv {{.*}} from <-1 + pp * 1> tag = 0
// CHECK: task.launch @[[OTHER:kernel1_[a-z]+]]
// CHECK: module @stage2
// CHECK: task.launch @[[EXP]]
// CHECK: func.func private @[[EXP]]
// CHECK: func.func private @[[OTHER]]
// CHECK-NOT: func.func

// RUN: pcc-opt %s --lower-emit-kernels | FileCheck %s

// The exported function unpacks the buffers; in the other one no pointers alias.
// CHECK-LABEL: llvm.func internal @add.body
// CHECK-SAME: %{{.*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias}
// CHECK: llvm.fadd
// CHECK-LABEL: llvm.func @add(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// CHECK: llvm.call @add.body
func.func private @add(%x: tensor<3x5xf32>, %b: tensor<5xf32>) -> (tensor<3x5xf32> {task.tied = 0 : i64}) attributes {task.form = #task.form<map 15 x 1>} {
  %0 = graph.broadcast %b, [1] : tensor<5xf32> to tensor<3x5xf32>
  %1 = graph.add %x, %0 : tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}

// The exponential becomes a polynomial and is kept in a scratch row for the second loop.
// CHECK-LABEL: llvm.func internal @softmax.body
// CHECK: llvm.alloca
// CHECK-NOT: llvm.intr.exp(
// CHECK-LABEL: llvm.func @softmax
func.func private @softmax(%x: tensor<4x10xf32>) -> tensor<4x10xf32> attributes {task.form = #task.form<rows 4 x 10>} {
  %max = graph.reduce max %x, [1] : tensor<4x10xf32>
  %0 = graph.broadcast %max, [0] : tensor<4xf32> to tensor<4x10xf32>
  %1 = graph.sub %x, %0 : tensor<4x10xf32>
  %2 = graph.exp %1 : tensor<4x10xf32>
  %sum = graph.reduce sum %2, [1] : tensor<4x10xf32>
  %3 = graph.broadcast %sum, [0] : tensor<4xf32> to tensor<4x10xf32>
  %4 = graph.div %2, %3 : tensor<4x10xf32>
  return %4 : tensor<4x10xf32>
}

// RUN: pcc-opt %s --lower-emit-gpu-kernels --lower-emulate-gpu-kernels | FileCheck %s

// Shared memory is a variable. One function has the work of a thread, with its operands unpacked:
// two buffers, no scalars. The host's form keeps the grid.
// CHECK-NOT: gpu.module
// CHECK-DAG: llvm.func @pcc_gpu_run(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i64)
// CHECK-DAG: llvm.func @pcc_gpu_thread() -> i64
// CHECK: llvm.mlir.global internal @sum.shared0
// CHECK-LABEL: llvm.func internal @sum.thread(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK: llvm.call @sum.body
// CHECK: llvm.mlir.global external constant @sum.arguments(dense<[2, 0]>
// CHECK-LABEL: llvm.func @sum(
// CHECK-SAME: task.grid = array<i64: 3, 1024>
// CHECK: llvm.call @pcc_gpu_run
// Thread and block numbers, barriers and exchanges are calls.
// CHECK-LABEL: llvm.func internal @sum.body
// CHECK: llvm.call @pcc_gpu_thread
// CHECK: llvm.call @pcc_gpu_shuffle_xor
// CHECK: llvm.call @pcc_gpu_barrier
func.func private @sum(%x: tensor<3x50257xf32>) -> tensor<3xf32> attributes {task.form = #task.form<rows 3 x 50257>} {
  %0 = graph.reduce sum %x, [1] : tensor<3x50257xf32>
  return %0 : tensor<3xf32>
}

// RUN: pcc-opt %s --pass-pipeline='builtin.module(lower-emit-gpu-kernels{chip=sm_80},gpu.module(lower-convert-gpu-kernels))' | FileCheck %s

// Threads and blocks are registers whose range is known.
// CHECK: gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_80">]
// CHECK-LABEL: llvm.func @neg
// CHECK: nvvm.read.ptx.sreg.tid.x range <i32, 0, 256>
// CHECK: nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 2>
func.func private @neg(%x: tensor<2048xf32>) -> tensor<2048xf32> attributes {task.form = #task.form<map 2048 x 1>} {
  %0 = graph.neg %x : tensor<2048xf32>
  return %0 : tensor<2048xf32>
}

// Exchanges between lanes, barriers of the block. The exponential is the host's polynomial.
// CHECK-LABEL: llvm.func @softmax
// CHECK: nvvm.shfl.sync  bfly
// CHECK-NOT: llvm.intr.exp(
// CHECK-NOT: @__nv_
// CHECK: nvvm.barrier
// CHECK-LABEL: llvm.func @scatter
func.func private @softmax(%x: tensor<8x3000xf32>) -> tensor<8x3000xf32> attributes {task.form = #task.form<rows 8 x 3000>} {
  %0 = graph.reduce max %x, [1] : tensor<8x3000xf32>
  %1 = graph.broadcast %0, [0] : tensor<8xf32> to tensor<8x3000xf32>
  %2 = graph.sub %x, %1 : tensor<8x3000xf32>
  %3 = graph.exp %2 : tensor<8x3000xf32>
  return %3 : tensor<8x3000xf32>
}

// CHECK: nvvm.shfl.sync  idx
func.func private @scatter(%x: tensor<50x8xf32>, %i: tensor<100xi64>, %u: tensor<100x8xf32>) -> (tensor<50x8xf32> {task.tied = 0 : i64}) attributes {task.form = #task.form<scatter 1 x 400>} {
  %0 = graph.scatter_add %x, %i, %u axis = 0 : (tensor<50x8xf32>, tensor<100xi64>, tensor<100x8xf32>) -> tensor<50x8xf32>
  return %0 : tensor<50x8xf32>
}

// A sine has no polynomial and no instruction of full accuracy.
// CHECK-LABEL: llvm.func @sine
// CHECK: llvm.call @__nv_sinf
func.func private @sine(%x: tensor<8xf32>) -> tensor<8xf32> attributes {task.form = #task.form<map 8 x 1>} {
  %0 = graph.sin %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A square root is an instruction with correct rounding.
// CHECK-LABEL: llvm.func @root
// CHECK: llvm.intr.sqrt
func.func private @root(%x: tensor<8xf32>) -> tensor<8xf32> attributes {task.form = #task.form<map 8 x 1>} {
  %0 = graph.sqrt %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Nor has any function of f64.
// CHECK-LABEL: llvm.func @double
// CHECK: llvm.call @__nv_exp(
// CHECK: llvm.call @__nv_tanh(
func.func private @double(%x: tensor<8xf64>) -> tensor<8xf64> attributes {task.form = #task.form<map 8 x 1>} {
  %0 = graph.exp %x : tensor<8xf64>
  %1 = graph.tanh %0 : tensor<8xf64>
  return %1 : tensor<8xf64>
}

// RUN: pcc-opt %s --lower-emit-gpu-kernels | FileCheck %s

// The iterations of a launch become the blocks.
// CHECK: task.program @main
// CHECK: task.launch @neg({{.*}}) trip = 2
task.program @main attributes {persistent_bytes = 0, temporary_bytes = 16384, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "x" temporary offset = 0 : memref<2048xf32>
  %1 = task.buffer "y" temporary offset = 8192 : memref<2048xf32>
  task.section @forward {
    task.launch @neg(%0, %1) trip = 1 : memref<2048xf32>, memref<2048xf32>
  }
}

// A thread has four adjacent elements, 16 bytes. Read-only buffers are annotated.
// CHECK: gpu.module @kernels
// CHECK-LABEL: llvm.func @neg
// CHECK-SAME: {llvm.align = 64 : i64, llvm.noalias, llvm.readonly}
// CHECK-SAME: nvvm.kernel, nvvm.reqntid = array<i32: 256>, task.grid = array<i64: 2, 256>
// CHECK-COUNT-4: llvm.load
// CHECK-NOT: llvm.load
// CHECK-COUNT-4: llvm.store
func.func private @neg(%x: tensor<2048xf32>) -> tensor<2048xf32> attributes {task.form = #task.form<map 2048 x 1>} {
  %0 = graph.neg %x : tensor<2048xf32>
  return %0 : tensor<2048xf32>
}

// Eight single bytes are one access, 16-bit numbers likewise; a row of 6 elements has pieces of two.
// CHECK-LABEL: llvm.func @pieces
// CHECK-COUNT-2: llvm.load {{.*}} -> i16
// CHECK-NOT: llvm.load {{.*}} -> i16
// CHECK: llvm.return
func.func private @pieces(%x: tensor<4x6xbf16>, %b: tensor<4xf32>) -> tensor<4x6xbf16> attributes {task.form = #task.form<map 24 x 1>} {
  %0 = graph.broadcast %b, [0] : tensor<4xf32> to tensor<4x6xf32>
  %1 = graph.cast %x : tensor<4x6xbf16> to tensor<4x6xf32>
  %2 = graph.add %1, %0 : tensor<4x6xf32>
  %3 = graph.cast %2 : tensor<4x6xf32> to tensor<4x6xbf16>
  return %3 : tensor<4x6xbf16>
}

// More pieces than the grid has threads: each thread continues at a distance of one grid.
// CHECK-LABEL: llvm.func @persistent
// CHECK-SAME: task.grid = array<i64: 1024, 256>
// CHECK: scf.for
func.func private @persistent(%x: tensor<4194304xf32>) -> (tensor<4194304xf32> {task.tied = 0 : i64}) attributes {task.form = #task.form<map 4194304 x 1>} {
  %0 = graph.neg %x : tensor<4194304xf32>
  return %0 : tensor<4194304xf32>
}

// A warp has a row. The exponential is computed once and saved: five exchanges for the maximum, five for the sum, no shared memory.
// CHECK-LABEL: llvm.func @softmax
// CHECK-SAME: task.grid = array<i64: 1, 256>
// CHECK-COUNT-5: gpu.shuffle  xor
// CHECK: math.exp
// CHECK-COUNT-5: gpu.shuffle  xor
// CHECK-NOT: math.exp
// CHECK-NOT: gpu.barrier
// CHECK: llvm.store
func.func private @softmax(%x: tensor<8x32xf32>) -> tensor<8x32xf32> attributes {task.form = #task.form<rows 8 x 32>} {
  %0 = graph.reduce max %x, [1] : tensor<8x32xf32>
  %1 = graph.broadcast %0, [0] : tensor<8xf32> to tensor<8x32xf32>
  %2 = graph.sub %x, %1 : tensor<8x32xf32>
  %3 = graph.exp %2 : tensor<8x32xf32>
  %4 = graph.reduce sum %3, [1] : tensor<8x32xf32>
  %5 = graph.broadcast %4, [0] : tensor<8xf32> to tensor<8x32xf32>
  %6 = graph.div %3, %5 : tensor<8x32xf32>
  return %6 : tensor<8x32xf32>
}

// A block has a row of 50,257 elements; its 32 warps combine their sums in shared memory. An odd row has pieces of one.
// CHECK: llvm.mlir.global internal @long.shared0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<32 x f32>
// CHECK-LABEL: llvm.func @long
// CHECK-SAME: task.grid = array<i64: 3, 1024>
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK-COUNT-32: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
func.func private @long(%x: tensor<3x50257xf32>) -> tensor<3xf32> attributes {task.form = #task.form<rows 3 x 50257>} {
  %0 = graph.reduce sum %x, [1] : tensor<3x50257xf32>
  return %0 : tensor<3xf32>
}

// Lanes have columns; 16 warps share the rows.
// CHECK-LABEL: llvm.func @columns
// CHECK-SAME: task.grid = array<i64: 3, 512>
// CHECK: scf.for
// CHECK: gpu.barrier
func.func private @columns(%x: tensor<300x96xf32>) -> tensor<96xf32> attributes {task.form = #task.form<columns 300 x 96>} {
  %0 = graph.reduce sum %x, [0] : tensor<300x96xf32>
  return %0 : tensor<96xf32>
}

// A warp tests whether any of 32 indices refers to its rows.
// CHECK-LABEL: llvm.func @scatter
// CHECK: nvvm.vote.sync any
// CHECK: gpu.shuffle  idx
func.func private @scatter(%x: tensor<50x8xf32>, %i: tensor<100xi64>, %u: tensor<100x8xf32>) -> (tensor<50x8xf32> {task.tied = 0 : i64}) attributes {task.form = #task.form<scatter 1 x 400>} {
  %0 = graph.scatter_add %x, %i, %u axis = 0 : (tensor<50x8xf32>, tensor<100xi64>, tensor<100x8xf32>) -> tensor<50x8xf32>
  return %0 : tensor<50x8xf32>
}

// A block has a plane: its 256 windows leave their greatest elements and gradients in shared memory.
// CHECK: llvm.mlir.global internal @pool_gradient.shared0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<256 x i32>
// CHECK: llvm.mlir.global internal @pool_gradient.shared1() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<256 x f32>
// CHECK-LABEL: llvm.func @pool_gradient
// CHECK-SAME: task.grid = array<i64: 6, 256>
// CHECK: llvm.store %{{.*}}, %{{.*}} : i32, !llvm.ptr<3>
// CHECK: llvm.store %{{.*}}, %{{.*}} : f32, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
func.func private @pool_gradient(%x: tensor<2x3x32x32xf32>, %g: tensor<2x3x16x16xf32>) -> tensor<2x3x32x32xf32> attributes {task.form = #task.form<scatter 6 x 1024>} {
  %0 = graph.max_pool_gradient %x, %g window = [3, 3] {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : tensor<2x3x32x32xf32>, tensor<2x3x16x16xf32>
  return %0 : tensor<2x3x32x32xf32>
}

// The windows of 100 rows do not fit: a plane has two tiles of 50 rows, each with the rows of windows that see it, 52 of 64.
// CHECK: llvm.mlir.global internal @pool_tiles.shared0() {{.*}} : !llvm.array<3328 x i32>
// CHECK-LABEL: llvm.func @pool_tiles
// CHECK-SAME: task.grid = array<i64: 12, 256>
func.func private @pool_tiles(%x: tensor<2x3x100x64xbf16>, %g: tensor<2x3x100x64xbf16>) -> tensor<2x3x100x64xbf16> attributes {task.form = #task.form<scatter 6 x 6400>} {
  %0 = graph.max_pool_gradient %x, %g window = [3, 3] {padding = array<i64: 1, 1, 1, 1>} : tensor<2x3x100x64xbf16>, tensor<2x3x100x64xbf16>
  return %0 : tensor<2x3x100x64xbf16>
}

// The windows of one row of 6500 do not fit: no shared memory.
// CHECK-NOT: @pool_row.shared
// CHECK-LABEL: llvm.func @pool_row
// CHECK-SAME: task.grid = array<i64: 51, 256>
// CHECK-NOT: gpu.barrier
// CHECK: llvm.return
func.func private @pool_row(%x: tensor<1x1x2x6500xf32>, %g: tensor<1x1x2x6500xf32>) -> tensor<1x1x2x6500xf32> attributes {task.form = #task.form<scatter 1 x 13000>} {
  %0 = graph.max_pool_gradient %x, %g window = [1, 3] {padding = array<i64: 0, 1, 0, 1>} : tensor<1x1x2x6500xf32>, tensor<1x1x2x6500xf32>
  return %0 : tensor<1x1x2x6500xf32>
}

// A block moves a tile of 32 by 32 through shared memory with rows at a distance of 33; edges are guarded if present.
// CHECK: llvm.mlir.global internal @transpose.shared0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1056 x f32>
// CHECK-LABEL: llvm.func @transpose
// CHECK-SAME: task.grid = array<i64: 6, 256>
// CHECK-COUNT-4: llvm.store %{{.*}}, %{{.*}} : f32, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK-COUNT-4: scf.if
func.func private @transpose(%x: tensor<64x70xf32>) -> tensor<70x64xf32> attributes {task.form = #task.form<map 4480 x 1>} {
  %0 = graph.transpose %x, [1, 0] : tensor<64x70xf32>
  return %0 : tensor<70x64xf32>
}

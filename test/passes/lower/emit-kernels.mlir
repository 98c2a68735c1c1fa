// RUN: pcc-opt %s --lower-emit-kernels | FileCheck %s
// CHECK: #[[DISABLED:.*]] = #llvm.loop_vectorize<disable = true>
// CHECK: #[[$SCALAR:.*]] = #llvm.loop_annotation<vectorize = #[[DISABLED]]>

// The exported function unpacks the buffers; in the inner function no pointers alias.
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

// Each dimension that must be distinguished has a loop of its own, and no induction variable is divided.
// CHECK-LABEL: llvm.func internal @repeated.body
// CHECK-NOT: llvm.urem
// CHECK-NOT: llvm.udiv
// CHECK-NOT: loop_annotation
// CHECK-LABEL: llvm.func @repeated(
func.func private @repeated(%x: tensor<2x4x2xf32>, %b: tensor<4xf32>) -> tensor<2x4x2xf32> attributes {task.form = #task.form<map 16 x 1>} {
  %0 = graph.broadcast %b, [1] : tensor<4xf32> to tensor<2x4x2xf32>
  %1 = graph.add %x, %0 : tensor<2x4x2xf32>
  return %1 : tensor<2x4x2xf32>
}

// If blocks run over two dimensions, loop bounds are divided, outside of the loop over the first one.
// CHECK-LABEL: llvm.func internal @blocks.body
// CHECK-SAME: %[[BEGIN:[a-z0-9]*]]: i64, %[[END:[a-z0-9]*]]: i64
// CHECK-DAG: llvm.mul %[[BEGIN]], %{{.*}} : i64
// CHECK-DAG: llvm.mul %[[END]], %{{.*}} : i64
// CHECK-COUNT-2: llvm.udiv
// CHECK: llvm.icmp "slt"
// CHECK-NOT: llvm.udiv
// CHECK-NOT: llvm.urem
// CHECK-NOT: loop_annotation
// CHECK-LABEL: llvm.func @blocks(
func.func private @blocks(%x: tensor<8x512x512xf32>, %b: tensor<512xf32>) -> tensor<8x512x512xf32> attributes {task.form = #task.form<map 2097152 x 1>} {
  %0 = graph.broadcast %b, [1] : tensor<512xf32> to tensor<8x512x512xf32>
  %1 = graph.add %x, %0 : tensor<8x512x512xf32>
  return %1 : tensor<8x512x512xf32>
}

// The columns 4 and 6 of the two shapes do not nest: the loops with divisions are not vectorized.
// CHECK-LABEL: llvm.func internal @views.body
// CHECK: llvm.urem
// CHECK: llvm.br {{.*}} {loop_annotation = #[[$SCALAR]]}
// CHECK-LABEL: llvm.func @views(
func.func private @views(%x: tensor<4x6xf32>, %b: tensor<6xf32>, %c: tensor<4xf32>) -> tensor<6x4xf32> attributes {task.form = #task.form<map 24 x 1>} {
  %0 = graph.broadcast %b, [1] : tensor<6xf32> to tensor<4x6xf32>
  %1 = graph.add %x, %0 : tensor<4x6xf32>
  %2 = graph.reshape %1 : tensor<4x6xf32> to tensor<6x4xf32>
  %3 = graph.broadcast %c, [1] : tensor<4xf32> to tensor<6x4xf32>
  %4 = graph.add %2, %3 : tensor<6x4xf32>
  return %4 : tensor<6x4xf32>
}

// A row and a column of two dimensions have two loops each.
// CHECK-LABEL: llvm.func internal @norm.body
// CHECK-NOT: llvm.urem
// CHECK-LABEL: llvm.func @norm(
func.func private @norm(%x: tensor<3x4x6xf32>, %b: tensor<4xf32>) -> tensor<3x4x6xf32> attributes {task.form = #task.form<rows 3 x 24>} {
  %mean = graph.reduce mean %x, [1, 2] : tensor<3x4x6xf32>
  %0 = graph.broadcast %mean, [0] : tensor<3xf32> to tensor<3x4x6xf32>
  %1 = graph.sub %x, %0 : tensor<3x4x6xf32>
  %2 = graph.broadcast %b, [1] : tensor<4xf32> to tensor<3x4x6xf32>
  %3 = graph.mul %1, %2 : tensor<3x4x6xf32>
  return %3 : tensor<3x4x6xf32>
}

// CHECK-LABEL: llvm.func internal @columns.body
// CHECK-NOT: llvm.urem
// CHECK-LABEL: llvm.func @columns(
func.func private @columns(%x: tensor<3x4x6xf32>, %b: tensor<4xf32>) -> tensor<4x6xf32> attributes {task.form = #task.form<columns 3 x 24>} {
  %0 = graph.broadcast %b, [1] : tensor<4xf32> to tensor<3x4x6xf32>
  %1 = graph.add %x, %0 : tensor<3x4x6xf32>
  %sum = graph.reduce sum %1, [0] : tensor<3x4x6xf32>
  return %sum : tensor<4x6xf32>
}

// Types without a sign are integers of LLVM, with the ops for them.
// CHECK-LABEL: llvm.func internal @unsigned.body
// CHECK: llvm.load {{.*}} -> i8
// CHECK: llvm.udiv {{.*}} : i8
// CHECK: llvm.intr.umax
// CHECK: llvm.uitofp {{.*}} : i8 to f64
// CHECK-LABEL: llvm.func @unsigned(
func.func private @unsigned(%x: tensor<15xui8>, %y: tensor<15xui8>) -> tensor<15xf64> attributes {task.form = #task.form<map 15 x 1>} {
  %0 = graph.div %x, %y : tensor<15xui8>
  %1 = graph.max %0, %y : tensor<15xui8>
  %2 = graph.cast %1 : tensor<15xui8> to tensor<15xf64>
  return %2 : tensor<15xf64>
}

// Functions of f64 are calls of the C library, and a matmul of f64 is a loop.
// CHECK-LABEL: llvm.func internal @double.body
// CHECK: llvm.fmul {{.*}} : f64
// CHECK: llvm.call @erf(
// CHECK: llvm.intr.exp({{.*}} f64
// CHECK-LABEL: llvm.func @double(
func.func private @double(%x: tensor<3x4xf64>, %y: tensor<4x5xf64>) -> tensor<3x5xf64> attributes {task.form = #task.form<rows 15 x 4>} {
  %0 = graph.matmul %x, %y : tensor<3x4xf64>, tensor<4x5xf64>
  %1 = graph.erf %0 : tensor<3x5xf64>
  %2 = graph.exp %1 : tensor<3x5xf64>
  return %2 : tensor<3x5xf64>
}

// f64 is rounded to f16 once: on the way it becomes an f32 whose last bit is set if it is inexact.
// CHECK-LABEL: llvm.func internal @narrow.body
// CHECK: llvm.fptrunc %{{.*}} : f64 to f32
// CHECK: llvm.fcmp "one"
// CHECK: llvm.select
// CHECK: llvm.fptrunc %{{.*}} : f32 to f16
// CHECK-LABEL: llvm.func @narrow(
func.func private @narrow(%x: tensor<15xf64>) -> tensor<15xf16> attributes {task.form = #task.form<map 15 x 1>} {
  %0 = graph.cast %x : tensor<15xf64> to tensor<15xf16>
  return %0 : tensor<15xf16>
}

// RUN: pcc-opt %s --fuse-recompute-pointwise | FileCheck %s

// A kernel whose only results are recomputed by their readers disappears, and the numbers close up.
// CHECK-LABEL: @gone
// CHECK-SAME: task.forms = [#task.form<rows 64 x 128>, #task.form<columns 64 x 128>]
// CHECK: graph.cast {{.*}}task.kernel = 0
// CHECK-NEXT: graph.reduce {{.*}}task.kernel = 0
// CHECK-NEXT: graph.cast {{.*}}task.kernel = 1
// CHECK-NEXT: graph.reduce {{.*}}task.kernel = 1
// CHECK-NOT: graph
func.func @gone(%x: tensor<64x128xbf16>) -> (tensor<64xf32>, tensor<128xf32>)
    attributes {task.forms = [#task.form<map 8192 x 1>, #task.form<rows 64 x 128>, #task.form<columns 64 x 128>]} {
  %0 = graph.cast %x {task.kernel = 0 : i64} : tensor<64x128xbf16> to tensor<64x128xf32>
  %1 = graph.reduce sum %0, [1] {task.kernel = 1 : i64} : tensor<64x128xf32>
  %2 = graph.reduce sum %0, [0] {task.kernel = 2 : i64} : tensor<64x128xf32>
  return %1, %2 : tensor<64xf32>, tensor<128xf32>
}

// A value that takes more than a few ops is read from memory.
// CHECK-LABEL: @long
// CHECK-COUNT-18: graph.neg
// CHECK-NOT: graph.neg
func.func @long(%x: tensor<64x128xbf16>) -> (tensor<64xf32>, tensor<128xf32>)
    attributes {task.forms = [#task.form<rows 64 x 128>, #task.form<columns 64 x 128>]} {
  %0 = graph.cast %x {task.kernel = 0 : i64} : tensor<64x128xbf16> to tensor<64x128xf32>
  %1 = graph.neg %0 {task.kernel = 0 : i64} : tensor<64x128xf32>
  %2 = graph.neg %1 {task.kernel = 0 : i64} : tensor<64x128xf32>
  %3 = graph.neg %2 {task.kernel = 0 : i64} : tensor<64x128xf32>
  %4 = graph.neg %3 {task.kernel = 0 : i64} : tensor<64x128xf32>
  %5 = graph.neg %4 {task.kernel = 0 : i64} : tensor<64x128xf32>
  %6 = graph.neg %5 {task.kernel = 0 : i64} : tensor<64x128xf32>
  %7 = graph.neg %6 {task.kernel = 0 : i64} : tensor<64x128xf32>
  %8 = graph.neg %7 {task.kernel = 0 : i64} : tensor<64x128xf32>
  %9 = graph.neg %8 {task.kernel = 0 : i64} : tensor<64x128xf32>
  %10 = graph.neg %9 {task.kernel = 0 : i64} : tensor<64x128xf32>
  %11 = graph.neg %10 {task.kernel = 0 : i64} : tensor<64x128xf32>
  %12 = graph.neg %11 {task.kernel = 0 : i64} : tensor<64x128xf32>
  %13 = graph.neg %12 {task.kernel = 0 : i64} : tensor<64x128xf32>
  %14 = graph.neg %13 {task.kernel = 0 : i64} : tensor<64x128xf32>
  %15 = graph.neg %14 {task.kernel = 0 : i64} : tensor<64x128xf32>
  %16 = graph.neg %15 {task.kernel = 0 : i64} : tensor<64x128xf32>
  %17 = graph.neg %16 {task.kernel = 0 : i64} : tensor<64x128xf32>
  %18 = graph.neg %17 {task.kernel = 0 : i64} : tensor<64x128xf32>
  %19 = graph.reduce sum %18, [1] {task.kernel = 0 : i64} : tensor<64x128xf32>
  %20 = graph.reduce sum %18, [0] {task.kernel = 1 : i64} : tensor<64x128xf32>
  return %19, %20 : tensor<64xf32>, tensor<128xf32>
}

// Hoisted kernels have fixed kernel numbers: nothing is done.
// CHECK-LABEL: @early
// CHECK-COUNT-1: graph.cast
// CHECK-NOT: graph.cast
func.func @early(%x: tensor<64x128xbf16>) -> (tensor<64xf32>, tensor<128xf32>)
    attributes {task.hoisted = [[@first, 0], [@first, 0]], task.forms = [#task.form<rows 64 x 128>, #task.form<columns 64 x 128>]} {
  %0 = graph.cast %x {task.kernel = 0 : i64} : tensor<64x128xbf16> to tensor<64x128xf32>
  %1 = graph.reduce sum %0, [1] {task.kernel = 0 : i64} : tensor<64x128xf32>
  %2 = graph.reduce sum %0, [0] {task.kernel = 1 : i64} : tensor<64x128xf32>
  return %1, %2 : tensor<64xf32>, tensor<128xf32>
}

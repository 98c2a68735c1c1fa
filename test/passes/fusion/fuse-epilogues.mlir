// RUN: pcc-opt %s --fuse-epilogues --remarks-filter=fusion --remark-format=emitRemark --verify-diagnostics -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: pcc verify %s %t.mlir | FileCheck %s --check-prefix=VERIFY
// RUN: pcc-opt %t.mlir --fuse-assign-kernels | FileCheck %s --check-prefix=KERNELS
// VERIFY: verify: {{[1-9][0-9]*}} passed, 0 failed, 0 skipped

// expected-remark @below {{biases=5, gelu gradients=1, gelus=3, relus=2, sums=4}}
module {
  // Two layers with gelu between them, forward and backward. The first matmul saves gelu's operand, which gelu's slope
  // reads after the matmul with the second weight. Both weight gradients sum an operand. Ops that both need are duplicated,
  // and the ops of the slope that nothing reads any more are erased.
  // CHECK-LABEL: @layers
  // CHECK: graph.matmul %arg0, %arg1 {task.activation = #task<activation gelu>, task.matmul_group = 0 : i64, transpose_rhs}
  // CHECK: %[[X:.*]] = graph.add {{.*}} {task.matmul_group = 0 : i64}
  // CHECK: graph.tanh {{.*}} {task.matmul_group = 0 : i64}
  // CHECK: graph.matmul {{.*}}, %arg3 {task.matmul_group = 1 : i64, transpose_rhs}
  // CHECK: graph.add {{.*}} {task.matmul_group = 1 : i64}
  // CHECK: graph.matmul %arg5, %arg3 {task.activation = #task<activation gelu_gradient>, task.matmul_group = 2 : i64}
  // CHECK-NOT: graph.sub
  // CHECK: graph.tanh {{.*}} {task.matmul_group = 2 : i64}
  // CHECK: graph.mul %[[X]], %[[X]] {task.matmul_group = 2 : i64}
  // CHECK: graph.add {{.*}} {task.matmul_group = 2 : i64}
  // CHECK: graph.add {{.*}} {task.matmul_group = 2 : i64}
  // CHECK: graph.add {{.*}} {task.matmul_group = 2 : i64}
  // CHECK-NEXT: graph.mul
  // CHECK: %[[G:[0-9]+]] = graph.mul {{[^:]*}} {task.matmul_group = 2 : i64} : tensor<2x2x16xf32>
  // CHECK-NEXT: graph.reshape %[[G]]
  // CHECK: graph.matmul {{.*}}, %arg0 {task.matmul_group = 3 : i64, transpose_lhs}
  // CHECK: graph.reduce sum %[[G]], [0, 1] {task.matmul_group = 3 : i64}
  // CHECK: graph.matmul {{.*}}, %arg5 {task.matmul_group = 4 : i64, transpose_lhs}
  // CHECK: graph.reduce sum %arg5, [0] {task.matmul_group = 4 : i64}
  // KERNELS-LABEL: @layers
  // KERNELS-SAME: task.forms = [#task.form<matmul 64 x 1>, #task.form<matmul 32 x 1>, #task.form<matmul 64 x 1>, #task.form<matmul 128 x 1>, #task.form<matmul 128 x 1>]
  func.func @layers(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>, %b: tensor<16xf32>, %v: tensor<8x16xf32>, %c: tensor<8xf32>,
                    %g: tensor<4x8xf32>)
      -> (tensor<4x8xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<16x8xf32>, tensor<8xf32>) {
    %half = graph.constant dense<5.000000e-01> : tensor<2x2x16xf32>
    %one = graph.constant dense<1.000000e+00> : tensor<2x2x16xf32>
    %inner = graph.constant dense<0.797884583> : tensor<2x2x16xf32>
    %cubic = graph.constant dense<4.471500e-02> : tensor<2x2x16xf32>
    %both = graph.constant dense<0.0356774069> : tensor<2x2x16xf32>
    %thrice = graph.constant dense<0.107032225> : tensor<2x2x16xf32>
    %0 = graph.matmul %x, %w {transpose_rhs} : tensor<4x8xf32>, tensor<16x8xf32>
    %1 = graph.reshape %0 : tensor<4x16xf32> to tensor<2x2x16xf32>
    %2 = graph.broadcast %b, [2] : tensor<16xf32> to tensor<2x2x16xf32>
    %3 = graph.add %1, %2 : tensor<2x2x16xf32>
    %4 = graph.square %3 : tensor<2x2x16xf32>
    %5 = graph.mul %4, %3 : tensor<2x2x16xf32>
    %6 = graph.mul %5, %cubic : tensor<2x2x16xf32>
    %7 = graph.add %3, %6 : tensor<2x2x16xf32>
    %8 = graph.mul %7, %inner : tensor<2x2x16xf32>
    %9 = graph.tanh %8 : tensor<2x2x16xf32>
    %10 = graph.mul %3, %half : tensor<2x2x16xf32>
    %11 = graph.add %9, %one : tensor<2x2x16xf32>
    %12 = graph.mul %10, %11 : tensor<2x2x16xf32>
    %13 = graph.reshape %12 : tensor<2x2x16xf32> to tensor<4x16xf32>
    %14 = graph.matmul %13, %v {transpose_rhs} : tensor<4x16xf32>, tensor<8x16xf32>
    %15 = graph.broadcast %c, [1] : tensor<8xf32> to tensor<4x8xf32>
    %16 = graph.add %15, %14 : tensor<4x8xf32>
    %17 = graph.matmul %g, %v : tensor<4x8xf32>, tensor<8x16xf32>
    %18 = graph.reshape %17 : tensor<4x16xf32> to tensor<2x2x16xf32>
    %19 = graph.mul %3, %3 : tensor<2x2x16xf32>
    %20 = graph.mul %19, %thrice : tensor<2x2x16xf32>
    %21 = graph.add %20, %inner : tensor<2x2x16xf32>
    %22 = graph.mul %9, %9 : tensor<2x2x16xf32>
    %23 = graph.sub %one, %22 : tensor<2x2x16xf32>
    %24 = graph.mul %3, %21 : tensor<2x2x16xf32>
    %25 = graph.mul %24, %23 : tensor<2x2x16xf32>
    %26 = graph.add %9, %25 : tensor<2x2x16xf32>
    %27 = graph.add %26, %one : tensor<2x2x16xf32>
    %28 = graph.mul %27, %half : tensor<2x2x16xf32>
    %29 = graph.mul %18, %28 : tensor<2x2x16xf32>
    %30 = graph.reduce sum %29, [0, 1] : tensor<2x2x16xf32>
    %31 = graph.reshape %29 : tensor<2x2x16xf32> to tensor<4x16xf32>
    %32 = graph.matmul %31, %x {transpose_lhs} : tensor<4x16xf32>, tensor<4x8xf32>
    %33 = graph.matmul %13, %g {transpose_lhs} : tensor<4x16xf32>, tensor<4x8xf32>
    %34 = graph.reduce sum %g, [0] : tensor<4x8xf32>
    return %16, %32, %30, %33, %34 : tensor<4x8xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<16x8xf32>, tensor<8xf32>
  }

  // Forward alone, without a bias: nothing else reads gelu's operand. A relu after a reshape.
  // CHECK-LABEL: @forward
  // CHECK: graph.matmul %arg0, %arg1 {task.activation = #task<activation gelu>, task.matmul_group = 0 : i64}
  // CHECK: graph.matmul {{.*}}, %arg2 {task.matmul_group = 1 : i64}
  // CHECK: graph.relu {{.*}} {task.matmul_group = 1 : i64}
  // KERNELS-LABEL: @forward
  // KERNELS-SAME: task.forms = [#task.form<matmul 32 x 1>, #task.form<matmul 32 x 1>]
  func.func @forward(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<2x2x8xf32> {
    %half = graph.constant dense<5.000000e-01> : tensor<4x8xf32>
    %one = graph.constant dense<1.000000e+00> : tensor<4x8xf32>
    %inner = graph.constant dense<0.797884583> : tensor<4x8xf32>
    %both = graph.constant dense<0.0356774069> : tensor<4x8xf32>
    %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32>
    %1 = graph.square %0 : tensor<4x8xf32>
    %2 = graph.mul %1, %both : tensor<4x8xf32>
    %3 = graph.add %2, %inner : tensor<4x8xf32>
    %4 = graph.mul %0, %3 : tensor<4x8xf32>
    %5 = graph.tanh %4 : tensor<4x8xf32>
    %6 = graph.add %5, %one : tensor<4x8xf32>
    %7 = graph.mul %0, %6 : tensor<4x8xf32>
    %8 = graph.mul %7, %half : tensor<4x8xf32>
    %9 = graph.matmul %8, %v : tensor<4x8xf32>, tensor<8x8xf32>
    %10 = graph.reshape %9 : tensor<4x8xf32> to tensor<2x2x8xf32>
    %11 = graph.broadcast %b, [2] : tensor<8xf32> to tensor<2x2x8xf32>
    %12 = graph.add %10, %11 : tensor<2x2x8xf32>
    %13 = graph.relu %12 : tensor<2x2x8xf32>
    return %13 : tensor<2x2x8xf32>
  }

  // The operand and the summed value are views of one value.
  // CHECK-LABEL: @heads
  // CHECK: graph.matmul {{.*}} {task.matmul_group = 0 : i64, transpose_lhs}
  // CHECK: graph.reduce sum {{.*}}, [0, 1] {task.matmul_group = 0 : i64} : tensor<2x3x20xf32>
  func.func @heads(%g: tensor<2x4x3x5xf32>, %x: tensor<6x8xf32>) -> (tensor<20xf32>, tensor<20x8xf32>) {
    %0 = graph.transpose %g, [0, 2, 1, 3] : tensor<2x4x3x5xf32>
    %1 = graph.reshape %0 : tensor<2x3x4x5xf32> to tensor<2x3x20xf32>
    %2 = graph.reduce sum %1, [0, 1] : tensor<2x3x20xf32>
    %3 = graph.reshape %0 : tensor<2x3x4x5xf32> to tensor<6x20xf32>
    %4 = graph.matmul %3, %x {transpose_lhs} : tensor<6x20xf32>, tensor<6x8xf32>
    return %2, %4 : tensor<20xf32>, tensor<20x8xf32>
  }

  // A relu after a reshape that cuts columns.
  // CHECK-LABEL: @cut_columns
  // CHECK: graph.matmul {{.*}} {task.matmul_group = 0 : i64}
  // CHECK: graph.relu {{.*}} {task.matmul_group = 0 : i64}
  func.func @cut_columns(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x2x4xf32> {
    %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32>
    %1 = graph.reshape %0 : tensor<4x8xf32> to tensor<4x2x4xf32>
    %2 = graph.relu %1 : tensor<4x2x4xf32>
    return %2 : tensor<4x2x4xf32>
  }

  // Half types: constants are rounded to few bits, sums have the type of the matmul.
  // CHECK-LABEL: @half_types
  // CHECK: graph.matmul {{.*}} {task.activation = #task<activation gelu>, task.matmul_group = 0 : i64}
  // CHECK: graph.add {{.*}} {task.matmul_group = 0 : i64} : tensor<4x8xbf16>
  // CHECK: graph.mul {{.*}} {task.matmul_group = 0 : i64} : tensor<4x8xbf16>
  // CHECK: graph.matmul {{.*}} {task.matmul_group = 1 : i64, transpose_lhs} : tensor<4x8xf16>, tensor<4x8xf16>
  // CHECK-NEXT: graph.reduce sum %arg3, [0] {task.matmul_group = 1 : i64} : tensor<4x8xf16>
  func.func @half_types(%x: tensor<4x8xbf16>, %w: tensor<8x8xbf16>, %b: tensor<8xbf16>, %g: tensor<4x8xf16>, %y: tensor<4x8xf16>)
      -> (tensor<4x8xbf16>, tensor<8x8xf16>, tensor<8xf16>) {
    %half = graph.constant dense<5.000000e-01> : tensor<4x8xbf16>
    %one = graph.constant dense<1.000000e+00> : tensor<4x8xbf16>
    %inner = graph.constant dense<7.968750e-01> : tensor<4x8xbf16>
    %cubic = graph.constant dense<4.467770e-02> : tensor<4x8xbf16>
    %0 = graph.matmul %x, %w : tensor<4x8xbf16>, tensor<8x8xbf16>
    %1 = graph.broadcast %b, [1] : tensor<8xbf16> to tensor<4x8xbf16>
    %2 = graph.add %0, %1 : tensor<4x8xbf16>
    %3 = graph.square %2 : tensor<4x8xbf16>
    %4 = graph.mul %3, %2 : tensor<4x8xbf16>
    %5 = graph.mul %4, %cubic : tensor<4x8xbf16>
    %6 = graph.add %2, %5 : tensor<4x8xbf16>
    %7 = graph.mul %6, %inner : tensor<4x8xbf16>
    %8 = graph.tanh %7 : tensor<4x8xbf16>
    %9 = graph.add %8, %one : tensor<4x8xbf16>
    %10 = graph.mul %2, %half : tensor<4x8xbf16>
    %11 = graph.mul %10, %9 : tensor<4x8xbf16>
    %12 = graph.matmul %g, %y {transpose_lhs} : tensor<4x8xf16>, tensor<4x8xf16>
    %13 = graph.reduce sum %g, [0] : tensor<4x8xf16>
    return %11, %12, %13 : tensor<4x8xbf16>, tensor<8x8xf16>, tensor<8xf16>
  }

  // Other functions with a tanh are not gelu: another width, another cubic term, or another operand of the cube.
  // CHECK-LABEL: @other_functions
  // CHECK-NOT: task.matmul_group
  // CHECK: return
  func.func @other_functions(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %y: tensor<4x8xf32>)
      -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
    %half = graph.constant dense<5.000000e-01> : tensor<4x8xf32>
    %one = graph.constant dense<1.000000e+00> : tensor<4x8xf32>
    %width = graph.constant dense<0.851> : tensor<4x8xf32>
    %inner = graph.constant dense<0.797884583> : tensor<4x8xf32>
    %cubic = graph.constant dense<4.471500e-02> : tensor<4x8xf32>
    %other = graph.constant dense<5.000000e-02> : tensor<4x8xf32>
    %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32>
    %1 = graph.mul %0, %width : tensor<4x8xf32>
    %2 = graph.tanh %1 : tensor<4x8xf32>
    %3 = graph.add %2, %one : tensor<4x8xf32>
    %4 = graph.mul %0, %3 : tensor<4x8xf32>
    %5 = graph.mul %4, %half : tensor<4x8xf32>
    %10 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32>
    %11 = graph.square %10 : tensor<4x8xf32>
    %12 = graph.mul %11, %10 : tensor<4x8xf32>
    %13 = graph.mul %12, %other : tensor<4x8xf32>
    %14 = graph.add %10, %13 : tensor<4x8xf32>
    %15 = graph.mul %14, %inner : tensor<4x8xf32>
    %16 = graph.tanh %15 : tensor<4x8xf32>
    %17 = graph.add %16, %one : tensor<4x8xf32>
    %18 = graph.mul %10, %17 : tensor<4x8xf32>
    %19 = graph.mul %18, %half : tensor<4x8xf32>
    %20 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32>
    %21 = graph.square %20 : tensor<4x8xf32>
    %22 = graph.mul %21, %y : tensor<4x8xf32>
    %23 = graph.mul %22, %cubic : tensor<4x8xf32>
    %24 = graph.add %20, %23 : tensor<4x8xf32>
    %25 = graph.mul %24, %inner : tensor<4x8xf32>
    %26 = graph.tanh %25 : tensor<4x8xf32>
    %27 = graph.add %26, %one : tensor<4x8xf32>
    %28 = graph.mul %20, %27 : tensor<4x8xf32>
    %29 = graph.mul %28, %half : tensor<4x8xf32>
    return %5, %19, %29 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  }

  // Gelu and its slope, in rows that are not a multiple of 8 elements: only the bias is part of the instruction.
  // CHECK-LABEL: @rows_of_12
  // CHECK-NOT: task.activation
  // CHECK: graph.add {{.*}} {task.matmul_group = 0 : i64}
  // CHECK-NOT: task.matmul_group
  // CHECK: return
  func.func @rows_of_12(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %b: tensor<12xf32>, %g: tensor<4x8xf32>)
      -> (tensor<4x12xf32>, tensor<4x12xf32>) {
    %half = graph.constant dense<5.000000e-01> : tensor<4x12xf32>
    %one = graph.constant dense<1.000000e+00> : tensor<4x12xf32>
    %inner = graph.constant dense<0.797884583> : tensor<4x12xf32>
    %both = graph.constant dense<0.0356774069> : tensor<4x12xf32>
    %thrice = graph.constant dense<0.107032225> : tensor<4x12xf32>
    %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x12xf32>
    %1 = graph.broadcast %b, [1] : tensor<12xf32> to tensor<4x12xf32>
    %2 = graph.add %0, %1 : tensor<4x12xf32>
    %3 = graph.square %2 : tensor<4x12xf32>
    %4 = graph.mul %3, %both : tensor<4x12xf32>
    %5 = graph.add %4, %inner : tensor<4x12xf32>
    %6 = graph.mul %2, %5 : tensor<4x12xf32>
    %7 = graph.tanh %6 : tensor<4x12xf32>
    %8 = graph.add %7, %one : tensor<4x12xf32>
    %9 = graph.mul %2, %8 : tensor<4x12xf32>
    %10 = graph.mul %9, %half : tensor<4x12xf32>
    %11 = graph.matmul %g, %w : tensor<4x8xf32>, tensor<8x12xf32>
    %12 = graph.mul %3, %thrice : tensor<4x12xf32>
    %13 = graph.add %12, %inner : tensor<4x12xf32>
    %14 = graph.mul %7, %7 : tensor<4x12xf32>
    %15 = graph.sub %one, %14 : tensor<4x12xf32>
    %16 = graph.mul %2, %13 : tensor<4x12xf32>
    %17 = graph.mul %16, %15 : tensor<4x12xf32>
    %18 = graph.add %8, %17 : tensor<4x12xf32>
    %19 = graph.mul %18, %half : tensor<4x12xf32>
    %20 = graph.mul %11, %19 : tensor<4x12xf32>
    return %10, %20 : tensor<4x12xf32>, tensor<4x12xf32>
  }

  // A bias stays outside if its matmul has other readers; so does a relu after such a matmul.
  // CHECK-LABEL: @read_by_others
  // CHECK-NOT: task.matmul_group
  // CHECK: return
  func.func @read_by_others(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32>
    %1 = graph.broadcast %b, [1] : tensor<8xf32> to tensor<4x8xf32>
    %2 = graph.add %0, %1 : tensor<4x8xf32>
    %3 = graph.relu %2 : tensor<4x8xf32>
    return %3, %0 : tensor<4x8xf32>, tensor<4x8xf32>
  }

  // Not fused: sums that are read before the matmul or by it, means, sums along the other
  // dimension, and sums of an operand whose rows are not along k.
  // CHECK-LABEL: @other_sums
  // CHECK-NOT: task.matmul_group
  // CHECK: return
  func.func @other_sums(%g: tensor<8x8xf32>, %x: tensor<8x8xf32>, %y: tensor<8x8xf32>, %z: tensor<8x8xf32>)
      -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = graph.reduce sum %g, [0] : tensor<8x8xf32>
    %1 = graph.broadcast %0, [1] : tensor<8xf32> to tensor<8x8xf32>
    %2 = graph.mul %1, %x : tensor<8x8xf32>
    %3 = graph.matmul %g, %2 {transpose_lhs, transpose_rhs} : tensor<8x8xf32>, tensor<8x8xf32>
    %4 = graph.matmul %g, %1 {transpose_lhs, transpose_rhs} : tensor<8x8xf32>, tensor<8x8xf32>
    %5 = graph.matmul %y, %z : tensor<8x8xf32>, tensor<8x8xf32>
    %6 = graph.reduce sum %y, [0] : tensor<8x8xf32>
    %7 = graph.reduce sum %z, [1] : tensor<8x8xf32>
    %8 = graph.reduce mean %z, [0] : tensor<8x8xf32>
    return %3, %4, %5, %6, %7, %8 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}

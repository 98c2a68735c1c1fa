// RUN: pcc-opt %s --graph-canonicalize --cse --graph-raise-norms --graph-canonicalize | FileCheck %s
// RUN: pcc-opt %s --graph-canonicalize --cse --graph-raise-norms --graph-canonicalize -o %t.mlir
// RUN: pcc verify %s %t.mlir | FileCheck %s --check-prefix=VERIFY

// VERIFY: verify: {{[1-9][0-9]*}} passed, 0 failed, 0 skipped

!t = tensor<2x3x8xf32>
!m = tensor<2x3xf32>
!r = tensor<2x3x1xf32>
!v = tensor<8xf32>

// The form of older exporters: kept dimensions, a power, a quotient by the root.
// CHECK-LABEL: func.func @layer_norm
// CHECK-NEXT: %[[R:.*]] = graph.layer_norm %arg0, %arg1, %arg2 axis = 2 epsilon = 9.99{{.*}}E-6 : tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT: return %[[R]]
func.func @layer_norm(%x: !t, %s: !v, %b: !v) -> !t {
  %two = graph.constant dense<2.0> : !t
  %e = graph.constant dense<1.0e-5> : !r
  %0 = graph.reduce mean %x, [2] : !t
  %1 = graph.reshape %0 : !m to !r
  %2 = graph.broadcast %1, [0, 1, 2] : !r to !t
  %3 = graph.sub %x, %2 : !t
  %4 = graph.pow %3, %two : !t
  %5 = graph.reduce mean %4, [2] : !t
  %6 = graph.reshape %5 : !m to !r
  %7 = graph.add %6, %e : !r
  %8 = graph.sqrt %7 : !r
  %9 = graph.broadcast %8, [0, 1, 2] : !r to !t
  %10 = graph.div %3, %9 : !t
  %11 = graph.broadcast %s, [2] : !v to !t
  %12 = graph.mul %10, %11 : !t
  %13 = graph.broadcast %b, [2] : !v to !t
  %14 = graph.add %12, %13 : !t
  return %14 : !t
}

// A multiplication by rsqrt, the scale on the left, no bias, over two dimensions.
// CHECK-LABEL: func.func @two_dimensions
// CHECK-NEXT: graph.layer_norm %arg0, %arg1 axis = 1 epsilon = 1.250000e-01 : tensor<2x3x8xf32>, tensor<3x8xf32>
func.func @two_dimensions(%x: !t, %s: tensor<3x8xf32>) -> !t {
  %e = graph.constant dense<0.125> : tensor<2xf32>
  %0 = graph.reduce mean %x, [1, 2] : !t
  %1 = graph.broadcast %0, [0] : tensor<2xf32> to !t
  %2 = graph.sub %x, %1 : !t
  %3 = graph.mul %2, %2 : !t
  %4 = graph.reduce mean %3, [1, 2] : !t
  %5 = graph.add %4, %e : tensor<2xf32>
  %6 = graph.rsqrt %5 : tensor<2xf32>
  %7 = graph.broadcast %6, [0] : tensor<2xf32> to !t
  %8 = graph.mul %7, %2 : !t
  %9 = graph.broadcast %s, [1, 2] : tensor<3x8xf32> to !t
  %10 = graph.mul %9, %8 : !t
  return %10 : !t
}

// Without a scale, the scale is one.
// CHECK-LABEL: func.func @plain
// CHECK: %[[ONE:.*]] = graph.constant dense<1.000000e+00> : tensor<8xf32>
// CHECK: graph.layer_norm %arg0, %[[ONE]] axis = 2
func.func @plain(%x: !t) -> !t {
  %e = graph.constant dense<0.125> : !m
  %0 = graph.reduce mean %x, [2] : !t
  %1 = graph.broadcast %0, [0, 1] : !m to !t
  %2 = graph.sub %x, %1 : !t
  %3 = graph.square %2 : !t
  %4 = graph.reduce mean %3, [2] : !t
  %5 = graph.add %e, %4 : !m
  %6 = graph.sqrt %5 : !m
  %7 = graph.broadcast %6, [0, 1] : !m to !t
  %8 = graph.div %2, %7 : !t
  return %8 : !t
}

// The reciprocal of the root, as a quotient.
// CHECK-LABEL: func.func @rms_norm
// CHECK-NEXT: graph.rms_norm %arg0, %arg1 axis = 2 epsilon = {{.*}} : tensor<2x3x8xf32>, tensor<8xf32>
func.func @rms_norm(%x: !t, %s: !v) -> !t {
  %two = graph.constant dense<2.0> : !t
  %one = graph.constant dense<1.0> : !r
  %e = graph.constant dense<1.0e-6> : !r
  %0 = graph.pow %x, %two : !t
  %1 = graph.reduce mean %0, [2] : !t
  %2 = graph.reshape %1 : !m to !r
  %3 = graph.add %2, %e : !r
  %4 = graph.sqrt %3 : !r
  %5 = graph.div %one, %4 : !r
  %6 = graph.broadcast %5, [0, 1, 2] : !r to !t
  %7 = graph.mul %x, %6 : !t
  %8 = graph.broadcast %s, [2] : !v to !t
  %9 = graph.mul %8, %7 : !t
  return %9 : !t
}

// A mean over a middle dimension is not such a norm.
// CHECK-LABEL: func.func @middle
// CHECK-NOT: graph.rms_norm
// CHECK: return
func.func @middle(%x: !t) -> !t {
  %e = graph.constant dense<0.125> : tensor<2x8xf32>
  %0 = graph.square %x : !t
  %1 = graph.reduce mean %0, [1] : !t
  %2 = graph.add %1, %e : tensor<2x8xf32>
  %3 = graph.rsqrt %2 : tensor<2x8xf32>
  %4 = graph.broadcast %3, [0, 2] : tensor<2x8xf32> to !t
  %5 = graph.mul %x, %4 : !t
  return %5 : !t
}

// Nor is one whose rows lie behind a repeated dimension: here each column is divided by the norm of the row of its number.
// CHECK-LABEL: func.func @other_rows
// CHECK-NOT: graph.rms_norm
// CHECK: return
func.func @other_rows(%x: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
  %e = graph.constant dense<0.125> : tensor<2x1x3xf32>
  %0 = graph.square %x : tensor<2x3x3xf32>
  %1 = graph.reduce mean %0, [2] : tensor<2x3x3xf32>
  %2 = graph.reshape %1 : tensor<2x3xf32> to tensor<2x1x3xf32>
  %3 = graph.add %2, %e : tensor<2x1x3xf32>
  %4 = graph.rsqrt %3 : tensor<2x1x3xf32>
  %5 = graph.broadcast %4, [0, 1, 2] : tensor<2x1x3xf32> to tensor<2x3x3xf32>
  %6 = graph.mul %x, %5 : tensor<2x3x3xf32>
  return %6 : tensor<2x3x3xf32>
}

// Nor are columns less the means of the rows of their numbers.
// CHECK-LABEL: func.func @other_means
// CHECK-NOT: graph.layer_norm
// CHECK: return
func.func @other_means(%x: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
  %e = graph.constant dense<0.125> : tensor<2x3xf32>
  %0 = graph.reduce mean %x, [2] : tensor<2x3x3xf32>
  %1 = graph.reshape %0 : tensor<2x3xf32> to tensor<2x1x3xf32>
  %2 = graph.broadcast %1, [0, 1, 2] : tensor<2x1x3xf32> to tensor<2x3x3xf32>
  %3 = graph.sub %x, %2 : tensor<2x3x3xf32>
  %4 = graph.square %3 : tensor<2x3x3xf32>
  %5 = graph.reduce mean %4, [2] : tensor<2x3x3xf32>
  %6 = graph.add %5, %e : tensor<2x3xf32>
  %7 = graph.rsqrt %6 : tensor<2x3xf32>
  %8 = graph.broadcast %7, [0, 1] : tensor<2x3xf32> to tensor<2x3x3xf32>
  %9 = graph.mul %3, %8 : tensor<2x3x3xf32>
  return %9 : tensor<2x3x3xf32>
}

// The scale comes before the quotient.
// CHECK-LABEL: func.func @scaled_first
// CHECK: graph.layer_norm %arg0, %arg1 axis = 2 epsilon = 1.250000e-01 :
// CHECK-NOT: graph.reduce
func.func @scaled_first(%x: !t, %s: !v) -> !t {
  %e = graph.constant dense<0.125> : !r
  %0 = graph.reduce mean %x, [2] : !t
  %1 = graph.broadcast %0, [0, 1] : !m to !t
  %2 = graph.sub %x, %1 : !t
  %3 = graph.mul %2, %2 : !t
  %4 = graph.reduce mean %3, [2] : !t
  %5 = graph.reshape %4 : !m to !r
  %6 = graph.add %5, %e : !r
  %7 = graph.sqrt %6 : !r
  %8 = graph.broadcast %7, [0, 1, 2] : !r to !t
  %9 = graph.broadcast %s, [2] : !v to !t
  %10 = graph.mul %9, %2 : !t
  %11 = graph.div %10, %8 : !t
  return %11 : !t
}

// torch.var_mean: one of two equal means is a sum divided by the number of terms.
// CHECK-LABEL: func.func @var_mean
// CHECK: graph.layer_norm %arg0, %{{.*}} axis = 2 epsilon = 1.250000e-01 :
// CHECK-NOT: graph.reduce
func.func @var_mean(%x: !t) -> !t {
  %e = graph.constant dense<0.125> : !r
  %n = graph.constant dense<8.0> : !r
  %0 = graph.reduce mean %x, [2] : !t
  %1 = graph.broadcast %0, [0, 1] : !m to !t
  %2 = graph.sub %x, %1 : !t
  %3 = graph.mul %2, %2 : !t
  %4 = graph.reduce mean %3, [2] : !t
  %5 = graph.reshape %4 : !m to !r
  %6 = graph.reduce sum %x, [2] : !t
  %7 = graph.reshape %6 : !m to !r
  %8 = graph.div %7, %n : !r
  %9 = graph.broadcast %8, [0, 1, 2] : !r to !t
  %10 = graph.sub %x, %9 : !t
  %11 = graph.add %5, %e : !r
  %12 = graph.rsqrt %11 : !r
  %13 = graph.broadcast %12, [0, 1, 2] : !r to !t
  %14 = graph.mul %10, %13 : !t
  return %14 : !t
}

// A sum divided by another number is not a mean.
// CHECK-LABEL: func.func @other_count
// CHECK: graph.reduce sum
func.func @other_count(%x: !t) -> !m {
  %n = graph.constant dense<7.0> : !m
  %0 = graph.reduce sum %x, [2] : !t
  %1 = graph.div %0, %n : !m
  return %1 : !m
}

// RUN: pcc-opt %s --graph-canonicalize | FileCheck %s
// RUN: pcc-opt %s --graph-canonicalize --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=NAMES
// RUN: pcc-opt %s --graph-canonicalize -o %t.mlir
// RUN: pcc verify %s %t.mlir | FileCheck %s --check-prefix=VERIFY

// The module computes the same before and after.
// VERIFY: verify: {{[1-9][0-9]*}} passed, 0 failed, 0 skipped

// Transposes of operands become flags, or cancel existing flags.
// CHECK-LABEL: func.func @operands
// CHECK-SAME: %[[A:.+]]: tensor<8x4xf32>, %[[B:.+]]: tensor<8x6xf32>
// CHECK-NEXT: %[[C:.+]] = graph.matmul %[[A]], %[[B]] {transpose_lhs} : tensor<8x4xf32>, tensor<8x6xf32>
// CHECK-NEXT: return %[[C]]
func.func @operands(%a: tensor<8x4xf32>, %b: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %0 = graph.transpose %a, [1, 0] : tensor<8x4xf32>
  %1 = graph.transpose %b, [1, 0] : tensor<8x6xf32>
  %2 = graph.matmul %0, %1 {transpose_rhs} : tensor<4x8xf32>, tensor<6x8xf32>
  return %2 : tensor<4x6xf32>
}

// A transposed matmul becomes the matmul of the transposed operands in exchanged order; it keeps its name.
// CHECK-LABEL: func.func @result
// CHECK-SAME: %[[A:.+]]: tensor<4x8xf32>, %[[B:.+]]: tensor<8x6xf32>
// CHECK-NEXT: %[[C:.+]] = graph.matmul %[[B]], %[[A]] {transpose_lhs, transpose_rhs} : tensor<8x6xf32>, tensor<4x8xf32>
// CHECK-NEXT: return %[[C]]
func.func @result(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) -> tensor<6x4xf32> {
  // NAMES-LABEL: func.func @result
  // NAMES: graph.matmul {{.*}} loc(fused["/fc/MatMul", "/fc/Transpose"])
  %0 = graph.matmul %a, %b : tensor<4x8xf32>, tensor<8x6xf32> loc("/fc/MatMul")
  %1 = graph.transpose %0, [1, 0] : tensor<4x6xf32> loc("/fc/Transpose")
  return %1 : tensor<6x4xf32>
}

// Transposes of batch dimensions stay, and so does the transpose of a matmul that other ops read.
// CHECK-LABEL: func.func @stays
// CHECK: graph.transpose %{{.*}}, [1, 0, 2]
// CHECK: %[[C:.+]] = graph.matmul
// CHECK: graph.transpose %[[C]], [0, 2, 1]
func.func @stays(%a: tensor<4x3x8xf32>, %b: tensor<3x8x6xf32>) -> (tensor<3x4x6xf32>, tensor<3x6x4xf32>) {
  %0 = graph.transpose %a, [1, 0, 2] : tensor<4x3x8xf32>
  %1 = graph.matmul %0, %b : tensor<3x4x8xf32>, tensor<3x8x6xf32>
  %2 = graph.transpose %1, [0, 2, 1] : tensor<3x4x6xf32>
  return %1, %2 : tensor<3x4x6xf32>, tensor<3x6x4xf32>
}

// Chains of one shape op are merged; identities disappear.
// CHECK-LABEL: func.func @chains
// CHECK-SAME: %[[X:.+]]: tensor<2x3x4xf32>, %[[V:.+]]: tensor<3xf32>
// CHECK-DAG: %[[R:.+]] = graph.reshape %[[X]] : tensor<2x3x4xf32> to tensor<4x6xf32>
// CHECK-DAG: %[[T:.+]] = graph.transpose %[[X]], [2, 0, 1] : tensor<2x3x4xf32>
// CHECK-DAG: %[[B:.+]] = graph.broadcast %[[V]], [2] : tensor<3xf32> to tensor<4x2x3xf32>
// CHECK: return %[[R]], %[[T]], %[[X]], %[[B]]
func.func @chains(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>)
    -> (tensor<4x6xf32>, tensor<4x2x3xf32>, tensor<2x3x4xf32>, tensor<4x2x3xf32>) {
  %0 = graph.reshape %x : tensor<2x3x4xf32> to tensor<24xf32>
  %1 = graph.reshape %0 : tensor<24xf32> to tensor<4x6xf32>
  %2 = graph.transpose %x, [1, 0, 2] : tensor<2x3x4xf32>
  %3 = graph.transpose %2, [2, 1, 0] : tensor<3x2x4xf32>
  %4 = graph.transpose %2, [1, 0, 2] : tensor<3x2x4xf32>
  %5 = graph.broadcast %v, [1] : tensor<3xf32> to tensor<2x3xf32>
  %6 = graph.broadcast %5, [1, 2] : tensor<2x3xf32> to tensor<4x2x3xf32>
  return %1, %3, %4, %6 : tensor<4x6xf32>, tensor<4x2x3xf32>, tensor<2x3x4xf32>, tensor<4x2x3xf32>
}

// Ops without effect.
// CHECK-LABEL: func.func @nothing
// CHECK-SAME: %[[X:.+]]: tensor<4x6xf32>
// CHECK-NEXT: return %[[X]]
func.func @nothing(%x: tensor<4x6xf32>, %p: tensor<4x6xi1>) -> tensor<4x6xf32> {
  %0 = graph.slice %x axis = 0 start = 0 : tensor<4x6xf32> to tensor<4x6xf32>
  %1 = graph.pad %0 axis = 0 low = 0 high = 0 : tensor<4x6xf32>
  %2 = graph.concat %1 axis = 0 : tensor<4x6xf32>
  %3 = graph.split %2 axis = 0 : tensor<4x6xf32> to tensor<4x6xf32>
  %4 = graph.reduce sum %3, [] : tensor<4x6xf32>
  %5 = graph.select %p, %4, %4 : tensor<4x6xf32>
  %6 = graph.broadcast %5, [0, 1] : tensor<4x6xf32> to tensor<4x6xf32>
  %7 = graph.neg %6 : tensor<4x6xf32>
  %8 = graph.neg %7 : tensor<4x6xf32>
  %9 = graph.cast %8 : tensor<4x6xf32> to tensor<4x6xf32>
  return %9 : tensor<4x6xf32>
}

// A reversal is a slice of the same type that has an effect.
// CHECK-LABEL: func.func @reversal
// CHECK: graph.slice
func.func @reversal(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.slice %x axis = 0 start = 3 {stride = -1} : tensor<4xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A reduction over dimensions of size one only changes the shape.
// CHECK-LABEL: func.func @unit
// CHECK-NEXT: %[[R:.+]] = graph.reshape %{{.*}} : tensor<1x6xf32> to tensor<6xf32>
// CHECK-NEXT: return %[[R]]
func.func @unit(%x: tensor<1x6xf32>) -> tensor<6xf32> {
  %0 = graph.reduce mean %x, [0] : tensor<1x6xf32>
  return %0 : tensor<6xf32>
}

// Neutral elements, as any operand of a commutative op.
// CHECK-LABEL: func.func @neutral
// CHECK-SAME: %[[X:.+]]: tensor<4xf32>
// CHECK-NEXT: return %[[X]]
func.func @neutral(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = graph.constant dense<0.0> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %0 = graph.add %zero, %x : tensor<4xf32>
  %1 = graph.sub %0, %zero : tensor<4xf32>
  %2 = graph.mul %one, %1 : tensor<4xf32>
  %3 = graph.div %2, %one : tensor<4xf32>
  return %3 : tensor<4xf32>
}

// Splats are folded through broadcasts, reshapes, transposes and casts.
// CHECK-LABEL: func.func @splats
// CHECK-NEXT: %[[C:.+]] = graph.constant dense<-3> : tensor<6x4xi32>
// CHECK-NEXT: return %[[C]]
func.func @splats() -> tensor<6x4xi32> {
  %0 = graph.constant dense<1.5> : tensor<f32>
  %1 = graph.constant dense<2.0> : tensor<4x6xf32>
  %2 = graph.broadcast %0, [] : tensor<f32> to tensor<24xf32>
  %3 = graph.reshape %2 : tensor<24xf32> to tensor<4x6xf32>
  %4 = graph.mul %3, %1 : tensor<4x6xf32>
  %5 = graph.neg %4 : tensor<4x6xf32>
  %6 = graph.transpose %5, [1, 0] : tensor<4x6xf32>
  %7 = graph.cast %6 : tensor<6x4xf32> to tensor<6x4xi32>
  return %7 : tensor<6x4xi32>
}

// Undefined operations stay: a division of integers by zero, a number outside the integers.
// CHECK-LABEL: func.func private @undefined
// CHECK: graph.div
// CHECK: graph.cast
func.func private @undefined() -> (tensor<2xi32>, tensor<2xi8>) {
  %0 = graph.constant dense<0> : tensor<2xi32>
  %1 = graph.constant dense<7> : tensor<2xi32>
  %2 = graph.div %1, %0 : tensor<2xi32>
  %3 = graph.constant dense<1.0e9> : tensor<2xf32>
  %4 = graph.cast %3 : tensor<2xf32> to tensor<2xi8>
  return %2, %4 : tensor<2xi32>, tensor<2xi8>
}

// A cast to a wider type and back disappears; a cast to a narrower type and back rounds, and stays.
// CHECK-LABEL: func.func @casts
// CHECK-SAME: %[[X:.+]]: tensor<4xf16>, %[[Y:.+]]: tensor<4xf32>
// CHECK-NEXT: %[[N:.+]] = graph.cast %[[Y]]
// CHECK-NEXT: %[[W:.+]] = graph.cast %[[N]]
// CHECK-NEXT: return %[[X]], %[[W]]
func.func @casts(%x: tensor<4xf16>, %y: tensor<4xf32>) -> (tensor<4xf16>, tensor<4xf32>) {
  %0 = graph.cast %x : tensor<4xf16> to tensor<4xf32>
  %1 = graph.cast %0 : tensor<4xf32> to tensor<4xf16>
  %2 = graph.cast %y : tensor<4xf32> to tensor<4xf16>
  %3 = graph.cast %2 : tensor<4xf16> to tensor<4xf32>
  return %1, %3 : tensor<4xf16>, tensor<4xf32>
}

// A slice of a repetition is a shorter repetition, unless the slice is one of the repeated values.
// CHECK-LABEL: func.func @slice_of_repeated
// CHECK-SAME: %[[X:.+]]: tensor<4xf32>, %[[Y:.+]]: tensor<8x1xf32>, %[[N:.+]]: tensor<i64>
// CHECK-DAG: %[[A:.+]] = graph.broadcast %[[X]], [1] : tensor<4xf32> to tensor<2x4xf32>
// CHECK-DAG: %[[B:.+]] = graph.broadcast %[[Y]], [0, 1] : tensor<8x1xf32> to tensor<8x2xf32>
// CHECK-DAG: %[[C:.+]] = graph.dynamic_slice
// CHECK: return %[[A]], %[[B]], %[[C]]
func.func @slice_of_repeated(%x: tensor<4xf32>, %y: tensor<8x1xf32>, %n: tensor<i64>) -> (tensor<2x4xf32>, tensor<8x2xf32>, tensor<2x4xf32>) {
  %0 = graph.broadcast %x, [1] : tensor<4xf32> to tensor<8x4xf32>
  %1 = graph.dynamic_slice %0, %n axis = 0 : (tensor<8x4xf32>, tensor<i64>) -> tensor<2x4xf32>
  %2 = graph.broadcast %y, [0, 1] : tensor<8x1xf32> to tensor<8x4xf32>
  %3 = graph.dynamic_slice %2, %n axis = 1 : (tensor<8x4xf32>, tensor<i64>) -> tensor<8x2xf32>
  %4 = graph.dynamic_slice %2, %n axis = 0 : (tensor<8x4xf32>, tensor<i64>) -> tensor<2x4xf32>
  return %1, %3, %4 : tensor<2x4xf32>, tensor<8x2xf32>, tensor<2x4xf32>
}

// A gather of one constant index is a slice.
// CHECK-LABEL: func.func @gather_one
// CHECK: %[[S:.*]] = graph.slice %arg0 axis = 1 start = 2 : tensor<4x6x2xf32> to tensor<4x1x2xf32>
// CHECK: graph.reshape %[[S]] : tensor<4x1x2xf32> to tensor<4x2xf32>
func.func @gather_one(%x: tensor<4x6x2xf32>) -> tensor<4x2xf32> {
  %two = graph.constant dense<2> : tensor<i64>
  %0 = graph.gather %x, %two axis = 1 : tensor<4x6x2xf32>, tensor<i64>
  return %0 : tensor<4x2xf32>
}

// A gather with an invalid index stays.
// CHECK-LABEL: func.func private @gather_none
// CHECK: graph.gather
func.func private @gather_none(%x: tensor<4x6x2xf32>) -> tensor<4x2xf32> {
  %six = graph.constant dense<6> : tensor<i64>
  %0 = graph.gather %x, %six axis = 1 : tensor<4x6x2xf32>, tensor<i64>
  return %0 : tensor<4x2xf32>
}

// A slice of a concatenation that lies in one operand is a slice of it, or the operand itself.
// CHECK-LABEL: func.func @pieces
// CHECK-SAME: %[[A:.+]]: tensor<2x3xf32>, %[[B:.+]]: tensor<2x4xf32>
// CHECK-DAG: %[[PART:.+]] = graph.slice %[[B]] axis = 1 start = 1 : tensor<2x4xf32> to tensor<2x2xf32>
// CHECK-DAG: %[[BACK:.+]] = graph.slice %[[B]] axis = 1 start = 3 {stride = -1 : i64} : tensor<2x4xf32> to tensor<2x4xf32>
// CHECK-DAG: %[[C:.+]] = graph.concat %[[A]], %[[B]]
// CHECK-DAG: %[[BOTH:.+]] = graph.slice %[[C]] axis = 1 start = 2 : tensor<2x7xf32> to tensor<2x2xf32>
// CHECK-DAG: %[[ROW:.+]] = graph.slice %[[C]] axis = 0 start = 1 : tensor<2x7xf32> to tensor<1x7xf32>
// CHECK: return %[[A]], %[[PART]], %[[BACK]], %[[BOTH]], %[[ROW]]
func.func @pieces(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>)
    -> (tensor<2x3xf32>, tensor<2x2xf32>, tensor<2x4xf32>, tensor<2x2xf32>, tensor<1x7xf32>) {
  %0 = graph.concat %a, %b axis = 1 : tensor<2x3xf32>, tensor<2x4xf32>
  %1 = graph.slice %0 axis = 1 start = 0 : tensor<2x7xf32> to tensor<2x3xf32>
  %2 = graph.slice %0 axis = 1 start = 4 : tensor<2x7xf32> to tensor<2x2xf32>
  %3 = graph.slice %0 axis = 1 start = 6 {stride = -1 : i64} : tensor<2x7xf32> to tensor<2x4xf32>
  %4 = graph.slice %0 axis = 1 start = 2 : tensor<2x7xf32> to tensor<2x2xf32>
  %5 = graph.slice %0 axis = 0 start = 1 : tensor<2x7xf32> to tensor<1x7xf32>
  return %1, %2, %3, %4, %5 : tensor<2x3xf32>, tensor<2x2xf32>, tensor<2x4xf32>, tensor<2x2xf32>, tensor<1x7xf32>
}

// A conjunction with all bits and a disjunction with none are their other operands.
// CHECK-LABEL: func.func @logic
// CHECK-SAME: %[[A:.+]]: tensor<3xi1>, %[[N:.+]]: tensor<3xi64>
// CHECK-DAG: %[[NONE:.+]] = graph.constant dense<false> : tensor<3xi1>
// CHECK-DAG: %[[ONE:.+]] = graph.constant dense<1> : tensor<3xi64>
// CHECK-DAG: %[[ODD:.+]] = graph.and %[[N]], %[[ONE]] : tensor<3xi64>
// CHECK: return %[[A]], %[[NONE]], %[[A]], %[[N]], %[[ODD]]
func.func @logic(%a: tensor<3xi1>, %n: tensor<3xi64>)
    -> (tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi64>, tensor<3xi64>) {
  %true = graph.constant dense<true> : tensor<3xi1>
  %false = graph.constant dense<false> : tensor<3xi1>
  %ones = graph.constant dense<-1> : tensor<3xi64>
  %one = graph.constant dense<1> : tensor<3xi64>
  %0 = graph.and %true, %a : tensor<3xi1>
  %1 = graph.and %a, %false : tensor<3xi1>
  %2 = graph.or %false, %a : tensor<3xi1>
  %3 = graph.and %n, %ones : tensor<3xi64>
  %4 = graph.and %n, %one : tensor<3xi64>
  return %0, %1, %2, %3, %4 : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi64>, tensor<3xi64>
}

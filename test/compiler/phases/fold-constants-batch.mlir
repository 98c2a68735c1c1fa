// Lookups of positions in tables with equal rows, as models make the masks of packed sequences. They
// do not depend on the sample, so they take no more time and memory for many samples than for few.
// RUN: pcc-opt %s --fold-constants --graph-canonicalize | FileCheck %s
// RUN: pcc-opt %s --fold-constants -o %t.mlir
// RUN: sed '/^func.func @many/,$d' %s > %t.few.mlir && sed '/^  func.func @many/,/^  }/d' %t.mlir > %t.folded.mlir
// RUN: pcc verify %t.few.mlir %t.folded.mlir | FileCheck %s --check-prefix=VERIFY

// VERIFY: verify: {{[1-9][0-9]*}} passed, 0 failed, 0 skipped

// CHECK-LABEL: func.func @few
// CHECK: %[[MASK:.+]] = graph.constant dense<{{\[\[}}false, false, true, true]]> : tensor<1x4xi1>
// CHECK: graph.broadcast %[[MASK]], [0, 1] : tensor<1x4xi1> to tensor<3x4xi1>
// CHECK-NOT: graph.gather
func.func @few(%x: tensor<3x4xf32> {graph.role = #graph.role<input "x">}) -> tensor<3x4xf32> {
  %columns = graph.constant dense<4> : tensor<3x4xi64>
  %sample = graph.iota axis = 0 : tensor<3x4xi64>
  %starts = graph.mul %sample, %columns : tensor<3x4xi64>
  %position = graph.iota axis = 1 : tensor<3x4xi64>
  %index = graph.add %starts, %position : tensor<3x4xi64>
  %half = graph.constant dense<2> : tensor<3x4xi64>
  %document = graph.div %position, %half : tensor<3x4xi64>
  %flat = graph.reshape %document : tensor<3x4xi64> to tensor<12xi64>
  %found = graph.gather %flat, %index axis = 0 : tensor<12xi64>, tensor<3x4xi64>
  %one = graph.constant dense<1> : tensor<3x4xi64>
  %isFirst = graph.compare eq %found, %one : tensor<3x4xi64>
  %zero = graph.constant dense<0.0> : tensor<3x4xf32>
  %0 = graph.select %isFirst, %x, %zero : tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @many
// CHECK: %[[MASK:.+]] = graph.constant dense<{{\[\[}}false, false, true, true]]> : tensor<1x4xi1>
// CHECK: graph.broadcast %[[MASK]], [0, 1] : tensor<1x4xi1> to tensor<2000000x4xi1>
// CHECK-NOT: graph.gather
func.func @many(%x: tensor<2000000x4xf32> {graph.role = #graph.role<input "x">}) -> tensor<2000000x4xf32> {
  %columns = graph.constant dense<4> : tensor<2000000x4xi64>
  %sample = graph.iota axis = 0 : tensor<2000000x4xi64>
  %starts = graph.mul %sample, %columns : tensor<2000000x4xi64>
  %position = graph.iota axis = 1 : tensor<2000000x4xi64>
  %index = graph.add %starts, %position : tensor<2000000x4xi64>
  %half = graph.constant dense<2> : tensor<2000000x4xi64>
  %document = graph.div %position, %half : tensor<2000000x4xi64>
  %flat = graph.reshape %document : tensor<2000000x4xi64> to tensor<8000000xi64>
  %found = graph.gather %flat, %index axis = 0 : tensor<8000000xi64>, tensor<2000000x4xi64>
  %one = graph.constant dense<1> : tensor<2000000x4xi64>
  %isFirst = graph.compare eq %found, %one : tensor<2000000x4xi64>
  %zero = graph.constant dense<0.0> : tensor<2000000x4xf32>
  %0 = graph.select %isFirst, %x, %zero : tensor<2000000x4xf32>
  return %0 : tensor<2000000x4xf32>
}

// RUN: pcc-opt %s --split-input-file --pipeline-assign-stages="stages=2" | FileCheck %s

// An op without a stage joins the latest of its operands; an op before all assigned ops joins the
// first of its users. Constants, and values computed from inputs and constants alone, have no chunk.

// CHECK-LABEL: func.func @forward(
// CHECK: graph.gather %{{.+}} {pipe.virtual_stage = 0 : i64}
// CHECK: graph.constant
// CHECK-NOT: pipe.virtual_stage
// CHECK: graph.iota axis = 0 :
// CHECK: graph.matmul %{{.+}} {pipe.virtual_stage = 0 : i64}
// CHECK: graph.relu %{{.+}} {pipe.virtual_stage = 0 : i64}
// CHECK: graph.matmul %{{.+}} {pipe.virtual_stage = 1 : i64}
// CHECK: graph.mul %{{.+}} {pipe.virtual_stage = 1 : i64}
// CHECK-NOT: pipe.stage
func.func @forward(%ids: tensor<4xi64> {graph.role = #graph.role<input "ids">},
                   %e: tensor<8x4xf32> {graph.role = #graph.role<parameter "e">},
                   %w: tensor<4x4xf32> {graph.role = #graph.role<parameter "w">},
                   %v: tensor<4x4xf32> {graph.role = #graph.role<parameter "v">}) -> tensor<4x4xf32> {
  %0 = graph.gather %e, %ids axis = 0 : tensor<8x4xf32>, tensor<4xi64>
  %c = graph.constant dense<2.0> : tensor<4x4xf32>
  %i = graph.iota axis = 0 : tensor<4x4xf32>
  %1 = graph.matmul %0, %w {pipe.stage = 0 : i64} : tensor<4x4xf32>, tensor<4x4xf32>
  %2 = graph.relu %1 : tensor<4x4xf32>
  %3 = graph.matmul %2, %v {pipe.stage = 1 : i64} : tensor<4x4xf32>, tensor<4x4xf32>
  %4 = graph.add %c, %i : tensor<4x4xf32>
  %5 = graph.mul %3, %4 : tensor<4x4xf32>
  return %5 : tensor<4x4xf32>
}
graph.parameter @e : tensor<8x4xf32> init(<zeros>)
graph.parameter @w : tensor<4x4xf32> init(<zeros>)
graph.parameter @v : tensor<4x4xf32> init(<zeros>)

// -----

// A value computed from parameters alone is computed in each chunk that reads it.

// CHECK-LABEL: func.func @forward(
// CHECK: %[[A:.+]] = graph.cast %{{.+}} {pipe.virtual_stage = 0 : i64}
// CHECK: %[[B:.+]] = graph.cast %{{.+}} {pipe.virtual_stage = 1 : i64}
// CHECK: graph.matmul %{{.+}}, %[[A]] {pipe.virtual_stage = 0 : i64}
// CHECK: graph.matmul %{{.+}}, %[[B]] {pipe.virtual_stage = 1 : i64}
func.func @forward(%x: tensor<4x4xbf16> {graph.role = #graph.role<input "x">},
                   %w: tensor<4x4xf32> {graph.role = #graph.role<parameter "w">}) -> tensor<4x4xbf16> {
  %0 = graph.cast %w : tensor<4x4xf32> to tensor<4x4xbf16>
  %1 = graph.matmul %x, %0 {pipe.stage = 0 : i64} : tensor<4x4xbf16>, tensor<4x4xbf16>
  %2 = graph.matmul %1, %0 {pipe.stage = 1 : i64} : tensor<4x4xbf16>, tensor<4x4xbf16>
  return %2 : tensor<4x4xbf16>
}
graph.parameter @w : tensor<4x4xf32> init(<zeros>)

// -----

// So is a product of parameters, unless it has a stage.

// CHECK-LABEL: func.func @forward(
// CHECK: %[[A:.+]] = graph.matmul %arg1, %arg2 {pipe.virtual_stage = 0 : i64}
// CHECK: %[[B:.+]] = graph.matmul %arg1, %arg2 {pipe.virtual_stage = 1 : i64}
// CHECK: %[[C:.+]] = graph.matmul %arg2, %arg1 {pipe.virtual_stage = 0 : i64}
// CHECK: %[[X:.+]] = graph.matmul %arg0, %[[A]] {pipe.virtual_stage = 0 : i64}
// CHECK: %[[Y:.+]] = graph.matmul %[[X]], %[[B]] {pipe.virtual_stage = 1 : i64}
// CHECK: graph.matmul %[[Y]], %[[C]] {pipe.virtual_stage = 1 : i64}
func.func @forward(%x: tensor<4x4xf32> {graph.role = #graph.role<input "x">},
                   %v: tensor<4x4xf32> {graph.role = #graph.role<parameter "v">},
                   %w: tensor<4x4xf32> {graph.role = #graph.role<parameter "w">}) -> tensor<4x4xf32> {
  %0 = graph.matmul %v, %w : tensor<4x4xf32>, tensor<4x4xf32>
  %1 = graph.matmul %w, %v {pipe.stage = 0 : i64} : tensor<4x4xf32>, tensor<4x4xf32>
  %2 = graph.matmul %x, %0 {pipe.stage = 0 : i64} : tensor<4x4xf32>, tensor<4x4xf32>
  %3 = graph.matmul %2, %0 {pipe.stage = 1 : i64} : tensor<4x4xf32>, tensor<4x4xf32>
  %4 = graph.matmul %3, %1 {pipe.stage = 1 : i64} : tensor<4x4xf32>, tensor<4x4xf32>
  return %4 : tensor<4x4xf32>
}
graph.parameter @v : tensor<4x4xf32> init(<zeros>)
graph.parameter @w : tensor<4x4xf32> init(<zeros>)

// -----

// An op that depends on inputs alone stays in the user's stage.

// CHECK-LABEL: func.func @forward(
// CHECK: graph.exp %{{.+}} {pipe.virtual_stage = 0 : i64}
// CHECK: graph.add %{{.+}} {pipe.virtual_stage = 1 : i64}
func.func @forward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">}) -> tensor<4xf32> {
  %0 = graph.exp %x {pipe.stage = 0 : i64} : tensor<4xf32>
  %1 = graph.add %0, %0 {pipe.stage = 1 : i64} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// RUN: pcc-opt %s --split-input-file --pipeline-insert-transfers | FileCheck %s
// RUN: pcc-opt %s --split-input-file --pipeline-insert-transfers --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=NAME

// One transfer for each value and chunk that reads it; a value that skips a chunk goes directly.

// CHECK-LABEL: func.func @forward(
// CHECK: %[[A:.+]] = graph.exp %arg0 : tensor<4xf32>
// CHECK-DAG: %[[A1:.+]] = pipe.transfer %[[A]] from 0 to 1 : tensor<4xf32>
// CHECK-DAG: %[[A2:.+]] = pipe.transfer %[[A]] from 0 to 2 : tensor<4xf32>
// CHECK: %[[B:.+]] = graph.add %[[A1]], %[[A1]]
// CHECK: %[[B2:.+]] = pipe.transfer %[[B]] from 1 to 2
// CHECK: %[[C:.+]] = graph.mul %[[B2]], %[[A2]]
// CHECK: graph.sub %[[C]], %arg0
// CHECK-NOT: pipe.virtual_stage
// NAME: pipe.transfer {{.+}} loc("a.to_chunk
func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x {pipe.virtual_stage = 0 : i64} : tensor<4xf32> loc("a")
  %1 = graph.add %0, %0 {pipe.virtual_stage = 1 : i64} : tensor<4xf32>
  %2 = graph.mul %1, %0 {pipe.virtual_stage = 2 : i64} : tensor<4xf32>
  %3 = graph.sub %2, %x {pipe.virtual_stage = 2 : i64} : tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// A parameter that several chunks read is owned by the first; every other chunk has a copy in every
// function. Each parameter names its chunk.

// CHECK: graph.parameter @w : tensor<4xf32> init(<zeros>) {pipe.virtual_stage = 0 : i64}
// CHECK: graph.parameter @w.chunk2 : tensor<4xf32> init(<zeros>) {pipe.copy_of = "w", pipe.virtual_stage = 2 : i64}
// CHECK: graph.parameter @v : tensor<4xf32> init(<zeros>) {pipe.virtual_stage = 1 : i64}
// CHECK-LABEL: func.func @forward(
// CHECK-SAME: %[[X:.+]]: tensor<4xf32> {graph.role = #graph.role<input "x">}
// CHECK-SAME: %[[W:.+]]: tensor<4xf32> {graph.role = #graph.role<parameter "w">}
// CHECK-SAME: %[[V:.+]]: tensor<4xf32> {graph.role = #graph.role<parameter "v">}
// CHECK-SAME: %[[W2:.+]]: tensor<4xf32> {graph.role = #graph.role<parameter "w.chunk2">}
// CHECK: graph.mul %[[X]], %[[W]]
// CHECK: graph.mul %{{.+}}, %[[V]]
// CHECK: graph.mul %{{.+}}, %[[W2]]
// CHECK-LABEL: func.func @forward_loss(
// CHECK-NOT: "w.chunk2"
graph.parameter @w : tensor<4xf32> init(<zeros>)
graph.parameter @v : tensor<4xf32> init(<zeros>)
func.func @forward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">},
                   %w: tensor<4xf32> {graph.role = #graph.role<parameter "w">},
                   %v: tensor<4xf32> {graph.role = #graph.role<parameter "v">}) -> tensor<4xf32> {
  %0 = graph.mul %x, %w {pipe.virtual_stage = 0 : i64} : tensor<4xf32>
  %1 = graph.mul %0, %v {pipe.virtual_stage = 1 : i64} : tensor<4xf32>
  %2 = graph.mul %1, %w {pipe.virtual_stage = 2 : i64} : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func @forward_loss(%x: tensor<4xf32> {graph.role = #graph.role<input "x">},
                        %w: tensor<4xf32> {graph.role = #graph.role<parameter "w">}) -> tensor<4xf32> {
  %0 = graph.mul %x, %w {pipe.virtual_stage = 0 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// RUN: pcc-opt %s --pipeline-collect-annotations --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// Annotations become constraints by op name, after the existing constraints. Names are made
// unique.

// CHECK: module attributes {pipe.constraints = [{module = "/a", stage = 0 : i64}, {marked, op_name = "exp_0", place = "{{.*}}collect-annotations.mlir:[[# @LINE + 8]]", stage = 0 : i64},
// CHECK-SAME: {marked, op_name = "last",{{.*}} recompute}
// CHECK-SAME: {chunk = 3 : i64, marked, op_name = "exp_1"
// CHECK: graph.exp %{{.+}} : tensor<4xf32> loc("exp_0"
// CHECK: graph.tanh %{{.+}} : tensor<4xf32> loc("last")
// CHECK: graph.exp %{{.+}} : tensor<4xf32> loc("exp_1"
module attributes {pipe.constraints = [{module = "/a", stage = 0 : i64}]} {
  func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = graph.exp %x {pipe.stage = 0 : i64} : tensor<4xf32>
    %1 = graph.tanh %0 {pipe.recompute} : tensor<4xf32> loc("last")
    %2 = graph.exp %1 {pipe.virtual_stage = 3 : i64} : tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}

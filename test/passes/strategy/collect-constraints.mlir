// RUN: pcc-opt %s --split-input-file --strategy-collect-constraints | FileCheck %s

// Annotations of ops, parameters and inputs become constraints by name; equal names are
// distinguished. Existing constraints come first.

// CHECK: module attributes {dist.constraints = [
// CHECK-SAME: {op = "/fc.*", out = "((4,1))"},
// CHECK-SAME: {input = "x", place = "{{.+}}", sharding = "[dp, _]"},
// CHECK-SAME: {in = "((2,2))", op_name = "relu_0", place = "{{.+}}collect-constraints.mlir:{{[0-9]+}}"},
// CHECK-SAME: {in = "[dp, _]", op_name = "last", out = "[dp, tp]"},
// CHECK-SAME: {parameter = "layer\\.w", place = "{{.+}}", sharding = "((2,1))"}], dist.mesh = #dist.mesh<dp=2, tp=2>}
// CHECK-NOT: dist.in
// CHECK-NOT: dist.out
// CHECK-NOT: dist.sharding
module attributes {dist.mesh = #dist.mesh<dp=2, tp=2>, dist.constraints = [{op = "/fc.*", out = "((4,1))"}]} {
  graph.parameter @layer.w : tensor<4x8xf32> init(<zeros>) {dist.sharding = "((2,1))"}
  func.func @forward(%x: tensor<4x8xf32> {dist.sharding = #dist.sharding<[dp, _]>, graph.role = #graph.role<input "x">})
      -> tensor<4x8xf32> {
    %0 = graph.relu %x {dist.in = "((2,2))"} : tensor<4x8xf32>
    %1 = graph.relu %0 : tensor<4x8xf32>
    %2 = graph.tanh %1 {dist.in = [#dist.sharding<[dp, _]>], dist.out = [#dist.sharding<[dp, tp]>]} : tensor<4x8xf32> loc("last")
    return %2 : tensor<4x8xf32>
  }
}

// -----

// A model without annotations stays unchanged.

// CHECK: module {
// CHECK-NOT: dist.
module {
  func.func @forward(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    return %x : tensor<4x8xf32>
  }
}

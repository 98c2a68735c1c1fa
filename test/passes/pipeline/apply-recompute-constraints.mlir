// RUN: pcc-opt %s --split-input-file --verify-diagnostics --pipeline-apply-recompute-constraints | FileCheck %s

// All forward ops of the name after partition are annotated; backward ops, transfers, collectives
// and what leaves the module are not. The constraints disappear.

// CHECK-LABEL: module
// CHECK-NOT: pipe.constraints
// CHECK: graph.exp %{{.+}} {pipe.recompute}
// CHECK: graph.sin %{{[^{]+}} : tensor<4xf32>
// CHECK: graph.exp %{{.+}} {pipe.recompute}
// CHECK: dist.all_reduce sum %{{[^{]+}} : tensor<4xf32>
// CHECK: pipe.transfer %{{[^{]+}} : tensor<4xf32>
// CHECK: graph.tanh %{{.+}} : tensor<4xf32>
// CHECK: graph.mul %{{.+}} : tensor<4xf32>
module attributes {dist.mesh = #dist.mesh<tp=2>, pipe.constraints = [{module = "/g\\.\\d", recompute}, {module = "/h", stage = 0 : i64}]} {
  func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dist.local} {
    %e = graph.exp %x : tensor<4xf32> loc("/g.0/exp")
    %s = graph.sin %e : tensor<4xf32> loc("/g.0/sin")
    %0 = graph.exp %s : tensor<4xf32> loc("/g.1/exp")
    %1 = dist.all_reduce sum %0 : tensor<4xf32> loc("/g.1/exp")
    %2 = pipe.transfer %1 from 0 to 1 : tensor<4xf32> loc("/g.1/exp.to_chunk1"("/g.1/exp"))
    %3 = graph.tanh %2 : tensor<4xf32> loc("/h.1/tanh")
    %4 = graph.mul %3, %3 : tensor<4xf32> loc("/g.1/exp.grad"("/g.1/exp"))
    return %4 : tensor<4xf32>
  }
}

// -----

// expected-error @below {{constraint "/h" matches no op}}
module attributes {pipe.constraints = [{module = "/h", recompute}]} {
}

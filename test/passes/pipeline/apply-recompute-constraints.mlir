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

// Of several constraints on an op the narrowest one holds, whatever their order: one on the op itself, else the one on
// the longest module path. A module inside of another one may be taken out of it, and an op of it put back.

// CHECK-LABEL: module
// CHECK: graph.exp %{{.+}} {pipe.recompute}
// CHECK: graph.sin %{{[^{]+}} : tensor<4xf32>
// CHECK: graph.cos %{{.+}} {pipe.recompute}
// CHECK: graph.tanh %{{.+}} {pipe.recompute}
// CHECK: graph.exp %{{[^{]+}} : tensor<4xf32>
module attributes {pipe.constraints = [{module = "/g/attn", recompute = false}, {module = "/g", recompute},
                                       {op = "/g/attn/cos", recompute}]} {
  func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dist.local} {
    %a = graph.exp %x : tensor<4xf32> loc("/g/exp")
    %b = graph.sin %a : tensor<4xf32> loc("/g/attn/sin")
    %c = graph.cos %b : tensor<4xf32> loc("/g/attn/cos")
    %d = graph.tanh %c : tensor<4xf32> loc("/g/tanh")
    %e = graph.exp %d : tensor<4xf32> loc("/g/last")
    return %e : tensor<4xf32>
  }
}

// -----

module attributes {pipe.constraints = [{module = "/g", recompute, place = "c.textproto:1"},
                                       {module = "/(g|h)", recompute = false, place = "c.textproto:2"}]} {
  func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dist.local} {
    // expected-error @unknown {{'/g/exp' is given recompute: true by constraint "/g" at c.textproto:1 and recompute: false by constraint "/(g|h)" at c.textproto:2, of which none is narrower; expected one of them}}
    %a = graph.exp %x : tensor<4xf32> loc("/g/exp")
    return %a : tensor<4xf32>
  }
}

// -----

// expected-error @below {{constraint "/g": expected "recompute" to be a boolean, got 1 : i64}}
module attributes {pipe.constraints = [{module = "/g", recompute = 1 : i64}]} {
}

// -----

// expected-error @below {{constraint "/h" matches no op}}
module attributes {pipe.constraints = [{module = "/h", recompute}]} {
}

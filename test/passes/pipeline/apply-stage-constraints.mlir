// RUN: pcc-opt %s --split-input-file --pipeline-apply-stage-constraints="stages=2 virtual-stages=2" | FileCheck %s

// Patterns for whole names, name prefixes and plain names; constants have no stage. An annotation
// of an op that no longer exists is ignored.

// CHECK-LABEL: func.func @forward(
// CHECK: graph.exp %{{.+}} {pipe.stage = 0 : i64}
// CHECK: graph.constant
// CHECK-NOT: pipe.stage
// CHECK: graph.tanh %{{.+}} {pipe.stage = 1 : i64}
// CHECK: graph.sin %{{.+}} {pipe.virtual_stage = 3 : i64}
// CHECK: graph.neg %{{.+}} : tensor<4xf32>
module attributes {pipe.constraints = [{module = "/h\\.0", stage = 0 : i64}, {op = "/\\w\\.1/tanh", stage = 1 : i64},
                                {op_name = "head", chunk = 3 : i64}, {op_name = "gone", stage = 0 : i64, marked}]} {
  func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = graph.exp %x : tensor<4xf32> loc("/h.0/exp")
    %c = graph.constant dense<1.0> : tensor<4xf32> loc("/h.0/one")
    %1 = graph.tanh %0 : tensor<4xf32> loc("/h.1/tanh")
    %2 = graph.sin %1 : tensor<4xf32> loc("head")
    %3 = graph.neg %2 : tensor<4xf32>
    %4 = graph.mul %3, %c : tensor<4xf32>
    return %4 : tensor<4xf32>
  }
}

// -----

// A layout: ops before the first layer, layers, ops after the last layer; ops between layers have
// no stage of their own. The layout has as many parts as stages.

// CHECK-LABEL: func.func @forward(
// CHECK: graph.neg %{{.+}} {pipe.stage = 0 : i64}
// CHECK: graph.exp %{{.+}} {pipe.stage = 0 : i64}
// CHECK: graph.abs %{{.+}} : tensor<4xf32>
// CHECK: graph.tanh %{{.+}} {pipe.stage = 1 : i64}
// CHECK: graph.log %{{.+}} {pipe.stage = 1 : i64}
// CHECK: graph.sin %{{.+}} {pipe.stage = 1 : i64}
module attributes {pipe.constraints = [{layer = "/h\\.(\\d+)/", layout = "E t | t*2 L"}]} {
  func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = graph.neg %x : tensor<4xf32> loc("embed")
    %1 = graph.exp %0 : tensor<4xf32> loc("/h.0/exp")
    %2 = graph.abs %1 : tensor<4xf32> loc("between")
    %3 = graph.tanh %2 : tensor<4xf32> loc("/h.1/tanh")
    %4 = graph.log %3 : tensor<4xf32> loc("/h.10/log")
    %5 = graph.sin %4 : tensor<4xf32> loc("head")
    return %5 : tensor<4xf32>
  }
}

// -----

// As many parts as chunks.

// CHECK-LABEL: func.func @forward(
// CHECK: graph.exp %{{.+}} {pipe.virtual_stage = 0 : i64}
// CHECK: graph.tanh %{{.+}} {pipe.virtual_stage = 1 : i64}
// CHECK: graph.log %{{.+}} {pipe.virtual_stage = 2 : i64}
// CHECK: graph.sin %{{.+}} {pipe.virtual_stage = 3 : i64}
module attributes {pipe.constraints = [{layer = "/h\\.(\\d+)/", layout = "t|t|t|L"}]} {
  func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = graph.exp %x : tensor<4xf32> loc("/h.0/exp")
    %1 = graph.tanh %0 : tensor<4xf32> loc("/h.1/tanh")
    %2 = graph.log %1 : tensor<4xf32> loc("/h.2/log")
    %3 = graph.sin %2 : tensor<4xf32> loc("head")
    return %3 : tensor<4xf32>
  }
}

// -----

// An op may be given both a stage and a chunk: by one entry, as from an op with both annotations,
// or by two. Both stay; assign-stages compares them.

// CHECK-LABEL: func.func @forward(
// CHECK: graph.exp %{{.+}} {pipe.stage = 0 : i64, pipe.virtual_stage = 2 : i64}
// CHECK: graph.tanh %{{.+}} {pipe.stage = 1 : i64, pipe.virtual_stage = 3 : i64}
// CHECK: graph.sin %{{.+}} {pipe.stage = 1 : i64, pipe.virtual_stage = 3 : i64}
module attributes {pipe.constraints = [{op_name = "exp", stage = 0 : i64, chunk = 2 : i64, marked},
                                {op_name = "tanh", stage = 1 : i64}, {module = "/h", chunk = 3 : i64},
                                {op_name = "/h/sin", stage = 1 : i64}, {op = "tanh", chunk = 3 : i64}]} {
  func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = graph.exp %x : tensor<4xf32>
    %1 = graph.tanh %0 : tensor<4xf32>
    %2 = graph.sin %1 : tensor<4xf32> loc("/h/sin")
    return %2 : tensor<4xf32>
  }
}

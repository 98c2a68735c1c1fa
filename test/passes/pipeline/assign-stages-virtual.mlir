// RUN: pcc-opt %s --pipeline-assign-stages="stages=2 virtual-stages=2" | FileCheck %s
// RUN: pcc-opt %s --pipeline-assign-stages="stages=2 virtual-stages=2 placement=vee" | FileCheck %s

// Each op is in the earliest chunk of its stage that does not precede its operands' chunks. A chunk
// may also be given, as at the turn of a V.

// CHECK: graph.exp %{{.+}} {pipe.virtual_stage = 0 : i64}
// CHECK: graph.log %{{.+}} {pipe.virtual_stage = 1 : i64}
// CHECK: graph.tanh %{{.+}} {pipe.virtual_stage = 2 : i64}
// CHECK: graph.sin %{{.+}} {pipe.virtual_stage = 3 : i64}
func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x {pipe.stage = 0 : i64} : tensor<4xf32>
  %1 = graph.log %0 {pipe.stage = 1 : i64} : tensor<4xf32>
  %2 = graph.tanh %1 {pipe.virtual_stage = 2 : i64} : tensor<4xf32>
  %3 = graph.sin %2 {pipe.virtual_stage = 3 : i64} : tensor<4xf32>
  return %3 : tensor<4xf32>
}

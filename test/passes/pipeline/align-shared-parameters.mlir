// RUN: pcc-opt %s --pipeline-align-shared-parameters='stages=2 virtual-stages=2 placement=vee' | FileCheck %s --check-prefixes=VEE,BOTH
// RUN: pcc-opt %s --pipeline-align-shared-parameters='stages=4' | FileCheck %s --check-prefixes=FOUR,BOTH

// Of two stages in a V, chunks 0 and 3 are on the first stage, which stores the parameter once: the copy
// has the sharding of its owner, gradients included. On another stage the copy has its own sharding.

// BOTH: func.func @forward_backward(%{{.+}} {dist.sharding = #dist.sharding<[_, tp]>, graph.role = #graph.role<parameter "w">},
// VEE-SAME: {dist.sharding = #dist.sharding<[_, tp]>, graph.role = #graph.role<parameter "w.chunk3">})
// FOUR-SAME: {dist.sharding = #dist.sharding<[tp, _]>, graph.role = #graph.role<parameter "w.chunk3">})
// VEE-SAME: {dist.sharding = #dist.sharding<[_, tp] partial(sum: dp)>, graph.role = #graph.role<gradient "w.chunk3">})
// FOUR-SAME: {dist.sharding = #dist.sharding<[tp, _]>, graph.role = #graph.role<gradient "w.chunk3">})
// BOTH: func.func @update(
// VEE-SAME: {dist.sharding = #dist.sharding<[_, tp] partial(sum: dp)>, graph.role = #graph.role<gradient "w.chunk3">})
// VEE-SAME: {dist.sharding = #dist.sharding<[_, tp]>, graph.role = #graph.role<parameter "w.chunk3">})
// FOUR-SAME: {dist.sharding = #dist.sharding<[tp, _]>, graph.role = #graph.role<parameter "w.chunk3">})
module attributes {dist.mesh = #dist.mesh<dp=2, tp=2>} {
  graph.parameter @w : tensor<4x4xf32> init(#graph.init<zeros>) {pipe.virtual_stage = 0 : i64}
  graph.parameter @w.chunk3 : tensor<4x4xf32> init(#graph.init<zeros>) {pipe.virtual_stage = 3 : i64, pipe.copy_of = "w"}
  func.func @forward_backward(
      %w: tensor<4x4xf32> {graph.role = #graph.role<parameter "w">, dist.sharding = #dist.sharding<[_, tp]>},
      %c: tensor<4x4xf32> {graph.role = #graph.role<parameter "w.chunk3">, dist.sharding = #dist.sharding<[tp, _]>})
      -> (tensor<4x4xf32> {graph.role = #graph.role<gradient "w">, dist.sharding = #dist.sharding<[_, tp] partial(sum: dp)>},
          tensor<4x4xf32> {graph.role = #graph.role<gradient "w.chunk3">, dist.sharding = #dist.sharding<[tp, _]>}) {
    return %w, %c : tensor<4x4xf32>, tensor<4x4xf32>
  }
  func.func @update(
      %g: tensor<4x4xf32> {graph.role = #graph.role<gradient "w">, dist.sharding = #dist.sharding<[_, tp] partial(sum: dp)>},
      %c: tensor<4x4xf32> {graph.role = #graph.role<gradient "w.chunk3">, dist.sharding = #dist.sharding<[tp, _]>})
      -> (tensor<4x4xf32> {graph.role = #graph.role<parameter "w">, dist.sharding = #dist.sharding<[_, tp]>},
          tensor<4x4xf32> {graph.role = #graph.role<parameter "w.chunk3">, dist.sharding = #dist.sharding<[tp, _]>}) {
    return %g, %c : tensor<4x4xf32>, tensor<4x4xf32>
  }
}

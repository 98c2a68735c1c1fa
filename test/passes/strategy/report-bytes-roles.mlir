// RUN: pcc-opt %s --strategy-report-bytes --remark-format=emitRemark --remarks-filter=strategy 2>&1 | FileCheck %s

// Counted are the parameters, not an input of the same name, and not the arguments of a function
// with local types.

// CHECK: bytes-per-rank | Category:strategy | gradients=0, parameters=24, states=8
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  graph.parameter @w : tensor<6x2xf32> init(<zeros>)
  graph.parameter @frozen : tensor<2xf32> init(<zeros>) {trainable = false}
  func.func @forward(%w: tensor<6x2xf32> {graph.role = #graph.role<parameter "w">, dist.sharding = #dist.sharding<[dp, _]>},
                     %s: tensor<2xf32> {graph.role = #graph.role<parameter "frozen">},
                     %x: tensor<100xf32> {graph.role = #graph.role<input "w">}) {
    return
  }
  func.func @start(%w: tensor<3x2xf32> {graph.role = #graph.role<parameter "w">, dist.sharding = #dist.sharding<[dp, _]>})
      attributes {dist.local} {
    return
  }
}

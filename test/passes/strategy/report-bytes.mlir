// RUN: pcc-opt %s --strategy-data-parallel=device-num=4 --strategy-report-bytes --remark-format=emitRemark --remarks-filter=strategy 2>&1 | FileCheck %s

// Bytes of the training state on one rank.

// CHECK: bytes-per-rank | Category:strategy | gradients=48, parameters=48, states=0
module {
  graph.parameter @w : tensor<6x2xf32> init(<zeros>)
  func.func @update(%w: tensor<6x2xf32> {graph.role = #graph.role<parameter "w">},
                    %g: tensor<6x2xf32> {graph.role = #graph.role<gradient "w">})
      -> (tensor<6x2xf32> {graph.role = #graph.role<parameter "w">}) {
    %rate = graph.constant dense<0.1> : tensor<f32>
    %0 = graph.sgd %w, %g, %rate : tensor<6x2xf32>, tensor<f32>
    return %0 : tensor<6x2xf32>
  }
}

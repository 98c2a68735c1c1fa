// RUN: pcc-opt %s --strategy-data-parallel=device-num=4 --remark-format=emitRemark --remarks-filter=strategy --verify-diagnostics

// Every decision is reported with its numbers.

module {
  graph.parameter @w : tensor<6x2xf32> init(<zeros>)
  // expected-remark @below {{split-batch | Category:strategy | batch=8, input=x, ranks=4, samples_per_rank=2}}
  // expected-remark @below {{gradient | Category:strategy | factor=1}}
  func.func @forward_backward(%x: tensor<8x6xf32> {graph.role = #graph.role<input "x">},
                              %g: tensor<8x2xf32> {graph.role = #graph.role<parameter "g">})
      -> (tensor<6x2xf32> {graph.role = #graph.role<gradient "w">}) {
    // expected-remark @below {{propagate | Category:strategy | Function=forward_backward | flops=48, from=forwards, op=matmul, out="[_, _] partial(sum: dp)", why="dp: follows input 'x' (the ranks split the batch of input 'x')"}}
    %gw = graph.matmul %x, %g {transpose_lhs} : tensor<8x6xf32>, tensor<8x2xf32>
    return %gw : tensor<6x2xf32>
  }
}

// RUN: pcc-opt %s --autodiff-attach-loss=loss=softmax_cross_entropy:second,target,reduction=sum,ignore_index=-100 | FileCheck %s
// RUN: not pcc-opt %s --autodiff-attach-loss 2>&1 | FileCheck %s --check-prefix=AMBIGUOUS
// RUN: not pcc-opt %s --autodiff-attach-loss=loss=softmax_cross_entropy:third 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not pcc-opt %s --autodiff-attach-loss=loss=softmax_cross_entropy:flags 2>&1 | FileCheck %s --check-prefix=UNSUITED
// RUN: not pcc-opt %s --autodiff-attach-loss=loss=softmax_cross_entropy:first,x,ignore_index=1 2>&1 | FileCheck %s --check-prefix=LABELS
// RUN: not pcc-opt %s --autodiff-attach-loss=loss=softmax_cross_entropy:first,bytes,ignore_index=1000 2>&1 | FileCheck %s --check-prefix=IGNORED
// RUN: not pcc-opt %s --autodiff-attach-loss=loss=squares 2>&1 | FileCheck %s --check-prefix=KIND

// Names select among several outputs and inputs; options follow the names.

// CHECK-LABEL: func.func @forward_loss(
// CHECK-SAME: %[[X:.+]]: tensor<4x3xf32> {graph.role = #graph.role<input "x">}
// CHECK-SAME: %[[TARGET:[a-z0-9]+]]: tensor<4xi64> {graph.role = #graph.role<input "target">}
// CHECK: %[[SECOND:.+]] = graph.neg %[[X]]
// CHECK: graph.softmax_cross_entropy %[[SECOND]], %[[TARGET]]
// CHECK-SAME: ignore_index = -100 : i64
// CHECK-SAME: reduction = #graph.loss_reduction<sum>

// AMBIGUOUS: error: expected the name of one output in --loss, got 3 to choose from; outputs: 'first', 'second', 'flags'
// UNKNOWN: error: no output named 'third'; outputs: 'first', 'second', 'flags'
// UNSUITED: error: output 'flags' does not suit loss 'softmax_cross_entropy': expected logits of floats (its type is 'tensor<4x3xi1>')
// LABELS: error: input 'x' cannot hold the labels of a prediction of type 'tensor<4x3xf32>': expected 'tensor<4xi64>', got 'tensor<4x3xf32>'
// IGNORED: error: input 'bytes' cannot hold the labels of a prediction of type 'tensor<4x3xf32>': expected 'ignore_index' to be one of 'i8', got 1000
// KIND: error: unknown loss 'squares'; known: 'softmax_cross_entropy', 'nll', 'mse', 'sigmoid_cross_entropy', 'output'
func.func @forward(%x: tensor<4x3xf32> {graph.role = #graph.role<input "x">},
                   %bytes: tensor<4xi8> {graph.role = #graph.role<input "bytes">})
    -> (tensor<4x3xf32> {graph.role = #graph.role<output "first">},
        tensor<4x3xf32> {graph.role = #graph.role<output "second">},
        tensor<4x3xi1> {graph.role = #graph.role<output "flags">}) {
  %0 = graph.neg %x : tensor<4x3xf32>
  %1 = graph.compare lt %x, %0 : tensor<4x3xf32>
  return %x, %0, %1 : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xi1>
}

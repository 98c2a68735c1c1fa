// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/sharding/OpTexts.h"

namespace pcc::test {

const char normalCases[] = R"mlir(
!m = tensor<24x12xf32>
!v = tensor<12xf32>
!x = tensor<8x6x4xf32>
!c = tensor<6xf32>
!l = tensor<24xi64>
!s = tensor<f32>

func.func @log_softmax(%a: !m) -> !m {
  %r = graph.log_softmax %a axis = 1 : !m
  return %r : !m
}
func.func @layer_norm(%a: !m, %b: !v, %c: !v) -> !m {
  %r = graph.layer_norm %a, %b, %c axis = 1 epsilon = 0.0625 : !m, !v, !v
  return %r : !m
}
func.func @layer_norm.of_two(%a: !x, %b: tensor<6x4xf32>) -> !x {
  %r = graph.layer_norm %a, %b axis = 1 epsilon = 0.0625 : !x, tensor<6x4xf32>
  return %r : !x
}
func.func @rms_norm(%a: !m, %b: !v) -> !m {
  %r = graph.rms_norm %a, %b axis = 1 epsilon = 0.0625 : !m, !v
  return %r : !m
}
func.func @batch_norm(%a: !x, %b: !c, %c: !c, %d: !c, %e: !c) -> (!x, !c, !c) {
  %r:3 = graph.batch_norm %a, %b, %c, %d, %e epsilon = 0.0625 momentum = 0.75 : !x, !c, !c
  return %r#0, %r#1, %r#2 : !x, !c, !c
}
// Narrow elements; the statistics are wide.
func.func @batch_norm.narrow(%a: tensor<8x6xbf16>, %b: !c, %d: !c) -> (tensor<8x6xbf16>, !c, !c) {
  %r:3 = graph.batch_norm %a, %b, %b, %d, %d epsilon = 0.0625 momentum = 0.75
    : tensor<8x6xbf16>, !c, !c
  return %r#0, %r#1, %r#2 : tensor<8x6xbf16>, !c, !c
}
func.func @batch_norm_inference(%a: !x, %b: !c, %c: !c, %d: !c, %e: !c) -> !x {
  %p = graph.exp %e : !c
  %r = graph.batch_norm_inference %a, %b, %c, %d, %p epsilon = 0.0625 : !x, !c, !c
  return %r : !x
}
func.func @dropout(%a: !m, %b: tensor<24x12xi64>, %c: tensor<i64>) -> !m {
  %r = graph.dropout %a, %b, %c rate = 0.25 : !m, tensor<i64>
  return %r : !m
}
func.func @nll(%a: !m, %b: !l) -> !s {
  %r = graph.nll %a, %b : !m, !l
  return %r : !s
}
func.func @nll.sum(%a: !m, %b: !l) -> !s {
  %r = graph.nll %a, %b {reduction = #graph.loss_reduction<sum>} : !m, !l
  return %r : !s
}
func.func @nll.ignoring(%a: !m, %b: !l) -> !s {
  %r = graph.nll %a, %b {ignore_index = 1 : i64} : !m, !l
  return %r : !s
}
// 192 is no number of i8.
func.func @nll.by_bytes(%a: tensor<4x192xf32>, %b: tensor<4xi8>) -> !s {
  %r = graph.nll %a, %b {ignore_index = 2 : i64} : tensor<4x192xf32>, tensor<4xi8>
  return %r : !s
}
func.func @mse(%a: !m, %b: !m) -> !s {
  %r = graph.mse %a, %b : !m
  return %r : !s
}
func.func @mse.sum(%a: !m, %b: !m) -> !s {
  %r = graph.mse %a, %b {reduction = #graph.loss_reduction<sum>} : !m
  return %r : !s
}
func.func @sigmoid_cross_entropy(%a: !m, %b: !m) -> !s {
  %r = graph.sigmoid_cross_entropy %a, %b : !m
  return %r : !s
}
)mlir";

} // namespace pcc::test

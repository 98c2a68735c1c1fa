// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/sharding/OpTexts.h"

namespace pcc::test {

// Functions that are undefined for some numbers are tested on numbers for which they are defined.
const char elementwiseCases[] = R"mlir(
!m = tensor<24x6xf32>
!b = tensor<24x6xi1>
!i = tensor<24x6xi64>

func.func @log(%a: !m) -> !m {
  %p = graph.exp %a : !m
  %r = graph.log %p : !m
  return %r : !m
}
func.func @log1p(%a: !m) -> !m {
  %p = graph.exp %a : !m
  %r = graph.log1p %p : !m
  return %r : !m
}
func.func @sqrt(%a: !m) -> !m {
  %p = graph.exp %a : !m
  %r = graph.sqrt %p : !m
  return %r : !m
}
func.func @rsqrt(%a: !m) -> !m {
  %p = graph.exp %a : !m
  %r = graph.rsqrt %p : !m
  return %r : !m
}
func.func @reciprocal(%a: !m) -> !m {
  %p = graph.exp %a : !m
  %r = graph.reciprocal %p : !m
  return %r : !m
}
func.func @div(%a: !m, %b: !m) -> !m {
  %p = graph.exp %b : !m
  %r = graph.div %a, %p : !m
  return %r : !m
}
func.func @mod(%a: !m, %b: !m) -> !m {
  %p = graph.exp %b : !m
  %r = graph.mod %a, %p : !m
  return %r : !m
}
func.func @pow(%a: !m, %b: !m) -> !m {
  %p = graph.exp %a : !m
  %r = graph.pow %p, %b : !m
  return %r : !m
}
func.func @leaky_relu(%a: !m) -> !m {
  %r = graph.leaky_relu %a {alpha = 0.25 : f64} : !m
  return %r : !m
}
func.func @elu(%a: !m) -> !m {
  %r = graph.elu %a {alpha = 1.5 : f64} : !m
  return %r : !m
}
func.func @clamp(%a: !m) -> !m {
  %r = graph.clamp %a {low = -0.5 : f64, high = 0.5 : f64} : !m
  return %r : !m
}
func.func @gelu.tanh(%a: !m) -> !m {
  %r = graph.gelu %a {form = #graph.gelu_form<tanh>} : !m
  return %r : !m
}
func.func @gelu.exact(%a: !m) -> !m {
  %r = graph.gelu %a : !m
  return %r : !m
}
func.func @and(%a: !i, %b: !i) -> !i {
  %r = graph.and %a, %b : !i
  return %r : !i
}
func.func @or(%a: !i, %b: !i) -> !i {
  %r = graph.or %a, %b : !i
  return %r : !i
}
func.func @not(%a: !i) -> !i {
  %r = graph.not %a : !i
  return %r : !i
}
func.func @compare(%a: !m, %b: !m) -> !b {
  %r = graph.compare gt %a, %b : !m
  return %r : !b
}
func.func @select(%a: !m, %b: !m) -> !m {
  %c = graph.compare gt %a, %b : !m
  %r = graph.select %c, %a, %b : !m
  return %r : !m
}
func.func @cast(%a: !m) -> tensor<24x6xbf16> {
  %r = graph.cast %a : !m to tensor<24x6xbf16>
  return %r : tensor<24x6xbf16>
}
func.func @cast.to_integers(%a: !m) -> !i {
  %r = graph.cast %a : !m to !i
  return %r : !i
}
)mlir";

const char contractionCases[] = R"mlir(
!m = tensor<24x12xf32>
!t = tensor<12x24xf32>
!v = tensor<12xf32>
!l = tensor<24xi64>
!s = tensor<f32>

func.func @matmul(%a: !m, %b: !t) -> tensor<24x24xf32> {
  %r = graph.matmul %a, %b : !m, !t
  return %r : tensor<24x24xf32>
}
func.func @matmul.transposed(%a: !t, %b: !m) -> tensor<24x24xf32> {
  %r = graph.matmul %a, %b {transpose_lhs, transpose_rhs} : !t, !m
  return %r : tensor<24x24xf32>
}
func.func @matmul.batched(%a: tensor<8x6x3xf32>, %b: tensor<8x3x12xf32>) -> tensor<8x6x12xf32> {
  %r = graph.matmul %a, %b : tensor<8x6x3xf32>, tensor<8x3x12xf32>
  return %r : tensor<8x6x12xf32>
}
func.func @reduce.sum(%a: !m) -> !v {
  %r = graph.reduce sum %a, [0] : !m
  return %r : !v
}
func.func @reduce.mean(%a: !m) -> tensor<24xf32> {
  %r = graph.reduce mean %a, [1] : !m
  return %r : tensor<24xf32>
}
func.func @reduce.max(%a: !m) -> !v {
  %r = graph.reduce max %a, [0] : !m
  return %r : !v
}
func.func @reduce.min(%a: !m) -> tensor<24xf32> {
  %r = graph.reduce min %a, [1] : !m
  return %r : tensor<24xf32>
}
func.func @reduce.prod(%a: !m) -> !v {
  %r = graph.reduce prod %a, [0] : !m
  return %r : !v
}
func.func @reduce.to_a_scalar(%a: !m) -> !s {
  %r = graph.reduce mean %a, [0, 1] : !m
  return %r : !s
}
func.func @softmax(%a: !m) -> !m {
  %r = graph.softmax %a axis = 1 : !m
  return %r : !m
}
func.func @softmax_cross_entropy(%a: !m, %b: !l) -> !s {
  %r = graph.softmax_cross_entropy %a, %b : !m, !l
  return %r : !s
}
func.func @softmax_cross_entropy.sum(%a: !m, %b: !l) -> !s {
  %r = graph.softmax_cross_entropy %a, %b {reduction = #graph.loss_reduction<sum>} : !m, !l
  return %r : !s
}
func.func @softmax_cross_entropy.ignoring(%a: !m, %b: !l) -> !s {
  %r = graph.softmax_cross_entropy %a, %b {ignore_index = 1 : i64} : !m, !l
  return %r : !s
}
func.func @softmax_cross_entropy.dense(%a: !m, %b: !m) -> !s {
  %p = graph.softmax %b axis = 1 : !m
  %r = graph.softmax_cross_entropy %a, %p : !m, !m
  return %r : !s
}
)mlir";

const char shapeCases[] = R"mlir(
!m = tensor<24x12xf32>
!v = tensor<12xf32>
!x = tensor<12xi64>

func.func @reshape(%a: !m) -> tensor<4x6x12xf32> {
  %r = graph.reshape %a : !m to tensor<4x6x12xf32>
  return %r : tensor<4x6x12xf32>
}
func.func @reshape.merging(%a: tensor<4x6x12xf32>) -> !m {
  %r = graph.reshape %a : tensor<4x6x12xf32> to !m
  return %r : !m
}
func.func @reshape.both(%a: tensor<4x6x12xf32>) -> tensor<8x3x12xf32> {
  %r = graph.reshape %a : tensor<4x6x12xf32> to tensor<8x3x12xf32>
  return %r : tensor<8x3x12xf32>
}
func.func @transpose(%a: tensor<24x12x5xf32>) -> tensor<5x24x12xf32> {
  %r = graph.transpose %a, [2, 0, 1] : tensor<24x12x5xf32>
  return %r : tensor<5x24x12xf32>
}
func.func @broadcast(%a: !v) -> !m {
  %r = graph.broadcast %a, [1] : !v to !m
  return %r : !m
}
func.func @broadcast.stretching(%a: tensor<24x1xf32>) -> !m {
  %r = graph.broadcast %a, [0, 1] : tensor<24x1xf32> to !m
  return %r : !m
}
func.func @concat(%a: !m, %b: tensor<24x3xf32>) -> tensor<24x15xf32> {
  %r = graph.concat %a, %b axis = 1 : !m, tensor<24x3xf32>
  return %r : tensor<24x15xf32>
}
func.func @split(%a: !m) -> (tensor<24x5xf32>, tensor<24x7xf32>) {
  %r, %s = graph.split %a axis = 1 : !m to tensor<24x5xf32>, tensor<24x7xf32>
  return %r, %s : tensor<24x5xf32>, tensor<24x7xf32>
}
func.func @slice(%a: !m) -> tensor<24x5xf32> {
  %r = graph.slice %a axis = 1 start = 2 : !m to tensor<24x5xf32>
  return %r : tensor<24x5xf32>
}
func.func @slice.of_all(%a: !m) -> !m {
  %r = graph.slice %a axis = 1 start = 0 : !m to !m
  return %r : !m
}
func.func @pad(%a: !m) -> tensor<24x15xf32> {
  %r = graph.pad %a axis = 1 low = 1 high = 2 {value = 3.0 : f64} : !m
  return %r : tensor<24x15xf32>
}
func.func @dynamic_slice(%a: !m, %b: tensor<i64>) -> tensor<24x5xf32> {
  %r = graph.dynamic_slice %a, %b axis = 1 : (!m, tensor<i64>) -> tensor<24x5xf32>
  return %r : tensor<24x5xf32>
}
func.func @dynamic_update_slice(%a: !m, %b: tensor<24x3xf32>, %c: tensor<i32>) -> !m {
  %r = graph.dynamic_update_slice %a, %b, %c axis = 1 : (!m, tensor<24x3xf32>, tensor<i32>) -> !m
  return %r : !m
}
func.func @gather(%a: !m, %b: !x) -> tensor<12x12xf32> {
  %r = graph.gather %a, %b axis = 0 : !m, !x
  return %r : tensor<12x12xf32>
}
func.func @gather.inner(%a: tensor<4x6x5xf32>, %b: tensor<8xi32>) -> tensor<4x8x5xf32> {
  %r = graph.gather %a, %b axis = 1 : tensor<4x6x5xf32>, tensor<8xi32>
  return %r : tensor<4x8x5xf32>
}
// 192 is no number of i8.
func.func @gather.by_bytes(%a: tensor<192x3xf32>, %b: tensor<12xi8>) -> tensor<12x3xf32> {
  %r = graph.gather %a, %b axis = 0 : tensor<192x3xf32>, tensor<12xi8>
  return %r : tensor<12x3xf32>
}
func.func @scatter_add(%a: !m, %b: !x, %c: tensor<12x12xf32>) -> !m {
  %r = graph.scatter_add %a, %b, %c axis = 0 : (!m, !x, tensor<12x12xf32>) -> !m
  return %r : !m
}
func.func @one_hot(%a: tensor<24xi64>) -> !m {
  %r = graph.one_hot %a axis = 1 : tensor<24xi64> to !m
  return %r : !m
}
func.func @one_hot.of_bytes(%a: tensor<12xi8>) -> tensor<12x192xf32> {
  %r = graph.one_hot %a axis = 1 : tensor<12xi8> to tensor<12x192xf32>
  return %r : tensor<12x192xf32>
}
)mlir";

const char leafAndStepCases[] = R"mlir(
!m = tensor<24x6xf32>
!i = tensor<24x6xi64>
!s = tensor<f32>
!n = tensor<i64>

func.func @iota(%a: !m) -> !m {
  %i = graph.iota axis = 1 : !m
  %r = graph.mul %a, %i : !m
  return %r : !m
}
func.func @iota.of_integers() -> !i {
  %r = graph.iota axis = 0 : !i
  return %r : !i
}
func.func @constant(%a: !m) -> !m {
  %c = graph.constant dense<2.5> : !m
  %r = graph.mul %a, %c : !m
  return %r : !m
}
func.func @constant.list(%a: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %c = graph.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  %r = graph.mul %a, %c : tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
func.func @rng_uniform(%a: !i, %b: !n) -> !m {
  %r = graph.rng_uniform %a, %b : (!i, !n) -> !m
  return %r : !m
}
func.func @sgd(%p: !m, %g: !m, %l: !s) -> !m {
  %r = graph.sgd %p, %g, %l {weight_decay = 0.1 : f64} : !m, !s
  return %r : !m
}
func.func @momentum(%p: !m, %g: !m, %v: !m, %l: !s) -> (!m, !m) {
  %r:2 = graph.momentum %p, %g, %v, %l {momentum = 0.9 : f64, weight_decay = 0.1 : f64, nesterov}
    : !m, !s
  return %r#0, %r#1 : !m, !m
}
func.func @adam(%p: !m, %g: !m, %a: !m, %b: !m, %l: !s, %n: !n) -> (!m, !m, !m) {
  %v = graph.square %b : !m
  %r:3 = graph.adam %p, %g, %a, %v, %l, %n {beta1 = 0.9 : f64, beta2 = 0.99 : f64,
    epsilon = 1.0e-3 : f64, weight_decay = 0.1 : f64} : !m, !s, !n
  return %r#0, %r#1, %r#2 : !m, !m, !m
}
func.func @adam_weight_decay(%p: !m, %g: !m, %a: !m, %b: !m, %l: !s, %n: !n) -> (!m, !m, !m) {
  %v = graph.square %b : !m
  %r:3 = graph.adam_weight_decay %p, %g, %a, %v, %l, %n {beta1 = 0.9 : f64, beta2 = 0.99 : f64,
    epsilon = 1.0e-3 : f64, weight_decay = 0.1 : f64} : !m, !s, !n
  return %r#0, %r#1, %r#2 : !m, !m, !m
}
func.func @lamb(%p: !m, %g: !m, %a: !m, %b: !m, %l: !s, %n: !n) -> (!m, !m, !m) {
  %v = graph.square %b : !m
  %r:3 = graph.lamb %p, %g, %a, %v, %l, %n {beta1 = 0.9 : f64, beta2 = 0.99 : f64,
    epsilon = 1.0e-3 : f64, weight_decay = 0.1 : f64} : !m, !s, !n
  return %r#0, %r#1, %r#2 : !m, !m, !m
}
func.func @adagrad(%p: !m, %g: !m, %a: !m, %l: !s) -> (!m, !m) {
  %v = graph.square %a : !m
  %r:2 = graph.adagrad %p, %g, %v, %l {epsilon = 1.0e-3 : f64, weight_decay = 0.1 : f64} : !m, !s
  return %r#0, %r#1 : !m, !m
}
)mlir";

} // namespace pcc::test

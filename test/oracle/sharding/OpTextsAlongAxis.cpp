// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/sharding/OpTexts.h"

namespace pcc::test {

const char alongAxisCases[] = R"mlir(
!m = tensor<24x12xf32>

func.func @einsum(%a: tensor<8x6x12xf32>, %b: tensor<12x8x4xf32>) -> tensor<8x4x6xf32> {
  %r = graph.einsum "bij,jbk->bki" %a, %b : tensor<8x6x12xf32>, tensor<12x8x4xf32>
  return %r : tensor<8x4x6xf32>
}
func.func @einsum.alone(%a: tensor<8x6x12xf32>, %b: tensor<12x4xf32>) -> tensor<8xf32> {
  %r = graph.einsum "iaj,jk->i" %a, %b : tensor<8x6x12xf32>, tensor<12x4xf32>
  return %r : tensor<8xf32>
}
func.func @einsum.outer(%a: tensor<24xf32>, %b: tensor<12xf32>) -> !m {
  %r = graph.einsum "i,j->ij" %a, %b : tensor<24xf32>, tensor<12xf32>
  return %r : !m
}
func.func @argmax(%a: !m) -> tensor<24xi64> {
  %r = graph.argmax %a axis = 1 : !m
  return %r : tensor<24xi64>
}
func.func @argmin(%a: !m) -> tensor<12xi64> {
  %r = graph.argmin %a axis = 0 {last} : !m
  return %r : tensor<12xi64>
}
func.func @top_k(%a: !m) -> tensor<24x4xf32> {
  %v, %i = graph.top_k %a axis = 1 : !m to tensor<24x4xf32>
  return %v : tensor<24x4xf32>
}
func.func @top_k.numbers(%a: !m) -> (tensor<6x12xf32>, tensor<6x12xi64>) {
  %v, %i = graph.top_k %a axis = 0 {smallest} : !m to tensor<6x12xf32>
  return %v, %i : tensor<6x12xf32>, tensor<6x12xi64>
}
// Many equal elements: of them the first one counts, or the last one, wherever blocks end.
func.func @argmax.ties(%a: !m) -> tensor<12xi64> {
  %s = graph.sign %a : !m
  %r = graph.argmax %s axis = 0 {last} : !m
  return %r : tensor<12xi64>
}
func.func @argmin.of_integers(%a: tensor<4x8x3xi64>) -> tensor<4x3xi64> {
  %r = graph.argmin %a axis = 1 : tensor<4x8x3xi64>
  return %r : tensor<4x3xi64>
}
func.func @top_k.ties(%a: tensor<6x8x2xf32>) -> (tensor<6x5x2xf32>, tensor<6x5x2xi64>) {
  %s = graph.sign %a : tensor<6x8x2xf32>
  %v, %i = graph.top_k %s axis = 1 : tensor<6x8x2xf32> to tensor<6x5x2xf32>
  return %v, %i : tensor<6x5x2xf32>, tensor<6x5x2xi64>
}
func.func @cumsum(%a: !m) -> !m {
  %r = graph.cumsum %a axis = 1 : !m
  return %r : !m
}
func.func @cumsum.reverse(%a: !m) -> !m {
  %r = graph.cumsum %a axis = 0 {exclusive, reverse} : !m
  return %r : !m
}
)mlir";

} // namespace pcc::test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/sharding/OpTexts.h"

namespace pcc::test {

// Cut rows and columns have halos on both sides, on one side, of several blocks, or none.
const char windowCases[] = R"mlir(
!x = tensor<4x4x8x6xf32>
!w = tensor<6x4x3x3xf32>

func.func @conv2d(%a: !x, %b: !w) -> tensor<4x6x8x6xf32> {
  %r = graph.conv2d %a, %b {padding = array<i64: 1, 1, 1, 1>} : !x, !w
  return %r : tensor<4x6x8x6xf32>
}
func.func @conv2d.strided(%a: !x, %b: !w) -> tensor<4x6x4x2xf32> {
  %r = graph.conv2d %a, %b {strides = array<i64: 2, 3>, padding = array<i64: 1, 0, 0, 0>} : !x, !w
  return %r : tensor<4x6x4x2xf32>
}
// 8 rows become 4 of windows that reach over 5.
func.func @conv2d.dilated(%a: !x, %b: !w) -> tensor<4x6x4x6xf32> {
  %r = graph.conv2d %a, %b {padding = array<i64: 0, 2, 0, 2>, dilations = array<i64: 2, 2>} : !x, !w
  return %r : tensor<4x6x4x6xf32>
}
// Blocks of one or two rows and columns, of whose neighbors' neighbors windows of 7 see more.
func.func @conv2d.wide(%a: tensor<2x2x8x12xf32>, %b: tensor<2x2x7x7xf32>) -> tensor<2x2x8x12xf32> {
  %r = graph.conv2d %a, %b {padding = array<i64: 3, 3, 3, 3>}
    : tensor<2x2x8x12xf32>, tensor<2x2x7x7xf32>
  return %r : tensor<2x2x8x12xf32>
}
func.func @conv2d.grouped(%a: !x, %b: tensor<8x2x1x1xf32>) -> tensor<4x8x8x6xf32> {
  %r = graph.conv2d %a, %b : !x, tensor<8x2x1x1xf32>
  return %r : tensor<4x8x8x6xf32>
}
func.func @conv2d_input_gradient(%g: tensor<4x6x4x6xf32>, %b: !w) -> !x {
  %r = graph.conv2d_input_gradient %g, %b {strides = array<i64: 2, 1>,
    padding = array<i64: 1, 1, 0, 1>} : tensor<4x6x4x6xf32>, !w to !x
  return %r : !x
}
func.func @conv2d_weight_gradient(%a: !x, %g: tensor<4x6x4x6xf32>) -> !w {
  %r = graph.conv2d_weight_gradient %a, %g {strides = array<i64: 2, 1>,
    padding = array<i64: 1, 1, 0, 1>} : !x, tensor<4x6x4x6xf32> to !w
  return %r : !w
}
func.func @max_pool(%a: !x) -> tensor<4x4x4x3xf32> {
  %r = graph.max_pool %a window = [3, 3] {strides = array<i64: 2, 2>,
    padding = array<i64: 1, 1, 1, 1>} : !x
  return %r : tensor<4x4x4x3xf32>
}
func.func @max_pool_gradient(%a: !x, %g: tensor<4x4x4x3xf32>) -> !x {
  %r = graph.max_pool_gradient %a, %g window = [3, 3] {strides = array<i64: 2, 2>,
    padding = array<i64: 1, 1, 1, 1>} : !x, tensor<4x4x4x3xf32>
  return %r : !x
}
func.func @max_pool.wide(%a: tensor<2x2x8x6xf32>) -> tensor<2x2x8x6xf32> {
  %r = graph.max_pool %a window = [7, 5] {padding = array<i64: 6, 2, 0, 2>} : tensor<2x2x8x6xf32>
  return %r : tensor<2x2x8x6xf32>
}
func.func @avg_pool.wide(%a: tensor<2x2x16x6xf32>) -> tensor<2x2x8x6xf32> {
  %r = graph.avg_pool %a window = [7, 5] {strides = array<i64: 2, 1>, padding = array<i64: 3, 2, 2, 2>}
    : tensor<2x2x16x6xf32>
  return %r : tensor<2x2x8x6xf32>
}
func.func @avg_pool(%a: !x) -> tensor<4x4x4x3xf32> {
  %r = graph.avg_pool %a window = [3, 3] {strides = array<i64: 2, 2>,
    padding = array<i64: 1, 1, 1, 1>} : !x
  return %r : tensor<4x4x4x3xf32>
}
func.func @avg_pool.counting(%a: !x) -> tensor<4x4x4x6xf32> {
  %r = graph.avg_pool %a window = [2, 3] {strides = array<i64: 2, 1>,
    padding = array<i64: 0, 1, 1, 1>, count_include_pad} : !x
  return %r : tensor<4x4x4x6xf32>
}
)mlir";

} // namespace pcc::test

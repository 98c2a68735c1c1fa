// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses Winograd if it applies and has enough tiles (suitsWinograd). Otherwise f32 without groups
// becomes a matmul (im2col) if there are fewer windows than output channels. All other convolutions
// use direct sums.

#include "runtime/device/host/convolution/Convolution.h"

#include <algorithm>

namespace pcc::runtime::host {
namespace {

/// Returns whether Winograd's algorithm applies and pays off. It applies to f32, windows of 3 by 3,
/// strides, dilations and padding of 1, no groups, and channels in the vectors of 16 that the
/// library's kernels take. Its tiles of 4 by 4 results read a weight of 36 numbers instead of 9 for
/// each pair of channels, so it pays off with enough tiles.
bool suitsWinograd(const abi::Convolution &shape) {
  constexpr int64_t extent = 4, vector = 16, minTiles = 32;
  auto areOnes = [](const auto &list) {
    return std::all_of(list.begin(), list.end(), [](int64_t value) { return value == 1; });
  };
  auto tiles = [&](int dim) { return (shape.result_shape(dim) + extent - 1) / extent; };
  return shape.type() == abi::F32 && shape.weight_shape(2) == 3 && shape.weight_shape(3) == 3 &&
         areOnes(shape.strides()) && areOnes(shape.dilations()) && areOnes(shape.padding()) &&
         shape.weight_shape(1) == shape.input_shape(1) && shape.weight_shape(0) % vector == 0 &&
         shape.weight_shape(1) % vector == 0 &&
         shape.result_shape(0) * tiles(2) * tiles(3) >= minTiles;
}

/// Returns whether the matmul copies less than the library. The matmul multiplies two matrices: the
/// weight as it is, and the copied windows (im2col). The library copies the weight instead. Each
/// matrix has an entry for every channel and offset in the window: the windows for every result of
/// the batch, the weight for every output channel. So the smaller number decides.
bool hasFewerWindowsThanOutputs(const abi::Convolution &shape) {
  return shape.type() == abi::F32 && shape.weight_shape(1) == shape.input_shape(1) &&
         shape.result_shape(0) * shape.result_shape(2) * shape.result_shape(3) <
             shape.weight_shape(0);
}

} // namespace

Expected<PreparedPointer> prepareConvolution(const abi::Convolution &convolution,
                                             const PrepareContext &context, const Team &team,
                                             std::shared_ptr<Scratch> scratch) {
  const Expected<OneDnn> &dnn = OneDnn::get();
  if (!dnn)
    return dnn.status();
  bool winograd = suitsWinograd(convolution);
  if (!winograd && hasFewerWindowsThanOutputs(convolution))
    return prepareMatmulConvolution(convolution, context, *dnn, team, std::move(scratch));
  return prepareLibraryConvolution(convolution, context, *dnn, winograd, std::move(scratch));
}

} // namespace pcc::runtime::host

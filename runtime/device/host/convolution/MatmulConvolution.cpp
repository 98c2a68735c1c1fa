// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes a convolution as a matmul. The matrix of windows has a row for each input channel and
// offset in the window, and a column for each result of the batch:
//
//   results = weight · windows    weight's gradient = results' gradient · windowsᵀ
//   windows' gradient, transposed = results' gradientᵀ · weight
//
// The weight is read or written once, in place. An input channel is first copied with its padding.
// Then the element at an offset of the window has a fixed distance from the element at the first
// offset, for any strides and dilations. So no loop needs to test for edges.

#include "runtime/device/host/convolution/Convolution.h"

#include <algorithm>
#include <atomic>

namespace pcc::runtime::host {
namespace {

/// Channels per sgemm call; each is a range of rows or columns of the weight.
constexpr int64_t channelsOfBlock = 128;

class MatmulConvolution final : public PreparedInstruction {
public:
  MatmulConvolution(const abi::Convolution &shape, const PrepareContext &context, const OneDnn &dnn,
                    const Team &team, std::shared_ptr<Scratch> scratch);

  Status run(const ActionValues &) override;
  uint64_t scratchBytes() const { return sizeof(float) * (paddedAt + channels * paddedExtent()); }

private:
  bool forward();
  bool inputGradient();
  bool weightGradient();
  template <typename Body> bool forEachBlock(int64_t count, Body body) const;

  int64_t paddedExtent() const { return samples * paddedRows * paddedColumns; }
  float *padded(int64_t channel) const { return scratchAt(paddedAt) + channel * paddedExtent(); }
  float *windowRow(int64_t row) const { return scratchAt(0) + row * results(); }
  float *resultRow(int64_t output) const { return scratchAt(resultsAt) + output * results(); }
  float *scratchAt(int64_t element) const {
    return reinterpret_cast<float *>(scratch->get()) + element;
  }

  int64_t taps() const { return int64_t(tapOffsets.size()); }
  int64_t results() const { return int64_t(windowStarts.size()); }
  int64_t weightColumns() const { return channels * taps(); }

  void listOffsets(const abi::Convolution &shape);
  void copyIn(int64_t channel) const;
  void copyOut(int64_t channel) const;
  void unfold(int64_t channel) const;
  void fold(int64_t channel, const float *windows, int64_t stride) const;
  void gatherResults(int64_t output) const;
  void spreadResults(int64_t output) const;

  const OneDnn &dnn;
  const Team &team;
  const std::shared_ptr<Scratch> scratch;
  const abi::Convolution::Kind kind;
  const bool relu;
  const int64_t samples, channels, rows, columns, outputs, plane; ///< plane: results of one channel
  const int64_t top, left;
  int64_t paddedRows, paddedColumns;
  float *const input, *const weight, *const result;
  const float *const bias;
  /// Within a padded channel: the start of each result's window, and the distance of each window
  /// element from that start.
  std::vector<int64_t> windowStarts, tapOffsets;
  /// Offsets of results and padded channels in the scratch memory, after the windows.
  int64_t resultsAt, paddedAt;
};

float *addressOf(const PrepareContext &context, const abi::Operand &operand) {
  return reinterpret_cast<float *>(context.memory.address(context.program, operand));
}

MatmulConvolution::MatmulConvolution(const abi::Convolution &shape, const PrepareContext &context,
                                     const OneDnn &dnn, const Team &team,
                                     std::shared_ptr<Scratch> scratch)
    : dnn(dnn), team(team), scratch(std::move(scratch)), kind(shape.kind()),
      relu(shape.activation() == abi::RELU), samples(shape.input_shape(0)),
      channels(shape.input_shape(1)), rows(shape.input_shape(2)), columns(shape.input_shape(3)),
      outputs(shape.weight_shape(0)), plane(shape.result_shape(2) * shape.result_shape(3)),
      top(shape.padding(0)), left(shape.padding(1)), input(addressOf(context, shape.input())),
      weight(addressOf(context, shape.weight())), result(addressOf(context, shape.result())),
      bias(shape.has_bias() ? addressOf(context, shape.bias()) : nullptr) {
  // Large enough for every window, and for every input element even if windows leave some out.
  auto extent = [&](int dim) {
    int64_t seen = (shape.result_shape(dim + 2) - 1) * shape.strides(dim) +
                   (shape.weight_shape(dim + 2) - 1) * shape.dilations(dim) + 1;
    return std::max(seen, shape.padding(dim) + shape.input_shape(dim + 2));
  };
  paddedRows = extent(0);
  paddedColumns = extent(1);
  listOffsets(shape);
  auto wholeLines = [](int64_t elements) { return (elements + 15) / 16 * 16; };
  resultsAt = wholeLines(weightColumns() * results());
  paddedAt = resultsAt + wholeLines(outputs * results());
}

void MatmulConvolution::listOffsets(const abi::Convolution &shape) {
  auto at = [&](int64_t sample, int64_t row, int64_t column) {
    return (sample * paddedRows + row) * paddedColumns + column;
  };
  for (int64_t sample = 0; sample < samples; ++sample)
    for (int64_t row = 0; row < shape.result_shape(2); ++row)
      for (int64_t column = 0; column < shape.result_shape(3); ++column)
        windowStarts.push_back(at(sample, row * shape.strides(0), column * shape.strides(1)));
  for (int64_t row = 0; row < shape.weight_shape(2); ++row)
    for (int64_t column = 0; column < shape.weight_shape(3); ++column)
      tapOffsets.push_back(at(0, row * shape.dilations(0), column * shape.dilations(1)));
}

void MatmulConvolution::copyIn(int64_t channel) const {
  float *target = padded(channel);
  std::fill_n(target, paddedExtent(), 0.0f);
  for (int64_t sample = 0; sample < samples; ++sample)
    for (int64_t row = 0; row < rows; ++row)
      std::copy_n(input + ((sample * channels + channel) * rows + row) * columns, columns,
                  target + (sample * paddedRows + top + row) * paddedColumns + left);
}

void MatmulConvolution::copyOut(int64_t channel) const {
  const float *source = padded(channel);
  for (int64_t sample = 0; sample < samples; ++sample)
    for (int64_t row = 0; row < rows; ++row)
      std::copy_n(source + (sample * paddedRows + top + row) * paddedColumns + left, columns,
                  input + ((sample * channels + channel) * rows + row) * columns);
}

/// Fills the rows of an input channel in the matrix of windows.
void MatmulConvolution::unfold(int64_t channel) const {
  copyIn(channel);
  for (int64_t tap = 0; tap < taps(); ++tap) {
    const float *source = padded(channel) + tapOffsets[tap];
    float *target = windowRow(channel * taps() + tap);
    for (int64_t i = 0, count = results(); i < count; ++i)
      target[i] = source[windowStarts[i]];
  }
}

/// Does the reverse: an input element gets the sum over the windows that contain it. The channel's
/// part of window i begins at windows + i · stride.
void MatmulConvolution::fold(int64_t channel, const float *windows, int64_t stride) const {
  std::fill_n(padded(channel), paddedExtent(), 0.0f);
  for (int64_t start : windowStarts) {
    float *target = padded(channel) + start;
    for (int64_t tap = 0, count = taps(); tap < count; ++tap)
      target[tapOffsets[tap]] += windows[tap];
    windows += stride;
  }
  copyOut(channel);
}

/// Copy the images of an output channel, concatenated, out of the result and into it.
void MatmulConvolution::gatherResults(int64_t output) const {
  for (int64_t sample = 0; sample < samples; ++sample)
    std::copy_n(result + (sample * outputs + output) * plane, plane,
                resultRow(output) + sample * plane);
}

void MatmulConvolution::spreadResults(int64_t output) const {
  float addend = bias ? bias[output] : 0.0f;
  const float *source = resultRow(output);
  for (int64_t sample = 0; sample < samples; ++sample, source += plane) {
    float *target = result + (sample * outputs + output) * plane;
    for (int64_t i = 0; i < plane; ++i)
      target[i] = source[i] + addend;
    for (int64_t i = 0; relu && i < plane; ++i)
      target[i] = target[i] < 0 ? 0 : target[i]; // keeps NaN
  }
}

/// Calls body(first, last) for blocks of `count` channels on the team. Returns false if one failed.
template <typename Body> bool MatmulConvolution::forEachBlock(int64_t count, Body body) const {
  std::atomic<bool> failed = false;
  team.parallel((count + channelsOfBlock - 1) / channelsOfBlock, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block)
      if (body(block * channelsOfBlock, std::min(count, (block + 1) * channelsOfBlock)) !=
          dnnl_success)
        failed = true;
  });
  return !failed;
}

bool MatmulConvolution::forward() {
  team.parallel(channels, [&](int64_t begin, int64_t end) {
    for (int64_t channel = begin; channel < end; ++channel)
      unfold(channel);
  });
  return forEachBlock(outputs, [&](int64_t first, int64_t last) {
    dnnl_status_t status = dnn.sgemm('N', 'N', last - first, results(), weightColumns(), 1.0f,
                                     weight + first * weightColumns(), weightColumns(),
                                     windowRow(0), results(), 0.0f, resultRow(first), results());
    for (int64_t output = first; output < last; ++output)
      spreadResults(output);
    return status;
  });
}

bool MatmulConvolution::inputGradient() {
  return forEachBlock(channels, [&](int64_t first, int64_t last) {
    int64_t column = first * taps(), count = (last - first) * taps();
    float *windows = windowRow(column);
    dnnl_status_t status =
        dnn.sgemm('T', 'N', results(), count, outputs, 1.0f, resultRow(0), results(),
                  weight + column, weightColumns(), 0.0f, windows, count);
    for (int64_t channel = first; channel < last; ++channel)
      fold(channel, windows + (channel - first) * taps(), count);
    return status;
  });
}

bool MatmulConvolution::weightGradient() {
  return forEachBlock(channels, [&](int64_t first, int64_t last) {
    for (int64_t channel = first; channel < last; ++channel)
      unfold(channel);
    int64_t row = first * taps();
    return dnn.sgemm('N', 'T', outputs, (last - first) * taps(), results(), 1.0f, resultRow(0),
                     results(), windowRow(row), results(), 0.0f, weight + row, weightColumns());
  });
}

Status MatmulConvolution::run(const ActionValues &) {
  bool done = false;
  team.withOneThread([&] {
    if (kind == abi::Convolution::FORWARD) {
      done = forward();
      return;
    }
    team.parallel(outputs, [&](int64_t begin, int64_t end) {
      for (int64_t output = begin; output < end; ++output)
        gatherResults(output);
    });
    done = kind == abi::Convolution::INPUT_GRADIENT ? inputGradient() : weightGradient();
  });
  return done ? Status() : Status::failed("oneDNN's sgemm failed");
}

} // namespace

Expected<PreparedPointer> prepareMatmulConvolution(const abi::Convolution &convolution,
                                                   const PrepareContext &context, const OneDnn &dnn,
                                                   const Team &team,
                                                   std::shared_ptr<Scratch> scratch) {
  auto instruction = std::make_unique<MatmulConvolution>(convolution, context, dnn, team, scratch);
  if (Status status = scratch->reserve(instruction->scratchBytes()); !status.ok())
    return status;
  return PreparedPointer(std::move(instruction));
}

} // namespace pcc::runtime::host

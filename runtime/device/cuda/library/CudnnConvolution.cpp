// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One convolution operation, then pointwise operations for bias and ReLU. Forward and both
// gradients differ only in the names of their attributes. Layouts are dense, with channels before
// rows and columns.

#include "runtime/device/cuda/library/CudnnInstructionGraphs.h"

namespace pcc::runtime::cuda::dnn {

DataType dataTypeOf(abi::ElementType type) {
  switch (type) {
  case abi::F16:
    return DataType::Half;
  case abi::BF16:
    return DataType::BFloat16;
  default:
    return DataType::Float;
  }
}

namespace {

/// The tensors of a convolution alone; further operations may read its result.
struct Tensors {
  Tensor input, weight, result;
};

Extents extentsOf(const google::protobuf::RepeatedField<int64_t> &list, int begin, int end) {
  return {list.begin() + begin, list.begin() + end};
}

Descriptor &describe(Graph &graph, const abi::Convolution &c) {
  return graph.operation(Kind::Convolution)
      .set(Attribute::ConvolutionPrecision, DataType::Float)
      .set(Attribute::ConvolutionMode, ConvolutionMode::CrossCorrelation)
      .set(Attribute::ConvolutionSpatialDims, int64_t(2))
      .setAll(Attribute::ConvolutionStrides, extentsOf(c.strides(), 0, 2))
      .setAll(Attribute::ConvolutionPrePaddings, extentsOf(c.padding(), 0, 2))
      .setAll(Attribute::ConvolutionPostPaddings, extentsOf(c.padding(), 2, 4))
      .setAll(Attribute::ConvolutionDilations, extentsOf(c.dilations(), 0, 2))
      .finalize();
}

/// A kind of convolution, and the names of its operation's attributes.
struct Names {
  Kind kind;
  Attribute convolution, input, weight, result, alpha, beta;
};

Names namesOf(abi::Convolution::Kind kind) {
  switch (kind) {
  case abi::Convolution::INPUT_GRADIENT:
    return {Kind::ConvolutionBackwardData, Attribute::BackwardDataConvolution,
            Attribute::BackwardDataDx,     Attribute::BackwardDataW,
            Attribute::BackwardDataDy,     Attribute::BackwardDataAlpha,
            Attribute::BackwardDataBeta};
  case abi::Convolution::WEIGHT_GRADIENT:
    return {Kind::ConvolutionBackwardFilter, Attribute::BackwardFilterConvolution,
            Attribute::BackwardFilterX,      Attribute::BackwardFilterDw,
            Attribute::BackwardFilterDy,     Attribute::BackwardFilterAlpha,
            Attribute::BackwardFilterBeta};
  default:
    return {Kind::ConvolutionForward, Attribute::ForwardConvolution, Attribute::ForwardX,
            Attribute::ForwardW,      Attribute::ForwardY,           Attribute::ForwardAlpha,
            Attribute::ForwardBeta};
  }
}

void convolve(Graph &graph, const abi::Convolution &convolution, const Tensors &tensors) {
  Names names = namesOf(convolution.kind());
  Descriptor &what = describe(graph, convolution);
  Descriptor &op = graph.operation(names.kind);
  op.set(names.convolution, what)
      .set(names.input, *tensors.input.descriptor)
      .set(names.weight, *tensors.weight.descriptor)
      .set(names.result, *tensors.result.descriptor)
      .set(names.alpha, 1.0f)
      .set(names.beta, 0.0f);
  graph.finish(op);
}

} // namespace

Graph convolutionGraph(const Cudnn &library, const abi::Convolution &c) {
  Graph graph(library);
  DataType type = dataTypeOf(c.type());
  auto tensor = [&](int64_t number, const auto &shape) {
    return graph.memory(number, denseLayout(type, extentsOf(shape, 0, 4)));
  };
  Tensor result = tensor(ConvolutionTensor::result, c.result_shape());
  bool hasRelu = c.activation() == abi::RELU;
  // After the convolution itself, all values are f32 until they are stored.
  Tensor convolved = c.has_bias() || hasRelu
                         ? graph.inner(denseLayout(DataType::Float, result.layout.sizes))
                         : result;
  convolve(graph, c,
           {tensor(ConvolutionTensor::input, c.input_shape()),
            tensor(ConvolutionTensor::weight, c.weight_shape()), convolved});
  if (c.has_bias()) {
    Tensor bias =
        graph.memory(ConvolutionTensor::bias, denseLayout(type, {1, c.weight_shape(0), 1, 1}));
    Tensor sum = hasRelu ? graph.inner(convolved.layout) : result;
    graph.pointwise(PointwiseMode::Add, DataType::Float, convolved, &bias, sum);
    convolved = sum;
  }
  if (hasRelu)
    graph.pointwise(PointwiseMode::ReluForward, DataType::Float, convolved, nullptr, result);
  return graph;
}

} // namespace pcc::runtime::cuda::dnn

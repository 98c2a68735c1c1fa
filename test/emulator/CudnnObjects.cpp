// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/emulator/CudnnObjects.h"

#include <algorithm>

namespace pcc::test::dnn {
namespace {

/// An attribute of a kind of descriptor. `count` 0 means any number.
struct Rule {
  Kind kind;
  Attribute name;
  ValueType type;
  int64_t count;
  bool isRequired;
};

constexpr Rule rules[] = {
    {Kind::Pointwise, Attribute::PointwiseMode, ValueType::PointwiseMode, 1, true},
    {Kind::Pointwise, Attribute::PointwisePrecision, ValueType::DataType, 1, true},
    {Kind::Pointwise, Attribute::PointwiseAxis, ValueType::Int64, 1, false},
    {Kind::Convolution, Attribute::ConvolutionPrecision, ValueType::DataType, 1, true},
    {Kind::Convolution, Attribute::ConvolutionMode, ValueType::ConvolutionMode, 1, true},
    {Kind::Convolution, Attribute::ConvolutionSpatialDims, ValueType::Int64, 1, true},
    {Kind::Convolution, Attribute::ConvolutionDilations, ValueType::Int64, 2, true},
    {Kind::Convolution, Attribute::ConvolutionStrides, ValueType::Int64, 2, true},
    {Kind::Convolution, Attribute::ConvolutionPrePaddings, ValueType::Int64, 2, true},
    {Kind::Convolution, Attribute::ConvolutionPostPaddings, ValueType::Int64, 2, true},
    {Kind::Matmul, Attribute::MatmulPrecision, ValueType::DataType, 1, true},
    {Kind::Reduction, Attribute::ReductionOperator, ValueType::ReductionOperator, 1, true},
    {Kind::Reduction, Attribute::ReductionPrecision, ValueType::DataType, 1, true},
    {Kind::Tensor, Attribute::TensorDataType, ValueType::DataType, 1, true},
    {Kind::Tensor, Attribute::TensorDimensions, ValueType::Int64, 4, true},
    {Kind::Tensor, Attribute::TensorStrides, ValueType::Int64, 4, true},
    {Kind::Tensor, Attribute::TensorUniqueId, ValueType::Int64, 1, true},
    {Kind::Tensor, Attribute::TensorAlignment, ValueType::Int64, 1, true},
    {Kind::Tensor, Attribute::TensorIsVirtual, ValueType::Boolean, 1, false},
    {Kind::Tensor, Attribute::TensorIsByValue, ValueType::Boolean, 1, false},
    {Kind::ConvolutionForward, Attribute::ForwardAlpha, ValueType::Float, 1, true},
    {Kind::ConvolutionForward, Attribute::ForwardBeta, ValueType::Float, 1, true},
    {Kind::ConvolutionForward, Attribute::ForwardConvolution, ValueType::Descriptor, 1, true},
    {Kind::ConvolutionForward, Attribute::ForwardW, ValueType::Descriptor, 1, true},
    {Kind::ConvolutionForward, Attribute::ForwardX, ValueType::Descriptor, 1, true},
    {Kind::ConvolutionForward, Attribute::ForwardY, ValueType::Descriptor, 1, true},
    {Kind::ConvolutionBackwardData, Attribute::BackwardDataAlpha, ValueType::Float, 1, true},
    {Kind::ConvolutionBackwardData, Attribute::BackwardDataBeta, ValueType::Float, 1, true},
    {Kind::ConvolutionBackwardData, Attribute::BackwardDataConvolution, ValueType::Descriptor, 1,
     true},
    {Kind::ConvolutionBackwardData, Attribute::BackwardDataW, ValueType::Descriptor, 1, true},
    {Kind::ConvolutionBackwardData, Attribute::BackwardDataDx, ValueType::Descriptor, 1, true},
    {Kind::ConvolutionBackwardData, Attribute::BackwardDataDy, ValueType::Descriptor, 1, true},
    {Kind::ConvolutionBackwardFilter, Attribute::BackwardFilterAlpha, ValueType::Float, 1, true},
    {Kind::ConvolutionBackwardFilter, Attribute::BackwardFilterBeta, ValueType::Float, 1, true},
    {Kind::ConvolutionBackwardFilter, Attribute::BackwardFilterConvolution, ValueType::Descriptor,
     1, true},
    {Kind::ConvolutionBackwardFilter, Attribute::BackwardFilterDw, ValueType::Descriptor, 1, true},
    {Kind::ConvolutionBackwardFilter, Attribute::BackwardFilterX, ValueType::Descriptor, 1, true},
    {Kind::ConvolutionBackwardFilter, Attribute::BackwardFilterDy, ValueType::Descriptor, 1, true},
    {Kind::OperationPointwise, Attribute::OperationPointwise, ValueType::Descriptor, 1, true},
    {Kind::OperationPointwise, Attribute::OperationPointwiseX, ValueType::Descriptor, 1, true},
    {Kind::OperationPointwise, Attribute::OperationPointwiseY, ValueType::Descriptor, 1, true},
    {Kind::OperationPointwise, Attribute::OperationPointwiseB, ValueType::Descriptor, 1, false},
    {Kind::OperationPointwise, Attribute::OperationPointwiseT, ValueType::Descriptor, 1, false},
    {Kind::OperationMatmul, Attribute::OperationMatmul, ValueType::Descriptor, 1, true},
    {Kind::OperationMatmul, Attribute::OperationMatmulA, ValueType::Descriptor, 1, true},
    {Kind::OperationMatmul, Attribute::OperationMatmulB, ValueType::Descriptor, 1, true},
    {Kind::OperationMatmul, Attribute::OperationMatmulC, ValueType::Descriptor, 1, true},
    {Kind::OperationReduction, Attribute::OperationReduction, ValueType::Descriptor, 1, true},
    {Kind::OperationReduction, Attribute::OperationReductionX, ValueType::Descriptor, 1, true},
    {Kind::OperationReduction, Attribute::OperationReductionY, ValueType::Descriptor, 1, true},
    {Kind::OperationReshape, Attribute::OperationReshapeX, ValueType::Descriptor, 1, true},
    {Kind::OperationReshape, Attribute::OperationReshapeY, ValueType::Descriptor, 1, true},
    {Kind::OperationGraph, Attribute::GraphHandle, ValueType::Handle, 1, true},
    {Kind::OperationGraph, Attribute::GraphOperations, ValueType::Descriptor, 0, true},
    {Kind::EngineHeuristics, Attribute::HeuristicsMode, ValueType::HeuristicsMode, 1, true},
    {Kind::EngineHeuristics, Attribute::HeuristicsOperationGraph, ValueType::Descriptor, 1, true},
    {Kind::ExecutionPlan, Attribute::PlanHandle, ValueType::Handle, 1, true},
    {Kind::ExecutionPlan, Attribute::PlanEngineConfig, ValueType::Descriptor, 1, true},
    {Kind::VariantPack, Attribute::PackUniqueIds, ValueType::Int64, 0, true},
    {Kind::VariantPack, Attribute::PackDataPointers, ValueType::VoidPointer, 0, true},
    {Kind::VariantPack, Attribute::PackWorkspace, ValueType::VoidPointer, 1, true},
};

size_t widthOf(ValueType type) {
  switch (type) {
  case ValueType::Boolean:
  case ValueType::Char:
    return 1;
  case ValueType::Int64:
  case ValueType::Handle:
  case ValueType::VoidPointer:
  case ValueType::Descriptor:
  case ValueType::Double:
    return 8;
  default:
    return 4;
  }
}

const Rule *findRule(Kind kind, Attribute name) {
  for (const Rule &rule : rules)
    if (rule.kind == kind && rule.name == name)
      return &rule;
  return nullptr;
}

} // namespace

size_t bytesOf(DataType type) {
  return type == DataType::Half || type == DataType::BFloat16 ? 2
         : type == DataType::Boolean                          ? 1
                                                              : 4;
}

int64_t spanOf(const Object &tensor) {
  std::vector<int64_t> sizes = tensor.all<int64_t>(Attribute::TensorDimensions);
  std::vector<int64_t> strides = tensor.all<int64_t>(Attribute::TensorStrides);
  int64_t span = 1;
  for (size_t dim = 0; dim < sizes.size(); ++dim)
    span += (sizes[dim] - 1) * strides[dim];
  return span;
}

Result Object::set(Attribute name, ValueType type, int64_t count, const void *elements) {
  const Rule *rule = findRule(kind, name);
  if (isFinal || !rule || (rule->count && rule->count != count) || count < 1)
    return Result::BadParam;
  if (!elements)
    return Result::BadParamNullPointer;
  if (rule->type != type)
    return Result::BadParamAttributeType;
  auto *bytes = static_cast<const std::byte *>(elements);
  Value value{type, count, {bytes, bytes + size_t(count) * widthOf(type)}, {}};
  if (type == ValueType::Descriptor)
    for (int64_t i = 0; i < count; ++i) {
      const Object *other = static_cast<const Object *const *>(elements)[i];
      if (!other || !other->isFinal)
        return Result::BadParamNotFinalized;
      value.objects.push_back(other->shared_from_this());
    }
  values[name] = std::move(value);
  return Result::Success;
}

Result Object::finalize() {
  for (const Rule &rule : rules)
    if (rule.kind == kind && rule.isRequired && !has(rule.name))
      return Result::BadParam;
  if (kind == Kind::Tensor) {
    std::vector<int64_t> sizes = all<int64_t>(Attribute::TensorDimensions);
    if (std::any_of(sizes.begin(), sizes.end(), [](int64_t size) { return size < 1; }))
      return Result::BadParam;
  }
  if (kind == Kind::VariantPack &&
      values.at(Attribute::PackUniqueIds).count != values.at(Attribute::PackDataPointers).count)
    return Result::BadParamShapeMismatch;
  isFinal = true;
  return Result::Success;
}

} // namespace pcc::test::dnn

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares our declarations of cuDNN's backend API with NVIDIA's: prototypes, numbers and names.
// Built if there is a cudnn.h.

#include "runtime/device/cuda/library/Cudnn.h"
#include "test/unit/runtime/device/HeaderShape.h"

#include <cudnn.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace pcc::test {
namespace {

using namespace runtime::cuda::dnn;

/// Checks that a field of the table has the prototype of the function, and records the name.
#define SAME(field, function)                                                                      \
  static_assert(sameShape<decltype(Cudnn::field), decltype(&::function)>);                         \
  names.insert(#function)

TEST(CudnnHeader, PrototypesAndNames) {
  std::set<std::string> names;
  SAME(getVersion, cudnnGetVersion);
  SAME(getErrorString, cudnnGetErrorString);
  SAME(getLastErrorString, cudnnGetLastErrorString);
  SAME(create, cudnnCreate);
  SAME(destroy, cudnnDestroy);
  SAME(setStream, cudnnSetStream);
  SAME(createDescriptor, cudnnBackendCreateDescriptor);
  SAME(destroyDescriptor, cudnnBackendDestroyDescriptor);
  SAME(finalize, cudnnBackendFinalize);
  SAME(setAttribute, cudnnBackendSetAttribute);
  SAME(getAttribute, cudnnBackendGetAttribute);
  SAME(execute, cudnnBackendExecute);
  std::set<std::string> ours;
  Cudnn library = {};
  for (const runtime::Symbol &row : Cudnn::table(library))
    ours.insert(row.name);
  EXPECT_EQ(ours, names);
}

#define NUMBER(ours, theirs) static_assert(int(ours) == int(theirs))

NUMBER(Result::Success, CUDNN_STATUS_SUCCESS);
NUMBER(Result::NotInitialized, CUDNN_STATUS_NOT_INITIALIZED);
NUMBER(Result::BadParam, CUDNN_STATUS_BAD_PARAM);
NUMBER(Result::BadParamNullPointer, CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
NUMBER(Result::BadParamNotFinalized, CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
NUMBER(Result::BadParamSizeInsufficient, CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT);
NUMBER(Result::BadParamShapeMismatch, CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH);
NUMBER(Result::BadParamAttributeType, CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE);
NUMBER(Result::NotSupported, CUDNN_STATUS_NOT_SUPPORTED);

NUMBER(Kind::Pointwise, CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
NUMBER(Kind::Convolution, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
NUMBER(Kind::Engine, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
NUMBER(Kind::EngineConfig, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
NUMBER(Kind::EngineHeuristics, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
NUMBER(Kind::ExecutionPlan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
NUMBER(Kind::ConvolutionForward, CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
NUMBER(Kind::ConvolutionBackwardFilter,
       CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR);
NUMBER(Kind::ConvolutionBackwardData, CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR);
NUMBER(Kind::OperationPointwise, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
NUMBER(Kind::OperationGraph, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
NUMBER(Kind::VariantPack, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
NUMBER(Kind::Tensor, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
NUMBER(Kind::Matmul, CUDNN_BACKEND_MATMUL_DESCRIPTOR);
NUMBER(Kind::OperationMatmul, CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
NUMBER(Kind::Reduction, CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
NUMBER(Kind::OperationReduction, CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
NUMBER(Kind::OperationReshape, CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
NUMBER(Kind::DeviceProperties, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);

NUMBER(ValueType::Handle, CUDNN_TYPE_HANDLE);
NUMBER(ValueType::DataType, CUDNN_TYPE_DATA_TYPE);
NUMBER(ValueType::Boolean, CUDNN_TYPE_BOOLEAN);
NUMBER(ValueType::Int64, CUDNN_TYPE_INT64);
NUMBER(ValueType::Float, CUDNN_TYPE_FLOAT);
NUMBER(ValueType::Double, CUDNN_TYPE_DOUBLE);
NUMBER(ValueType::VoidPointer, CUDNN_TYPE_VOID_PTR);
NUMBER(ValueType::ConvolutionMode, CUDNN_TYPE_CONVOLUTION_MODE);
NUMBER(ValueType::HeuristicsMode, CUDNN_TYPE_HEUR_MODE);
NUMBER(ValueType::NumericalNote, CUDNN_TYPE_NUMERICAL_NOTE);
NUMBER(ValueType::PointwiseMode, CUDNN_TYPE_POINTWISE_MODE);
NUMBER(ValueType::Descriptor, CUDNN_TYPE_BACKEND_DESCRIPTOR);
NUMBER(ValueType::ReductionOperator, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE);
NUMBER(ValueType::Char, CUDNN_TYPE_CHAR);

NUMBER(DataType::Float, CUDNN_DATA_FLOAT);
NUMBER(DataType::Half, CUDNN_DATA_HALF);
NUMBER(DataType::Int32, CUDNN_DATA_INT32);
NUMBER(DataType::BFloat16, CUDNN_DATA_BFLOAT16);
NUMBER(DataType::Boolean, CUDNN_DATA_BOOLEAN);
NUMBER(ConvolutionMode::CrossCorrelation, CUDNN_CROSS_CORRELATION);
NUMBER(HeuristicsMode::Fallback, CUDNN_HEUR_MODE_FALLBACK);
NUMBER(HeuristicsMode::A, CUDNN_HEUR_MODE_A);
NUMBER(NumericalNote::TensorCore, CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
NUMBER(NumericalNote::DownConvertInputs, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS);
NUMBER(NumericalNote::ReducedPrecisionReduction, CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION);
NUMBER(NumericalNote::Fft, CUDNN_NUMERICAL_NOTE_FFT);
NUMBER(NumericalNote::Nondeterministic, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC);
NUMBER(NumericalNote::Winograd, CUDNN_NUMERICAL_NOTE_WINOGRAD);
NUMBER(numericalNotes, CUDNN_NUMERICAL_NOTE_TYPE_COUNT);

NUMBER(PointwiseMode::Add, CUDNN_POINTWISE_ADD);
NUMBER(PointwiseMode::Mul, CUDNN_POINTWISE_MUL);
NUMBER(PointwiseMode::Div, CUDNN_POINTWISE_DIV);
NUMBER(PointwiseMode::Sub, CUDNN_POINTWISE_SUB);
NUMBER(PointwiseMode::Exp, CUDNN_POINTWISE_EXP);
NUMBER(PointwiseMode::Log, CUDNN_POINTWISE_LOG);
NUMBER(PointwiseMode::Identity, CUDNN_POINTWISE_IDENTITY);
NUMBER(PointwiseMode::ReluForward, CUDNN_POINTWISE_RELU_FWD);
NUMBER(PointwiseMode::GreaterOrEqual, CUDNN_POINTWISE_CMP_GE);
NUMBER(PointwiseMode::GenerateIndex, CUDNN_POINTWISE_GEN_INDEX);
NUMBER(PointwiseMode::BinarySelect, CUDNN_POINTWISE_BINARY_SELECT);
NUMBER(ReductionOperator::Add, CUDNN_REDUCE_TENSOR_ADD);
NUMBER(ReductionOperator::Max, CUDNN_REDUCE_TENSOR_MAX);

NUMBER(Attribute::PointwiseMode, CUDNN_ATTR_POINTWISE_MODE);
NUMBER(Attribute::PointwisePrecision, CUDNN_ATTR_POINTWISE_MATH_PREC);
NUMBER(Attribute::PointwiseAxis, CUDNN_ATTR_POINTWISE_AXIS);
NUMBER(Attribute::ConvolutionPrecision, CUDNN_ATTR_CONVOLUTION_COMP_TYPE);
NUMBER(Attribute::ConvolutionMode, CUDNN_ATTR_CONVOLUTION_CONV_MODE);
NUMBER(Attribute::ConvolutionDilations, CUDNN_ATTR_CONVOLUTION_DILATIONS);
NUMBER(Attribute::ConvolutionStrides, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
NUMBER(Attribute::ConvolutionPostPaddings, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS);
NUMBER(Attribute::ConvolutionPrePaddings, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
NUMBER(Attribute::ConvolutionSpatialDims, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS);
NUMBER(Attribute::HeuristicsMode, CUDNN_ATTR_ENGINEHEUR_MODE);
NUMBER(Attribute::HeuristicsOperationGraph, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
NUMBER(Attribute::HeuristicsResults, CUDNN_ATTR_ENGINEHEUR_RESULTS);
NUMBER(Attribute::HeuristicsDevice, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP);
NUMBER(Attribute::EngineConfigEngine, CUDNN_ATTR_ENGINECFG_ENGINE);
NUMBER(Attribute::PlanHandle, CUDNN_ATTR_EXECUTION_PLAN_HANDLE);
NUMBER(Attribute::PlanEngineConfig, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
NUMBER(Attribute::PlanWorkspaceSize, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
NUMBER(Attribute::PlanDevice, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP);
NUMBER(Attribute::ForwardAlpha, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA);
NUMBER(Attribute::ForwardBeta, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA);
NUMBER(Attribute::ForwardConvolution, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC);
NUMBER(Attribute::ForwardW, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W);
NUMBER(Attribute::ForwardX, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X);
NUMBER(Attribute::ForwardY, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y);
NUMBER(Attribute::BackwardDataAlpha, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA);
NUMBER(Attribute::BackwardDataBeta, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA);
NUMBER(Attribute::BackwardDataConvolution, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC);
NUMBER(Attribute::BackwardDataW, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W);
NUMBER(Attribute::BackwardDataDx, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX);
NUMBER(Attribute::BackwardDataDy, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY);
NUMBER(Attribute::BackwardFilterAlpha, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA);
NUMBER(Attribute::BackwardFilterBeta, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA);
NUMBER(Attribute::BackwardFilterConvolution, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC);
NUMBER(Attribute::BackwardFilterDw, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW);
NUMBER(Attribute::BackwardFilterX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X);
NUMBER(Attribute::BackwardFilterDy, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY);
NUMBER(Attribute::OperationPointwise, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
NUMBER(Attribute::OperationPointwiseX, CUDNN_ATTR_OPERATION_POINTWISE_XDESC);
NUMBER(Attribute::OperationPointwiseB, CUDNN_ATTR_OPERATION_POINTWISE_BDESC);
NUMBER(Attribute::OperationPointwiseY, CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
NUMBER(Attribute::OperationPointwiseT, CUDNN_ATTR_OPERATION_POINTWISE_TDESC);
NUMBER(Attribute::GraphHandle, CUDNN_ATTR_OPERATIONGRAPH_HANDLE);
NUMBER(Attribute::GraphOperations, CUDNN_ATTR_OPERATIONGRAPH_OPS);
NUMBER(Attribute::TensorAlignment, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
NUMBER(Attribute::TensorDataType, CUDNN_ATTR_TENSOR_DATA_TYPE);
NUMBER(Attribute::TensorDimensions, CUDNN_ATTR_TENSOR_DIMENSIONS);
NUMBER(Attribute::TensorStrides, CUDNN_ATTR_TENSOR_STRIDES);
NUMBER(Attribute::TensorUniqueId, CUDNN_ATTR_TENSOR_UNIQUE_ID);
NUMBER(Attribute::TensorIsVirtual, CUDNN_ATTR_TENSOR_IS_VIRTUAL);
NUMBER(Attribute::TensorIsByValue, CUDNN_ATTR_TENSOR_IS_BY_VALUE);
NUMBER(Attribute::PackUniqueIds, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
NUMBER(Attribute::PackDataPointers, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
NUMBER(Attribute::PackWorkspace, CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
NUMBER(Attribute::EngineNumericalNotes, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE);
NUMBER(Attribute::MatmulPrecision, CUDNN_ATTR_MATMUL_COMP_TYPE);
NUMBER(Attribute::OperationMatmulA, CUDNN_ATTR_OPERATION_MATMUL_ADESC);
NUMBER(Attribute::OperationMatmulB, CUDNN_ATTR_OPERATION_MATMUL_BDESC);
NUMBER(Attribute::OperationMatmulC, CUDNN_ATTR_OPERATION_MATMUL_CDESC);
NUMBER(Attribute::OperationMatmul, CUDNN_ATTR_OPERATION_MATMUL_DESC);
NUMBER(Attribute::ReductionOperator, CUDNN_ATTR_REDUCTION_OPERATOR);
NUMBER(Attribute::ReductionPrecision, CUDNN_ATTR_REDUCTION_COMP_TYPE);
NUMBER(Attribute::OperationReductionX, CUDNN_ATTR_OPERATION_REDUCTION_XDESC);
NUMBER(Attribute::OperationReductionY, CUDNN_ATTR_OPERATION_REDUCTION_YDESC);
NUMBER(Attribute::OperationReduction, CUDNN_ATTR_OPERATION_REDUCTION_DESC);
NUMBER(Attribute::OperationReshapeX, CUDNN_ATTR_OPERATION_RESHAPE_XDESC);
NUMBER(Attribute::OperationReshapeY, CUDNN_ATTR_OPERATION_RESHAPE_YDESC);
NUMBER(Attribute::DeviceJson, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION);

} // namespace
} // namespace pcc::test

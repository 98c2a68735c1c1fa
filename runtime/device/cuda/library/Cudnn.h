// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of cuDNN 9 that pcc uses: the numbers and the C functions of its backend API. They are
// declared here so that building needs neither its headers nor the library. The library is opened
// at first use. CudnnHeaderTest compares these declarations with the real header, if there is one.

#pragma once

#include "runtime/base/SharedLibrary.h"
#include "runtime/device/cuda/driver/Driver.h"

#include <vector>

namespace pcc::runtime::cuda::dnn {

// Numbers have their names there without the prefix.

enum class Result : int {
  Success = 0,
  NotInitialized = 1001,
  BadParam = 2000,
  BadParamNullPointer = 2002,
  BadParamNotFinalized = 2004,
  BadParamSizeInsufficient = 2006,
  BadParamShapeMismatch = 2008,
  BadParamAttributeType = 2010,
  NotSupported = 3000,
};

/// Kinds of descriptors.
enum class Kind : int {
  Pointwise = 0,
  Convolution = 1,
  Engine = 2,
  EngineConfig = 3,
  EngineHeuristics = 4,
  ExecutionPlan = 5,
  ConvolutionForward = 10,
  ConvolutionBackwardFilter = 11,
  ConvolutionBackwardData = 12,
  OperationPointwise = 13,
  OperationGraph = 15,
  VariantPack = 16,
  Tensor = 17,
  Matmul = 18,
  OperationMatmul = 19,
  Reduction = 21,
  OperationReduction = 22,
  OperationReshape = 31,
  DeviceProperties = 38,
};

/// Types of attributes.
enum class ValueType : int {
  Handle = 0,
  DataType = 1,
  Boolean = 2,
  Int64 = 3,
  Float = 4,
  Double = 5,
  VoidPointer = 6,
  ConvolutionMode = 7,
  HeuristicsMode = 8,
  NumericalNote = 11,
  PointwiseMode = 14,
  Descriptor = 15,
  ReductionOperator = 18,
  Char = 24,
};

enum class DataType : int { Float = 0, Half = 2, Int32 = 4, BFloat16 = 9, Boolean = 11 };

enum class ConvolutionMode : int { CrossCorrelation = 1 };

enum class HeuristicsMode : int { Fallback = 2, A = 3 };

enum class NumericalNote : int {
  TensorCore = 0,
  DownConvertInputs = 1,
  ReducedPrecisionReduction = 2,
  Fft = 3,
  Nondeterministic = 4,
  Winograd = 5,
};

/// The number of kinds of notes in this version of the API.
constexpr int numericalNotes = 10;

enum class PointwiseMode : int {
  Add = 0,
  Mul = 1,
  Div = 6,
  Sub = 9,
  Exp = 13,
  Log = 15,
  Identity = 21,
  ReluForward = 100,
  GreaterOrEqual = 303,
  GenerateIndex = 501,
  BinarySelect = 601,
};

enum class ReductionOperator : int { Add = 0, Max = 3 };

/// Names of attributes, grouped by their descriptor.
enum class Attribute : int {
  PointwiseMode = 0,
  PointwisePrecision = 1,
  PointwiseAxis = 9,
  ConvolutionPrecision = 100,
  ConvolutionMode = 101,
  ConvolutionDilations = 102,
  ConvolutionStrides = 103,
  ConvolutionPostPaddings = 104,
  ConvolutionPrePaddings = 105,
  ConvolutionSpatialDims = 106,
  HeuristicsMode = 200,
  HeuristicsOperationGraph = 201,
  HeuristicsResults = 202,
  HeuristicsDevice = 204,
  EngineConfigEngine = 300,
  PlanHandle = 400,
  PlanEngineConfig = 401,
  PlanWorkspaceSize = 402,
  PlanDevice = 407,
  ForwardAlpha = 700,
  ForwardBeta = 701,
  ForwardConvolution = 702,
  ForwardW = 703,
  ForwardX = 704,
  ForwardY = 705,
  BackwardDataAlpha = 706,
  BackwardDataBeta = 707,
  BackwardDataConvolution = 708,
  BackwardDataW = 709,
  BackwardDataDx = 710,
  BackwardDataDy = 711,
  BackwardFilterAlpha = 712,
  BackwardFilterBeta = 713,
  BackwardFilterConvolution = 714,
  BackwardFilterDw = 715,
  BackwardFilterX = 716,
  BackwardFilterDy = 717,
  OperationPointwise = 750,
  OperationPointwiseX = 751,
  OperationPointwiseB = 752,
  OperationPointwiseY = 753,
  OperationPointwiseT = 758,
  GraphHandle = 800,
  GraphOperations = 801,
  TensorAlignment = 900,
  TensorDataType = 901,
  TensorDimensions = 902,
  TensorStrides = 903,
  TensorUniqueId = 906,
  TensorIsVirtual = 907,
  TensorIsByValue = 908,
  PackUniqueIds = 1000,
  PackDataPointers = 1001,
  PackWorkspace = 1003,
  EngineNumericalNotes = 1303,
  MatmulPrecision = 1500,
  OperationMatmulA = 1520,
  OperationMatmulB = 1521,
  OperationMatmulC = 1522,
  OperationMatmul = 1523,
  ReductionOperator = 1600,
  ReductionPrecision = 1601,
  OperationReductionX = 1610,
  OperationReductionY = 1611,
  OperationReduction = 1612,
  OperationReshapeX = 2200,
  OperationReshapeY = 2201,
  DeviceJson = 2702,
};

using Handle = struct HandleObject *;
/// A descriptor of any kind.
using DescriptorHandle = void *;

struct Cudnn {
  size_t (*getVersion)();
  const char *(*getErrorString)(Result result);
  void (*getLastErrorString)(char *message, size_t size);
  Result (*create)(Handle *handle);
  Result (*destroy)(Handle handle);
  Result (*setStream)(Handle handle, StreamHandle stream);
  Result (*createDescriptor)(Kind kind, DescriptorHandle *descriptor);
  Result (*destroyDescriptor)(DescriptorHandle descriptor);
  Result (*finalize)(DescriptorHandle descriptor);
  Result (*setAttribute)(DescriptorHandle descriptor, Attribute name, ValueType type, int64_t count,
                         const void *elements);
  Result (*getAttribute)(DescriptorHandle descriptor, Attribute name, ValueType type,
                         int64_t requested, int64_t *count, void *elements);
  Result (*execute)(Handle handle, DescriptorHandle plan, DescriptorHandle variantPack);

  /// Returns the library, or the reason why it is not used; the same on every call.
  static const Expected<Cudnn> &get();

  /// Returns the rows that fill the table.
  static std::vector<Symbol> table(Cudnn &library);

  /// Returns success, or "cudnnBackendFinalize: CUDNN_STATUS_BAD_PARAM: …" for the call `what`.
  Status check(Result result, std::string_view what) const;
};

/// Returns "9.19.0", or the reason why the library is not available.
Expected<std::string> cudnnVersion();

} // namespace pcc::runtime::cuda::dnn

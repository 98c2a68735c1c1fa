// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Since b is the library's first factor, transposes, alignments and operand sums of a and b are
// exchanged. A shared b has a batch stride of 0. The only allowed split of k adds partial sums in
// the workspace, in a fixed order.

#include "runtime/device/cuda/library/LibraryMatmuls.h"

#include "runtime/abi/program/SupportKernels.h"

#include <algorithm>
#include <optional>

namespace pcc::runtime::cuda::lt {
namespace {

DataType dataTypeOf(abi::ElementType type) {
  switch (type) {
  case abi::F16:
    return DataType::F16;
  case abi::BF16:
    return DataType::BF16;
  default:
    return DataType::F32;
  }
}

Epilogue epilogueOf(const abi::Matmul &matmul) {
  bool hasBias = matmul.has_bias();
  switch (matmul.activation()) {
  case abi::RELU:
    return hasBias ? Epilogue::ReluBias : Epilogue::Relu;
  case abi::GELU:
    if (matmul.has_pre_activation())
      return hasBias ? Epilogue::GeluAuxBias : Epilogue::GeluAux;
    return hasBias ? Epilogue::GeluBias : Epilogue::Gelu;
  case abi::GELU_GRADIENT:
    return Epilogue::GeluGradient;
  default:
    break;
  }
  // The library's first factor is b.
  if (matmul.has_sum_of_a() || matmul.has_sum_of_b())
    return matmul.has_sum_of_b() ? Epilogue::SumA : Epilogue::SumB;
  return hasBias ? Epilogue::Bias : Epilogue::None;
}

bool usesPreActivation(Epilogue epilogue) {
  return epilogue == Epilogue::GeluAux || epilogue == Epilogue::GeluAuxBias ||
         epilogue == Epilogue::GeluGradient;
}

bool sumsOperand(Epilogue epilogue) {
  return epilogue == Epilogue::SumA || epilogue == Epilogue::SumB;
}

uint32_t alignmentOf(const std::byte *address) {
  constexpr uint32_t most = 256;
  auto number = reinterpret_cast<uintptr_t>(address) | most;
  return uint32_t(number & -number);
}

/// Creates descriptors. `status` is the first error.
class Planner {
public:
  explicit Planner(const CublasLt &library) : library(library) {}

  template <typename Value> void set(MatmulDesc desc, DescAttribute attribute, Value value) {
    run([&] { return library.descSet(desc, attribute, &value, sizeof value); },
        "cublasLtMatmulDescSetAttribute");
  }

  /// Creates a column-major matrix, repeated for each index of the batch.
  Owned<MatrixLayout> layout(DataType type, int64_t rows, int64_t columns, int64_t batch,
                             int64_t stride) {
    MatrixLayout made = nullptr;
    run([&] { return library.layoutCreate(&made, type, rows, columns, rows); },
        "cublasLtMatrixLayoutCreate");
    Owned<MatrixLayout> owned(made, library.layoutDestroy);
    auto setting = [&](LayoutAttribute attribute, auto value) {
      run([&] { return library.layoutSet(made, attribute, &value, sizeof value); },
          "cublasLtMatrixLayoutSetAttribute");
    };
    if (batch > 1) {
      setting(LayoutAttribute::BatchCount, int32_t(batch));
      setting(LayoutAttribute::BatchStride, stride);
    }
    return owned;
  }

  Owned<MatmulDesc> desc(const MatmulShape &shape, ComputeType compute,
                         const MatmulAddresses &addresses) {
    MatmulDesc made = nullptr;
    run([&] { return library.descCreate(&made, compute, DataType::F32); },
        "cublasLtMatmulDescCreate");
    Owned<MatmulDesc> owned(made, library.descDestroy);
    auto transposeOf = [](bool isTransposed) {
      return int32_t(isTransposed ? Transpose::Yes : Transpose::No);
    };
    set(made, DescAttribute::TransposeA, transposeOf(shape.transposeB));
    set(made, DescAttribute::TransposeB, transposeOf(shape.transposeA));
    set(made, DescAttribute::Epilogue, shape.epilogue);
    if (std::byte *vector = sumsOperand(shape.epilogue) ? addresses.sum : addresses.bias)
      set(made, DescAttribute::BiasPointer, vector);
    if (usesPreActivation(shape.epilogue)) {
      set(made, DescAttribute::AuxPointer, addresses.preActivation);
      set(made, DescAttribute::AuxLeadingDimension, shape.n);
      if (shape.batch > 1)
        set(made, DescAttribute::AuxBatchStride, shape.m * shape.n);
    }
    return owned;
  }

  Status status;

private:
  template <typename Call> void run(Call call, const char *name) {
    if (status.ok())
      status = library.check(call(), name);
  }

  const CublasLt &library;
};

/// Creates the constraints for the library's choice.
Expected<Owned<Preference>> makePreference(const CublasLt &library, const MatmulShape &shape,
                                           uint64_t workspaceBytes) {
  Preference made = nullptr;
  if (Status status =
          library.check(library.preferenceCreate(&made), "cublasLtMatmulPreferenceCreate");
      !status.ok())
    return status;
  Owned<Preference> owned(made, library.preferenceDestroy);
  Status status;
  auto set = [&](PreferenceAttribute attribute, auto value) {
    if (status.ok())
      status = library.check(library.preferenceSet(made, attribute, &value, sizeof value),
                             "cublasLtMatmulPreferenceSetAttribute");
  };
  set(PreferenceAttribute::WorkspaceBytes, workspaceBytes);
  set(PreferenceAttribute::ReductionSchemes, sumsInWorkspace);
  set(PreferenceAttribute::AlignmentA, shape.alignments[1]);
  set(PreferenceAttribute::AlignmentB, shape.alignments[0]);
  set(PreferenceAttribute::AlignmentC, shape.alignments[2]);
  set(PreferenceAttribute::AlignmentD, shape.alignments[2]);
  if (!status.ok())
    return status;
  return owned;
}

} // namespace

MatmulShape shapeOf(const abi::Matmul &matmul, const MatmulAddresses &addresses) {
  MatmulShape shape = {.batch = matmul.batch(),
                       .m = matmul.m(),
                       .n = matmul.n(),
                       .k = matmul.k(),
                       .transposeA = matmul.transpose_a(),
                       .transposeB = matmul.transpose_b(),
                       .sharedB = matmul.shared_b(),
                       .type = dataTypeOf(matmul.type()),
                       .resultType = dataTypeOf(matmul.result_type()),
                       .epilogue = epilogueOf(matmul),
                       .alignments = {alignmentOf(addresses.a), alignmentOf(addresses.b),
                                      alignmentOf(addresses.c),
                                      alignmentOf(addresses.bias ? addresses.bias : addresses.sum),
                                      alignmentOf(addresses.preActivation)}};
  if (shape.sharedB && !shape.transposeA)
    shape.m *= std::exchange(shape.batch, 1);
  return shape;
}

bool isSupportedShape(const MatmulShape &shape) {
  return (!sumsOperand(shape.epilogue) || shape.batch == 1) &&
         (!usesPreActivation(shape.epilogue) || shape.n % abi::preActivationAlignment == 0);
}

Expected<MatmulPlan> planMatmul(const CublasLt &library, const MatmulShape &shape,
                                ComputeType compute, const MatmulAddresses &addresses) {
  Planner planner(library);
  auto factor = [&](int64_t rows, int64_t columns, bool isTransposed, bool isShared) {
    if (isTransposed)
      std::swap(rows, columns);
    return planner.layout(shape.type, rows, columns, shape.batch, isShared ? 0 : rows * columns);
  };
  MatmulPlan plan = {
      .desc = planner.desc(shape, compute, addresses),
      .a = factor(shape.k, shape.m, shape.transposeA, false),
      .b = factor(shape.n, shape.k, shape.transposeB, shape.sharedB),
      .c = planner.layout(shape.resultType, shape.n, shape.m, shape.batch, shape.m * shape.n)};
  if (!planner.status.ok())
    return planner.status;
  return plan;
}

Expected<std::optional<Choice>> chooseAlgorithm(const CublasLt &library, Handle handle,
                                                const MatmulShape &shape, const MatmulPlan &plan,
                                                uint64_t workspaceBytes) {
  Expected<Owned<Preference>> preference = makePreference(library, shape, workspaceBytes);
  if (!preference)
    return preference.status();
  Choice choice = {};
  int count = 0;
  // A matmul that the library rejects for any reason is run by a kernel.
  LtStatus status =
      library.chooseAlgorithms(handle, plan.desc.get(), plan.b.get(), plan.a.get(), plan.c.get(),
                               plan.c.get(), preference->get(), 1, &choice, &count);
  if (status != LtStatus::Success || count == 0 || choice.state != LtStatus::Success)
    return std::optional<Choice>();
  return std::optional(choice);
}

} // namespace pcc::runtime::cuda::lt

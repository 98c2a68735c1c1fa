// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank's products by cuBLASLt: one handle, one workspace, and one algorithm for all products of a
// shape, chosen when the first is prepared.

#ifndef PCC_RUNTIME_DEVICE_CUDA_LIBRARY_PRODUCTS_H
#define PCC_RUNTIME_DEVICE_CUDA_LIBRARY_PRODUCTS_H

#include "runtime/device/cuda/driver/Stream.h"
#include "runtime/device/cuda/library/ProductPlan.h"

#include <map>
#include <optional>

namespace pcc::runtime::cuda {

lt::ProductAddresses addressesOf(const abi::Matmul &matmul, const PrepareContext &context);

class Products {
public:
  /// `roundsFactors`: those of f32 may be rounded to TF32.
  Products(std::shared_ptr<const Gpu> gpu, bool roundsFactors)
      : gpu(std::move(gpu)), roundsFactors(roundsFactors) {}
  ~Products();

  /// The record by the library; null where there is none, or it does not do such products.
  Expected<std::unique_ptr<PreparedRecord>> prepare(const abi::Record &record,
                                                    const PrepareContext &context, Stream &stream) {
    return prepare(record, record.matmul(), context, stream);
  }
  /// The same without what stands behind and beside the product.
  Expected<std::unique_ptr<PreparedRecord>>
  prepareAlone(const abi::Record &record, const PrepareContext &context, Stream &stream);

  /// Of the GPU's memory.
  uint64_t takenBytes() const { return workspace ? workspaceBytes : 0; }

private:
  Expected<std::unique_ptr<PreparedRecord>> prepare(const abi::Record &record,
                                                    const abi::Matmul &matmul,
                                                    const PrepareContext &context, Stream &stream);
  bool open();
  Status makeWorkspace();
  Expected<std::optional<lt::Choice>> choose(const lt::ProductShape &shape,
                                             const lt::ProductPlan &plan);

  static constexpr uint64_t workspaceBytes = 32 << 20;
  const std::shared_ptr<const Gpu> gpu;
  const bool roundsFactors;
  bool isTried = false;
  lt::Handle handle = nullptr;
  std::unique_ptr<Allocation> workspace;
  std::map<lt::ProductShape, std::optional<lt::Choice>> choices;
};

} // namespace pcc::runtime::cuda

#endif // PCC_RUNTIME_DEVICE_CUDA_LIBRARY_PRODUCTS_H

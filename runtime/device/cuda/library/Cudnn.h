// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What pcc uses of cuDNN 9: the C functions of its backend API, declared here so that neither its
// headers nor the library are needed to build pcc. The library is opened when it is first needed.
// CudnnHeaderTest compares all of this with the real header, where there is one.

#ifndef PCC_RUNTIME_DEVICE_CUDA_LIBRARY_CUDNN_H
#define PCC_RUNTIME_DEVICE_CUDA_LIBRARY_CUDNN_H

#include "runtime/base/SharedLibrary.h"
#include "runtime/device/cuda/driver/Driver.h"
#include "runtime/device/cuda/library/CudnnNumbers.h"

#include <vector>

namespace pcc::runtime::cuda::dnn {

using Handle = struct HandleObject *;
/// Of any kind.
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

  /// The library, or the reason why it is not used; the same on every call.
  static const Expected<Cudnn> &get();

  /// The rows that fill it.
  static std::vector<Symbol> table(Cudnn &library);

  /// Success, or "cudnnBackendFinalize: CUDNN_STATUS_BAD_PARAM: …" for the call `what`.
  Status check(Result result, std::string_view what) const;
};

/// "9.19.0", or why it is not here.
Expected<std::string> cudnnVersion();

} // namespace pcc::runtime::cuda::dnn

#endif // PCC_RUNTIME_DEVICE_CUDA_LIBRARY_CUDNN_H

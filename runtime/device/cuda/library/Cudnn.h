// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of cuDNN 9 that pcc uses: the C functions of its backend API. They are declared here so
// that building needs neither its headers nor the library. The library is opened at first use.
// CudnnHeaderTest compares these declarations with the real header, if there is one.

#pragma once

#include "runtime/base/SharedLibrary.h"
#include "runtime/device/cuda/driver/Driver.h"
#include "runtime/device/cuda/library/CudnnConstants.h"

#include <vector>

namespace pcc::runtime::cuda::dnn {

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

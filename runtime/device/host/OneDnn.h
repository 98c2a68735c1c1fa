// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// oneDNN through its C interface, opened when the first matmul, convolution or attention is
// prepared.

#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/base/SharedLibrary.h"

#include <oneapi/dnnl/dnnl.h>

#include <memory>
#include <utility>

namespace pcc::runtime::host {

/// Owns one object of oneDNN's C interface.
template <typename Object> class Handle {
public:
  using Destroy = dnnl_status_t (*)(Object);
  Handle() = default;
  Handle(Object object, Destroy destroy) : object(object), destroy(destroy) {}
  Handle(Handle &&other) noexcept { *this = std::move(other); }
  Handle &operator=(Handle &&other) noexcept {
    std::swap(object, other.object);
    std::swap(destroy, other.destroy);
    return *this;
  }
  ~Handle() {
    if (object)
      destroy(object);
  }
  Object get() const { return object; }

private:
  Object object = nullptr;
  Destroy destroy = nullptr;
};

using PrimitiveHandle = Handle<dnnl_primitive_t>;
using MemoryHandle = Handle<dnnl_memory_t>;

/// Returns the library's constant for a floating-point type.
dnnl_data_type_t libraryType(abi::ElementType type);

struct OneDnn {
  decltype(&dnnl_engine_create) engineCreate;
  decltype(&dnnl_stream_create) streamCreate;
  decltype(&dnnl_stream_destroy) streamDestroy;
  decltype(&dnnl_memory_desc_init_by_strides) memoryDescInit;
  decltype(&dnnl_memory_desc_init_by_tag) memoryDescInitByTag;
  decltype(&dnnl_memory_desc_equal) memoryDescEqual;
  decltype(&dnnl_memory_desc_get_size) memoryDescGetSize;
  decltype(&dnnl_memory_create) memoryCreate;
  decltype(&dnnl_memory_set_data_handle) memorySetDataHandle;
  decltype(&dnnl_memory_destroy) memoryDestroy;
  decltype(&dnnl_matmul_desc_init) matmulDescInit;
  decltype(&dnnl_dilated_convolution_forward_desc_init) convolutionForward;
  decltype(&dnnl_dilated_convolution_backward_data_desc_init) convolutionBackwardData;
  decltype(&dnnl_dilated_convolution_backward_weights_desc_init) convolutionBackwardWeights;
  decltype(&dnnl_reorder_primitive_desc_create) reorderDescCreate;
  decltype(&dnnl_primitive_attr_create) attributesCreate;
  decltype(&dnnl_primitive_attr_destroy) attributesDestroy;
  decltype(&dnnl_primitive_attr_set_post_ops) setPostOps;
  decltype(&dnnl_primitive_attr_set_scratchpad_mode) setScratchpadMode;
  decltype(&dnnl_post_ops_create) postOpsCreate;
  decltype(&dnnl_post_ops_destroy) postOpsDestroy;
  decltype(&dnnl_post_ops_append_sum) appendSum;
  decltype(&dnnl_post_ops_append_eltwise) appendEltwise;
  decltype(&dnnl_primitive_desc_create) primitiveDescCreate;
  decltype(&dnnl_primitive_desc_query_md) primitiveDescQuery;
  decltype(&dnnl_primitive_desc_destroy) primitiveDescDestroy;
  decltype(&dnnl_primitive_create) primitiveCreate;
  decltype(&dnnl_primitive_destroy) primitiveDestroy;
  decltype(&dnnl_primitive_execute) execute;
  decltype(&dnnl_sgemm) sgemm;
  decltype(&dnnl_version) version;

  /// The CPU engine of the process.
  dnnl_engine_t engine;

  /// Returns the library, or the reason why it is not available; the same on every call.
  static const Expected<OneDnn> &get();

private:
  static Expected<OneDnn> load();
};

} // namespace pcc::runtime::host

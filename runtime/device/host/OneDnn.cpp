// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resolves all functions by name and creates the CPU engine, once. The library is never closed.

#include "runtime/device/host/OneDnn.h"

#include "runtime/device/host/HostDevice.h"

namespace pcc::runtime::host {

dnnl_data_type_t libraryType(abi::ElementType type) {
  switch (type) {
  case abi::F16:
    return dnnl_f16;
  case abi::BF16:
    return dnnl_bf16;
  default:
    return dnnl_f32;
  }
}

Expected<OneDnn> OneDnn::load() {
  constexpr const char *names[] = {"libdnnl.so.2", "libdnnl.so"};
  Expected<SharedLibrary> library = SharedLibrary::open(names, "install libdnnl2 (oneDNN 2.6)");
  if (!library)
    return library.status();
  OneDnn dnn = {};
  const Symbol table[] = {
      symbol("dnnl_engine_create", dnn.engineCreate),
      symbol("dnnl_stream_create", dnn.streamCreate),
      symbol("dnnl_stream_destroy", dnn.streamDestroy),
      symbol("dnnl_memory_desc_init_by_strides", dnn.memoryDescInit),
      symbol("dnnl_memory_desc_init_by_tag", dnn.memoryDescInitByTag),
      symbol("dnnl_memory_desc_equal", dnn.memoryDescEqual),
      symbol("dnnl_memory_desc_get_size", dnn.memoryDescGetSize),
      symbol("dnnl_memory_create", dnn.memoryCreate),
      symbol("dnnl_memory_set_data_handle", dnn.memorySetDataHandle),
      symbol("dnnl_memory_destroy", dnn.memoryDestroy),
      symbol("dnnl_matmul_desc_init", dnn.matmulDescInit),
      symbol("dnnl_dilated_convolution_forward_desc_init", dnn.convolutionForward),
      symbol("dnnl_dilated_convolution_backward_data_desc_init", dnn.convolutionBackwardData),
      symbol("dnnl_dilated_convolution_backward_weights_desc_init", dnn.convolutionBackwardWeights),
      symbol("dnnl_reorder_primitive_desc_create", dnn.reorderDescCreate),
      symbol("dnnl_primitive_attr_create", dnn.attributesCreate),
      symbol("dnnl_primitive_attr_destroy", dnn.attributesDestroy),
      symbol("dnnl_primitive_attr_set_post_ops", dnn.setPostOps),
      symbol("dnnl_primitive_attr_set_scratchpad_mode", dnn.setScratchpadMode),
      symbol("dnnl_post_ops_create", dnn.postOpsCreate),
      symbol("dnnl_post_ops_destroy", dnn.postOpsDestroy),
      symbol("dnnl_post_ops_append_sum", dnn.appendSum),
      symbol("dnnl_post_ops_append_eltwise", dnn.appendEltwise),
      symbol("dnnl_primitive_desc_create", dnn.primitiveDescCreate),
      symbol("dnnl_primitive_desc_query_md", dnn.primitiveDescQuery),
      symbol("dnnl_primitive_desc_destroy", dnn.primitiveDescDestroy),
      symbol("dnnl_primitive_create", dnn.primitiveCreate),
      symbol("dnnl_primitive_destroy", dnn.primitiveDestroy),
      symbol("dnnl_primitive_execute", dnn.execute),
      symbol("dnnl_sgemm", dnn.sgemm),
      symbol("dnnl_version", dnn.version),
  };
  if (Status status = library->resolve(table); !status.ok())
    return status;
  if (dnnl_status_t status = dnn.engineCreate(&dnn.engine, dnnl_cpu, 0); status != dnnl_success)
    return Status::unavailable(fmt::format("oneDNN has no cpu engine (status {})", int(status)));
  // Its threads and caches live as long as the process, so the library stays open.
  std::move(*library).leaveOpen();
  return dnn;
}

const Expected<OneDnn> &OneDnn::get() {
  static const Expected<OneDnn> dnn = load();
  return dnn;
}

} // namespace pcc::runtime::host

namespace pcc::runtime {

Expected<std::string> oneDnnVersion() {
  const Expected<host::OneDnn> &dnn = host::OneDnn::get();
  if (!dnn)
    return dnn.status();
  const dnnl_version_t &version = *dnn->version();
  return fmt::format("{}.{}.{}", version.major, version.minor, version.patch);
}

} // namespace pcc::runtime

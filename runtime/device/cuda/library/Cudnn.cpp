// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads the library once and resolves all functions by name. An error has the text of its code and
// the library's last error message.

#include "runtime/device/cuda/library/Cudnn.h"

namespace pcc::runtime::cuda::dnn {

std::vector<Symbol> Cudnn::table(Cudnn &library) {
  return {
      symbol("cudnnGetVersion", library.getVersion),
      symbol("cudnnGetErrorString", library.getErrorString),
      symbol("cudnnGetLastErrorString", library.getLastErrorString),
      symbol("cudnnCreate", library.create),
      symbol("cudnnDestroy", library.destroy),
      symbol("cudnnSetStream", library.setStream),
      symbol("cudnnBackendCreateDescriptor", library.createDescriptor),
      symbol("cudnnBackendDestroyDescriptor", library.destroyDescriptor),
      symbol("cudnnBackendFinalize", library.finalize),
      symbol("cudnnBackendSetAttribute", library.setAttribute),
      symbol("cudnnBackendGetAttribute", library.getAttribute),
      symbol("cudnnBackendExecute", library.execute),
  };
}

static Expected<Cudnn> load() {
  constexpr const char *names[] = {"libcudnn.so.9"};
  Cudnn library = {};
  if (Status status = SharedLibrary::load(names, "install NVIDIA's cuDNN 9", Cudnn::table(library));
      !status.ok())
    return status;
  return library;
}

const Expected<Cudnn> &Cudnn::get() {
  static const Expected<Cudnn> library = load();
  return library;
}

Status Cudnn::check(Result result, std::string_view what) const {
  if (result == Result::Success)
    return {};
  char reason[1024] = {};
  getLastErrorString(reason, sizeof reason);
  return Status::failed(
      fmt::format("{}: {}{}{}", what, getErrorString(result), *reason ? ": " : "", reason));
}

Expected<std::string> cudnnVersion() {
  const Expected<Cudnn> &library = Cudnn::get();
  if (!library)
    return library.status();
  size_t version = library->getVersion(); // major · 10000 + minor · 100 + patch level
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

} // namespace pcc::runtime::cuda::dnn

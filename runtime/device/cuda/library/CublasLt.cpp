// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads the newest library that the installed driver can run, once, and resolves all functions by
// name.

#include "runtime/device/cuda/library/CublasLt.h"

#include <climits>

namespace pcc::runtime::cuda::lt {

std::vector<Symbol> CublasLt::table(CublasLt &library) {
  return {
      symbol("cublasLtCreate", library.create),
      symbol("cublasLtDestroy", library.destroy),
      symbol("cublasLtGetVersion", library.getVersion),
      symbol("cublasLtGetStatusName", library.getStatusName),
      symbol("cublasLtMatmul", library.matmul),
      symbol("cublasLtMatmulAlgoGetHeuristic", library.chooseAlgorithms),
      symbol("cublasLtMatmulDescCreate", library.descCreate),
      symbol("cublasLtMatmulDescDestroy", library.descDestroy),
      symbol("cublasLtMatmulDescSetAttribute", library.descSet),
      symbol("cublasLtMatrixLayoutCreate", library.layoutCreate),
      symbol("cublasLtMatrixLayoutDestroy", library.layoutDestroy),
      symbol("cublasLtMatrixLayoutSetAttribute", library.layoutSet),
      symbol("cublasLtMatmulPreferenceCreate", library.preferenceCreate),
      symbol("cublasLtMatmulPreferenceDestroy", library.preferenceDestroy),
      symbol("cublasLtMatmulPreferenceSetAttribute", library.preferenceSet),
  };
}

std::span<const char *const> CublasLt::names(int driver) {
  static constexpr const char *names[] = {"libcublasLt.so.13", "libcublasLt.so.12"};
  return std::span(names).subspan(driver < 13000 ? 1 : 0);
}

/// Returns the driver's CUDA version. Without a driver nothing rules out the newest library.
static int cudaOfDriver() {
  int version = INT_MAX;
  if (const Expected<Driver> &driver = Driver::get(); driver)
    (void)driver->driverGetVersion(&version);
  return version;
}

Expected<CublasLt> CublasLt::load() {
  CublasLt library = {};
  if (Status status = SharedLibrary::load(names(cudaOfDriver()), "install NVIDIA's CUDA toolkit",
                                          table(library));
      !status.ok())
    return status;
  return library;
}

const Expected<CublasLt> &CublasLt::get() {
  static const Expected<CublasLt> library = load();
  return library;
}

Status CublasLt::check(LtStatus status, std::string_view what) const {
  if (status == LtStatus::Success)
    return {};
  return Status::failed(fmt::format("{}: {}", what, getStatusName(status)));
}

Expected<std::string> describe() {
  const Expected<CublasLt> &library = CublasLt::get();
  if (!library)
    return library.status();
  size_t version = library->getVersion(); // 130200 is 13.2.0
  return fmt::format("{}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
}

} // namespace pcc::runtime::cuda::lt

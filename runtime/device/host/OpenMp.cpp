// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/host/OpenMp.h"

namespace pcc::runtime::host {

Expected<OpenMp> OpenMp::load() {
  constexpr const char *names[] = {"libgomp.so.1"};
  Expected<SharedLibrary> library = SharedLibrary::open(names, "install libgomp1");
  if (!library)
    return library.status();
  OpenMp openMp = {};
  const Symbol table[] = {symbol("GOMP_parallel", openMp.parallel),
                          symbol("omp_set_num_threads", openMp.setThreads),
                          symbol("omp_get_thread_num", openMp.threadNumber),
                          symbol("omp_get_num_threads", openMp.threadCount)};
  if (Status status = library->resolve(table); !status.ok())
    return status;
  // Its workers live as long as the process, so the library stays open.
  std::move(*library).keep();
  return openMp;
}

const Expected<OpenMp> &OpenMp::get() {
  static const Expected<OpenMp> openMp = load();
  return openMp;
}

} // namespace pcc::runtime::host

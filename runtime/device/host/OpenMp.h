// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GNU's OpenMP runtime, opened at first use. oneDNN uses the same one, so kernels and library calls
// share one thread pool. A second pool would compete with its spinning workers for the cores.

#ifndef PCC_RUNTIME_DEVICE_HOST_OPENMP_H
#define PCC_RUNTIME_DEVICE_HOST_OPENMP_H

#include "runtime/base/SharedLibrary.h"

namespace pcc::runtime::host {

struct OpenMp {
  /// Runs `body(data)` on every thread of a team.
  void (*parallel)(void (*body)(void *), void *data, unsigned threads, unsigned flags);
  /// Sets the size of the teams that the calling thread starts from now on.
  void (*setThreads)(int threads);
  int (*threadNumber)();
  int (*threadCount)();

  /// Returns the library, or the reason why it is not available; the same on every call.
  static const Expected<OpenMp> &get();

private:
  static Expected<OpenMp> load();
};

} // namespace pcc::runtime::host

#endif // PCC_RUNTIME_DEVICE_HOST_OPENMP_H

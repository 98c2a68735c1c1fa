// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GNU's OpenMP run time, opened when it is first needed. It is the one that oneDNN uses, so kernels
// and library calls share one pool of threads; a second pool would fight its spinning workers for
// the cores.

#ifndef PCC_RUNTIME_DEVICE_HOST_OPENMP_H
#define PCC_RUNTIME_DEVICE_HOST_OPENMP_H

#include "runtime/base/SharedLibrary.h"

namespace pcc::runtime::host {

struct OpenMp {
  /// Runs `body(data)` on every thread of a team.
  void (*parallel)(void (*body)(void *), void *data, unsigned threads, unsigned flags);
  /// The size of the teams that the calling thread starts from now on.
  void (*setThreads)(int threads);
  int (*threadNumber)();
  int (*threadCount)();

  /// The library, or the reason why it is not here; the same on every call.
  static const Expected<OpenMp> &get();

private:
  static Expected<OpenMp> load();
};

} // namespace pcc::runtime::host

#endif // PCC_RUNTIME_DEVICE_HOST_OPENMP_H

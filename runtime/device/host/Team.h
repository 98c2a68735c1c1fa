// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of one rank.

#pragma once

#include "runtime/base/SharedLibrary.h"

#include <type_traits>

namespace pcc::runtime::host {

/// GNU's OpenMP runtime, opened at first use. oneDNN uses the same one, so kernels and library
/// calls share one thread pool. A second pool would compete with its spinning workers for the
/// cores.
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

class Team {
public:
  /// Creates a team of one thread, which needs no library.
  Team() = default;

  /// Creates a team of `threads` threads. Unavailable if OpenMP is needed and not available.
  static Expected<Team> make(int threads);

  /// Returns the number of threads of each of `ranks` ranks that share `threads` threads (0: one
  /// per core), at least one.
  static int threadsPerRank(int threads, int64_t ranks);

  int threads() const { return size; }

  /// Called on the rank's thread: libraries use the team's size on this thread from now on.
  void enterThread() const;

  /// Calls body(begin, end) for ranges that cover 0 … count-1, at most one per thread, and returns
  /// when all are done. Throws the first exception that leaves one of them.
  template <typename Body> void parallel(int64_t count, Body &&body) const {
    if (size == 1 || count < 2) {
      if (count > 0)
        body(int64_t(0), count);
      return;
    }
    auto call = [](void *context, int64_t begin, int64_t end) {
      (*static_cast<std::remove_reference_t<Body> *>(context))(begin, end);
    };
    spread(count, call, const_cast<void *>(static_cast<const void *>(&body)));
  }

  /// Calls body() while libraries use one thread.
  template <typename Body> void withOneThread(Body &&body) const {
    if (size > 1)
      openMp->setThreads(1);
    body();
    if (size > 1)
      openMp->setThreads(size);
  }

private:
  using RangeFunction = void (*)(void *context, int64_t begin, int64_t end);
  void spread(int64_t count, RangeFunction function, void *context) const;

  int size = 1;
  const OpenMp *openMp = nullptr;
};

} // namespace pcc::runtime::host

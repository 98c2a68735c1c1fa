// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls GNU's OpenMP runtime by its functions, without pragmas. Thread i of n gets the range from
// count · i / n to count · (i + 1) / n. A range may be empty. An exception cannot pass through the
// library, so it is thrown again on the rank's thread.

#include "runtime/device/host/Team.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

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
  std::move(*library).leaveOpen();
  return openMp;
}

const Expected<OpenMp> &OpenMp::get() {
  static const Expected<OpenMp> openMp = load();
  return openMp;
}

Expected<Team> Team::make(int threads) {
  Team team;
  team.size = std::max(1, threads);
  const Expected<OpenMp> &library = OpenMp::get();
  if (library)
    team.openMp = &*library;
  else if (team.size > 1)
    return library.status();
  return team;
}

int Team::threadsPerRank(int threads, int64_t ranks) {
  if (threads <= 0)
    threads = int(std::thread::hardware_concurrency());
  return int(std::max<int64_t>(1, threads / std::max<int64_t>(1, ranks)));
}

void Team::enterThread() const {
  if (openMp)
    openMp->setThreads(size);
}

void Team::spread(int64_t count, RangeFunction function, void *context) const {
  struct Share {
    const OpenMp *openMp;
    int64_t count;
    RangeFunction function;
    void *context;
    // Repeats the ordering of the library's team start and end, so that race detectors see it.
    std::atomic<int> started = 0, ended = 0;
    std::atomic<bool> hasThrown = false;
    std::exception_ptr exception = nullptr; ///< the first one
  } share{openMp, count, function, context};
  auto body = [](void *data) {
    Share &share = *static_cast<Share *>(data);
    share.started.load(std::memory_order_acquire);
    // The runtime may provide fewer threads than requested.
    int64_t threads = share.openMp->threadCount(), mine = share.openMp->threadNumber();
    int64_t begin = share.count * mine / threads, end = share.count * (mine + 1) / threads;
    try {
      if (begin < end)
        share.function(share.context, begin, end);
    } catch (...) {
      if (!share.hasThrown.exchange(true))
        share.exception = std::current_exception();
    }
    share.ended.fetch_add(1, std::memory_order_release);
  };
  share.started.store(1, std::memory_order_release);
  openMp->parallel(body, &share, unsigned(std::min<int64_t>(size, count)), 0);
  share.ended.load(std::memory_order_acquire);
  if (share.exception)
    std::rethrow_exception(share.exception);
}

} // namespace pcc::runtime::host

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/emulator/GpuThreads.h"

#include <array>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <ucontext.h>
#include <vector>

namespace pcc::test {
namespace {

constexpr int64_t lanes = 32;
constexpr size_t stackBytes = 256 << 10;

bool backwards = false;

/// A rendezvous of the threads of a warp or of a block.
struct Meeting {
  int64_t members = 0, arrived = 0;
  uint64_t times = 0; ///< number of completed rendezvous
  std::array<int32_t, lanes> given = {}, shown = {};
};

struct Fiber {
  std::unique_ptr<std::byte[]> stack = std::make_unique<std::byte[]>(stackBytes);
  ucontext_t start = {};
  jmp_buf place = {};
  bool hasStarted = false, isDone = false;
};

/// The running block. Shared memory of kernels is one variable, so only one block runs at a time.
class Block {
public:
  void run(PccGpuThread *body, void *const *operands, const int64_t *numbers, int64_t block,
           int64_t threads);
  void meet(Meeting &meeting);
  void runThread();

  Meeting &warp() { return warps[current / lanes]; }
  int64_t lane() const { return current % lanes; }

  int64_t number = 0;
  int64_t current = 0; ///< thread
  Meeting all;

private:
  void resume(int64_t thread);
  [[noreturn]] void fail(const char *what) const;

  PccGpuThread *thread = nullptr;
  void *const *buffers = nullptr;
  const int64_t *scalars = nullptr;
  std::vector<Fiber> fibers;
  std::vector<Meeting> warps;
  jmp_buf scheduler = {};
  ucontext_t schedulerContext = {};
  uint64_t progress = 0;
};

Block block;
std::mutex oneAtATime;

void startFiber() { block.runThread(); }

void Block::fail(const char *what) const {
  fprintf(stderr, "block %ld: %s\n", long(number), what);
  abort();
}

void Block::runThread() {
  thread(buffers, scalars);
  fibers[current].isDone = true;
  ++progress;
  _longjmp(scheduler, 1);
}

/// Resumes a thread until it waits or is done.
void Block::resume(int64_t next) {
  current = next;
  Fiber &fiber = fibers[next];
  if (_setjmp(scheduler))
    return;
  if (fiber.hasStarted)
    _longjmp(fiber.place, 1);
  fiber.hasStarted = true;
  getcontext(&fiber.start);
  fiber.start.uc_stack = {.ss_sp = fiber.stack.get(), .ss_flags = 0, .ss_size = stackBytes};
  makecontext(&fiber.start, startFiber, 0);
  setcontext(&fiber.start);
}

void Block::meet(Meeting &meeting) {
  uint64_t times = meeting.times;
  int64_t self = current;
  ++progress;
  if (++meeting.arrived == meeting.members) {
    meeting.arrived = 0;
    ++meeting.times;
    meeting.shown = meeting.given;
    return;
  }
  while (meeting.times == times) {
    if (!_setjmp(fibers[self].place))
      _longjmp(scheduler, 1);
  }
}

void Block::run(PccGpuThread *body, void *const *operands, const int64_t *numbers, int64_t index,
                int64_t threads) {
  thread = body;
  buffers = operands;
  scalars = numbers;
  number = index;
  if (fibers.size() < size_t(threads))
    fibers.resize(threads);
  for (Fiber &fiber : fibers)
    fiber.hasStarted = fiber.isDone = false;
  all = {.members = threads};
  warps.assign(threads / lanes, {.members = lanes});
  for (int64_t done = 0; done < threads;) {
    uint64_t before = progress;
    for (int64_t n = 0; n < threads; ++n)
      if (int64_t next = backwards ? threads - 1 - n : n; !fibers[next].isDone) {
        resume(next);
        done += fibers[next].isDone;
      }
    if (progress == before)
      fail("its threads wait for others that never come");
  }
}

int32_t exchange(int32_t value, int64_t from) {
  Meeting &warp = block.warp();
  warp.given[block.lane()] = value;
  block.meet(warp);
  return warp.shown[from];
}

} // namespace

void runBackwards(bool isSo) { backwards = isSo; }

} // namespace pcc::test

using namespace pcc::test;

void pcc_gpu_run(PccGpuThread *thread, void *const *buffers, const int64_t *scalars, int64_t begin,
                 int64_t end, int64_t threads) {
  std::lock_guard lock(oneAtATime);
  for (int64_t n = begin; n < end; ++n)
    block.run(thread, buffers, scalars, backwards ? begin + end - 1 - n : n, threads);
}

int64_t pcc_gpu_thread() { return block.current; }
int64_t pcc_gpu_block() { return block.number; }
void pcc_gpu_barrier() { block.meet(block.all); }

int32_t pcc_gpu_shuffle_xor(int32_t value, int32_t mask) {
  return exchange(value, block.lane() ^ mask);
}
int32_t pcc_gpu_shuffle_from(int32_t value, int32_t lane) { return exchange(value, lane & 31); }

int32_t pcc_gpu_any(int32_t condition) {
  Meeting &warp = block.warp();
  warp.given[block.lane()] = condition;
  block.meet(warp);
  for (int32_t value : warp.shown)
    if (value)
      return 1;
  return 0;
}

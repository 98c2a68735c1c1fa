// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The position of a rank in its program. The rank writes it; the watchdog may read it at any time.

#pragma once

#include "runtime/abi/program.pb.h"
#include "runtime/base/Base.h"

#include <atomic>

namespace pcc::runtime {

struct alignas(64) Progress {
  /// The instruction that finished last, and the current one.
  std::atomic<const abi::Instruction *> finished = nullptr;
  std::atomic<const abi::Instruction *> current = nullptr;
  /// Time since which the rank waits for other ranks (nowNanoseconds); 0: it does not wait.
  std::atomic<int64_t> waitingSince = 0;
  std::atomic<int64_t> step = 0;

  void enter(const abi::Instruction *instruction) {
    current.store(instruction, std::memory_order_relaxed);
  }
  void leave(const abi::Instruction *instruction) {
    finished.store(instruction, std::memory_order_relaxed);
    current.store(nullptr, std::memory_order_relaxed);
  }

  /// Marks the rank as waiting for other ranks during its lifetime.
  class Waiting {
  public:
    Waiting(Progress &progress, int64_t now) : progress(progress) {
      progress.waitingSince.store(now, std::memory_order_relaxed);
    }
    ~Waiting() { progress.waitingSince.store(0, std::memory_order_relaxed); }
    Waiting(const Waiting &) = delete;

  private:
    Progress &progress;
  };
};

} // namespace pcc::runtime

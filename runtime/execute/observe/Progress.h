// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The position of a rank in its program, and its work outside of the program. The rank writes it;
// the watchdog may read it at any time.
//
// A rank that is between two instructions, or computes, is limited by nothing. All other times are
// one of these:
//
//   waits for a transfer   for other ranks, by a collective, a message or a barrier
//   waits for its device   which may wait for other ranks in turn
//   waits to join          for other ranks, which may still load their program
//   works                  long work that is known: reads data, writes a file, loads the program
//
// Waits end the run after the time limit, work after a limit of its own without a beat
// (Watchdog.h).

#pragma once

#include "runtime/abi/files/Heartbeat.h"
#include "runtime/abi/program.pb.h"
#include "runtime/base/Base.h"

#include <atomic>

namespace pcc::runtime {

/// The purpose of a wait.
enum class WaitKind : uint8_t { Transfer, Device, Join };

/// Known long work of a thread.
struct WorkProgress {
  /// Names the work, "reads data"; null: none. A literal, since any thread may read it.
  std::atomic<const char *> what = nullptr;
  /// Time of its begin, its last beat or its end (nowNanoseconds); 0: there was no work.
  std::atomic<int64_t> lastBeat = 0;
  /// Seconds without a beat after which it counts as stuck.
  std::atomic<double> patience = 0;
};

/// Seconds in which known work must show that it moves on: other work, and loading a program, in
/// which a driver may compile kernels.
constexpr double workPatience = 60, loadPatience = 600;

/// Marks the calling thread as working during its lifetime: beats (Heartbeat.h) are its progress.
/// Inside of other work it has its place.
class LocalWork {
public:
  LocalWork(WorkProgress &work, const char *what, double patience = workPatience)
      : work(work), outerWhat(work.what.load(std::memory_order_relaxed)),
        outerPatience(work.patience.load(std::memory_order_relaxed)), outerBeat(abi::lastBeat) {
    abi::lastBeat = &work.lastBeat;
    abi::beat();
    work.patience.store(patience, std::memory_order_relaxed);
    work.what.store(what, std::memory_order_relaxed);
  }
  ~LocalWork() {
    abi::beat();
    work.what.store(outerWhat, std::memory_order_relaxed);
    work.patience.store(outerPatience, std::memory_order_relaxed);
    abi::lastBeat = outerBeat;
  }
  LocalWork(const LocalWork &) = delete;

private:
  WorkProgress &work;
  const char *const outerWhat;
  const double outerPatience;
  std::atomic<int64_t> *const outerBeat;
};

struct alignas(64) Progress {
  /// The instruction that finished last, and the current one.
  std::atomic<const abi::Instruction *> finished = nullptr;
  std::atomic<const abi::Instruction *> current = nullptr;
  /// Time since which the rank waits (nowNanoseconds); 0: it does not wait.
  std::atomic<int64_t> waitingSince = 0;
  std::atomic<WaitKind> waitKind = WaitKind::Transfer;
  /// Names a wait outside of instructions, "at the barrier after an epoch"; null: no name.
  std::atomic<const char *> waitName = nullptr;
  std::atomic<int64_t> step = 0;
  /// Nanoseconds of all waits for a transfer that have ended.
  std::atomic<int64_t> transferWaits = 0;
  WorkProgress work;

  void enter(const abi::Instruction *instruction) {
    current.store(instruction, std::memory_order_relaxed);
  }
  void leave(const abi::Instruction *instruction) {
    finished.store(instruction, std::memory_order_relaxed);
    current.store(nullptr, std::memory_order_relaxed);
  }

  /// Marks the rank as waiting during its lifetime. If it does so in its work, the work moves on
  /// with the begin and the end of the wait.
  class Waiting {
  public:
    /// `now`: nowNanoseconds(); 0: the wait does not depend on other ranks, and nothing is marked.
    /// Another thread may then wait for the rank's device while the rank waits itself.
    Waiting(Progress &progress, int64_t now, WaitKind kind = WaitKind::Transfer,
            const char *name = nullptr)
        : progress(progress), begin(now), kind(kind) {
      if (begin == 0)
        return;
      beatInWork();
      progress.waitKind.store(kind, std::memory_order_relaxed);
      progress.waitName.store(name, std::memory_order_relaxed);
      progress.waitingSince.store(now, std::memory_order_relaxed);
    }
    ~Waiting() {
      if (begin == 0)
        return;
      beatInWork();
      progress.waitingSince.store(0, std::memory_order_relaxed);
      progress.waitName.store(nullptr, std::memory_order_relaxed);
      if (kind == WaitKind::Transfer)
        progress.transferWaits.fetch_add(nowNanoseconds() - begin, std::memory_order_relaxed);
    }
    Waiting(const Waiting &) = delete;

  private:
    void beatInWork() const {
      if (progress.work.what.load(std::memory_order_relaxed))
        abi::beat();
    }

    Progress &progress;
    const int64_t begin; ///< 0: not marked
    const WaitKind kind;
  };
};

} // namespace pcc::runtime

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Communicators of the emulated NCCL: their creation, the calls of their ranks, and their end. All
// functions are called under the library's lock unless their comment says otherwise.
#pragma once

#include "runtime/collective/nccl/Estimates.h"
#include "test/emulator/GpuWork.h"
#include "test/emulator/NcclClique.h"

#include <mutex>

namespace pcc::runtime::nccl {

/// A rank's side of a communicator. Objects are never freed, so that a later use is detected.
struct CommObject {
  int rank = 0;
  int gpu = 0;
  std::shared_ptr<test::NcclClique> clique = {};
  bool isGone = false;
  Code error = Code::Success;
  /// Number of further queries that report work in progress, and the work to enqueue afterwards.
  int polls = 0;
  std::vector<std::function<cuda::Result()>> toEnqueue = {};
  /// Number of operations that are called and not done.
  int underWay = 0;
  size_t splits = 0;
  /// Result of a split in progress.
  CommObject *part = nullptr;
  /// Limit of thread blocks that the communicator may use on the GPU.
  int maxBlocks = 0;
  /// Calls return when they are complete. Such a communicator is used only for simulations.
  bool isBlocking = false;
};

} // namespace pcc::runtime::nccl

namespace pcc::test {

using Lock = std::lock_guard<std::mutex>;
using runtime::cuda::StreamHandle;
using runtime::nccl::Code;
using runtime::nccl::CommHandle;
using runtime::nccl::CommObject;

/// Enqueues work on a stream.
using EnqueueWork = std::function<runtime::cuda::Result()>;

/// A call of a group.
struct NcclCalled {
  NcclCall call;
  CommObject *comm;
  StreamHandle stream;
};

/// State of the library, protected by `mutex`. The mutex may be taken while the driver's lock is
/// held, but not the other way round.
struct NcclState {
  std::mutex mutex;
  std::string lastError;
  uint64_t ids = 0;
  std::vector<std::unique_ptr<CommObject>> comms;
  /// Ranks that have arrived, by id.
  std::map<uint64_t, std::vector<CommObject *>> joining;
  struct Choice {
    int color, key;
    CommObject *comm;
    CommHandle *slot;
  };
  /// By clique and number of the split, then by rank.
  std::map<std::pair<NcclClique *, size_t>, std::map<int, Choice>> splits;
};
extern NcclState &library;

/// Stores `why` as the last error.
Code failNccl(Code code, const std::string &why);

/// Returns an error if a call may not use the communicator.
Code checkUse(CommObject *comm);

CommObject *makeComm(int rank, const runtime::nccl::Config *config);
/// Connects a new communicator after all members have arrived, or the parts after all members have
/// split it.
void connect(const std::vector<CommObject *> &members);
void connectSplit(const std::map<int, NcclState::Choice> &choices);

/// Launches all calls of a group in order.
Code launch(const std::vector<NcclCalled> &calls);

/// Waits until all ranks of a blocking communicator have arrived; releases the lock meanwhile.
Code waitUntilJoined(std::unique_lock<std::mutex> &lock, CommObject *comm);

/// Estimates a group without launching it.
Code simulate(const std::vector<NcclCalled> &calls, runtime::nccl::SimulationInfo &info);

/// Returns the state of a communicator. Must be called without the lock, on any thread.
Code askState(CommObject *comm, Code &state);

Code abortTogether(const std::vector<CommObject *> &comms);

} // namespace pcc::test

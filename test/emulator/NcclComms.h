// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The communicators of the emulated NCCL: how they come to be, what their ranks call, and how they
// end. All functions are called under the library's lock unless they say otherwise.
#pragma once

#include "runtime/collective/nccl/Estimates.h"
#include "test/emulator/GpuWork.h"
#include "test/emulator/NcclClique.h"

#include <mutex>

namespace pcc::runtime::nccl {

/// A rank's side of a communicator. None is freed, so that later use is seen.
struct CommObject {
  int rank = 0;
  int gpu = 0;
  std::shared_ptr<test::NcclClique> clique = {};
  bool isGone = false;
  Code error = Code::Success;
  /// How often it says yet that something goes on, and what comes to streams then.
  int polls = 0;
  std::vector<std::function<cuda::Result()>> toEnqueue = {};
  /// What was called and is not done.
  int underWay = 0;
  size_t splits = 0;
  /// What comes of a split that goes on.
  CommObject *part = nullptr;
  /// Blocks of threads that it may take of the GPU.
  int mostBlocks = 0;
  /// Its calls return when they are through. It is there to be asked by simulations alone.
  bool isBlocking = false;
};

} // namespace pcc::runtime::nccl

namespace pcc::test {

using Lock = std::lock_guard<std::mutex>;
using runtime::cuda::StreamHandle;
using runtime::nccl::Code;
using runtime::nccl::CommHandle;
using runtime::nccl::CommObject;

/// What is put on a stream.
using EnqueueWork = std::function<runtime::cuda::Result()>;

/// A call of a group.
struct NcclCalled {
  NcclCall call;
  CommObject *comm;
  StreamHandle stream;
};

/// Under `mutex`, which is taken with the driver's lock held, never the other way round.
struct NcclState {
  std::mutex mutex;
  std::string lastError;
  uint64_t ids = 0;
  std::vector<std::unique_ptr<CommObject>> comms;
  /// By id: who has come, by rank.
  std::map<uint64_t, std::vector<CommObject *>> joining;
  struct Choice {
    int color, key;
    CommObject *comm;
    CommHandle *slot;
  };
  /// By clique and number of the split, then by rank.
  std::map<std::pair<NcclClique *, size_t>, std::map<int, Choice>> splits;
};
extern NcclState library;

/// Leaves `why` for who asks for the last error.
Code failNccl(Code code, const std::string &why);

/// Whether a call may use the communicator.
Code checkUse(CommObject *comm);

CommObject *makeComm(int rank, const runtime::nccl::Config *config);
/// All members of a new communicator have come; all of one have split it.
void connect(const std::vector<CommObject *> &members);
void connectSplit(const std::map<int, NcclState::Choice> &choices);

/// Everything of a group, in its order.
Code launch(const std::vector<NcclCalled> &calls);

/// The rank of a blocking communicator waits until all have come; gives the lock away meanwhile.
Code waitUntilJoined(std::unique_lock<std::mutex> &lock, CommObject *comm);

/// A group that is not launched but told of.
Code simulate(const std::vector<NcclCalled> &calls, runtime::nccl::SimulationInfo &info);

/// The state that a communicator tells. Without the lock, on any thread.
Code askState(CommObject *comm, Code &state);

Code abortTogether(const std::vector<CommObject *> &comms);

} // namespace pcc::test

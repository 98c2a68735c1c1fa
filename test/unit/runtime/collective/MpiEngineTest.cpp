// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine and the world with MPI libraries that are replaced by tables of functions.

#include "runtime/collective/mpi/Engine.h"
#include "runtime/collective/mpi/MpiWorld.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <thread>

namespace pcc::test {
namespace {

using namespace runtime;

TEST(MpiEngine, NeedsThreads) {
  PccMpi library{};
  library.begin = [](int32_t *, int32_t *, int32_t *enough) {
    *enough = 0;
    return 0;
  };
  Status status = mpi::Engine::begin(library, /*oversubscribed=*/true).status();
  EXPECT_EQ(status.kind(), StatusKind::Unavailable);
  EXPECT_EQ(status.message(), "MPI: expected thread level 'funneled' or more, got 'single'; use an "
                              "MPI that is built with threads");
}

TEST(MpiEngine, PassesOnErrors) {
  PccMpi library{};
  library.begin = [](int32_t *, int32_t *, int32_t *) { return 7; };
  library.describe = [](int code, char *text, int32_t capacity) {
    std::snprintf(text, size_t(capacity), "trouble number %d", code);
  };
  Status status = mpi::Engine::begin(library, /*oversubscribed=*/true).status();
  EXPECT_EQ(status.kind(), StatusKind::Failed);
  EXPECT_EQ(status.message(), "MPI: trouble number 7");
}

/// A library for process 1 of 2, in which every call is done at once. A receive gets a message of
/// `receivedBytes`.
constexpr int64_t receivedBytes = int64_t(3) << 30;
PccMpi makeLibraryOfTwo() {
  PccMpi library{};
  library.begin = [](int32_t *process, int32_t *processes, int32_t *) {
    *process = 1;
    *processes = 2;
    return 0;
  };
  library.end = [] { return 0; };
  library.make = [](const int32_t *, int32_t, int32_t, PccMpiGroup *) { return 0; };
  library.max_tag = [] { return 32767; };
  library.all_gather = [](const void *data, int32_t count, void *target, const int32_t *,
                          const int32_t *offsets, int32_t width, PccMpiGroup, PccMpiRequest *) {
    for (int process : {0, 1})
      std::memcpy(static_cast<char *>(target) + offsets[process] * width, data,
                  size_t(count) * size_t(width));
    return 0;
  };
  library.receive = [](void *, int32_t, int32_t, int32_t, int32_t, PccMpiGroup, PccMpiRequest *) {
    return 0;
  };
  library.probe = [](int32_t, PccMpiGroup, int32_t *found, int32_t *, int64_t *) {
    *found = 0;
    return 0;
  };
  library.test = [](PccMpiRequest *, int32_t *done, int64_t *bytes) {
    *done = 1;
    *bytes = receivedBytes;
    return 0;
  };
  return library;
}

TEST(MpiEngine, MessagesMayHaveMoreThanTwoGigabytes) {
  static const PccMpi library = makeLibraryOfTwo();
  auto engine = mpi::Engine::begin(library, /*oversubscribed=*/true);
  ASSERT_TRUE(bool(engine));
  auto world = mpi::makeWorld(*engine, 2, {});
  ASSERT_TRUE(bool(world)) << world.status().message();
  auto communicators = (*world)->connect();
  ASSERT_TRUE(bool(communicators));
  for (int64_t missing : {0, 1}) {
    CollectiveCall call;
    call.kind = abi::RECV;
    call.shape = {receivedBytes / 4 + missing};
    EXPECT_EQ((*communicators)[0]->run({&call, 1}).message(),
              missing == 0 ? ""
                           : "rank 0 sent 3221225472 bytes, but rank 1 expected 805306369 elements "
                             "of f32");
  }
  EXPECT_TRUE((*engine)->end().ok());
}

/// A library of two processes whose requests are done when a test wants it.
struct PendingLibrary {
  static inline std::atomic<bool> isDone = false, throws = false, hasTested = false;
  static inline std::atomic<void *> received = nullptr;

  static PccMpi make() {
    isDone = throws = hasTested = false;
    received = nullptr;
    PccMpi library = makeLibraryOfTwo();
    library.receive = [](void *data, int32_t, int32_t, int32_t, int32_t, PccMpiGroup,
                         PccMpiRequest *request) {
      received = data;
      *request = 1;
      return 0;
    };
    library.send = [](const void *, int32_t, int32_t, int32_t, int32_t, PccMpiGroup,
                      PccMpiRequest *request) {
      *request = 0;
      return 0;
    };
    library.test = [](PccMpiRequest *request, int32_t *done, int64_t *bytes) {
      if (*request == 1 && throws.exchange(false))
        throw std::bad_alloc();
      hasTested = isDone.load();
      *done = *request != 1 || isDone;
      *bytes = 16;
      return 0;
    };
    return library;
  }
};

/// A receive of 4 numbers, with its memory.
struct Receive {
  std::vector<float> data = std::vector<float>(4);
  CollectiveCall call;
  Receive() {
    call.kind = abi::RECV;
    call.shape = {4};
    call.destination = data.data();
  }
};

bool comesTrue(const std::atomic<bool> &flag) {
  for (int i = 0; i < 1000 && !flag; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return flag;
}

TEST(MpiEngine, AnExceptionNamesItsRank) {
  static const PccMpi library = PendingLibrary::make();
  auto engine = mpi::Engine::begin(library, /*oversubscribed=*/true);
  ASSERT_TRUE(bool(engine));
  auto world = mpi::makeWorld(*engine, 4, {});
  ASSERT_TRUE(bool(world)) << world.status().message();
  auto communicators = (*world)->connect();
  auto receive = std::make_shared<Receive>();
  PendingLibrary::throws = true;
  Status status = (*communicators)[0]->runOwned({&receive->call, 1}, receive);
  EXPECT_EQ(status.kind(), StatusKind::Failed);
  EXPECT_EQ(status.message(), "ranks 2 to 3: the thread of MPI: std::bad_alloc");
  EXPECT_EQ((*communicators)[1]->barrier().message(), status.message());
  EXPECT_TRUE((*engine)->end().ok());
}

// MPI knows nothing of an abort: it may write to the buffers of a request until that is done.
TEST(MpiEngine, MemoryOfAnAbortedReceiveStays) {
  static const PccMpi library = PendingLibrary::make();
  auto engine = mpi::Engine::begin(library, /*oversubscribed=*/true);
  ASSERT_TRUE(bool(engine));
  auto world = mpi::makeWorld(*engine, 2, {});
  ASSERT_TRUE(bool(world)) << world.status().message();
  auto communicators = (*world)->connect();
  auto receive = std::make_shared<Receive>();
  std::weak_ptr<Receive> memory = receive;
  std::span<const CollectiveCall> calls(&receive->call, 1);
  std::thread later([&] {
    while (!PendingLibrary::received)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    (*communicators)[0]->abort("enough");
  });
  Status status = (*communicators)[0]->runOwned(calls, std::move(receive));
  later.join();
  EXPECT_EQ(status.kind(), StatusKind::Aborted);
  // The message is tested, and done, after everything else of the world is gone.
  communicators->clear();
  world->reset();
  std::shared_ptr<Receive> kept = memory.lock();
  ASSERT_TRUE(kept);
  EXPECT_EQ(PendingLibrary::received, kept->data.data());
  PendingLibrary::isDone = true;
  EXPECT_TRUE(comesTrue(PendingLibrary::hasTested));
  EXPECT_TRUE((*engine)->end().ok());
}

/// Work that is never done.
struct Endless final : mpi::Activity {
  static inline std::atomic<int> alive = 0, aliveAtEnd = -1;
  Endless() { ++alive; }
  ~Endless() override { --alive; }
  bool advance() override { return false; }
  bool isIdle() const override { return false; }
};

TEST(MpiEngine, WhatIsInFlightOutlivesMpi) {
  static PccMpi library = makeLibraryOfTwo();
  library.end = [] {
    Endless::aliveAtEnd = Endless::alive.load();
    return 0;
  };
  auto engine = mpi::Engine::begin(library, /*oversubscribed=*/true);
  ASSERT_TRUE(bool(engine));
  (*engine)->submit([&] { (*engine)->add(std::make_shared<Endless>()); });
  EXPECT_TRUE((*engine)->end().ok());
  EXPECT_EQ(Endless::aliveAtEnd, 1);
  EXPECT_EQ(Endless::alive, 0);
}

// Calls of MPI in which all processes meet do not wait for ever for one that is stopped.
TEST(MpiEngine, MeetingsAreLimited) {
  static std::atomic<bool> isOver = false;
  static PccMpi library = makeLibraryOfTwo();
  auto waitForOthers = [] {
    while (!isOver)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  static const std::function<void()> wait = waitForOthers;
  library.make = [](const int32_t *, int32_t, int32_t, PccMpiGroup *) {
    wait();
    return 0;
  };
  auto engine = mpi::Engine::begin(library, /*oversubscribed=*/true, {.later = 0.1, .end = 0.1});
  ASSERT_TRUE(bool(engine));
  EXPECT_EQ(mpi::makeWorld(*engine, 2, {}).status().message(),
            "the first exchange of MPI: not all processes have come within 0.1 s");
  EXPECT_EQ((*engine)->end().message(), "the end of MPI: not all processes have come within 0.1 s");
  isOver = true;
}

} // namespace
} // namespace pcc::test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine and the world with MPI libraries that are replaced by tables of functions.

#include "runtime/collective/mpi/Engine.h"
#include "runtime/collective/mpi/MpiWorld.h"

#include <gtest/gtest.h>

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

} // namespace
} // namespace pcc::test

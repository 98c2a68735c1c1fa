// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of the engine for unsuitable MPI libraries, which are replaced by tables of functions.

#include "runtime/collective/mpi/Engine.h"

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

} // namespace
} // namespace pcc::test

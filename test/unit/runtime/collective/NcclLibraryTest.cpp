// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests NVIDIA's own NCCL if it is installed: it has the functions that pcc calls. No GPU is
// needed.

#include "runtime/collective/nccl/Estimates.h"
#include "runtime/collective/nccl/Nccl.h"

#include <gtest/gtest.h>

namespace pcc::test {
namespace {

using namespace runtime;
using nccl::Nccl;

class NcclLibrary : public testing::Test {
protected:
  void SetUp() override {
    if (!Nccl::get())
      GTEST_SKIP() << Nccl::get().status().message();
  }
};

TEST_F(NcclLibrary, HasEveryFunction) {
  auto opened = SharedLibrary::open(Nccl::names(), "");
  ASSERT_TRUE(bool(opened));
  Nccl library = {};
  for (const Symbol &row : Nccl::table(library))
    EXPECT_NE(opened->address(row.name), nullptr) << row.name;
  nccl::Simulator simulator = {};
  for (const Symbol &row : nccl::Simulator::table(simulator))
    EXPECT_NE(opened->address(row.name), nullptr) << row.name;
}

TEST_F(NcclLibrary, SaysWhichItIs) {
  auto text = nccl::describeNccl();
  ASSERT_TRUE(bool(text)) << text.status().message();
  EXPECT_TRUE(text->starts_with("2.")) << *text;
  EXPECT_EQ(Nccl::get()->check(nccl::Code::Success, "call").message(), "");
  EXPECT_TRUE(Nccl::get()
                  ->check(nccl::Code::InvalidUsage, "call")
                  .message()
                  .starts_with("call: invalid usage"));
}

} // namespace
} // namespace pcc::test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/abi/files/Executable.h"
#include "test/unit/runtime/Pipelines.h"

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <functional>

namespace pcc::test {
namespace {

using abi::Executable;

/// Stages 1 to 4 of 6 have the same layers; their rings and actions differ.
Executable sixStages() {
  return makePipeline({.stages = 6, .microBatches = 8, .layers = 12, .batch = 64, .early = true});
}

// The stages between the first and the last share one list of instructions. Unsharing restores the
// original programs.
TEST(SharedRecords, HoldsThemOnce) {
  Executable executable = sixStages(), shared = executable;
  abi::shareInstructions(shared);
  std::vector<uint32_t> sameAs;
  for (const abi::Program &program : shared.programs())
    sameAs.push_back(program.same_as());
  EXPECT_EQ(sameAs, (std::vector<uint32_t>{0, 0, 2, 2, 2, 0}));
  EXPECT_EQ(shared.programs(2).sections_size(), 0);
  EXPECT_LT(shared.ByteSizeLong(), executable.ByteSizeLong());

  auto read = abi::parseExecutable(abi::serialize(executable));
  ASSERT_TRUE(bool(read)) << read.status().describe();
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(executable, *read));
}

// An instruction that differs in more than its name and its waits is not shared.
TEST(SharedRecords, TellsRecordsApart) {
  Executable executable = sixStages();
  executable.mutable_programs(3)
      ->mutable_sections(1)
      ->mutable_instructions(2)
      ->mutable_matmul()
      ->set_m(1);
  abi::shareInstructions(executable);
  EXPECT_EQ(executable.programs(2).same_as(), 2u);
  EXPECT_EQ(executable.programs(3).same_as(), 0u);
  EXPECT_EQ(executable.programs(4).same_as(), 2u);
}

struct Break {
  const char *name;
  std::function<void(Executable &)> change;
  const char *message;
};

void PrintTo(const Break &test, std::ostream *out) { *out << test.name; }

const Break breaks[] = {
    {"itself", [](Executable &e) { e.mutable_programs(2)->set_same_as(3); },
     "programs[2].same_as: expected a program before it with sections of its own, got 3"},
    {"beyond", [](Executable &e) { e.mutable_programs(2)->set_same_as(4294967295u); },
     "programs[2].same_as: expected a program before it with sections of its own, got 4294967295"},
    {"chain", [](Executable &e) { e.mutable_programs(3)->set_same_as(3); },
     "programs[3].same_as: expected a program before it with sections of its own, got 3"},
    {"both", [](Executable &e) { e.mutable_programs(2)->add_sections(); },
     "programs[2].same_as: expected no sections beside those of another program"},
    {"names", [](Executable &e) { e.mutable_programs(2)->mutable_own_parts()->add_ops("more"); },
     "programs[2].own_parts: expected parts of 16 instructions with 11 waits, got 17 ops, 16 "
     "locations "
     "and 11 waits"},
    {"requests",
     [](Executable &e) {
       for (int count = 0; count < 1000; ++count)
         e.mutable_programs(2)->mutable_own_parts()->add_requests();
     },
     "programs[2].own_parts: expected requests of 6 collectives, got 1006"},
};

class SharedRecordsBreak : public testing::TestWithParam<Break> {};

TEST_P(SharedRecordsBreak, ShowsWhatIsWrong) {
  Executable executable = sixStages();
  abi::shareInstructions(executable);
  GetParam().change(executable);
  EXPECT_EQ(abi::fillInInstructions(executable).message(), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Kinds, SharedRecordsBreak, testing::ValuesIn(breaks),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace pcc::test
